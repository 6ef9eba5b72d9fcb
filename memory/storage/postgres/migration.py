"""Bringing a database's schema up to date: numbered files in `migrations/`, each applied once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol

from memory.errors import StoreRefused

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_LOCK = 0x6B697468  # "kith": taken by whoever migrates

_CREATE_LIST = """
create table if not exists schema_migrations (
    number     integer primary key,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null default now()
)
"""


class _Connection(Protocol):
    async def fetch(self, query: str, *args: object) -> list[Mapping[str, Any]]: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...  # noqa: ANN401 - a column of any type

    async def execute(self, query: str, *args: object) -> str: ...


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations() -> tuple[Migration, ...]:
    """All migrations, in order. Their numbers are 1, 2, 3, …"""
    found: list[Migration] = []
    for file in files(__package__ or "").joinpath("migrations").iterdir():
        if match := _FILE.fullmatch(file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError("migration numbers have a gap or a double")
    return tuple(found)


async def migrate(connection: _Connection) -> None:
    """Apply what is missing, within the caller's transaction: all of it or nothing. Processes that start together wait
    for each other. Raises StoreRefused for a schema that these files did not make."""
    migrations = load_migrations()
    if await _applied(connection) == {migration.number: migration.checksum for migration in migrations}:
        return
    await connection.execute("select pg_advisory_xact_lock($1)", _LOCK)
    await connection.execute(_CREATE_LIST)
    applied = await _applied(connection)
    _check(applied, migrations)
    for migration in migrations:
        if migration.number not in applied:
            await connection.execute(migration.sql)
            await connection.execute(
                "insert into schema_migrations (number, name, checksum) values ($1, $2, $3)",
                migration.number,
                migration.name,
                migration.checksum,
            )


async def _applied(connection: _Connection) -> dict[int, str]:
    if not await connection.fetchval("select to_regclass('schema_migrations') is not null"):
        return {}
    rows = await connection.fetch("select number, checksum from schema_migrations")
    return {row["number"]: row["checksum"] for row in rows}


def _check(applied: Mapping[int, str], migrations: tuple[Migration, ...]) -> None:
    known = {migration.number: migration.checksum for migration in migrations}
    if newer := sorted(applied.keys() - known.keys()):
        raise StoreRefused(f"The database was made by a newer Kith (its schema is at {newer[-1]}). Update Kith.")
    for number, checksum in applied.items():
        if known[number] != checksum:
            raise StoreRefused(f"Migration {number} of this database is not the one of this release. Update Kith.")
