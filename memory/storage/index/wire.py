"""How the embedded index's parent and child process talk: frames, and packets of plain fields and arrays.

A frame is a header (body length, request number, one byte of kind; little-endian) and a body. A body is a packet: a
line of JSON for the plain fields and the arrays' shapes, then each array's bytes as they lie in memory. So vectors
cross as raw 32-bit floats, and a page of points can be handed on without being decoded.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.ports import Candidates, IndexPoint, IndexQuery, IndexSchema, SparseVector
from memory.storage.index.candidates import as_language

HEADER = struct.Struct("<IIB")
"""Body length in bytes, request number, kind."""

OPERATIONS = (
    "open",
    "build",
    "adopt",
    "upsert",
    "delete",
    "search",
    "ids",
    "page",
    "points",
    "clear",
    "count",
    "flush",
)
"""A request's kind is its operation's place in this list."""

OK, FAILED, IN_USE, UNUSABLE, DISK_FULL = range(5)
"""Kinds of a reply."""

_TYPES = {"f4": np.dtype("<f4"), "u4": np.dtype("<u4"), "i8": np.dtype("<i8"), "u1": np.dtype("u1")}


@dataclass(frozen=True, slots=True)
class Packet:
    fields: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def pack(fields: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None) -> bytes:
    """A body. Arrays may be of 32-bit floats, 32-bit unsigned, 64-bit signed integers or bytes."""
    shapes: list[tuple[str, str, tuple[int, ...]]] = []
    parts: list[bytes] = []
    for name, array in (arrays or {}).items():
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        shapes.append((name, kind, array.shape))
        parts.append(np.ascontiguousarray(array, _TYPES[kind]).tobytes())
    head = json.dumps({"fields": fields, "arrays": shapes}, separators=(",", ":")).encode()
    return b"\n".join((head, b"".join(parts)))


def unpack(body: bytes) -> Packet:
    """Raises ValueError when `body` is not a packet."""
    head, _, rest = body.partition(b"\n")
    decoded = json.loads(head)
    arrays: dict[str, NDArray[Any]] = {}
    start = 0
    for name, kind, shape in decoded["arrays"]:
        count = math.prod(shape)
        arrays[name] = np.frombuffer(rest, _TYPES[kind], count, start).reshape(shape)
        start += count * _TYPES[kind].itemsize
    return Packet(decoded["fields"], arrays)


# --- ids and sparse vectors -----------------------------------------------------------------------------------------


def pack_ids(ids: Sequence[UUID]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(id_.bytes for id_ in ids), np.uint8).reshape(-1, 16)


def unpack_ids(array: NDArray[np.uint8]) -> list[UUID]:
    raw = array.tobytes()
    return [UUID(bytes=raw[start : start + 16]) for start in range(0, len(raw), 16)]


def _pack_sparse(vectors: Sequence[SparseVector]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Lengths, then all indices and all values one after the other."""
    lengths = np.array([len(vector.indices) for vector in vectors], np.uint32)
    indices = np.array([index for vector in vectors for index in vector.indices], np.uint32)
    values = np.array([value for vector in vectors for value in vector.values], np.float32)
    return lengths, indices, values


def _unpack_sparse(arrays: Mapping[str, NDArray[Any]], name: str) -> list[SparseVector]:
    ends: list[int] = np.cumsum(arrays[f"lengths:{name}"], dtype=np.int64).tolist()
    indices: list[int] = arrays[f"indices:{name}"].tolist()
    values: list[float] = arrays[f"values:{name}"].tolist()
    return [
        SparseVector(tuple(indices[start:end]), tuple(values[start:end]))
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def _add_sparse(arrays: dict[str, NDArray[Any]], name: str, vectors: Sequence[SparseVector]) -> None:
    arrays[f"lengths:{name}"], arrays[f"indices:{name}"], arrays[f"values:{name}"] = _pack_sparse(vectors)


# --- schema, points, queries, candidates ----------------------------------------------------------------------------


def schema_fields(schema: IndexSchema) -> dict[str, Any]:
    return {"dense": list(schema.dense), "sparse": list(schema.sparse), "dimensions": schema.dimensions}


def schema_of(fields: Mapping[str, Any]) -> IndexSchema:
    return IndexSchema(tuple(fields["dense"]), tuple(fields["sparse"]), int(fields["dimensions"]))


_EMPTY = SparseVector((), ())


def pack_points(points: Sequence[IndexPoint], schema: IndexSchema, fields: Mapping[str, Any] | None = None) -> bytes:
    """`points` (they must fit the schema) with any further `fields`."""
    arrays: dict[str, NDArray[Any]] = {
        "ids": pack_ids([point.id for point in points]),
        "created": np.array([int(point.created_at.timestamp()) for point in points], np.int64),
    }
    for name in schema.dense:
        rows = [point.dense[name] for point in points]
        arrays[f"dense:{name}"] = np.asarray(rows, np.float32).reshape(len(points), schema.dimensions)
    for name in schema.sparse:
        _add_sparse(arrays, name, [point.sparse.get(name, _EMPTY) for point in points])
    texts = {"scopes": [point.scope_key for point in points], "languages": [point.language for point in points]}
    return pack({**(fields or {}), **texts}, arrays)


def unpack_points(packet: Packet, schema: IndexSchema) -> list[IndexPoint]:
    sparse = {name: _unpack_sparse(packet.arrays, name) for name in schema.sparse}
    created: list[int] = packet.arrays["created"].tolist()
    return [
        IndexPoint(
            id_,
            packet.fields["scopes"][row],
            as_language(packet.fields["languages"][row]),
            datetime.fromtimestamp(created[row], UTC),
            {name: packet.arrays[f"dense:{name}"][row] for name in schema.dense},
            {name: vectors[row] for name, vectors in sparse.items()},
        )
        for row, id_ in enumerate(unpack_ids(packet.arrays["ids"]))
    ]


def pack_query(query: IndexQuery, scope_keys: Sequence[str]) -> bytes:
    arrays: dict[str, NDArray[Any]] = {}
    for name, vector in query.dense.items():
        arrays[f"dense:{name}"] = np.asarray(vector, np.float32)
    for name, vector in query.sparse.items():
        _add_sparse(arrays, name, [vector])
    fields = {
        "dense": list(query.dense),
        "sparse": list(query.sparse),
        "limit": query.limit,
        "scopes": list(scope_keys),
    }
    return pack(fields, arrays)


def unpack_query(packet: Packet) -> tuple[IndexQuery, list[str]]:
    fields = packet.fields
    dense = {name: packet.arrays[f"dense:{name}"] for name in fields["dense"]}
    sparse = {name: _unpack_sparse(packet.arrays, name)[0] for name in fields["sparse"]}
    return IndexQuery(dense, sparse, fields["limit"]), fields["scopes"]


def pack_candidates(candidates: Candidates) -> bytes:
    arrays: dict[str, NDArray[Any]] = {"ids": pack_ids(candidates.ids)}
    arrays |= {f"score:{name}": scores for name, scores in candidates.scores.items()}
    return pack({"languages": candidates.languages, "names": list(candidates.scores)}, arrays)


def unpack_candidates(packet: Packet) -> Candidates:
    return Candidates(
        tuple(unpack_ids(packet.arrays["ids"])),
        tuple(as_language(language) for language in packet.fields["languages"]),
        {name: packet.arrays[f"score:{name}"].copy() for name in packet.fields["names"]},
    )
