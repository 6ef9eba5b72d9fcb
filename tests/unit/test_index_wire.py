"""Frames between the embedded index and its process; how often a crashing process is started again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ports import IndexSchema, SparseVector
from memory.storage.index import wire
from memory.storage.index.edge import Backoff
from tests.contract.index_points import LANGUAGES, PointFactory

SCHEMA = IndexSchema(("text", "名字"), ("words",), 5)


class StoppedClock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@given(seed=st.integers(0, 2**32), count=st.integers(0, 6), scope=st.text(st.characters(exclude_categories=["Cs"])))
def test_points_cross_unchanged(seed: int, count: int, scope: str) -> None:
    points = PointFactory(SCHEMA, seed).points(count)
    body = wire.pack_points(points, SCHEMA, {"after": scope})
    packet = wire.unpack(body)
    assert packet.fields["after"] == scope
    back = wire.unpack_points(packet, SCHEMA)
    assert [(p.id, p.scope_key, p.language, p.created_at) for p in back] == [
        (p.id, p.scope_key, p.language, p.created_at) for p in points
    ]
    for sent, got in zip(points, back, strict=True):
        for name in SCHEMA.dense:
            np.testing.assert_array_equal(sent.dense[name], got.dense[name])
        assert got.sparse["words"].indices == sent.sparse["words"].indices
        assert got.sparse["words"].values == tuple(np.array(sent.sparse["words"].values, np.float32).tolist())


def test_a_query_crosses_unchanged() -> None:
    query = PointFactory(SCHEMA).query(9)
    back, keys = wire.unpack_query(wire.unpack(wire.pack_query(query, ["a/b:c", "群/dm:\n"])))
    assert keys == ["a/b:c", "群/dm:\n"] and back.limit == 9
    np.testing.assert_array_equal(back.dense["名字"], query.dense["名字"])
    assert back.sparse["words"].indices == query.sparse["words"].indices


def test_an_empty_sparse_query_crosses() -> None:
    query = PointFactory(SCHEMA).query(1)
    empty = wire.pack_query(type(query)({}, {"words": SparseVector((), ())}, 1), ["x"])
    assert wire.unpack_query(wire.unpack(empty))[0].sparse["words"] == SparseVector((), ())


@pytest.mark.parametrize("body", [b"", b"garbage\n", b"{}\n"])
def test_what_is_no_packet_is_refused(body: bytes) -> None:
    with pytest.raises((ValueError, KeyError)):
        wire.unpack(body)


def test_an_unknown_language_counts_as_other() -> None:
    point = PointFactory(SCHEMA).point()
    packet = wire.unpack(wire.pack_points([point], SCHEMA))
    strange = wire.Packet({**packet.fields, "languages": ["tlh"]}, packet.arrays)
    assert wire.unpack_points(strange, SCHEMA)[0].language == LANGUAGES[2]


def test_a_frame_header_is_nine_bytes() -> None:
    assert wire.HEADER.size == 9


def test_the_first_crash_is_mended_at_once_and_further_ones_ever_later() -> None:
    clock = StoppedClock()
    backoff = Backoff(clock)
    waits: list[float] = []
    for _ in range(9):
        backoff.failed()
        waits.append(backoff.wait_s)
    assert waits == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    clock.now_s += 60.0
    assert backoff.wait_s == 0.0


def test_a_process_that_lived_long_is_started_again_at_once() -> None:
    clock = StoppedClock()
    backoff = Backoff(clock)
    for _ in range(5):
        backoff.failed()
    backoff.started()
    clock.now_s += 3600.0
    backoff.failed()
    assert backoff.wait_s == 0.0
