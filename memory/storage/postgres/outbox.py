"""Changes that the search index has yet to follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.model import Memory, OutboxEntry
from memory.ports import Fingerprint
from memory.storage.postgres.database import Database
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import memory_from

_SQL = load_queries("outbox")


@dataclass(frozen=True, slots=True)
class PostgresOutbox:
    """Invariant: an entry leaves only by `done`, so a crash between the two stores loses nothing."""

    database: Database

    async def take(self, limit: int) -> list[tuple[OutboxEntry, Memory | None]]:
        rows = await self.database.fetch(_SQL["take"], limit)
        return [
            (
                OutboxEntry(row["seq"], row["memory_id"], row["delete"]),
                memory_from(row) if row["id"] is not None else None,
            )
            for row in rows
        ]

    async def done(self, seqs: Sequence[int]) -> None:
        await self.database.execute(_SQL["done"], list(seqs))

    async def embedder(self) -> Fingerprint | None:
        row = await self.database.fetchrow(_SQL["embedder"])
        return Fingerprint(row["provider"], row["model"], row["dimensions"]) if row is not None else None

    async def set_embedder(self, fingerprint: Fingerprint) -> None:
        await self.database.execute(
            _SQL["set_embedder"], fingerprint.provider, fingerprint.model, fingerprint.dimensions
        )

    async def reconcile(self, indexed: Collection[UUID]) -> int:
        return await self.database.fetchval(_SQL["reconcile"], list(indexed))

    async def enqueue_all(self) -> int:
        return await self.database.fetchval(_SQL["enqueue_all"])
