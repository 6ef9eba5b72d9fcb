"""A `ConversationStore` in process memory, with the same rules as the record's."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from memory.errors import RecordUnavailable
from memory.model import (
    Compression,
    ConversationState,
    Exchange,
    Pin,
    RecordedExchange,
    Speaker,
    Turn,
    turn_id,
)

LOADED_TURNS = 400


class InMemoryConversations:
    """`available` False makes every call raise RecordUnavailable. `turns` and `exchanges` show what was written,
    `loads` counts reads."""

    def __init__(self, *, idle_timeout_s: float = 6 * 3600.0) -> None:
        self.available = True
        self.loads = 0
        self.turns: dict[str, list[Turn]] = {}
        self.exchanges: list[Exchange] = []
        self._idle_timeout = timedelta(seconds=idle_timeout_s)
        self._rows: dict[str, ConversationState] = {}
        self._events: set[str] = set()

    async def load(self, conversation_id: str, *, now: datetime, idle_timeout_s: float) -> ConversationState:
        self._check()
        self.loads += 1
        row = self._row(conversation_id)
        if row.last_at is not None and now - row.last_at > timedelta(seconds=idle_timeout_s):
            return _begun_anew(row)
        after = max(row.session_start_seq, row.summarised_seq)
        turns = [turn for turn in self.turns.get(conversation_id, []) if turn.seq > after]
        return replace(row, turns=tuple(turns[-LOADED_TURNS:]))

    async def turn_before(self, turn: Turn) -> Turn | None:
        self._check()
        start = self._row(turn.conversation_id).session_start_seq
        earlier = [
            each
            for each in self.turns.get(turn.conversation_id, [])
            if start < each.seq < turn.seq and not each.speaker.is_bot
        ]
        return earlier[-1] if earlier else None

    async def record(self, exchange: Exchange) -> RecordedExchange:
        self._check()
        message = exchange.message
        if message.event_id is not None and message.event_id in self._events:
            return RecordedExchange(None, None, duplicate=True)
        if message.event_id is not None:
            self._events.add(message.event_id)
        row = self._row(message.conversation_id)
        if row.last_at is not None and message.at - row.last_at > self._idle_timeout:
            row = _begun_anew(row)
        member = self._turn(exchange, row.last_seq + 1, message.speaker, message.text, message.at)
        bot = None
        if exchange.reply_text is not None:
            speaker = Speaker(None, exchange.agent_name)
            at = exchange.replied_at or message.at
            bot = self._turn(exchange, row.last_seq + 2, speaker, exchange.reply_text, at, exchange.degraded)
        written = [turn for turn in (member, bot) if turn is not None]
        self.turns.setdefault(message.conversation_id, []).extend(written)
        self.exchanges.append(exchange)
        last_at = max(turn.at for turn in written)
        self._rows[message.conversation_id] = replace(
            row, last_seq=written[-1].seq, last_at=max(last_at, row.last_at or last_at)
        )
        return RecordedExchange(member, bot)

    async def compress(self, compression: Compression) -> bool:
        self._check()
        row = self._row(compression.conversation_id)
        if row.version != compression.based_on_version:
            return False
        self._rows[compression.conversation_id] = replace(
            row,
            summarised_seq=compression.summarised_seq,
            summary=compression.summary,
            pins=compression.pins,
            version=row.version + 1,
        )
        return True

    async def end_session(self, conversation_id: str) -> None:
        self._check()
        self._rows[conversation_id] = _begun_anew(self._row(conversation_id))

    async def seen(self, event_id: str) -> bool:
        self._check()
        return event_id in self._events

    def _check(self) -> None:
        if not self.available:
            raise RecordUnavailable

    def _row(self, conversation_id: str) -> ConversationState:
        nothing: tuple[Pin, ...] = ()
        return self._rows.get(conversation_id) or ConversationState(
            conversation_id=conversation_id,
            last_seq=0,
            session_start_seq=0,
            summarised_seq=0,
            summary="",
            pins=nothing,
            turns=(),
            version=0,
            last_at=None,
        )

    @staticmethod
    def _turn(exchange: Exchange, seq: int, speaker: Speaker, text: str, at: datetime, degraded: bool = False) -> Turn:
        conversation_id = exchange.message.conversation_id
        return Turn(
            id=turn_id(conversation_id, seq),
            conversation_id=conversation_id,
            seq=seq,
            scope=exchange.message.scope,
            speaker=speaker,
            text=text,
            at=at,
            degraded=degraded,
        )


def _begun_anew(row: ConversationState) -> ConversationState:
    return replace(
        row,
        session_start_seq=row.last_seq,
        summarised_seq=row.last_seq,
        summary="",
        pins=(),
        turns=(),
        version=row.version + 1,
    )
