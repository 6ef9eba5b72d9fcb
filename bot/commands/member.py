"""Commands that every member may use."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from zoneinfo import ZoneInfo

from bot.agent.agent import Agent
from bot.agent.quoting import shortened
from bot.commands.registry import Command, Invocation, Registry
from bot.commands.texts import say
from memory.model import Memory, Recalled, UserProfile
from memory.prompts import origin_text, written_in
from memory.system import AgentMemorySystem

PAGE = 10
LINE_CHARS = 160


class MemberCommands:
    """`/help`, `/memory show`, `/profile`, `/why`, `/reset`."""

    def __init__(self, memory: AgentMemorySystem, agent: Agent, zone: ZoneInfo) -> None:
        self._memory = memory
        self._agent = agent
        self._zone = zone

    def registry(self) -> Registry:
        registry = Registry(
            [
                Command("help", {"en": "what there is to say", "zh": "查看所有命令"}, self._help),
                Command(
                    "memory show",
                    {"en": "what is remembered that may be used here", "zh": "查看这里可以使用的记忆"},
                    self._show,
                    usage="[page]",
                ),
                Command("profile", {"en": "what I know about you", "zh": "查看我对你的了解"}, self._profile),
                Command("why", {"en": "what shaped my last answer", "zh": "查看上一条回答的依据"}, self._why),
                Command("reset", {"en": "start the conversation afresh", "zh": "重新开始对话"}, self._reset),
            ]
        )
        self._registry = registry
        return registry

    async def _help(self, call: Invocation) -> str:
        return self._registry.help_text(call.language)

    async def _show(self, call: Invocation) -> str:
        total = await self._memory.count_visible(call.incoming.audience)
        if total == 0:
            return say("no_memories", call.language)
        pages = ceil(total / PAGE)
        if not call.argument.isascii() or not (call.argument or "1").isdigit():
            return say("no_such_page", call.language, page=shortened(call.argument, 20), pages=pages)
        page = int(call.argument or "1")
        if not 1 <= page <= pages:
            return say("no_such_page", call.language, page=page, pages=pages)
        memories = await self._memory.visible(call.incoming.audience, limit=PAGE, offset=(page - 1) * PAGE)
        title = say("memories_page", call.language, page=page, pages=pages)
        return "\n".join([title, *self._lines(memories, call)])

    async def _profile(self, call: Invocation) -> str:
        actor = call.incoming.actor
        profile = await self._memory.profile(actor.id, actor.name, call.incoming.audience)
        text = profile_lines(profile, call)
        return text or say("no_profile", call.language)

    async def _why(self, call: Invocation) -> str:
        context = self._agent.last_context(call.incoming.conversation_id)
        if context is None:
            return say("no_answer_yet", call.language)
        if not context.recalled:
            return say("why_nothing", call.language)
        return "\n".join([say("why_title", call.language), *(self._why_line(item, call) for item in context.recalled)])

    async def _reset(self, call: Invocation) -> str:
        await self._memory.end_session(call.incoming.conversation_id)
        self._agent.forget_last(call.incoming.conversation_id)
        return say("reset_done", call.language)

    def _lines(self, memories: Sequence[Memory], call: Invocation) -> list[str]:
        return [self._why_line(Recalled(memory, 1.0), call, relevance=False) for memory in memories]

    def _why_line(self, item: Recalled, call: Invocation, *, relevance: bool = True) -> str:
        origin = origin_text(item, call.language, self._zone)
        text = shortened(" ".join(item.memory.text.split()), LINE_CHARS)
        score = f" · {item.relevance:.2f}" if relevance else ""
        return f"• {str(item.memory.id)[:8]} · {origin}{score} · {text}"


_LABELS = {
    "name": {"en": "Name", "zh": "名字"},
    "preferred_language": {"en": "Language", "zh": "语言"},
    "expertise_level": {"en": "Level", "zh": "水平"},
    "interests": {"en": "Interests", "zh": "兴趣"},
    "preferences": {"en": "Preferences", "zh": "偏好"},
    "key_facts": {"en": "Facts", "zh": "要点"},
    "last_topics": {"en": "Recent topics", "zh": "最近的话题"},
    "interaction_count": {"en": "Messages", "zh": "消息数"},
}


def profile_lines(profile: UserProfile, call: Invocation) -> str:
    words = written_in(call.language)
    lines: list[str] = []
    for field, label in _LABELS.items():
        value: object = getattr(profile, field)
        if isinstance(value, tuple):
            value = ("、" if words == "zh" else ", ").join(str(part) for part in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if value:
            lines.append(f"{label[words]}: {value}" if words == "en" else f"{label[words]}：{value}")
    return "\n".join(lines)
