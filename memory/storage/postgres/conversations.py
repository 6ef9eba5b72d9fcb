"""Conversations as recorded: turns, sessions, summaries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.language import language_of
from memory.model import (
    Compression,
    ConversationState,
    Exchange,
    RecordedExchange,
    Speaker,
    Turn,
    turn_id,
)
from memory.storage.postgres.database import Connection, Database, Row
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import pin_from, pin_to, turn_from

_SQL = load_queries("conversations")

_WINDOW_TURNS = 400


@dataclass(frozen=True, slots=True)
class PostgresConversations:
    """Invariant: a conversation's turns are numbered 1, 2, 3, … without a gap, in the order they were recorded.

    `load` and `record` agree on sessions as long as both are given the same time-out."""

    database: Database
    idle_timeout_s: float

    async def load(self, conversation_id: str, *, now: datetime, idle_timeout_s: float) -> ConversationState:
        async with self.database.connection() as connection:
            row = await connection.fetchrow(_SQL["load"], conversation_id)
            if row is None or now - row["last_at"] > timedelta(seconds=idle_timeout_s):
                return _empty_state(conversation_id, row)
            after = max(row["session_start_seq"], row["summarised_seq"])
            turns = await connection.fetch(_SQL["window"], conversation_id, after, row["last_seq"], _WINDOW_TURNS)
        return ConversationState(
            conversation_id=conversation_id,
            last_seq=row["last_seq"],
            session_start_seq=row["session_start_seq"],
            summarised_seq=row["summarised_seq"],
            summary=row["summary"],
            pins=tuple(pin_from(pin) for pin in row["pins"]),
            turns=tuple(turn_from(turn) for turn in reversed(turns)),
            version=row["version"],
            last_at=row["last_at"],
        )

    async def record(self, exchange: Exchange) -> RecordedExchange:
        async def work(connection: Connection) -> RecordedExchange:
            last_seq = await self._open(connection, exchange)
            if last_seq is None:
                return RecordedExchange(member_turn=None, bot_turn=None, duplicate=True)
            turns = _turns_of(exchange, last_seq)
            await _write(connection, exchange, turns)
            return RecordedExchange(member_turn=turns[0], bot_turn=turns[1] if len(turns) > 1 else None)

        return await self.database.in_transaction(work)

    async def compress(self, compression: Compression) -> bool:
        row = await self.database.fetchrow(
            _SQL["compress"],
            compression.conversation_id,
            compression.based_on_version,
            compression.summarised_seq,
            compression.summary,
            [pin_to(pin) for pin in compression.pins],
        )
        return row is not None

    async def end_session(self, conversation_id: str) -> None:
        await self.database.execute(_SQL["end_session"], conversation_id)

    async def seen(self, event_id: str) -> bool:
        return await self.database.fetchval(_SQL["seen"], event_id)

    async def turn_before(self, turn: Turn) -> Turn | None:
        row = await self.database.fetchrow(_SQL["turn_before"], turn.conversation_id, turn.seq)
        return turn_from(row) if row is not None else None

    async def turns(self, conversation_id: str, *, after_seq: int = 0, limit: int = 100) -> list[Turn]:
        """The full record of a conversation across its sessions, oldest first, `limit` turns after `after_seq`."""
        rows = await self.database.fetch(_SQL["turns"], conversation_id, after_seq, limit)
        return [turn_from(row) for row in rows]

    async def _open(self, connection: Connection, exchange: Exchange) -> int | None:
        message = exchange.message
        return await connection.fetchval(
            _SQL["open_exchange"],
            message.conversation_id,
            message.scope.community,
            message.scope.key,
            message.event_id,
            message.at,
            _last_time(exchange),
            1 if exchange.reply_text is None else 2,
            timedelta(seconds=self.idle_timeout_s),
        )


def _empty_state(conversation_id: str, row: Row | None) -> ConversationState:
    """A session that has not begun. Its version is the one that the first exchange will give it."""
    last_seq = row["last_seq"] if row is not None else 0
    return ConversationState(
        conversation_id=conversation_id,
        last_seq=last_seq,
        session_start_seq=last_seq,
        summarised_seq=last_seq,
        summary="",
        pins=(),
        turns=(),
        version=row["version"] + 1 if row is not None else 0,
        last_at=row["last_at"] if row is not None else None,
    )


def _last_time(exchange: Exchange) -> datetime:
    return max(exchange.message.at, exchange.replied_at or exchange.message.at)


def _turns_of(exchange: Exchange, last_seq: int) -> tuple[Turn, ...]:
    """The member's turn and, if something was delivered, the bot's; `last_seq` is the number of the last of them."""
    message = exchange.message
    said = [(message.speaker, message.text, message.at, False)]
    if exchange.reply_text is not None:
        bot = Speaker(None, exchange.agent_name)
        said.append((bot, exchange.reply_text, exchange.replied_at or message.at, exchange.degraded))
    first_seq = last_seq - len(said) + 1
    return tuple(
        Turn(
            id=turn_id(message.conversation_id, seq),
            conversation_id=message.conversation_id,
            seq=seq,
            scope=message.scope,
            speaker=speaker,
            text=text,
            at=at,
            degraded=degraded,
        )
        for seq, (speaker, text, at, degraded) in enumerate(said, start=first_seq)
    )


async def _write(connection: Connection, exchange: Exchange, turns: tuple[Turn, ...]) -> None:
    message = exchange.message
    real_answer = turns[1].id if len(turns) > 1 and not exchange.degraded else None
    await connection.execute(
        _SQL["write_exchange"],
        message.conversation_id,
        message.scope.community,
        message.scope.key,
        [turn.id for turn in turns],
        [turn.seq for turn in turns],
        [turn.speaker.member_id for turn in turns],
        [turn.speaker.name for turn in turns],
        [turn.text for turn in turns],
        [turn.at for turn in turns],
        [turn.degraded for turn in turns],
        list(exchange.recalled_ids),
        message.speaker.member_id,
        message.speaker.name,
        message.at,
        exchange.extract != "no",
        message.channel_name,
        message.role,
        exchange.extract == "now",
        real_answer,
        language_of(message.text),
    )
