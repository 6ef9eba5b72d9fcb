"""The record as a whole: one database and the stores over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from config.settings import DatabaseSettings
from memory.storage.postgres.conversations import PostgresConversations
from memory.storage.postgres.database import Database
from memory.storage.postgres.extraction_queue import PostgresExtractionQueue
from memory.storage.postgres.holdings import PostgresHoldings
from memory.storage.postgres.ledger import PostgresLedger
from memory.storage.postgres.memories import PostgresMemories
from memory.storage.postgres.outbox import PostgresOutbox
from memory.storage.postgres.profiles import PostgresProfiles


@dataclass(frozen=True, slots=True)
class Record:
    database: Database
    conversations: PostgresConversations
    memories: PostgresMemories
    profiles: PostgresProfiles
    queue: PostgresExtractionQueue
    outbox: PostgresOutbox
    ledger: PostgresLedger
    holdings: PostgresHoldings

    @classmethod
    async def open(cls, dsn: str, settings: DatabaseSettings, *, idle_timeout_s: float) -> Self:
        """Connect and migrate. Raises RecordUnavailable or StoreRefused."""
        return cls.over(await Database.connect(settings, dsn), idle_timeout_s=idle_timeout_s)

    @classmethod
    def over(cls, database: Database, *, idle_timeout_s: float) -> Self:
        """The stores over a database that is open already."""
        return cls(
            database=database,
            conversations=PostgresConversations(database, idle_timeout_s),
            memories=PostgresMemories(database),
            profiles=PostgresProfiles(database),
            queue=PostgresExtractionQueue(database),
            outbox=PostgresOutbox(database),
            ledger=PostgresLedger(database),
            holdings=PostgresHoldings(database),
        )

    async def close(self) -> None:
        await self.database.close()
