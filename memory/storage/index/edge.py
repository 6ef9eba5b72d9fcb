"""The search index embedded in the data folder: Qdrant's engine in a child process."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

import structlog

from memory.audience import Audience
from memory.errors import DiskFull, IndexUnavailable
from memory.ports import Candidates, IndexPoint, IndexQuery, IndexSchema
from memory.storage.index import wire
from memory.storage.index.candidates import check_points, check_query, nothing
from memory.storage.index.child import Child
from memory.storage.index.wire import Packet

_log = structlog.get_logger(__name__)

CHUNK = 64
"""Points per request: a search never waits longer than for one such write (about 10 ms)."""
_PAGE_OF_IDS = 5_000
_BULK = 12
"""Writing, listing and opening may take this many times longer than a search."""
_LONGEST_PAUSE_S = 60.0

_ROOM_TO_START_BYTES = 64 * 1024**2


class Backoff:
    """How long to leave a crashing process alone: not at all after the first crash, then 1 s, 2 s, ... 60 s. A process
    that lived long enough starts the count again."""

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._failures = 0
        self._started_s = clock_s()
        self._not_before_s = 0.0

    @property
    def wait_s(self) -> float:
        return max(0.0, self._not_before_s - self._clock_s())

    def started(self) -> None:
        self._started_s = self._clock_s()

    def failed(self) -> None:
        now = self._clock_s()
        if now - self._started_s >= _LONGEST_PAUSE_S:
            self._failures = 0
        pause = 0.0 if self._failures == 0 else min(_LONGEST_PAUSE_S, 2.0 ** (self._failures - 1))
        self._failures += 1
        self._not_before_s = now + pause


class EdgeIndex:
    """A `VectorIndex` in a folder of its own, for one process at a time.

    An acknowledged write survives a crash of this process or of the child (write-ahead log); the last seconds may be
    lost when the machine loses power, so compare `ids()` with the record now and then. A child that crashed is started
    again by the next call; the calls under way raise IndexUnavailable.

    `created` is True when the index was found empty, made for another schema, or unreadable (it is then moved aside):
    fill it from the record. It may become True during use, when a restart finds the files unreadable.
    """

    def __init__(self, folder: Path, schema: IndexSchema, timeout_s: float, clock_s: Callable[[], float]) -> None:
        self._folder = folder
        self._schema = schema
        self._timeout_s = timeout_s
        self._backoff = Backoff(clock_s)
        self._child: Child | None = None
        self._closed = False
        self._starting: asyncio.Task[Child] | None = None
        self._writing = asyncio.Lock()
        self._tidying = asyncio.Lock()
        self._dirty: set[UUID] | None = None
        self._cleared = 0
        self.created = False

    @classmethod
    async def open(
        cls,
        folder: Path,
        schema: IndexSchema,
        *,
        timeout_s: float = 5.0,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> EdgeIndex:
        """Raises DataFolderInUse, DataFolderUnusable, DiskFull or IndexUnavailable."""
        index = cls(folder, schema, timeout_s, clock_s)
        try:
            await index._serving()
        except BaseException:
            await index.close()
            raise
        return index

    async def close(self) -> None:
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    @property
    def child_pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._child.pid if self._child is not None and self._child.alive else None

    # --- VectorIndex

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        check_points(points, self._schema)
        for start in range(0, len(points), CHUNK):
            chunk = points[start : start + CHUNK]
            body = wire.pack_points(chunk, self._schema)
            await self._write("upsert", body, {point.id for point in chunk})

    async def delete(self, ids: Sequence[UUID]) -> None:
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            await self._write("delete", wire.pack({}, {"ids": wire.pack_ids(chunk)}), set(chunk))

    async def search(self, query: IndexQuery, audience: Audience) -> Candidates:
        check_query(query, self._schema)
        keys = audience.keys
        if not keys:
            return nothing(query)
        return wire.unpack_candidates(await self._call("search", wire.pack_query(query, keys)))

    async def ids(self) -> set[UUID]:
        found: set[UUID] = set()
        after: str | None = None
        while True:
            page = await self._call("ids", wire.pack({"after": after, "limit": _PAGE_OF_IDS}))
            found.update(wire.unpack_ids(page.arrays["ids"]))
            after = page.fields["after"]
            if after is None:
                return found

    async def clear(self) -> None:
        async with self._writing:
            self._cleared += 1
            await self._call("clear", wire.pack({}), slow=True)

    # --- upkeep

    async def count(self) -> int:
        """How many points there are."""
        return (await self._call("count", wire.pack({}))).fields["points"]

    async def flush(self) -> None:
        """Make everything acknowledged so far survive a power failure. Blocks searches for about 0.1 s."""
        await self._call("flush", wire.pack({}), slow=True)

    async def tidy(self) -> None:
        """Give back the room of what was deleted and replaced: a second process builds a fresh shard of the living
        points, which then takes the old one's place in one step. Searches and writes go on meanwhile. A half-built
        one is discarded by the next tidy or open. Raises IndexUnavailable."""
        async with self._tidying:
            self._dirty = set()
            cleared = self._cleared
            builder = await Child.start(self._folder)
            try:
                await builder.call("build", self._opening(), timeout_s=self._timeout_s * _BULK)
                await self._copy_all(builder)
                await self._copy_changed(builder, until_at_most=CHUNK)
                async with self._writing:
                    await self._copy_changed(builder, until_at_most=0)
                    built = await builder.call("count", wire.pack({}), timeout_s=self._timeout_s)
                    await builder.stop()
                    if cleared == self._cleared:
                        await self._call("adopt", wire.pack({"points": built.fields["points"]}), slow=True)
            except IndexUnavailable:
                # Clearing takes the half-built shard away under the builder; then there is nothing left to tidy.
                if cleared == self._cleared:
                    raise
            finally:
                self._dirty = None
                await builder.kill()

    async def _copy_all(self, builder: Child) -> None:
        after: str | None = None
        while True:
            page = await self._call_raw("page", wire.pack({"after": after, "limit": CHUNK}))
            await builder.call("upsert", page, timeout_s=self._timeout_s * _BULK)
            after = wire.unpack(page).fields["after"]
            if after is None:
                return

    async def _copy_changed(self, builder: Child, *, until_at_most: int) -> None:
        """Carry over what was written meanwhile, in rounds, until so few are left."""
        while self._dirty is not None and len(self._dirty) > until_at_most:
            changed, self._dirty = sorted(self._dirty), set()
            for start in range(0, len(changed), CHUNK):
                ids = wire.pack({}, {"ids": wire.pack_ids(changed[start : start + CHUNK])})
                await builder.call("delete", ids, timeout_s=self._timeout_s * _BULK)
                points = await self._call_raw("points", ids)
                await builder.call("upsert", points, timeout_s=self._timeout_s * _BULK)

    # --- the child

    async def _write(self, operation: str, body: bytes, ids: set[UUID]) -> None:
        async with self._writing:
            if self._dirty is not None:
                self._dirty |= ids
            await self._call(operation, body, slow=True)

    async def _call(self, operation: str, body: bytes, *, slow: bool = False) -> Packet:
        return wire.unpack(await self._call_raw(operation, body, slow=slow))

    async def _call_raw(self, operation: str, body: bytes, *, slow: bool = False) -> bytes:
        child = await self._serving()
        return await child.call_raw(operation, body, timeout_s=self._timeout_s * (_BULK if slow else 1))

    async def _serving(self) -> Child:
        """The running child, started if need be. A start goes on when the caller that asked for it gives up."""
        if self._child is not None and self._child.alive:
            return self._child
        if self._starting is None:
            self._starting = asyncio.create_task(self._restart())
            self._starting.add_done_callback(self._start_ended)
        return await asyncio.shield(self._starting)

    def _start_ended(self, task: asyncio.Task[Child]) -> None:
        self._starting = None
        if not task.cancelled():
            task.exception()  # whoever waits raises it; nobody may be left who does

    async def _restart(self) -> Child:
        if self._closed:
            raise IndexUnavailable("The search index is closed.")
        if self._child is not None:
            _log.warning("The search index's process ended unexpectedly", _event="index_ended")
            self._child = None
            self._backoff.failed()
        if self._backoff.wait_s > 0:
            raise IndexUnavailable("The search index's process keeps ending; it is tried again shortly.")
        self._child = await self._start()
        self._backoff.started()
        return self._child

    async def _start(self) -> Child:
        """A new child that has opened the folder. If opening brings it down twice, the files are at fault and the next
        one is told to set them aside."""
        for set_aside in (False, False, True):
            child = await Child.start(self._folder)
            try:
                opened = await child.call("open", self._opening(set_aside), timeout_s=self._timeout_s * _BULK)
            except BaseException as error:
                crashed = isinstance(error, IndexUnavailable) and not child.alive
                await child.kill()
                if crashed and await asyncio.to_thread(_is_nearly_full, self._folder):
                    raise DiskFull from error  # the engine dies of that, and its files are sound
                if crashed and not set_aside:
                    continue
                if isinstance(error, IndexUnavailable):
                    self._backoff.failed()
                raise
            self.created = self.created or opened.fields["created"] or opened.fields["points"] == 0
            return child
        raise IndexUnavailable

    def _opening(self, set_aside: bool = False) -> bytes:
        return wire.pack({"schema": wire.schema_fields(self._schema), "set_aside": set_aside})


def _is_nearly_full(folder: Path) -> bool:
    """Whether the disk has no room for the files that the engine makes at its start."""
    return shutil.disk_usage(folder).free < _ROOM_TO_START_BYTES
