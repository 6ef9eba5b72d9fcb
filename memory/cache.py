"""The running conversations in process memory, as copies of the record."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from memory.model import ConversationState, Pin, Turn
from memory.pins import Worth, pin_of, worth_of
from memory.ports import ConversationStore

MAX_TURNS: Final = 400
"""Turns held of one conversation, as many as the record loads."""


@dataclass(slots=True)
class CachedConversation:
    """`pins` are those of the turns in `state`, by seq, and `worths` those of pins, as far as they were needed;
    `fixed_tokens` is what the last request held besides the conversation; `retry_at_seq` is when compression may be
    tried again."""

    state: ConversationState
    pins: dict[int, Pin | None] = field(default_factory=dict[int, "Pin | None"])
    worths: dict[Pin, Worth] = field(default_factory=dict[Pin, Worth])
    fixed_tokens: int = 0
    failures: int = 0
    retry_at_seq: int = 0

    def pin(self, turn: Turn) -> Pin | None:
        if turn.seq not in self.pins:
            self.pins[turn.seq] = pin_of(turn)
        return self.pins[turn.seq]

    def worth(self, pin: Pin) -> Worth:
        if pin not in self.worths:
            if len(self.worths) >= 2 * MAX_TURNS:
                self.worths.clear()
            self.worths[pin] = worth_of(pin)
        return self.worths[pin]


class ConversationCache:
    """The most recently used conversations.

    Invariant: an entry equals the record as far as this process can tell. A turn that is not the next one shows that
    another process has written: the entry goes, and the record is read again.
    """

    def __init__(self, store: ConversationStore, *, idle_timeout_s: float, max_conversations: int) -> None:
        self._store = store
        self._idle_timeout = timedelta(seconds=idle_timeout_s)
        self._max_conversations = max_conversations
        self._entries: OrderedDict[str, CachedConversation] = OrderedDict()
        self._latest: OrderedDict[str, int] = OrderedDict()
        self._drops = 0

    def get(self, conversation_id: str) -> CachedConversation | None:
        return self._entries.get(conversation_id)

    async def load(self, conversation_id: str, now: datetime) -> ConversationState:
        """Raises RecordUnavailable."""
        entry = self._entries.get(conversation_id)
        if entry is not None and not self.is_idle(entry.state, now):
            self._entries.move_to_end(conversation_id)
            return entry.state
        return await self.reload(conversation_id, now)

    async def reload(self, conversation_id: str, now: datetime) -> ConversationState:
        """Read the record, and once more if it was written to while it was being read. Raises RecordUnavailable."""
        state, current = await self._read(conversation_id, now)
        if not current:
            state, current = await self._read(conversation_id, now)
        old = self._entries.pop(conversation_id, None)
        if current:
            await self._find_pins(self._keep(state, old))
        return state

    def append(self, turn: Turn) -> None:
        """Take over a turn that was recorded."""
        self._latest[turn.conversation_id] = max(turn.seq, self._latest.pop(turn.conversation_id, 0))
        while len(self._latest) > self._max_conversations:
            self._latest.popitem(last=False)
        entry = self._entries.get(turn.conversation_id)
        if entry is None or turn.seq <= entry.state.last_seq:
            return
        state = entry.state
        if turn.seq != state.last_seq + 1 or self.is_idle(state, turn.at):
            self.drop(turn.conversation_id)
            return
        last_at = turn.at if state.last_at is None else max(turn.at, state.last_at)
        turns = (*state.turns, turn)[-MAX_TURNS:]
        entry.state = replace(state, turns=turns, last_seq=turn.seq, last_at=last_at)

    def drop(self, conversation_id: str) -> None:
        self._entries.pop(conversation_id, None)
        self._latest.pop(conversation_id, None)
        self._drops += 1

    def drop_all(self) -> None:
        self._entries.clear()
        self._latest.clear()
        self._drops += 1

    def is_idle(self, state: ConversationState, now: datetime) -> bool:
        """Whether the session is over. One that has not begun is not."""
        begun = state.last_seq > state.session_start_seq
        return begun and state.last_at is not None and now - state.last_at > self._idle_timeout

    async def _read(self, conversation_id: str, now: datetime) -> tuple[ConversationState, bool]:
        """The record, and whether nothing was appended or dropped meanwhile that it does not show."""
        drops = self._drops
        state = await self._store.load(conversation_id, now=now, idle_timeout_s=self._idle_timeout.total_seconds())
        return state, drops == self._drops and state.last_seq >= self._latest.get(conversation_id, 0)

    def _keep(self, state: ConversationState, old: CachedConversation | None) -> CachedConversation:
        entry = CachedConversation(state)
        if old is not None:
            seqs = {turn.seq for turn in state.turns}
            pins = {seq: pin for seq, pin in old.pins.items() if seq in seqs}
            entry = replace(old, state=state, pins=pins)
        self._entries[state.conversation_id] = entry
        while len(self._entries) > self._max_conversations:
            self._entries.popitem(last=False)
        return entry

    async def _find_pins(self, entry: CachedConversation) -> None:
        """Search what was read for details now, with a pause after each turn: all at once would hold up the others."""
        for turn in entry.state.turns:
            if turn.seq not in entry.pins:
                entry.pin(turn)
                await asyncio.sleep(0)
