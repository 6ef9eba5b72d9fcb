"""The connection pool: the one place that talks to the driver."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol, Self, TypeVar, cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from config.settings import DatabaseSettings
from memory.storage.postgres.failures import translated
from memory.storage.postgres.migration import migrate

T = TypeVar("T")
Row = Mapping[str, Any]

_ATTEMPTS = 3


class Connection(Protocol):
    """What the stores use of the driver's connection."""

    async def fetch(self, query: str, *args: object) -> list[Row]: ...

    async def fetchrow(self, query: str, *args: object) -> Row | None: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...  # noqa: ANN401 - a column of any type

    async def execute(self, query: str, *args: object) -> str: ...


class Database:
    """A migrated database.

    Invariant: every error of the driver leaves as one of memory's own (see `failures`). A connection that broke is
    replaced at its next use, so the database works again as soon as the server does.
    """

    def __init__(self, pool: Any, settings: DatabaseSettings) -> None:  # noqa: ANN401 - the driver has no types
        self._pool = pool
        self._acquire_timeout_s = settings.connect_timeout_s
        self._always_in_transaction = not settings.statement_cache

    @classmethod
    async def connect(cls, settings: DatabaseSettings, dsn: str) -> Self:
        """Open the pool and bring the schema up to date. Raises RecordUnavailable or StoreRefused.

        Behind PgBouncer set `statement_cache = false`: then nothing is left on a server connection between
        transactions, and no start-up parameter is sent that PgBouncer does not know."""
        timeout_ms = str(round(settings.command_timeout_s * 1000))
        server_settings = {"application_name": "kith"}
        if settings.statement_cache:
            server_settings |= {
                "jit": "off",
                "statement_timeout": timeout_ms,
                "idle_in_transaction_session_timeout": timeout_ms,
            }
        with translated():
            pool = await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]
                dsn,
                min_size=1,
                max_size=settings.pool_size,
                timeout=settings.connect_timeout_s,
                command_timeout=settings.command_timeout_s,
                statement_cache_size=100 if settings.statement_cache else 0,
                server_settings=server_settings,
                init=_set_up,
                reset=_nothing_to_reset,
            )
        database = cls(pool, settings)
        try:
            await database.in_transaction(migrate)
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Wait shortly for what is running, then close."""
        try:
            async with asyncio.timeout(5.0):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection, None]:
        """A connection for statements that belong together but need no common transaction."""
        with translated():
            async with self._pool.acquire(timeout=self._acquire_timeout_s) as connection:
                if self._always_in_transaction:
                    async with connection.transaction():
                        yield cast(Connection, connection)
                else:
                    yield cast(Connection, connection)

    async def in_transaction(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do `work` in one transaction. It is done again when the server broke a deadlock by cancelling it, so it must
        not have effects outside the database."""
        with translated():
            async with self._pool.acquire(timeout=self._acquire_timeout_s) as connection:
                for _ in range(_ATTEMPTS - 1):
                    try:
                        async with connection.transaction():
                            return await work(connection)
                    except (asyncpg.DeadlockDetectedError, asyncpg.SerializationError):
                        continue
                async with connection.transaction():
                    return await work(connection)

    async def fetch(self, query: str, *args: object) -> list[Row]:
        async with self.connection() as connection:
            return await connection.fetch(query, *args)

    async def fetchrow(self, query: str, *args: object) -> Row | None:
        async with self.connection() as connection:
            return await connection.fetchrow(query, *args)

    async def fetchval(self, query: str, *args: object) -> Any:  # noqa: ANN401 - a column of any type
        async with self.connection() as connection:
            return await connection.fetchval(query, *args)

    async def execute(self, query: str, *args: object) -> None:
        async with self.connection() as connection:
            await connection.execute(query, *args)


def to_json(value: object) -> str:
    """JSON as it is stored. Not escaped to ASCII, so that text which cannot be stored is noticed here."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _set_up(connection: Any) -> None:  # noqa: ANN401 - the driver has no types
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=to_json, decoder=json.loads)


async def _nothing_to_reset(_: Any) -> None:  # noqa: ANN401 - the driver has no types
    """Everything that we set is set for one transaction, so the driver's reset would only cost a round trip."""
