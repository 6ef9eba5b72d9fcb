"""The context of one reply: what it rests on, and the request that is made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.audience import Audience
from memory.early import Early
from memory.model import ConversationState, Language, Message, Recalled, UserProfile
from memory.ports import TokenCounter
from memory.tokens import MESSAGE_OVERHEAD, REPLY_OVERHEAD, cut_to_tokens
from memory.window import ChatMessage, Window, window_messages
from memory.working import WorkingMemory

Missing = Literal["record", "index"]

MESSAGE_SHARE = 0.4
"""At most this share of the token budget goes to the message itself; a longer one is cut in the middle."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that one reply may rest on. `messages` is the complete request for a chat model, within the budget.
    `missing` names the stores that could not be reached."""

    message: Message
    audience: Audience
    language: Language
    profile: UserProfile
    recalled: tuple[Recalled, ...]
    window: Window
    messages: tuple[ChatMessage, ...]
    missing: frozenset[Missing]
    opted_out: bool
    timings_ms: Mapping[str, float]
    early: Early | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class RequestPacker:
    """Makes requests. Invariant: a request never costs more than `budget_tokens`, unless the caller's own system prompt
    alone does."""

    working: WorkingMemory
    counter: TokenCounter
    budget_tokens: int

    def pack(
        self, message: Message, state: ConversationState | None, language: Language, system_prompt: str, block: str
    ) -> tuple[Window, tuple[ChatMessage, ...]]:
        """The window that fits beside the rest, and all of it as messages, what changes least first."""
        said = message.text if not message.quoted else f"> {message.quoted}\n\n{message.text}"
        said = cut_to_tokens(said, int(self.budget_tokens * MESSAGE_SHARE), self.counter)
        head: list[ChatMessage] = [("system", system_prompt)] if system_prompt else []
        notes: list[ChatMessage] = [("system", block)] if block else []
        spent = self._cost([*head, *notes, ("user", f"{message.speaker.name} #000000: {said}")])
        room = max(0, self.budget_tokens - spent)
        window = self.working.window(state, room, now=message.at, speaker=message.speaker, question=said)
        asked: ChatMessage = ("user", f"{window.label(message.speaker)}: {said}")
        return window, (*head, *window_messages(window, language), *notes, asked)

    def _cost(self, messages: list[ChatMessage]) -> int:
        return REPLY_OVERHEAD + sum(MESSAGE_OVERHEAD + self.counter.count(text) for _, text in messages)


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.laps_ms: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps_ms[name] = (now - self._last) * 1000
        self._last = now

    def note(self, name: str, ms: float) -> None:
        self.laps_ms[name] = ms
