"""The child process that runs Qdrant's embedded engine: `python -m memory.storage.index.edge_process FOLDER`.

It answers one request after the other from standard input on standard output (see `wire`) and ends when its input ends,
so it never outlives its parent. The engine holds the interpreter in every call and its rare crashes take the process
down; here neither reaches the bot.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from io import FileIO, RawIOBase
from pathlib import Path
from uuid import UUID

from memory.storage.index import wire
from memory.storage.index.shard import Shard
from memory.storage.index.shard_folder import FolderInUse, ShardFolder, is_disk_full
from memory.storage.index.wire import Packet

FLUSH_AFTER_S = 20.0
"""How long an acknowledged write may rest in the write-ahead log alone, at most, when nothing else is asked."""


class Service:
    """What the process can be asked to do. Each operation takes and returns a packet's bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder: ShardFolder | None = None
        self._shard: Shard | None = None
        self._unflushed_since: float | None = None
        self.operations: tuple[Callable[[Packet], bytes], ...] = tuple(getattr(self, name) for name in wire.OPERATIONS)

    # --- life cycle

    def open(self, request: Packet) -> bytes:
        """Serve the folder's current shard."""
        self._folder = ShardFolder(self._path, wire.schema_of(request.fields["schema"]))
        self._folder.acquire()
        self._shard, created = self._folder.open_current(set_aside=request.fields["set_aside"])
        return wire.pack({"created": created, "points": self._shard.count()})

    def build(self, request: Packet) -> bytes:
        """Serve a new shard in the folder's `building`; another process keeps serving the current one."""
        schema = wire.schema_of(request.fields["schema"])
        building = ShardFolder(self._path, schema).building
        shutil.rmtree(building, ignore_errors=True)
        self._shard = Shard.create(building, schema)
        return wire.pack({})

    def adopt(self, request: Packet) -> bytes:
        """Go over to the shard that another process has built and closed."""
        folder, old = self._serving_folder(), self._open_shard()
        self._shard = folder.adopt_built(expected_points=request.fields["points"])
        old.close()
        folder.discard_others()
        return wire.pack({"points": self._shard.count()})

    def close(self) -> None:
        if self._shard is not None:
            self._shard.close()

    # --- points

    def upsert(self, request: Packet) -> bytes:
        shard = self._open_shard()
        shard.upsert(wire.unpack_points(request, shard.schema))
        self._written()
        return wire.pack({})

    def delete(self, request: Packet) -> bytes:
        self._open_shard().delete(wire.unpack_ids(request.arrays["ids"]))
        self._written()
        return wire.pack({})

    def clear(self, request: Packet) -> bytes:
        folder, old = self._serving_folder(), self._open_shard()
        self._shard = folder.replace()
        old.close()
        folder.discard_others()
        return wire.pack({})

    def search(self, request: Packet) -> bytes:
        query, scope_keys = wire.unpack_query(request)
        return wire.pack_candidates(self._open_shard().search(query, scope_keys))

    def ids(self, request: Packet) -> bytes:
        ids, following = self._open_shard().ids(*_page(request))
        return wire.pack({"after": _text(following)}, {"ids": wire.pack_ids(ids)})

    def page(self, request: Packet) -> bytes:
        """A page of whole points, in the form that `upsert` takes."""
        shard = self._open_shard()
        points, following = shard.points(*_page(request))
        return wire.pack_points(points, shard.schema, {"after": _text(following)})

    def points(self, request: Packet) -> bytes:
        """The points with the given ids, as far as there are any, in the form that `upsert` takes."""
        shard = self._open_shard()
        return wire.pack_points(shard.retrieve(wire.unpack_ids(request.arrays["ids"])), shard.schema)

    def count(self, request: Packet) -> bytes:
        return wire.pack({"points": self._open_shard().count()})

    def flush(self, request: Packet) -> bytes:
        self._open_shard().flush()
        self._unflushed_since = None
        return wire.pack({})

    # --- idle time

    def idle(self) -> None:
        """Called when nothing has been asked for a moment."""
        since = self._unflushed_since
        if self._shard is not None and since is not None and time.monotonic() - since >= FLUSH_AFTER_S:
            self._shard.flush()
            self._unflushed_since = None

    def _written(self) -> None:
        if self._unflushed_since is None:
            self._unflushed_since = time.monotonic()

    def _open_shard(self) -> Shard:
        if self._shard is None:
            raise RuntimeError("the index is not open")
        return self._shard

    def _serving_folder(self) -> ShardFolder:
        if self._folder is None:
            raise RuntimeError("this process does not serve the folder")
        return self._folder


def _page(request: Packet) -> tuple[UUID | None, int]:
    after = request.fields["after"]
    return (None if after is None else UUID(after)), request.fields["limit"]


def _text(id_: object) -> str | None:
    return None if id_ is None else str(id_)


def _answer(service: Service, kind: int, body: bytes) -> tuple[int, bytes]:
    try:
        return wire.OK, service.operations[kind](wire.unpack(body))
    except FolderInUse:
        return wire.IN_USE, b""
    except PermissionError as error:
        return wire.UNUSABLE, str(error.strerror).encode()
    except Exception as error:  # the outermost edge of a request: the parent raises it
        return (wire.DISK_FULL if is_disk_full(error) else wire.FAILED), type(error).__name__.encode()


def serve(path: Path, requests: RawIOBase, replies: RawIOBase) -> None:
    """Answer until `requests` ends, then close the shard."""
    service = Service(path)
    while True:
        if not select.select([requests], [], [], FLUSH_AFTER_S / 4)[0]:
            service.idle()
            continue
        try:
            length, number, kind = wire.HEADER.unpack(_read(requests, wire.HEADER.size))
            body = _read(requests, length)
            status, reply = _answer(service, kind, body)
            _write(replies, wire.HEADER.pack(len(reply), number, status) + reply)
        except (EOFError, BrokenPipeError):
            break
    service.close()


def _read(requests: RawIOBase, size: int) -> bytes:
    """Exactly `size` bytes. Raises EOFError. (No buffering: `select` must see all that has not been read.)"""
    parts: list[bytes] = []
    while size:
        part = requests.read(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(replies: RawIOBase, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[replies.write(rest) or 0 :]


def main() -> None:
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    replies = FileIO(os.dup(1), "w")
    os.dup2(2, 1)
    serve(Path(sys.argv[1]), FileIO(0, "r", closefd=False), replies)


if __name__ == "__main__":
    main()
