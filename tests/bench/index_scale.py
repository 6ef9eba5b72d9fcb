"""How the embedded search index behaves as it grows: `python -m tests.bench.index_scale [POINTS ...]`.

Every point has two dense vectors of 384 dimensions and two sparse ones of about 20 terms, drawn from 50,000 terms by
Zipf's law; all are in one community. A search has two dense and two sparse vectors and a limit of 60, and goes through
the whole path: this process, the pipe, the child, and back. Resident memory is the child's own (pages of its files that
are in the page cache twice are counted once).
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import numpy as np

from memory.audience import Audience, Scope, Visibility
from memory.ports import Floats, IndexPoint, IndexQuery, IndexSchema, SparseVector
from memory.storage.index import EdgeIndex
from tests.bench.processes import cpu_s, memory_mb
from tests.bench.report import Cell, machine, progress, quantile, say, table

SCHEMA = IndexSchema(("text", "context"), ("words", "gist"), 384)
Row = list[Cell]
VOCABULARY = 50_000
LIMIT = 60
AUDIENCE = Audience.private_channel("guild", "staff")
PUBLIC_KEY = Scope("guild", Visibility.community("guild")).key
STAFF_KEY = Scope("guild", Visibility.channel("staff")).key


class Corpus:
    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        self._cumulated = np.cumsum(weights / weights.sum())

    def units(self, count: int) -> Floats:
        vectors = self._random.standard_normal((count, SCHEMA.dimensions), np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def sparse(self, terms: int = 22) -> SparseVector:
        drawn = np.searchsorted(self._cumulated, self._random.random(terms))
        indices = np.unique(drawn.clip(0, VOCABULARY - 1))
        return SparseVector(tuple(indices.tolist()), tuple((self._random.random(len(indices)) + 0.5).tolist()))

    def points(self, start: int, count: int) -> list[IndexPoint]:
        at = datetime(2026, 3, 1, tzinfo=UTC)
        dense = {name: self.units(count) for name in SCHEMA.dense}
        return [
            IndexPoint(
                UUID(bytes=self._random.bytes(16)),
                STAFF_KEY if (start + row) % 20 == 0 else PUBLIC_KEY,
                "en",
                at,
                {name: vectors[row] for name, vectors in dense.items()},
                {name: self.sparse() for name in SCHEMA.sparse},
            )
            for row in range(count)
        ]

    def query(self) -> IndexQuery:
        dense = {name: self.units(1)[0] for name in SCHEMA.dense}
        return IndexQuery(dense, {name: self.sparse() for name in SCHEMA.sparse}, LIMIT)


async def search_times_ms(index: EdgeIndex, corpus: Corpus, count: int = 100) -> tuple[list[float], float]:
    """The searches' times, and the child's processor time per search (which a busy machine does not stretch)."""
    for _ in range(5):
        await index.search(corpus.query(), AUDIENCE)
    times: list[float] = []
    cpu_before_s = cpu_s(index.child_pid)
    for _ in range(count):
        query = corpus.query()
        start = time.perf_counter()
        await index.search(query, AUDIENCE)
        times.append((time.perf_counter() - start) * 1e3)
    return times, 1000 * (cpu_s(index.child_pid) - cpu_before_s) / count


def row(count: int, state: str, rate: str, searches: tuple[list[float], float], pid: int | None, open_s: str) -> Row:
    times, cpu = searches
    progress(f"{count:,} {state}")
    return [f"{count:,}", state, rate, quantile(times, 0.5), quantile(times, 0.95), cpu, memory_mb(pid), open_s]


async def measure(count: int, folder: Path) -> AsyncIterator[Row]:
    corpus = Corpus(seed=1)
    index = await EdgeIndex.open(folder, SCHEMA, timeout_s=60.0)
    spent_s = 0.0
    for start in range(0, count, 1_000):
        points = corpus.points(start, min(1_000, count - start))
        begin = time.perf_counter()
        await index.upsert(points)
        spent_s += time.perf_counter() - begin
    times = await search_times_ms(index, corpus)
    yield row(count, "filled", f"{count / spent_s:,.0f}", times, index.child_pid, "")
    await index.close()
    begin = time.perf_counter()
    index = await EdgeIndex.open(folder, SCHEMA, timeout_s=60.0)
    open_s = time.perf_counter() - begin
    yield row(count, "reopened", "", await search_times_ms(index, corpus), index.child_pid, f"{open_s:.2f}")
    begin = time.perf_counter()
    await index.tidy()
    tidy_s = time.perf_counter() - begin
    yield row(count, "tidied", f"{count / tidy_s:,.0f}", await search_times_ms(index, corpus), index.child_pid, "")
    await index.close()


async def main() -> None:
    say(machine())
    rows: list[Row] = []
    for count in [int(argument) for argument in sys.argv[1:]] or [10_000, 100_000]:
        with tempfile.TemporaryDirectory() as folder:
            rows += [row async for row in measure(count, Path(folder) / "index")]
    table(["points", "state", "points/s", "p50 ms", "p95 ms", "cpu ms", "memory MB", "open s"], rows)


if __name__ == "__main__":
    asyncio.run(main())
