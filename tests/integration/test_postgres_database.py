"""The database: migrations, time-outs, errors, life behind a pooler."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import asyncpg
import pytest
from pydantic import SecretStr

from config.settings import DatabaseSettings
from memory.errors import DiskFull, InvalidText, MemoryFailure, RecordUnavailable, StoreRefused
from memory.model import MemoryChanges
from memory.storage.postgres import Database, EmbeddedPostgres, Record
from memory.storage.postgres.database import Connection
from memory.storage.postgres.migration import Migration, load_migrations
from tests.conftest import IDLE_TIMEOUT_S, administer, dsn_of
from tests.factories import a_memory, an_exchange

_numbers = count(1)


@pytest.fixture
async def empty_dsn(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """A database that nothing has migrated."""
    name = f"empty_{next(_numbers)}"
    await administer(postgres, f"create database {name}")
    yield dsn_of(postgres, name)
    await administer(postgres, f"drop database {name} with (force)")


async def _applied(database: Database) -> list[tuple[int, str]]:
    rows = await database.fetch("select number, checksum from schema_migrations order by number")
    return [(row["number"], row["checksum"]) for row in rows]


_ALL = [(migration.number, migration.checksum) for migration in load_migrations()]


# --- migrations -----------------------------------------------------------------------------------------------------


async def test_migrations_are_applied_once(empty_dsn: str) -> None:
    for _ in range(2):
        database = await Database.connect(DatabaseSettings(), empty_dsn)
        assert await _applied(database) == _ALL
        await database.close()


async def test_processes_that_start_together_migrate_once(empty_dsn: str) -> None:
    databases = await asyncio.gather(*(Database.connect(DatabaseSettings(), empty_dsn) for _ in range(6)))
    assert await _applied(databases[0]) == _ALL
    await asyncio.gather(*(database.close() for database in databases))


async def test_a_schema_of_a_newer_release_is_refused(database: Database, database_dsn: str) -> None:
    await database.execute("insert into schema_migrations (number, name, checksum) values (9999, 'later', 'x')")
    with pytest.raises(StoreRefused, match="newer"):
        await Database.connect(DatabaseSettings(), database_dsn)


async def test_a_changed_migration_is_refused(database: Database, database_dsn: str) -> None:
    await database.execute("update schema_migrations set checksum = 'other' where number = 1")
    with pytest.raises(StoreRefused, match="Migration 1"):
        await Database.connect(DatabaseSettings(), database_dsn)


def test_a_checksum_follows_the_statements() -> None:
    assert Migration(1, "a", "select 1").checksum != Migration(1, "a", "select 2").checksum


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("53100", DiskFull),
        ("53300", RecordUnavailable),
        ("57P01", RecordUnavailable),
        ("57P03", RecordUnavailable),
        ("08006", RecordUnavailable),
        ("25006", RecordUnavailable),
        ("58030", RecordUnavailable),
        ("42501", StoreRefused),
        ("22021", InvalidText),
    ],
)
async def test_driver_errors_leave_as_memorys_own(database: Database, code: str, error: type[MemoryFailure]) -> None:
    with pytest.raises(error) as caught:
        await database.execute(f"do $$ begin raise exception 'x' using errcode = '{code}'; end $$")
    assert caught.value.__cause__ is not None
    assert await database.fetchval("select 1") == 1


async def test_a_mistake_of_ours_is_not_dressed_up(database: Database) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        await database.fetch("select * from nowhere")


async def test_a_statement_that_takes_too_long_is_given_up(database_dsn: str) -> None:
    for statement_cache in (True, False):
        settings = DatabaseSettings(command_timeout_s=0.2, statement_cache=statement_cache)
        database = await Database.connect(settings, database_dsn)
        with pytest.raises(RecordUnavailable):
            await database.fetchval("select pg_sleep(60)")
        assert await database.fetchval("select 1") == 1
        await database.close()


async def test_a_server_that_is_not_there_is_unavailable(folder_path: object) -> None:
    settings = DatabaseSettings(connect_timeout_s=2.0, url=SecretStr("unused"))
    with pytest.raises(RecordUnavailable) as caught:
        await Database.connect(settings, f"postgresql://postgres@/postgres?host={folder_path}")
    assert caught.value.__cause__ is not None


async def test_a_database_that_does_not_exist_is_refused(postgres: EmbeddedPostgres) -> None:
    with pytest.raises(StoreRefused, match="DATABASE_URL"):
        await Database.connect(DatabaseSettings(), dsn_of(postgres, "nowhere"))


async def test_a_full_pool_makes_the_next_wait_and_then_give_up(database_dsn: str) -> None:
    database = await Database.connect(DatabaseSettings(pool_size=1, connect_timeout_s=0.2), database_dsn)
    async with database.connection():
        with pytest.raises(RecordUnavailable):
            await database.fetchval("select 1")
    assert await database.fetchval("select 1") == 1
    await database.close()


async def test_connections_cut_by_the_server_are_replaced(record: Record) -> None:
    cut = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
    for _ in range(3):
        with pytest.raises(RecordUnavailable):
            await record.database.fetch(cut)
        await record.conversations.record(an_exchange())


# --- transactions ---------------------------------------------------------------------------------------------------


async def test_a_transaction_that_fails_leaves_nothing(record: Record) -> None:
    async def work(connection: Connection) -> None:
        await connection.execute("insert into inbox values ('event', now())")
        raise LookupError

    with pytest.raises(LookupError):
        await record.database.in_transaction(work)
    assert not await record.conversations.seen("event")


async def test_a_transaction_that_loses_a_deadlock_is_done_again(database: Database) -> None:
    await database.execute("insert into inbox values ('one', now()), ('two', now())")
    both_hold = asyncio.Barrier(2)
    tries: list[str] = []

    async def update(first: str, second: str) -> None:
        async def work(connection: Connection) -> None:
            tries.append(first)
            touch = "update inbox set at = now() where event_id = $1"
            await connection.execute(touch, first)
            if len(tries) <= 2:
                await both_hold.wait()
            await connection.execute(touch, second)

        await database.in_transaction(work)

    async with asyncio.timeout(30):
        await asyncio.gather(update("one", "two"), update("two", "one"))
    assert len(tries) > 2


# --- behind a pooler ------------------------------------------------------------------------------------------------


async def test_without_the_statement_cache_nothing_is_left_on_a_connection(database_dsn: str) -> None:
    record = await Record.open(
        database_dsn, DatabaseSettings(statement_cache=False, pool_size=1), idle_timeout_s=IDLE_TIMEOUT_S
    )
    await record.conversations.record(an_exchange())
    await record.memories.apply(MemoryChanges(add=(a_memory(),)))
    async with record.database.connection() as connection:
        assert await connection.fetchval("select count(*) from pg_prepared_statements where name <> ''") == 0
        started = await connection.fetchval("select now()")
        assert await connection.fetchval("select now()") == started  # one transaction: the server stays the same
    await record.close()
