"""The one door to memory: prepare the context of a reply, then record what came of it.

Usable without any bot; docs/architecture.md has a ten-line example.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog

from memory.audience import Audience
from memory.context import Context, Missing, RequestPacker, Stopwatch
from memory.disclosure import discloses
from memory.early import EarlyExtractions, job_of
from memory.episodic import Acquaintance, EpisodicMemory
from memory.errors import (
    EmbeddingFailed,
    IndexUnavailable,
    InvalidText,
    MemoryFailure,
    RecordUnavailable,
    StoreUnavailable,
)
from memory.extraction import may_tell
from memory.indexing import Indexer
from memory.language import language_of
from memory.longterm import LongTermMemory, RecallPolicy
from memory.model import (
    ConversationState,
    Exchange,
    Kind,
    Language,
    Memory,
    MemoryChanges,
    Message,
    Recalled,
    RecordedExchange,
    Speaker,
    Turn,
    UserProfile,
)
from memory.ports import ConversationStore, ExtractionQueue, TokenCounter
from memory.privacy import clean_name, clean_text, is_readable, mask_secrets
from memory.prompts import context_text
from memory.question import QueryFacts
from memory.safety import inspect
from memory.tokens import cut_to_tokens
from memory.working import WorkingMemory
from memory.worth import worth_as_answer
from memory.writing import WritePath

log = structlog.get_logger(__name__)

T = TypeVar("T")
FRESH_TOKENS = 300
CATCH_UP_S = 0.5
QUESTION_CONTEXT_TURNS = 2
QUESTION_CONTEXT_CHARS = 200
REPEATED_QUESTION = 0.8
"""An earlier answer this relevant means that the question has been answered from memory."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`profile_update` and its deadline as in the settings; `budget_tokens` bounds the whole request."""

    profile_update: Literal["before_reply", "after_reply"]
    extraction_deadline_s: float
    budget_tokens: int
    zone: ZoneInfo


