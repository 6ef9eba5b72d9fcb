"""The search index in plain memory, exact, for tests and as the reference that the engines are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np

from memory.audience import Audience
from memory.ports import Candidates, IndexPoint, IndexQuery, IndexSchema, SparseVector
from memory.storage.index.candidates import ScoreTable, check_points, check_query, nothing


class InMemoryIndex:
    """A `VectorIndex` that is gone when it is closed."""

    def __init__(self, schema: IndexSchema) -> None:
        self._schema = schema
        self._points: dict[UUID, IndexPoint] = {}
        self.created = True

    @classmethod
    async def open(cls, schema: IndexSchema) -> InMemoryIndex:
        return cls(schema)

    async def close(self) -> None:
        self._points.clear()

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        check_points(points, self._schema)
        self._points.update((point.id, point) for point in points)

    async def delete(self, ids: Sequence[UUID]) -> None:
        for id_ in ids:
            self._points.pop(id_, None)

    async def ids(self) -> set[UUID]:
        return set(self._points)

    async def clear(self) -> None:
        self._points.clear()

    async def search(self, query: IndexQuery, audience: Audience) -> Candidates:
        check_query(query, self._schema)
        keys = set(audience.keys)
        visible = [point for point in self._points.values() if point.scope_key in keys]
        if not visible:
            return nothing(query)
        table = ScoreTable(tuple(query.dense), tuple(query.sparse))
        for name, vector in query.dense.items():
            matrix = np.stack([point.dense[name] for point in visible])
            table.add(name, zip((point.id for point in visible), map(float, matrix @ vector), strict=True))
        for name, vector in query.sparse.items():
            table.add(name, self._sparse_scores(name, vector, visible))
        for name in (*query.dense, *query.sparse):
            best = sorted(table.scores.get(name, {}).items(), key=lambda item: (-item[1], item[0]))[: query.limit]
            table.languages.update((id_, self._points[id_].language) for id_, _ in best)
        return table.candidates()

    def _sparse_scores(
        self, name: str, query: SparseVector, visible: Iterable[IndexPoint]
    ) -> Iterable[tuple[UUID, float]]:
        weights = self._weighted(name, query)
        for point in visible:
            vector = point.sparse.get(name)
            if vector is None:
                continue
            common = [
                weights[term] * value
                for term, value in zip(vector.indices, vector.values, strict=True)
                if term in weights
            ]
            if common:
                yield point.id, math.fsum(common)

    def _weighted(self, name: str, query: SparseVector) -> dict[int, float]:
        """The query's weights times the inverse document frequency over the whole index."""
        documents = [set(p.sparse[name].indices) for p in self._points.values() if name in p.sparse]
        documents = [terms for terms in documents if terms]
        weights: dict[int, float] = {}
        for term, value in zip(query.indices, query.values, strict=True):
            frequency = sum(term in terms for terms in documents)
            weights[term] = value * math.log1p((len(documents) - frequency + 0.5) / (frequency + 0.5))
        return weights
