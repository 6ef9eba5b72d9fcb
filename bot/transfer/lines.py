"""Kith's own lines: one JSON object for each memory and profile fact, which holds everything that is kept of it.

    {"kith": 1, "type": "memory", "status_since": "…", "id": "…", "scope": {…}, "text": "…", …}
    {"kith": 1, "type": "fact", "id": "…", "member_id": "…", "field": "…", "value": "…", …}

The other names are those of `memory.model.Memory` and `ProfileFact`. A field that a line lacks gets its default, and
one that is not known is passed over; a change that this does not cover raises the version.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Final, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from memory.model import Memory, ProfileFact
from memory.ports import Filed

VERSION: Final = 1
_MOST_ACCESSES: Final = 2**31 - 1
_MEMORY = TypeAdapter(Memory)
_FACT = TypeAdapter(ProfileFact)
_TIME = TypeAdapter(datetime)

T = TypeVar("T")


class LineRefused(Exception):
    """A line cannot be taken in. The message says why, and holds nothing of the line's content."""


def encode(entry: Filed | ProfileFact) -> str:
    """The entry's line, without its end."""
    if isinstance(entry, Filed):
        head = {"kith": VERSION, "type": "memory", "status_since": _TIME.dump_python(entry.status_since, mode="json")}
        body = _MEMORY.dump_python(entry.memory, mode="json")
    else:
        head = {"kith": VERSION, "type": "fact"}
        body = _FACT.dump_python(entry, mode="json")
    return json.dumps(head | body, ensure_ascii=False, separators=(",", ":"))


def decode(content: Mapping[str, Any]) -> Filed | ProfileFact:
    """What `encode` was given. Raises LineRefused."""
    if content["kith"] != VERSION:
        raise LineRefused(f"is of another version than {VERSION}; use the Kith that wrote it, or a newer one")
    if content.get("type") == "fact":
        fact = _validated(_FACT, content)
        _check(fact)
        return fact
    if content.get("type") != "memory":
        raise LineRefused("is neither a memory nor a fact")
    memory = _validated(_MEMORY, content)
    filed = Filed(memory, _validated(_TIME, content.get("status_since", memory.created_at)))
    _check(filed)
    if not (0 <= memory.importance <= 1 and 0 <= memory.trust <= 1 and 0 <= memory.access_count <= _MOST_ACCESSES):
        raise LineRefused("has an importance, trust or access count that is out of range")
    return filed


def parsed(raw: bytes) -> Mapping[str, Any]:
    """The object that a line holds. Raises LineRefused."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        raise LineRefused("is not JSON") from None
    if not isinstance(content, dict):
        raise LineRefused("is not a JSON object")
    return cast("Mapping[str, Any]", content)


def _validated(shape: TypeAdapter[T], content: object) -> T:
    try:
        return shape.validate_python(content)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(step) for step in problem["loc"]) or "time"
        raise LineRefused(f"{where}: {problem['msg'].lower()}") from None


def _check(entry: object) -> None:
    """Refuse what a store could not give back as it is."""
    for value in _leaves(entry):
        if isinstance(value, datetime) and value.tzinfo is None:
            raise LineRefused("has a time without a time zone")
        if isinstance(value, str) and not _is_storable(value):
            raise LineRefused("has a text that cannot be stored")
        if isinstance(value, float) and not math.isfinite(value):
            raise LineRefused("has a number that is none")


def _leaves(entry: object) -> Iterator[object]:
    if is_dataclass(entry):
        for field in fields(entry):
            yield from _leaves(getattr(entry, field.name))
    elif isinstance(entry, tuple):
        for item in cast("tuple[object, ...]", entry):
            yield from _leaves(item)
    else:
        yield entry


def _is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False