class AgentMemorySystem:
    """Three layers of memory around one reply.

    Call `prepare_context` and then `post_response` for each message, one message of a conversation at a time; different
    conversations may overlap freely. Failures of a store or model never surface as exceptions from `prepare_context`:
    they make the context poorer and are named in it.
    """

    def __init__(
        self,
        *,
        conversations: ConversationStore,
        queue: ExtractionQueue,
        working: WorkingMemory,
        longterm: LongTermMemory,
        episodic: EpisodicMemory,
        writing: WritePath,
        indexer: Indexer,
        counter: TokenCounter,
        policy: Policy,
    ) -> None:
        self._conversations = conversations
        self._working = working
        self._longterm = longterm
        self._episodic = episodic
        self._writing = writing
        self._indexer = indexer
        self._counter = counter
        self._packer = RequestPacker(working, counter, policy.budget_tokens)
        self._policy = policy
        self._early = EarlyExtractions(
            writing,
            queue,
            episodic,
            before_reply=policy.profile_update == "before_reply",
            deadline_s=policy.extraction_deadline_s,
        )
        self._background: list[asyncio.Task[None]] = []

    # --- life -------------------------------------------------------------------------------------------------------

    async def start(self, *, background: bool = True, index_is_new: bool = False) -> None:
        """Fill an index that is new from the record and, with `background`, begin to index and extract as work arrives.

        Raises StoreUnavailable.
        """
        if index_is_new:
            await self._indexer.reconcile()
        if background:
            self._background = [asyncio.create_task(self._indexer.run()), asyncio.create_task(self._writing.run())]

    async def close(self) -> None:
        """Stop the background work. What is unfinished waits in PostgreSQL."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        self._background = []
        await self._early.settle()
        await self._working.close()

    async def rebuild_index(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Index every memory anew, instead of `start`; returns how many. Raises StoreUnavailable or EmbeddingFailed."""
        return await self._indexer.rebuild(progress)

    async def index_now(self) -> int:
        """Carry over to the search index whatever waits for it; returns how many entries. Raises StoreUnavailable or
        EmbeddingFailed."""
        return await self._indexer.drain()

    async def counts(self) -> Mapping[str, int]:
        """How much is stored, by kind of row. Raises RecordUnavailable."""
        return await self._longterm.counts()

    async def settle(self) -> tuple[Memory, ...]:
        """Finish all work that waits: extraction, compression, indexing. Returns the memories stored since the last
        call. Work whose model or store is away goes on waiting."""
        await self._early.settle()
        await self._working.settle()
        try:
            await self._writing.run_due(everything=True)
            await self._indexer.drain()
        except (StoreUnavailable, EmbeddingFailed) as error:
            log.warning("background work waits for a store", _event="settle_waits", reason=type(error).__name__)
        return self._writing.take_stored()

    # --- one reply --------------------------------------------------------------------------------------------------

    async def prepare_context(self, message: Message, audience: Audience, *, system_prompt: str = "") -> Context:
        """What is known that bears on `message` and may be said to `audience`.

        `system_prompt` is the caller's own; it counts towards the budget and heads `Context.messages`. Raises
        InvalidText when the message holds nothing readable.
        """
        message = _cleaned(message)
        watch = Stopwatch()
        missing: set[Missing] = set()
        language = language_of(message.text)

        state = await self._state(message, missing)
        watch.lap("working")
        early = self._early.begin(message, state)
        await self._early.wait_for(message.speaker.member_id)
        (known, profile_ms), (recalled, recall_ms) = await asyncio.gather(
            _timed(self._know(message, audience, missing)),
            _timed(self._recall(message, state, audience, missing)),
        )
        watch.note("profile", profile_ms)
        watch.note("recall", recall_ms)
        watch.lap("together")
        known = await self._early.news(message, known, early)
        watch.lap("extraction")

        if language == "other":
            language = _usual_language(message.speaker.member_id, state, known.profile)
        block = context_text(
            profile=self._episodic.text(known.profile, language),
            fresh=[cut_to_tokens(text, FRESH_TOKENS, self._counter) for text in known.fresh],
            recalled=recalled,
            language=language,
            zone=self._policy.zone,
        )
        if missing & {"record"} or known.opted_out:
            self._early.drop(early)
        window, messages = self._packer.pack(message, state, language, system_prompt, block)
        watch.lap("pack")
        return Context(
            message=message,
            audience=audience,
            language=language,
            profile=known.profile,
            recalled=tuple(recalled),
            window=window,
            messages=messages,
            missing=frozenset(missing),
            opted_out=known.opted_out,
            timings_ms=watch.laps_ms,
            early=early,
        )

    async def post_response(
        self, context: Context, reply_text: str | None, *, degraded: bool = False, agent_name: str = "Kith"
    ) -> RecordedExchange:
        """Record what was delivered (`reply_text` None: nothing was) and let the write path have it.

        `degraded` marks a reply that is no real answer, which is never remembered as one. Raises RecordUnavailable.
        """
        if context.opted_out:
            return RecordedExchange(None, None)
        message = context.message
        exchange = Exchange(
            message=message,
            reply_text=reply_text,
            replied_at=message.at if reply_text is not None else None,
            degraded=degraded,
            recalled_ids=tuple(item.memory.id for item in context.recalled),
            extract=self._worth(context, None if degraded else reply_text),
            agent_name=agent_name,
        )
        try:
            recorded = await self._conversations.record(exchange)
        except MemoryFailure:
            self._early.drop(context.early)
            raise
        if recorded.duplicate or recorded.member_turn is None:
            self._early.drop(context.early)
            return recorded
        self._working.remember(recorded)
        await self._write(context, recorded.member_turn, exchange)
        await self._working.compress_if_needed(message.conversation_id)
        return recorded

    async def answered(self, event_id: str | None) -> bool:
        """Whether the message with this platform event id has been recorded. Raises RecordUnavailable."""
        return event_id is not None and await self._conversations.seen(event_id)

    def would_keep(self, context: Context) -> bool:
        """Whether the message itself is going to be remembered, as something that may be quoted."""
        text = context.message.text
        return not context.opted_out and self._worth(context, None) != "no" and inspect(text) is None

    # --- long-term memory by itself ---------------------------------------------------------------------------------

    async def remember(self, memories: Sequence[Memory]) -> tuple[UUID, ...]:
        """Keep `memories`, unless something kept already says the same: then that is refreshed. Returns the id under
        which each is kept, in their order. They are recalled once the index has followed. Raises RecordUnavailable."""
        known_as = await self._writing.apply(MemoryChanges(add=tuple(memories)))
        return tuple(known_as.get(memory.id, memory.id) for memory in memories)

    async def recall(
        self, question: QueryFacts, audience: Audience, *, policy: RecallPolicy | None = None, learn: bool = True
    ) -> list[Recalled]:
        """The memories that bear on `question` and may be said to `audience`, most relevant first. `policy` stands in
        for the configured limits; without `learn` the question leaves no trace.

        Raises IndexUnavailable, EmbeddingFailed or RecordUnavailable."""
        return await self._longterm.recall(question, audience, policy=policy, learn=learn)

    # --- looking ----------------------------------------------------------------------------------------------------

    async def visible(self, audience: Audience, *, limit: int, offset: int = 0) -> list[Memory]:
        """The memories that may be used before `audience`, newest first. Raises RecordUnavailable."""
        return await self._longterm.visible(audience, limit=limit, offset=offset)

    async def count_visible(self, audience: Audience) -> int:
        return await self._longterm.count_visible(audience)

    async def profile(self, member_id: str, name: str, audience: Audience) -> UserProfile:
        """A member as `audience` may know them. Raises RecordUnavailable."""
        return (await self._episodic.know(member_id, name, audience)).profile

    async def language_of(
        self, member_id: str, name: str, audience: Audience, *, conversation_id: str, at: datetime
    ) -> Language:
        """What a member wrote last in a conversation, else what their profile says. Raises RecordUnavailable."""
        state = await self._working.load(conversation_id, at)
        profile = await self.profile(member_id, name, audience)
        return _usual_language(member_id, state, profile)

    async def end_session(self, conversation_id: str) -> None:
        """Forget the running conversation; its record and what was learnt from it stay."""
        await self._working.end_session(conversation_id)

    # --- preparing --------------------------------------------------------------------------------------------------

    async def _state(self, message: Message, missing: set[Missing]) -> ConversationState | None:
        try:
            return await self._working.load(message.conversation_id, message.at)
        except RecordUnavailable:
            missing.add("record")
            return None

    async def _know(self, message: Message, audience: Audience, missing: set[Missing]) -> Acquaintance:
        member_id, name = str(message.speaker.member_id), message.speaker.name
        try:
            return await self._episodic.know(member_id, name, audience)
        except RecordUnavailable:
            missing.add("record")
            return Acquaintance(UserProfile(user_id=member_id, name=name), (), (), None)

    async def _recall(
        self, message: Message, state: ConversationState | None, audience: Audience, missing: set[Missing]
    ) -> list[Recalled]:
        question = QueryFacts(
            text=message.text,
            now=message.at,
            zone=self._policy.zone,
            previous=_lines_before(state),
            asker=message.speaker.name,
        )
        try:
            await self._indexer.catch_up(CATCH_UP_S)
            return await self.recall(question, audience)
        except (IndexUnavailable, EmbeddingFailed) as error:
            log.warning("the reply goes out without recall", _event="recall_missing", reason=type(error).__name__)
            missing.add("index")
        except RecordUnavailable:
            missing.add("record")
        return []

    # --- recording --------------------------------------------------------------------------------------------------

    def _worth(self, context: Context, answer: str | None) -> Literal["no", "batch", "now"]:
        """Whether the message, or it and its real `answer`, may hold something to remember, and how soon it must be
        read."""
        text = context.message.text
        if discloses(text):
            return "now"
        if may_tell(text, role=context.message.role):
            return "batch"
        if answer is None or not worth_as_answer(text, answer):
            return "no"
        repeated = any(
            item.memory.kind is Kind.ANSWER and item.relevance >= REPEATED_QUESTION for item in context.recalled
        )
        return "no" if repeated else "batch"

    async def _write(self, context: Context, turn: Turn, exchange: Exchange) -> None:
        if not self._writing.uses_model:
            if exchange.extract != "no":
                job = job_of(turn, context.message, None if exchange.degraded else exchange.reply_text)
                await self._writing.keep_without_model(job, [item.memory for item in context.recalled])
        elif context.early is not None and context.early.turn_id == turn.id:
            self._early.land(context.early, str(turn.speaker.member_id))
        elif exchange.extract != "no":
            self._writing.wake()


