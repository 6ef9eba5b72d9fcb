"""Points and queries for the tests of the search index, and its scores worked out by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np

from memory.audience import Audience, Scope, Visibility
from memory.model import Language
from memory.ports import Candidates, Floats, IndexPoint, IndexQuery, IndexSchema, SparseVector

LANGUAGES: tuple[Language, ...] = ("zh", "en", "other")
GUILD = Scope("guild", Visibility.community("guild"))
PUBLIC = Audience.public("guild")


class PointFactory:
    """Makes points that fit `schema`, always the same ones for the same seed."""

    def __init__(self, schema: IndexSchema, seed: int = 7, vocabulary: int = 40) -> None:
        self._schema = schema
        self._random = random.Random(seed)  # noqa: S311 - test data
        self._vocabulary = vocabulary

    def unit(self) -> Floats:
        vector = np.array([self._random.gauss(0.0, 1.0) for _ in range(self._schema.dimensions)], np.float32)
        return vector / np.float32(np.linalg.norm(vector))

    def sparse(self, terms: int = 6) -> SparseVector:
        indices = sorted(self._random.sample(range(self._vocabulary), terms))
        return SparseVector(tuple(indices), tuple(round(self._random.uniform(0.2, 2.0), 4) for _ in indices))

    def point(self, scope: Scope = GUILD, *, id_: UUID | None = None) -> IndexPoint:
        created = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=self._random.randrange(100_000))
        return IndexPoint(
            id_ or UUID(int=self._random.getrandbits(128)),
            scope.key,
            self._random.choice(LANGUAGES),
            created,
            {name: self.unit() for name in self._schema.dense},
            {name: self.sparse() for name in self._schema.sparse},
        )

    def points(self, count: int, scope: Scope = GUILD) -> list[IndexPoint]:
        return [self.point(scope) for _ in range(count)]

    def query(self, limit: int = 10) -> IndexQuery:
        return IndexQuery(
            {name: self.unit() for name in self._schema.dense},
            {name: self.sparse() for name in self._schema.sparse},
            limit,
        )


def sparse_score(query: SparseVector, point: IndexPoint, name: str, everything: Sequence[IndexPoint]) -> float:
    """Query weight x point weight x ln(1 + (N - df + 0.5) / (df + 0.5)), summed over the common terms."""
    documents = [set(other.sparse[name].indices) for other in everything if other.sparse[name].indices]
    weights = dict(zip(point.sparse[name].indices, point.sparse[name].values, strict=True))
    total = 0.0
    for term, weight in zip(query.indices, query.values, strict=True):
        frequency = sum(term in terms for terms in documents)
        idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
        total += weight * weights.get(term, 0.0) * idf
    return total


def expected(query: IndexQuery, visible: Sequence[IndexPoint], everything: Sequence[IndexPoint]) -> dict[str, Floats]:
    """The score of each of `visible` under each vector."""
    scores = {name: np.array([p.dense[name] @ vector for p in visible]) for name, vector in query.dense.items()}
    for name, vector in query.sparse.items():
        scores[name] = np.array([sparse_score(vector, p, name, everything) for p in visible])
    return {name: column.astype(np.float32) for name, column in scores.items()}


def assert_complete(
    found: Candidates, query: IndexQuery, visible: Sequence[IndexPoint], everything: Sequence[IndexPoint]
) -> None:
    """`found` holds each vector's best points and scores every candidate under every vector, to 2e-3."""
    by_id = {point.id: point for point in visible}
    assert list(found.ids) == sorted(found.ids)
    assert set(found.scores) == {*query.dense, *query.sparse}
    candidates = [by_id[id_] for id_ in found.ids]
    assert found.languages == tuple(point.language for point in candidates)
    for name, column in expected(query, candidates, everything).items():
        np.testing.assert_allclose(found.scores[name], column, atol=2e-3)
    for column in expected(query, visible, everything).values():
        cut = np.sort(column)[::-1][: query.limit].min(initial=np.inf)
        surely = [p.id for p, score in zip(visible, column, strict=True) if score > max(cut + 2e-3, 0.0)]
        assert set(surely) <= set(found.ids)
    assert len(found.ids) <= query.limit * len(found.scores)
