"""The agent: one message in, one reply out, memory around it. The same for every platform."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from zoneinfo import ZoneInfo

import structlog

from bot.agent.lanes import Lanes
from bot.agent.persona import VERSION
from bot.agent.quoting import Reason, quote_memories
from bot.agent.texts import say
from bot.errors import ChatFailed, ChatInterrupted
from bot.llm.chat import ChatModel
from bot.message import Degraded, Incoming, Reply
from memory.errors import InvalidText, RecordUnavailable
from memory.language import language_of
from memory.model import Message, Prompt, Speaker
from memory.system import AgentMemorySystem, Context

log = structlog.get_logger(__name__)

OnText = Callable[[str], Awaitable[None]]
"""Called with each piece of a reply as it is written."""

REMEMBERED_ANSWERS = 1_000


class Agent:
    """Answers messages, one at a time within a conversation.

    Invariant: every message gets exactly one reply; whatever is missing (model, index, database) makes the reply
    poorer and is said in it.
    """

    def __init__(
        self,
        memory: AgentMemorySystem,
        chat: ChatModel | None,
        *,
        name: str,
        persona: str,
        zone: ZoneInfo,
        max_message_chars: int,
        max_reply_tokens: int,
    ) -> None:
        self._memory = memory
        self._chat = chat
        self._name = name
        self._persona = persona
        self._zone = zone
        self._max_message_chars = max_message_chars
        self._max_reply_tokens = max_reply_tokens
        self._lanes = Lanes()
        self._last: OrderedDict[str, Context] = OrderedDict()

    async def answer(self, incoming: Incoming, *, on_text: OnText | None = None) -> Reply:
        """The reply to `incoming`, recorded with it. Never raises for what a member can cause or a service can fail
        at."""
        language = language_of(incoming.text)
        if len(incoming.text) > self._max_message_chars:
            size = {"size": len(incoming.text), "limit": self._max_message_chars}
            return Reply(say("too_long", language, **size), language)
        async with self._lanes.turn(incoming.conversation_id):
            try:
                if await self._memory.answered(incoming.event_id):
                    return Reply("", language, duplicate=True)
                context = await self._memory.prepare_context(
                    _message(incoming), incoming.audience, system_prompt=self._persona
                )
                return await self._reply(context, on_text)
            except InvalidText:
                return Reply(say("unreadable", language), language)
            except RecordUnavailable:
                return Reply(say("no_record", language), language, degraded="no_record")

    def last_context(self, conversation_id: str) -> Context | None:
        """What the last answer in this conversation rested on, as far back as this process remembers."""
        return self._last.get(conversation_id)

    def forget_last(self, conversation_id: str) -> None:
        self._last.pop(conversation_id, None)

    async def _reply(self, context: Context, on_text: OnText | None) -> Reply:
        if "record" in context.missing:
            return Reply(say("no_record", context.language), context.language, degraded="no_record")
        text, degraded = await self._write(context, on_text)
        try:
            recorded = await self._memory.post_response(
                context, text, degraded=degraded in ("no_model", "model_failed"), agent_name=self._name
            )
        except RecordUnavailable:
            note = f"{text}\n\n{say('not_recorded', context.language)}"
            return Reply(note, context.language, recalled=context.recalled, degraded="no_record")
        if recorded.duplicate:
            return Reply("", context.language, duplicate=True)
        self._keep_last(context)
        return Reply(
            text=text,
            language=context.language,
            recalled=context.recalled,
            profile=context.profile,
            degraded=degraded,
            timings_ms=context.timings_ms,
        )

    async def _write(self, context: Context, on_text: OnText | None) -> tuple[str, Degraded]:
        if self._chat is None:
            return await self._quote(context, "no_model", on_text)
        written: list[str] = []
        try:
            async for piece in self._chat.stream(self._prompt(context)):
                written.append(piece)
                if on_text is not None:
                    await on_text(piece)
        except ChatInterrupted as error:
            log.warning("the model's answer broke off", _event="answer_interrupted", code=error.code, reason=str(error))
            note = "\n\n" + say("interrupted", context.language)
            if on_text is not None:
                await on_text(note)
            return "".join(written) + note, "model_failed"
        except ChatFailed as error:
            log.warning("the model gave no answer", _event="answer_failed", code=error.code, reason=str(error))
            return await self._quote(context, "model_failed", on_text)
        text = "".join(written).strip()
        if not text:
            return await self._quote(context, "model_failed", on_text)
        return text, "no_index" if "index" in context.missing else ""

    async def _quote(self, context: Context, reason: Reason, on_text: OnText | None) -> tuple[str, Degraded]:
        text = quote_memories(
            context.message.text,
            context.recalled,
            reason=reason,
            language=context.language,
            zone=self._zone,
            noted=self._memory.would_keep(context),
        )
        if "index" in context.missing:
            text += "\n" + say("cannot_remember", context.language)
        if on_text is not None:
            await on_text(text)
        return text, reason

    def _prompt(self, context: Context) -> Prompt:
        return Prompt(
            purpose="answer",
            version=VERSION,
            messages=context.messages,
            max_tokens=self._max_reply_tokens,
            conversation_id=context.message.conversation_id,
            member_id=context.message.speaker.member_id,
            community=context.message.scope.community,
        )

    def _keep_last(self, context: Context) -> None:
        self._last[context.message.conversation_id] = replace(context, early=None)
        self._last.move_to_end(context.message.conversation_id)
        while len(self._last) > REMEMBERED_ANSWERS:
            self._last.popitem(last=False)


def _message(incoming: Incoming) -> Message:
    return Message(
        conversation_id=incoming.conversation_id,
        scope=incoming.scope,
        speaker=Speaker(incoming.actor.id, incoming.actor.name),
        text=incoming.text,
        at=incoming.at,
        channel_name=incoming.channel_name,
        role=incoming.actor.role,
        event_id=incoming.event_id,
        quoted=incoming.quoted,
    )
