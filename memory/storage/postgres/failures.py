"""Driver errors, turned into memory's own once and in one place."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from memory.errors import DiskFull, InvalidText, MemoryFailure, RecordUnavailable, StoreRefused

_AWAY = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shut-down, starting up, cancelled by a time-out
    asyncpg.InsufficientResourcesError,  # too many connections, out of memory
    asyncpg.ReadOnlySQLTransactionError,  # a standby during a fail-over
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.LockNotAvailableError,
    asyncpg.PostgresSystemError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    TimeoutError,
    OSError,
)
_NOT_STORABLE = (asyncpg.CharacterNotInRepertoireError, asyncpg.UntranslatableCharacterError, UnicodeEncodeError)
_REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.ClientConfigurationError,
)


@contextmanager
def translated() -> Generator[None, None, None]:
    """Raise RecordUnavailable, DiskFull, InvalidText or StoreRefused for what the driver raises in the block. Errors
    that only a mistake of ours can cause pass unchanged."""
    try:
        yield
    except Exception as error:
        meaning = _meaning(error)
        if meaning is None:
            raise
        raise meaning from error


def _meaning(error: Exception) -> MemoryFailure | None:
    if isinstance(error, _NOT_STORABLE) or isinstance(error.__cause__, UnicodeEncodeError):
        return InvalidText("The text holds characters that cannot be stored.")
    if isinstance(error, asyncpg.DiskFullError) or (isinstance(error, OSError) and error.errno == errno.ENOSPC):
        return DiskFull()
    if isinstance(error, _REFUSED):
        return StoreRefused(f"PostgreSQL refused the connection ({type(error).__name__}). Check DATABASE_URL.")
    if isinstance(error, ValueError):  # the driver refused an argument of ours
        return None
    if isinstance(error, _AWAY):
        return RecordUnavailable()
    return None
