"""What the stores share: checks of what comes in, and the complete score matrix of what goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from memory.model import Language
from memory.ports import Candidates, Floats, IndexPoint, IndexQuery, IndexSchema

LANGUAGES: tuple[Language, ...] = ("zh", "en", "other")


def as_language(value: object) -> Language:
    for language in LANGUAGES:
        if value == language:
            return language
    return "other"


def nothing(query: IndexQuery) -> Candidates:
    """No candidates, in the shape that a search of `query` returns."""
    names = (*query.dense, *query.sparse)
    return Candidates((), (), {name: np.zeros(0, np.float32) for name in names})


def check_points(points: Sequence[IndexPoint], schema: IndexSchema) -> None:
    """Raises ValueError for a point that does not fit the schema."""
    for point in points:
        if set(point.dense) != set(schema.dense) or not set(point.sparse) <= set(schema.sparse):
            raise ValueError("the point's vectors are not those of the schema")
        if any(vector.shape != (schema.dimensions,) for vector in point.dense.values()):
            raise ValueError(f"the point's vectors do not have {schema.dimensions} dimensions")


def check_query(query: IndexQuery, schema: IndexSchema) -> None:
    """Raises ValueError for a query that does not fit the schema."""
    if not set(query.dense) <= set(schema.dense) or not set(query.sparse) <= set(schema.sparse):
        raise ValueError("the query's vectors are not those of the schema")
    if any(vector.shape != (schema.dimensions,) for vector in query.dense.values()):
        raise ValueError(f"the query's vectors do not have {schema.dimensions} dimensions")
    if query.limit < 1:
        raise ValueError("the limit must be at least 1")


@dataclass(slots=True)
class ScoreTable:
    """Scores as they arrive, list by list; `candidates` makes the complete matrix of them.

    A sparse score that never arrives is 0.0 (no common term). A point without some dense score vanished between two
    requests and is left out.
    """

    dense: Sequence[str]
    sparse: Sequence[str]
    languages: dict[UUID, Language] = field(default_factory=dict[UUID, Language])
    scores: dict[str, dict[UUID, float]] = field(default_factory=dict[str, dict[UUID, float]])

    def add(self, name: str, scores: Iterable[tuple[UUID, float]]) -> None:
        self.scores.setdefault(name, {}).update(scores)

    def missing(self, name: str) -> list[UUID]:
        """The candidates that have no score under `name` yet."""
        have: Mapping[UUID, float] = self.scores.get(name, {})
        return [id_ for id_ in self.languages if id_ not in have]

    def candidates(self) -> Candidates:
        """All candidates in the order of their ids."""
        ids = sorted(id_ for id_ in self.languages if all(id_ in self.scores.get(name, {}) for name in self.dense))
        return Candidates(
            tuple(ids),
            tuple(self.languages[id_] for id_ in ids),
            {name: self._column(name, ids) for name in (*self.dense, *self.sparse)},
        )

    def _column(self, name: str, ids: Sequence[UUID]) -> Floats:
        column: Mapping[UUID, float] = self.scores.get(name, {})
        return np.fromiter((column.get(id_, 0.0) for id_ in ids), np.float32, len(ids))
