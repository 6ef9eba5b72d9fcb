"""A PostgreSQL server of our own, in the data folder, reachable through a private socket only."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import structlog

from memory.errors import DataFolderUnusable, DiskFull, MemoryFailure, RecordUnavailable
from memory.storage.folder import DataFolder
from memory.storage.postgres.account import Account, account_for
from memory.storage.postgres.installation import Installation, installation_for
from memory.storage.postgres.leftover import SOCKET_PREFIX, Postmaster, stop_leftover

_log = structlog.get_logger(__name__)

_PORT = 5432
_SOCKET_PATH_BYTES = 103
"""What the operating systems allow for a socket's path, the smallest of them."""

_START_TIMEOUT_S = 120.0
"""Generous: after a crash the server first replays its log."""
_STOP_TIMEOUT_S = 30.0
_POLL_S = 0.02
_RESTART_DELAYS_S = (0.2, 1.0, 5.0, 30.0)

# Durability (fsync, synchronous_commit, full_page_writes) stays at PostgreSQL's default, which is on.
_PARAMETERS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "40",
    "shared_buffers": "128MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "512MB",
    "random_page_cost": "1.1",
    "jit": "off",
    # Parallel workers share memory through /dev/shm, which containers keep tiny, and two cores are better left alone.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "huge_pages": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Neither statements nor row contents belong in a log: they hold what members said.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


class EmbeddedPostgres:
    """A running embedded server.

    Invariant: between `start` and `stop` the server runs; when it dies it is started again at the same `dsn`. A server
    that a killed process left behind is stopped before ours starts.
    """

    def __init__(self, site: _Site, socket_folder: Path) -> None:
        self._site = site
        self._socket_folder = socket_folder
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, folder: DataFolder) -> Self:
        """Raises DataFolderUnusable, DiskFull, or RecordUnavailable when it does not get ready in time."""
        with _disk_errors():
            site = await asyncio.to_thread(_Site.prepare, folder.postgres)
            if await asyncio.to_thread(stop_leftover, site.data):
                _log.info("stopped the PostgreSQL server of a process that was killed", _event="postgres_leftover")
            socket_folder = await asyncio.to_thread(_make_socket_folder, site)
        server = cls(site, socket_folder)
        try:
            await server._initialise()
            await server._launch_patiently()
        except BaseException:
            await server.stop()
            raise
        server._supervisor = asyncio.create_task(server._supervise(), name="embedded-postgres")
        return server

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self._socket_folder), safe='')}&port={_PORT}"

    @property
    def pid(self) -> int | None:
        """The server's process, None while it is down."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def stop(self) -> None:
        """Stop the server cleanly. Connections that are still open are cut."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.wait({self._supervisor})
            self._supervisor = None
        if self._process is not None:
            await _stop(self._process)
        await asyncio.to_thread(shutil.rmtree, self._socket_folder, ignore_errors=True)

    async def _initialise(self) -> None:
        """Create the database files beside their final place, so that a crash half-way leaves nothing that counts."""
        if await asyncio.to_thread(self._site.data.exists):
            return
        fresh = await asyncio.to_thread(self._site.clear_unfinished)
        arguments = ("--auth-local=trust", "--auth-host=reject", "--username=postgres", "--encoding=UTF8")
        # The built-in locale sorts the same on every system, so an upgrade of the C library cannot break an index.
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
        process = await self._site.spawn("initdb", *arguments, *locale, "--pgdata", str(fresh))
        async with asyncio.timeout(_START_TIMEOUT_S):
            code = await process.wait()
        if code != 0:
            raise await asyncio.to_thread(self._site.failure)
        await asyncio.to_thread(fresh.rename, self._site.data)

    async def _launch_patiently(self) -> None:
        """Start; when the remains of a killed server are still going down, try again."""
        for delay in _RESTART_DELAYS_S[:-1]:
            try:
                await self._launch()
            except _StillInUse:
                await asyncio.sleep(delay)
            else:
                return
        await self._launch()

    async def _launch(self) -> None:
        parameters = {**_PARAMETERS, "unix_socket_directories": '"' + str(self._socket_folder) + '"'}
        options = [part for name, value in parameters.items() for part in ("-c", f"{name}={value}")]
        self._process = await self._site.spawn("postgres", "-D", str(self._site.data), *options)
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                while self._process.returncode is None:
                    said = await asyncio.to_thread(Postmaster.read, self._site.data)
                    if said is not None and said.ready and said.pid == self._process.pid:
                        return
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            await _stop(self._process)
            raise RecordUnavailable("The embedded PostgreSQL did not get ready in time.") from error
        raise await asyncio.to_thread(self._site.failure)

    async def _supervise(self) -> None:
        while self._process is not None:
            code = await self._process.wait()
            _log.warning("the embedded PostgreSQL ended; starting it again", _event="postgres_ended", code=code)
            await self._relaunch()

    async def _relaunch(self) -> None:
        for delay in _forever(_RESTART_DELAYS_S):
            try:
                await self._launch()
            except (MemoryFailure, OSError) as error:
                _log.error("the embedded PostgreSQL does not start", _event="postgres_down", reason=str(error))
                await asyncio.sleep(delay)
            else:
                return


