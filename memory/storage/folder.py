"""The data folder of an installation without servers: one process at a time, nothing outside it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import tempfile
from pathlib import Path
from typing import Self

from memory.errors import DataFolderInUse, DataFolderUnusable, DiskFull

_LOCK_NAME = "kith.lock"
_RETRY_EVERY_S = 0.1


class DataFolder:
    """An open data folder.

    Invariant: while it is open no other process has it open. The lock belongs to the operating system, so a process
    that was killed leaves none behind.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    @classmethod
    async def open(cls, path: Path, *, wait_s: float = 5.0) -> Self:
        """Create the folder if needed and lock it. A lock that is taken is tried again for `wait_s`, because what a
        killed process started may outlive it for a moment.

        Raises DataFolderUnusable, DataFolderInUse or DiskFull."""
        path, lock = await asyncio.to_thread(_prepare, path)
        try:
            await _acquire(lock, wait_s)
        except BaseException:
            os.close(lock)
            raise
        return cls(path, lock)

    async def close(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def postgres(self) -> Path:
        """Where the embedded PostgreSQL lives."""
        return self.path / "postgres"

    @property
    def index(self) -> Path:
        """Where the embedded search index lives."""
        return self.path / "index"


def _prepare(path: Path) -> tuple[Path, int]:
    """Create the folders, try writing, and open the lock file. Returns the absolute path and the lock."""
    path = path.expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("postgres", "index"):
            (path / name).mkdir(exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"x" * 4096)
        return path, os.open(path / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        if isinstance(error, FileExistsError | NotADirectoryError):
            raise DataFolderUnusable(f"The data folder {path} is no folder. Choose another one with --data.") from error
        raise DataFolderUnusable(
            f"The data folder {path} cannot be written to ({error.strerror}). "
            "Give this user the right to write there, or choose another folder with --data."
        ) from error


async def _acquire(lock: int, wait_s: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    while not _try_lock(lock):
        if loop.time() >= deadline:
            raise DataFolderInUse(_in_use(lock))
        await asyncio.sleep(_RETRY_EVERY_S)
    os.truncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise DataFolderUnusable(
            f"The data folder is on a file system that cannot lock files ({error.strerror}). "
            "Choose a folder on a local disk with --data."
        ) from error
    return True


def _in_use(lock: int) -> str:
    holder = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
    who = f" (process {holder})" if holder.isdigit() else ""
    return f"Another Kith process{who} is using this data folder. Stop it first, or choose another folder with --data."
