"""The folder of the embedded index: which shard is current, who may use it, and how a new one takes over.

lock            held by the serving process while it runs
current.json    the current shard's name and schema; replaced in one step
shard-<n>/      the current shard
building/       a shard that is being built beside it; discarded at open
unusable/       the last shard that could not be read, kept until the index is next cleared, tidied or set aside again
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any, cast

from memory.ports import IndexSchema
from memory.storage.index.shard import Shard
from memory.storage.index.wire import schema_fields

_FORMAT = 1
_LOCK_PATIENCE_S = 5.0
"""A process whose parent was killed holds the lock until it has finished its last request."""


class FolderInUse(Exception):
    """Another process serves this index."""


class ShardFolder:
    def __init__(self, path: Path, schema: IndexSchema) -> None:
        self._path = path
        self._schema = schema
        self._lock: int | None = None

    @property
    def building(self) -> Path:
        return self._path / "building"

    def acquire(self) -> None:
        """Take the folder's lock. Raises FolderInUse or OSError."""
        self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = os.open(self._path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise FolderInUse from None
                time.sleep(0.05)

    def open_current(self, *, set_aside: bool) -> tuple[Shard, bool]:
        """The current shard, and whether it is new: there was none, it was made for another schema, or it cannot be
        read (with `set_aside` it is not even tried, because it brought the process down)."""
        self._discard_leftovers()
        name = self._current_name()
        if name is not None and not set_aside:
            try:
                return Shard.load(self._path / name, self._schema), False
            except Exception as error:  # the engine raises plain Exception for whatever is wrong with its files
                if is_disk_full(error):
                    raise
        if name is not None:
            self._set_aside(name)
        return self.replace(), True

    def replace(self) -> Shard:
        """A new and empty shard, made the current one."""
        name = self._next_name()
        shutil.rmtree(self._path / name, ignore_errors=True)
        shard = Shard.create(self._path / name, self._schema)
        self._point_to(name)
        return shard

    def adopt_built(self, *, expected_points: int) -> Shard:
        """The shard in `building`, made the current one. If it is not whole the current one stays."""
        name = self._next_name()
        self.building.rename(self._path / name)
        shard = Shard.load(self._path / name, self._schema)
        if shard.count() != expected_points:
            raise ValueError("the built shard is not whole")
        self._point_to(name)
        return shard

    def discard_others(self) -> None:
        """Remove everything but the current shard."""
        shutil.rmtree(self._path / "unusable", ignore_errors=True)
        self._discard_leftovers()

    def _discard_leftovers(self) -> None:
        keep = self._read().get("shard")
        for path in self._path.iterdir():
            if path.name == "building" or (path.name.startswith("shard-") and path.name != keep):
                shutil.rmtree(path, ignore_errors=True)

    def _set_aside(self, name: str) -> None:
        shutil.rmtree(self._path / "unusable", ignore_errors=True)
        if (self._path / name).exists():
            (self._path / name).rename(self._path / "unusable")

    def _read(self) -> dict[str, Any]:
        try:
            content: Any = json.loads((self._path / "current.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return cast("dict[str, Any]", content) if isinstance(content, dict) else {}

    def _current_name(self) -> str | None:
        """The current shard's name; None when there is none or when it has another schema (it is removed then: the
        record fills the new one)."""
        current = self._read()
        name = current.get("shard")
        if not isinstance(name, str) or not name.startswith("shard-"):
            return None
        if current.get("format") == _FORMAT and current.get("schema") == schema_fields(self._schema):
            return name
        shutil.rmtree(self._path / name, ignore_errors=True)
        return None

    def _next_name(self) -> str:
        name = str(self._read().get("shard", ""))
        number = name.removeprefix("shard-")
        return f"shard-{int(number) + 1 if number.isdigit() else 1}"

    def _point_to(self, name: str) -> None:
        content = json.dumps({"format": _FORMAT, "shard": name, "schema": schema_fields(self._schema)})
        draft = self._path / "current.json.new"
        with draft.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path / "current.json")
        folder = os.open(self._path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def is_disk_full(error: Exception) -> bool:
    text = str(error).lower()
    return "no space left" in text or "os error 28" in text or "disk quota" in text