class _StillInUse(DataFolderUnusable):
    """Another PostgreSQL server is running on this data folder. Stop it first."""


@dataclass(frozen=True, slots=True)
class _Site:
    """Where the server lives, which programs run it, and as whom."""

    home: Path
    installation: Installation
    account: Account | None

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    @classmethod
    def prepare(cls, home: Path) -> _Site:
        home = home.resolve()
        data = home / "data"
        installation = installation_for(data)
        account = account_for(data)
        if account is not None:
            account.own(home)
            if data.exists() and data.stat().st_uid == 0:
                account.own_all(data)
            account.open_way(data)
            account.open_way(installation.bin / "postgres")
        if data.exists():
            data.chmod(0o700)  # the server refuses its files when others may read them
        return cls(home, installation, account)

    def clear_unfinished(self) -> Path:
        """Remove what an interrupted first start left; returns a new name, as its `initdb` may still be running."""
        for unfinished in self.home.glob("data.new-*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        return self.home / f"data.new-{os.getpid()}"

    async def spawn(self, program: str, *arguments: str) -> asyncio.subprocess.Process:
        """Run one of PostgreSQL's programs. It gets its own process group, so that Ctrl-C in a terminal reaches us
        first and the server is stopped in order, and an environment without anybody's PG… variables."""
        options: dict[str, Any] = {} if self.account is None else self.account.spawn_options
        log = await asyncio.to_thread(self.log.open, "wb")
        try:
            return await asyncio.create_subprocess_exec(
                self.installation.bin / program,
                *arguments,
                cwd=self.home,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=0o077,
                **options,
            )
        finally:
            log.close()

    def failure(self) -> MemoryFailure:
        """The error that the server's last words stand for."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        text = "\n".join(lines)
        if "No space left on device" in text or "Disk quota exceeded" in text:
            return DiskFull()
        if "already exists" in text or "still in use" in text:
            return _StillInUse()
        reason = next((line for line in reversed(lines) if "FATAL" in line or "error:" in line), "")
        return DataFolderUnusable(
            f"The embedded PostgreSQL in {self.home} does not start. {reason}".rstrip()
            + f" See {self.log}, or set DATABASE_URL to a PostgreSQL server."
        )


def _make_socket_folder(site: _Site) -> Path:
    """A new folder, private to the server's account, whose path is short enough and plain enough for a socket."""
    for parent in (Path(tempfile.gettempdir()), Path("/tmp"), site.home):  # noqa: S108 - mkdtemp makes it private
        longest = len(os.fsencode(parent / f"{SOCKET_PREFIX}12345678" / f".s.PGSQL.{_PORT}.lock"))
        if longest > _SOCKET_PATH_BYTES or any(sign in str(parent) for sign in ',"') or not os.access(parent, os.W_OK):
            continue
        folder = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=parent))
        if site.account is not None:
            site.account.own(folder)
            site.account.open_way(folder)
        return folder
    raise DataFolderUnusable("There is no folder for PostgreSQL's socket. Set TMPDIR to a writable folder.")


async def _stop(process: asyncio.subprocess.Process) -> None:
    for sign in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(sign)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_TIMEOUT_S):
                await process.wait()


@contextlib.contextmanager
def _disk_errors() -> Generator[None, None, None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise DataFolderUnusable(
            f"The data folder cannot be prepared for PostgreSQL ({error.strerror}: {error.filename}). "
            "Give this user the right to write there, or choose another folder with --data."
        ) from error


def _forever(delays: tuple[float, ...]) -> Iterator[float]:
    yield from delays
    while True:
        yield delays[-1]
