"""Recorded turns that wait for extraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.model import ExtractionJob
from memory.storage.postgres.database import Database
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import job_from

_SQL = load_queries("extraction_queue")

_MOST = 500


@dataclass(frozen=True, slots=True)
class PostgresExtractionQueue:
    """A job exists from the transaction that records its turn until it is settled."""

    database: Database

    async def pending(self, *, conversation_id: str | None = None) -> list[ExtractionJob]:
        if conversation_id is None:
            rows = await self.database.fetch(_SQL["pending"], _MOST)
        else:
            rows = await self.database.fetch(_SQL["pending_of"], _MOST, conversation_id)
        return [job_from(row) for row in rows]

    async def failed(self, turn_ids: Sequence[UUID], *, reason: str, park: bool) -> None:
        """`reason` is for an admin; it holds nothing that a member said."""
        await self.database.execute(_SQL["failed"], list(turn_ids), reason, park)

    async def settle(self, turn_ids: Sequence[UUID]) -> None:
        await self.database.execute(_SQL["settle"], list(turn_ids))
