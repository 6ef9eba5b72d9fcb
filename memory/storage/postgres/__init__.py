"""The record: PostgreSQL through asyncpg, on a server or embedded in the data folder."""

from memory.storage.postgres.database import Database
from memory.storage.postgres.embedded import EmbeddedPostgres
from memory.storage.postgres.record import Record

__all__ = ["Database", "EmbeddedPostgres", "Record"]
