"""How relevant a memory is to a question, on a scale that means the same for every embedding model and language pair.

A cosine of 0.86 is "nearly identical" under one model and "unrelated" under another, and even under one model differs
between Chinese and English. So each question is first scored against a cohort of unrelated sentences in the memory's
language (s-norm, as in speaker verification): what counts is how many standard deviations a memory stands out.

Questions share a direction with each other (their language, their form) that says nothing about their content and
favours memories of one language. `UsualQuery` estimates it from the questions seen so far, and `Calibration.sharpen`
takes most of it out. Measured: see docs/decisions/0012-relevance-floor.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Self

import numpy as np

from memory.model import Language
from memory.ports import Embedder, Fingerprint, Floats

LANGUAGES: tuple[Language, ...] = ("zh", "en")
_FOLDER = files("memory") / "calibration"
_SHARED_DIRECTION_REMOVED = 0.7
_PRIOR_QUERIES = 12.0
_REMEMBERED_QUERIES = 500.0


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of the scores of unrelated memories."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the kinds of evidence, in the cohort's standard deviations each, and how they become odds: log odds =
    steepness * (evidence - bar). `company` is how far weaker candidates are pulled up to the best one, by at most
    `company_most`: what stands beside a sure hit is more likely to belong to it."""

    bar: float
    steepness: float
    covered: float
    covered_nearby: float
    missing_names: float
    crowd: float
    company: float
    company_most: float


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What speaks for each of a question's candidates; parallel arrays. `crowd` is how many memories were searched."""

    standing: Floats
    """Of its best vector among unrelated memories, in the cohort's standard deviations."""
    covered: Floats
    """Share (0..1) of the question's words that the memory holds."""
    covered_nearby: Floats
    """The same for the memory with its neighbours."""
    missing_names: Floats
    """Share (0..1) of the names in the question that neither holds."""
    crowd: int


class UsualQuery:
    """The mean direction of recent questions, per language. Starts from the cohort's questions, which count as a
    dozen, and follows what the community really asks. Each process has its own; losing it costs a little
    precision only."""

    def __init__(self, prior: Mapping[Language, Floats]) -> None:
        self._mean = {language: vector.astype(np.float64) for language, vector in prior.items()}
        self._weight = dict.fromkeys(self._mean, _PRIOR_QUERIES)

    def copy(self) -> Self:
        """Another that starts where this one is."""
        twin = type(self)({})
        twin._mean = {language: mean.copy() for language, mean in self._mean.items()}
        twin._weight = dict(self._weight)
        return twin

    def mean(self, language: Language) -> Floats:
        return self._mean[_known(language)].astype(np.float32)

    def learn(self, vector: Floats, language: Language) -> None:
        """Take a question's vector (as the embedder made it) into account."""
        key = _known(language)
        weight = min(self._weight[key] + 1.0, _REMEMBERED_QUERIES)
        self._mean[key] += (vector - self._mean[key]) / weight
        self._weight[key] = weight


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A cohort of unrelated sentences as one embedder sees them, and what follows from it.

    `passages[language]` has shape (n, dimensions), `queries[language]` is a mean vector of shape (dimensions,).
    """

    fingerprint: Fingerprint
    passages: Mapping[Language, Floats]
    usual: UsualQuery
    weights: Weights = field(default_factory=lambda: _weights())

    def for_community(self) -> Self:
        """The same calibration, with usual questions of its own to learn."""
        return replace(self, usual=self.usual.copy())

    @classmethod
    async def load(cls, embedder: Embedder) -> Self:
        """The calibration that comes with Kith for this embedder, else one built from its own view of the cohort.
        Raises EmbeddingFailed."""
        return cls.shipped(embedder.fingerprint) or await cls.build(embedder)

    @classmethod
    def shipped(cls, fingerprint: Fingerprint) -> Self | None:
        """The calibration measured beforehand for the local embedder; None for any other."""
        path = _FOLDER / f"{fingerprint.model.rpartition('/')[2]}.npz"
        if fingerprint.provider != "local" or not path.is_file():
            return None
        with path.open("rb") as file, np.load(file) as arrays:
            if arrays["passages_zh"].shape[1] != fingerprint.dimensions:
                return None
            passages: dict[Language, Floats] = {
                language: arrays[f"passages_{language}"].astype(np.float32) for language in LANGUAGES
            }
            queries: dict[Language, Floats] = {
                language: arrays[f"queries_{language}"].astype(np.float32) for language in LANGUAGES
            }
            return cls(fingerprint, passages, UsualQuery(queries))

    @classmethod
    async def build(cls, embedder: Embedder) -> Self:
        """Measure an embedder on the cohort: about 300 short texts."""
        passages: dict[Language, Floats] = {}
        queries: dict[Language, Floats] = {}
        for language in LANGUAGES:
            passages[language] = await embedder.embed_passages(cohort(f"passages_{language}"))
            queries[language] = (await embedder.embed_queries(cohort(f"queries_{language}"))).mean(axis=0)
        return cls(embedder.fingerprint, passages, UsualQuery(queries))

    def sharpen(self, vector: Floats, language: Language) -> Floats:
        """A question's vector with most of what it shares with other questions removed; a unit vector."""
        sharp = vector - _SHARED_DIRECTION_REMOVED * self.usual.mean(language)
        norm = float(np.linalg.norm(sharp))
        return (sharp / norm if norm > 1e-6 else vector).astype(np.float32)

    def spread(self, vector: Floats) -> Mapping[Language, Spread]:
        """How unrelated memories of each language score against a (sharpened) question vector."""
        spreads: dict[Language, Spread] = {}
        for language in LANGUAGES:
            scores = self.passages[language] @ vector
            spreads[language] = Spread(float(scores.mean()), max(float(scores.std()), 1e-4))
        spreads["other"] = spreads["en"]
        return spreads

    def relevance(self, evidence: Evidence) -> Floats:
        """Relevance in 0..1, parallel to the evidence. 0.5 is where recalling begins to be worth it.

        The best of many unrelated memories stands out further than the only one does; measured, by a fixed amount with
        each tenfold of them, and the bar rises with that."""
        if not evidence.crowd:
            return np.zeros(0, dtype=np.float32)
        weights = self.weights
        total = (
            evidence.standing
            + weights.covered * evidence.covered
            + weights.covered_nearby * evidence.covered_nearby
            - weights.missing_names * evidence.missing_names
        )
        total = total + np.minimum(weights.company * (total.max() - total), weights.company_most)
        bar = weights.bar + weights.crowd * math.log(evidence.crowd)
        odds = weights.steepness * (total - bar)
        return (1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))).astype(np.float32)


@cache
def cohort(name: str) -> tuple[str, ...]:
    """The lines of one of the cohort's files: `passages_` or `queries_` and a language."""
    return tuple((_FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1])


@cache
def _weights() -> Weights:
    return Weights(**json.loads((_FOLDER / "weights.json").read_text(encoding="utf-8")))


def _known(language: Language) -> Language:
    return language if language in LANGUAGES else "en"