def _usual_language(member_id: str | None, state: ConversationState | None, profile: UserProfile) -> Language:
    for turn in reversed(state.turns if state is not None else ()):
        if turn.speaker.member_id == member_id and (spoken := language_of(turn.text)) != "other":
            return spoken
    preferred = profile.preferred_language
    return preferred if preferred == "zh" or preferred == "en" else "other"


def _lines_before(state: ConversationState | None) -> tuple[str, ...]:
    """The last turns as a question to long-term memory takes them. What the bot quoted without a model is no part of
    the conversation's matter."""
    turns = state.turns if state is not None else ()
    told = [turn for turn in turns if not turn.degraded][-QUESTION_CONTEXT_TURNS:]
    return tuple(f"{turn.speaker.name}: {turn.text[:QUESTION_CONTEXT_CHARS]}" for turn in told)


def _cleaned(message: Message) -> Message:
    text = mask_secrets(clean_text(message.text))
    if not is_readable(text):
        raise InvalidText
    speaker = Speaker(message.speaker.member_id, clean_name(message.speaker.name))
    quoted = mask_secrets(clean_text(message.quoted)) if message.quoted else None
    return replace(message, text=text, speaker=speaker, quoted=quoted)


async def _timed(work: Awaitable[T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = await work
    return result, (time.perf_counter() - started) * 1000
