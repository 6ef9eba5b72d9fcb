"""Memories as recorded. Every change that the index has to follow writes its outbox row in the same transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.audience import Audience, Scope
from memory.model import Memory, MemoryChanges, Status
from memory.storage.postgres.changes import apply_changes
from memory.storage.postgres.database import Database, Row
from memory.storage.postgres.digest import text_digest
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import memory_from

_SQL = load_queries("memories")


@dataclass(frozen=True, slots=True)
class PostgresMemories:
    """Invariant: what a method with an audience returns, everyone in that audience may see. The query filters, and each
    row is checked again."""

    database: Database

    async def by_ids(self, ids: Sequence[UUID], audience: Audience) -> list[Memory]:
        if not ids:
            return []
        rows = await self.database.fetch(_SQL["by_ids"], list(dict.fromkeys(ids)), audience.keys)
        return _visible(rows, audience)

    async def newest(
        self, audience: Audience, *, limit: int, offset: int = 0, subject: str | None = None
    ) -> list[Memory]:
        if subject is None:
            rows = await self.database.fetch(_SQL["newest"], audience.keys, limit, offset)
        else:
            rows = await self.database.fetch(_SQL["newest_about"], audience.keys, limit, offset, subject)
        return _visible(rows, audience)

    async def by_turns(self, turn_ids: Collection[UUID], member_id: str, scope: Scope) -> list[Memory]:
        rows = await self.database.fetch(_SQL["by_turns"], [str(id_) for id_ in turn_ids], member_id, scope.key)
        return [memory_from(row) for row in rows]

    async def count_visible(self, audience: Audience) -> int:
        row = await self.database.fetchrow(_SQL["count_visible"], audience.keys)
        return int(row["count"]) if row is not None else 0

    async def same_text(self, memory: Memory) -> Memory | None:
        digest = text_digest(memory.text)
        row = await self.database.fetchrow(_SQL["same_text"], memory.scope.key, digest, memory.subject)
        return memory_from(row) if row is not None else None

    async def apply(self, changes: MemoryChanges) -> None:
        """See `MemoryChanges`. What was erased is left out: memories and facts whose id, or one of whose source turns,
        has a tombstone."""
        await self.database.in_transaction(lambda connection: apply_changes(connection, changes))

    async def set_status(self, ids: Sequence[UUID], status: Status, *, at: datetime) -> list[UUID]:
        """Give memories another status as of `at`; returns those that did not have it. The index follows."""
        rows = await self.database.fetch(_SQL["set_status"], list(ids), status.value, at)
        return [row["id"] for row in rows]

    async def counts(self) -> Mapping[str, int]:
        rows = await self.database.fetch(_SQL["counts"])
        return {status.value: 0 for status in Status} | {row["name"]: row["rows"] for row in rows}


def _visible(rows: Sequence[Row], audience: Audience) -> list[Memory]:
    return [memory for memory in map(memory_from, rows) if audience.may_see(memory.scope)]
