"""What tests share: an embedded PostgreSQL for the whole run, a fresh database for each test, a clock."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import asyncpg
import pytest

from config.settings import DatabaseSettings
from memory.storage.folder import DataFolder
from memory.storage.postgres import Database, EmbeddedPostgres, Record
from tests.factories import FixedClock

IDLE_TIMEOUT_S = 6 * 3600.0

_TEMPLATE = "kith_template"
_numbers = count(1)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def folder_path() -> Iterator[Path]:
    """A path for a data folder, not made yet. Not below pytest's own folders: those shut out the account that the
    embedded server runs under when the tests run as root."""
    with tempfile.TemporaryDirectory(prefix="kith-test-") as root:
        yield Path(root) / "data"


@pytest.fixture(scope="session")
async def postgres() -> AsyncIterator[EmbeddedPostgres]:
    """The run's server, with a migrated template that `database` copies."""
    root = Path(tempfile.mkdtemp(prefix="kith-tests-"))
    try:
        async with await DataFolder.open(root / "data") as folder:
            server = await EmbeddedPostgres.start(folder)
            try:
                # What tests write need not survive a power cut.
                await administer(server, "alter system set fsync = off")
                await administer(server, "select pg_reload_conf()")
                await administer(server, f"create database {_TEMPLATE}")
                await (await Database.connect(DatabaseSettings(), dsn_of(server, _TEMPLATE))).close()
                yield server
            finally:
                await server.stop()
    finally:
        shutil.rmtree(root)


@pytest.fixture
async def database_dsn(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """A fresh, migrated database of its own."""
    name = f"kith_{next(_numbers)}"
    await administer(postgres, f"create database {name} template {_TEMPLATE}")
    yield dsn_of(postgres, name)
    await administer(postgres, f"drop database {name} with (force)")


@pytest.fixture
async def database(database_dsn: str) -> AsyncIterator[Database]:
    database = await Database.connect(DatabaseSettings(), database_dsn)
    yield database
    await database.close()


@pytest.fixture
def record(database: Database) -> Record:
    """All stores over a fresh database."""
    return Record.over(database, idle_timeout_s=IDLE_TIMEOUT_S)


def dsn_of(server: EmbeddedPostgres, database: str) -> str:
    return server.dsn.replace("/postgres?", f"/{database}?")


async def administer(server: EmbeddedPostgres, statement: str) -> None:
    """Run a statement that has to stand outside of any transaction."""
    connection = await asyncpg.connect(server.dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
