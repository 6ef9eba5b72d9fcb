"""Everything that is held, for moving it and for measuring it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.model import MemoryChanges, ProfileFact, Turn
from memory.ports import Filed
from memory.storage.postgres.changes import apply_changes
from memory.storage.postgres.database import Connection, Database
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import fact_from, memory_from, turn_from

_SQL = load_queries("holdings")


@dataclass(frozen=True, slots=True)
class PostgresHoldings:
    database: Database

    async def memories(self, after: UUID | None, *, limit: int) -> list[Filed]:
        rows = await self.database.fetch(_SQL["memories"], after, limit)
        return [Filed(memory_from(row), row["status_since"]) for row in rows]

    async def facts(self, after: UUID | None, *, limit: int) -> list[ProfileFact]:
        return [fact_from(row) for row in await self.database.fetch(_SQL["facts"], after, limit)]

    async def restore(self, memories: Sequence[Filed], facts: Sequence[ProfileFact]) -> None:
        await self.database.in_transaction(lambda connection: _restore(connection, memories, facts))

    async def present(self, ids: Collection[UUID]) -> set[UUID]:
        return {row["id"] for row in await self.database.fetch(_SQL["present"], list(ids))}

    async def opted_out(self, member_ids: Collection[str]) -> set[tuple[str, str]]:
        rows = await self.database.fetch(_SQL["opted_out"], list(member_ids))
        return {(row["community"], row["member_id"]) for row in rows}

    async def turns(self, community: str, *, limit: int) -> list[Turn]:
        return [turn_from(row) for row in await self.database.fetch(_SQL["turns"], community, limit)]


async def _restore(connection: Connection, memories: Sequence[Filed], facts: Sequence[ProfileFact]) -> None:
    ids = [filed.memory.id for filed in memories]
    known = {row["id"] for row in await connection.fetch(_SQL["present"], ids)}
    changes = MemoryChanges(add=tuple(filed.memory for filed in memories), facts=tuple(facts))
    await apply_changes(connection, changes)
    if fresh := [filed for filed in memories if filed.memory.id not in known]:
        dates = [filed.status_since for filed in fresh]
        await connection.execute(_SQL["date_status"], [filed.memory.id for filed in fresh], dates)
