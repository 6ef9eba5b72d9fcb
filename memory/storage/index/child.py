"""A running child process of the embedded index, as its parent sees it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from memory.errors import DataFolderInUse, DataFolderUnusable, DiskFull, IndexUnavailable
from memory.storage.index import wire
from memory.storage.index.wire import Packet

_STOP_PATIENCE_S = 15.0
_KINDS = {name: number for number, name in enumerate(wire.OPERATIONS)}


class Child:
    """One process and the requests under way in it.

    Invariant: every call ends, with the reply, with its time-out, or with IndexUnavailable when the process is gone.
    Requests are answered in the order in which they were sent.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[tuple[int, bytes]]] = {}
        self._last_number = 0
        self._sending = asyncio.Lock()
        self._alive = True
        self._reader = asyncio.create_task(self._read_replies())

    @classmethod
    async def start(cls, folder: Path) -> Child:
        """Start a process for `folder`. It sits in a session of its own, so that Ctrl-C in a terminal is the parent's
        alone, and says nothing to the terminal. Raises IndexUnavailable."""
        command = (sys.executable, "-P", "-m", "memory.storage.index.edge_process", str(folder))
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True, env=_environment()
            )
        except OSError as error:
            raise IndexUnavailable("The search index's process could not be started.") from error
        return cls(process)

    @property
    def alive(self) -> bool:
        return self._alive

    @property
    def pid(self) -> int:
        return self._process.pid

    async def call(self, operation: str, body: bytes, *, timeout_s: float) -> Packet:
        """Ask for one operation. Raises IndexUnavailable, DiskFull, DataFolderInUse or DataFolderUnusable."""
        return wire.unpack(await self.call_raw(operation, body, timeout_s=timeout_s))

    async def call_raw(self, operation: str, body: bytes, *, timeout_s: float) -> bytes:
        """As `call`, with the reply as it came."""
        if not self._alive:
            raise IndexUnavailable("The search index's process has ended.")
        number = self._last_number = (self._last_number + 1) & 0xFFFFFFFF
        reply: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = reply
        try:
            async with asyncio.timeout(timeout_s):
                await self._send(wire.HEADER.pack(len(body), number, _KINDS[operation]) + body)
                kind, content = await reply
        except TimeoutError as error:
            raise IndexUnavailable("The search index did not answer in time.") from error
        finally:
            self._waiting.pop(number, None)
        _raise_for(kind, content)
        return content

    async def stop(self) -> None:
        """Let the process finish what it was asked and close its files; kill it if that takes too long."""
        stdin = self._process.stdin
        if stdin is not None:
            stdin.close()
        try:
            async with asyncio.timeout(_STOP_PATIENCE_S):
                await self._process.wait()
        except TimeoutError:
            await self.kill()
        await self._reader

    async def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)  # Process.kill would take the exit status from asyncio
        await self._process.wait()
        await self._reader

    async def _send(self, frame: bytes) -> None:
        stdin = self._process.stdin
        if stdin is None:
            raise IndexUnavailable
        try:
            async with self._sending:
                stdin.write(frame)
                await stdin.drain()
        except OSError as error:
            raise IndexUnavailable("The search index's process has ended.") from error

    async def _read_replies(self) -> None:
        stdout = self._process.stdout
        try:
            while stdout is not None:
                length, number, kind = wire.HEADER.unpack(await stdout.readexactly(wire.HEADER.size))
                content = await stdout.readexactly(length)
                reply = self._waiting.get(number)
                if reply is not None and not reply.done():
                    reply.set_result((kind, content))
        except (asyncio.IncompleteReadError, OSError):
            pass  # the process has ended
        finally:
            self._alive = False
            for reply in self._waiting.values():
                if not reply.done():
                    reply.set_exception(IndexUnavailable("The search index's process ended during the call."))
        await self._process.wait()


def _environment() -> dict[str, str]:
    """The parent's, with this project importable, and without threads that the child's array code has no use for."""
    root = str(Path(__file__).parents[3])
    paths = (root, os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OPENBLAS_NUM_THREADS": "1"}


def _raise_for(kind: int, content: bytes) -> None:
    if kind == wire.OK:
        return
    detail = content.decode("utf-8", "replace")
    if kind == wire.IN_USE:
        raise DataFolderInUse
    if kind == wire.UNUSABLE:
        raise DataFolderUnusable(f"The search index's folder cannot be used ({detail}).")
    if kind == wire.DISK_FULL:
        raise DiskFull
    raise IndexUnavailable(f"The search index could not do what it was asked ({detail}).")
