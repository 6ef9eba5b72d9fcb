"""Which memories answer a question, and in which order.

A memory is indexed under two meanings (itself, and after the turn before it) and its words (its neighbours' at half
weight). Each signal is standardised over the candidates of one language, the signals are added, and what the question
names (members, times) is added on top. How relevant a memory is in itself is judged apart from that, in `relevance`.
What was tried and measured: docs/decisions/0011-ranking.md.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final
from uuid import UUID

import numpy as np

from memory import dates
from memory.language import HAN
from memory.lexical import terms, weigh, weigh_query
from memory.model import Memory, Recalled
from memory.ports import Candidates, Floats, IndexQuery, IndexSchema, SparseVector, TokenCounter
from memory.question import QueryFacts, is_only_question, mentions, mentions_any, worth_recalling
from memory.relevance import Calibration, Evidence

__all__ = [
    "QueryFacts",
    "Search",
    "index_schema",
    "near_duplicate",
    "pack",
    "passages",
    "sparse_vectors",
    "worth_recalling",
]

TEXT: Final = "text"
CONTEXT: Final = "context"
TERMS: Final = "terms"

CANDIDATES_PER_VECTOR: Final = 100
SHORTLIST: Final = 64
DEPTH: Final = 24
"""How many are returned at most: more than any reply can use."""
_NEIGHBOUR_TERMS: Final = 0.5
_EARLIER_TERMS: Final = 2 / 3
"""Of a word said before the message itself."""

_TEXT_WEIGHT: Final = 1.0
_CONTEXT_WEIGHT: Final = 1.0
_TERMS_WEIGHT: Final = 1.1
_WORDY: Final = 6
"""A question with more terms than this has many that say nothing; its words weigh less."""
_NAMED_BONUS: Final = 1.8
"""For a memory by or about whom the question names; half of it when its text merely names them."""
_PERIOD_BONUS: Final = 2.0
_TIME_BONUS: Final = 0.8
"""For a memory that speaks of time when the question asks for one."""
_QUESTION_MALUS: Final = 0.8
"""For a memory that is itself only a question: it tells less than a statement."""
_FULLNESS_BONUS: Final = 0.5
"""Per e-fold of a memory's words: a bare "thanks, that sounds great" tells little."""
_USUAL_WORDS: Final = 24
_WORD: Final = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_PERIOD_FADES_DAYS: Final = 10.0
_RECENCY_BONUS: Final = 0.15
_IMPORTANCE_BONUS: Final = 0.3
_FEW: Final = 4.0
"""Candidates of a language count against this many of the cohort when their spread is estimated."""
_SAME_TEXT: Final = 0.85
_TRANSLATED_NAMES: Final = 0.3
"""How much a name that is missing tells when the memory is in another language and may write it differently."""


# --- indexing -------------------------------------------------------------------------------------------------------


def index_schema(dimensions: int) -> IndexSchema:
    return IndexSchema(dense=(TEXT, CONTEXT), sparse=(TERMS,), dimensions=dimensions)


def passages(memory: Memory) -> Mapping[str, str]:
    """The text to embed for each dense vector."""
    line = _line(memory)
    before = memory.neighbours.before
    return {TEXT: line, CONTEXT: f"{before}\n{line}" if before else line}


def sparse_vectors(memory: Memory) -> Mapping[str, SparseVector]:
    counts: dict[str, float] = defaultdict(float)
    for text, weight in (
        (f"{_line(memory)}\n{memory.gist}", 1.0),
        (memory.neighbours.before, _NEIGHBOUR_TERMS),
        (memory.neighbours.after, _NEIGHBOUR_TERMS),
    ):
        for term in terms(text):
            counts[term] += weight
    return {TERMS: weigh(counts)}


def _line(memory: Memory) -> str:
    """The memory as its speaker's line, unless it is nobody's in particular."""
    names = {source.speaker.name for source in memory.sources if not source.speaker.is_bot}
    return f"{names.pop()}: {memory.text}" if len(names) == 1 else memory.text


# --- searching ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Search:
    """One question on its way: what to ask the index, and what to make of its candidates. Pure: all of it follows
    from the question, its vector (as the embedder made it, of `question.wording`) and the calibration."""

    question: QueryFacts
    vector: Floats
    """Sharpened; a unit vector."""
    calibration: Calibration
    half_life_days: float = 180.0
    store_size: int = 0
    """How many memories are searched, about; what it is when unknown is told from the candidates."""

    @classmethod
    def plan(
        cls,
        question: QueryFacts,
        vector: Floats,
        calibration: Calibration,
        *,
        half_life_days: float = 180.0,
        store_size: int = 0,
    ) -> Search:
        return cls(question, calibration.sharpen(vector, question.language), calibration, half_life_days, store_size)

    @property
    def index_query(self) -> IndexQuery:
        question = self.question
        weights: dict[str, float] = {}
        if question.continues:
            weights = dict.fromkeys(terms("\n".join(question.previous)), _EARLIER_TERMS)
        weights |= dict.fromkeys(terms(question.text), 1.0)
        return IndexQuery(
            dense={TEXT: self.vector, CONTEXT: self.vector},
            sparse={TERMS: weigh_query(weights)},
            limit=CANDIDATES_PER_VECTOR,
        )

    def shortlist(self, candidates: Candidates, limit: int = SHORTLIST) -> list[UUID]:
        """The candidates worth reading from the record: the best by what the index alone can tell."""
        order = np.argsort(-self._fused(candidates), kind="stable")[:limit]
        return [candidates.ids[index] for index in order]

    def rank(self, candidates: Candidates, memories: Sequence[Memory]) -> list[Recalled]:
        """The best `DEPTH` of `memories` in order of their fit, with their relevance. Memories that are not among the
        candidates are left out; ties go to the newer one, then by id, so that the input's order does not matter."""
        place = {id_: index for index, id_ in enumerate(candidates.ids)}
        found = [memory for memory in memories if memory.id in place]
        if not found:
            return []
        rows = [place[memory.id] for memory in found]
        bonus = np.array([self._bonus(memory) for memory in found], dtype=np.float32)
        scores = self._fused(candidates)[rows] + bonus
        order = sorted(
            range(len(found)),
            key=lambda i: (-round(float(scores[i]), 5), -found[i].created_at.timestamp(), found[i].id),
        )[:DEPTH]
        best = [found[i] for i in order]
        relevance = self._relevance(candidates, [rows[i] for i in order], best)
        return [Recalled(memory, float(value)) for memory, value in zip(best, relevance, strict=True)]

    def _fused(self, candidates: Candidates) -> Floats:
        wordiness = max(1.0, len(set(terms(self.question.wording))) / _WORDY)
        dense = _TEXT_WEIGHT * self._standardised(candidates, TEXT) + _CONTEXT_WEIGHT * self._standardised(
            candidates, CONTEXT
        )
        return dense + _TERMS_WEIGHT / wordiness**0.5 * self._standardised_terms(candidates)

    def _standardised(self, candidates: Candidates, name: str) -> Floats:
        """Scores in standard deviations, among the candidates of one language: languages have different levels. With
        few candidates the cohort's spread stands in."""
        scores = np.asarray(candidates.scores[name], dtype=np.float32)
        result = np.zeros_like(scores)
        for language, spread in self.calibration.spread(self.vector).items():
            mask = np.array([candidate == language for candidate in candidates.languages], dtype=bool)
            if not mask.any():
                continue
            own = scores[mask]
            share = len(own) / (len(own) + _FEW)
            mean = share * float(own.mean()) + (1 - share) * spread.mean
            deviation = share * float(own.std()) + (1 - share) * spread.deviation
            result[mask] = (own - mean) / max(deviation, 1e-6)
        return result

    def _standardised_terms(self, candidates: Candidates) -> Floats:
        scores = np.asarray(candidates.scores[TERMS], dtype=np.float32)
        result = np.zeros_like(scores)
        for language in set(candidates.languages):
            mask = np.array([candidate == language for candidate in candidates.languages], dtype=bool)
            own = scores[mask]
            result[mask] = (own - own.mean()) / max(float(own.std()), 1e-6) if own.std() > 1e-6 else 0.0
        return result

    def _bonus(self, memory: Memory) -> float:
        age_days = max((self.question.now - memory.created_at).total_seconds() / 86_400, 0.0)
        recency = 0.5 ** (age_days / self.half_life_days)
        bonus = _RECENCY_BONUS * recency + _IMPORTANCE_BONUS * (memory.importance - 0.5) + _substance(memory.text)
        bonus += _NAMED_BONUS * self._is_about_named(memory)
        if self.question.asks_when and dates.speaks_of_time(memory.text):
            bonus += _TIME_BONUS
        if self.question.period is not None:
            bonus += _PERIOD_BONUS * self._fits_period(memory, self.question.period)
        return bonus

    def _is_about_named(self, memory: Memory) -> float:
        named = self.question.named
        if not named:
            return 0.0
        speakers = {source.speaker.name for source in memory.sources if not source.speaker.is_bot}
        if speakers & named:
            return 1.0
        return mentions_any(memory.text, named) * (0.5 if speakers else 1.0)

    def _fits_period(self, memory: Memory, period: dates.Period) -> float:
        """1.0 when the memory names a time within the period or was said in it, fading with the days between."""
        said_at = memory.sources[0].at if memory.sources else memory.valid_from
        if any(period.overlaps(named) for named in _periods(memory.text, said_at, self.question.zone)):
            return 1.0
        return max(0.0, 1.0 - period.days_from(said_at) / _PERIOD_FADES_DAYS)

    def _relevance(self, candidates: Candidates, rows: Sequence[int], found: Sequence[Memory]) -> Floats:
        spreads = self.calibration.spread(self.vector)
        asked = _term_set(self.question.text)
        evidence = np.empty((4, len(found)), dtype=np.float32)
        for i, (row, memory) in enumerate(zip(rows, found, strict=True)):
            language = candidates.languages[row]
            spread = spreads[language]
            best = max(float(candidates.scores[TEXT][row]), float(candidates.scores[CONTEXT][row]))
            line = _line(memory)
            nearby = f"{memory.neighbours.before}\n{line}\n{memory.neighbours.after}"
            held = _term_set(line)
            around = held | _term_set(memory.neighbours.before) | _term_set(memory.neighbours.after)
            evidence[:, i] = (
                (best - spread.mean) / spread.deviation,
                _share(asked, held),
                _share(asked, around),
                self._missing_names(nearby) * (1.0 if language == self.question.language else _TRANSLATED_NAMES),
            )
        return self.calibration.relevance(Evidence(*evidence, crowd=max(self.store_size, len(candidates.ids))))

    def _missing_names(self, text: str) -> float:
        names = self.question.proper_names
        return sum(not mentions(text, name) for name in names) / len(names) if names else 0.0


def _share(asked: frozenset[str], held: frozenset[str]) -> float:
    return len(asked & held) / len(asked) if asked else 0.0


def _substance(text: str) -> float:
    """How much a memory can tell, by its form, around 0.0."""
    fullness = math.log((1 + min(len(_WORD.findall(text)), 3 * _USUAL_WORDS)) / (1 + _USUAL_WORDS))
    return _FULLNESS_BONUS * fullness - _QUESTION_MALUS * is_only_question(text)


@lru_cache(maxsize=8_192)
def _term_set(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(maxsize=4_096)
def _periods(text: str, at: datetime, zone: dates.tzinfo) -> tuple[dates.Period, ...]:
    return tuple(dates.find(text, at, zone))


# --- choosing -------------------------------------------------------------------------------------------------------


def near_duplicate(one: Memory, other: Memory) -> bool:
    """Whether two memories say the same in (almost) the same words: no number may differ, and little else."""
    left, right = _term_set(one.text), _term_set(other.text)
    if not left or not right:
        return one.text.strip() == other.text.strip()
    if any(any(char.isdigit() for char in term) for term in left ^ right):
        return False
    return len(left & right) / len(left | right) >= _SAME_TEXT


def pack(recalled: Sequence[Recalled], budget_tokens: int, counter: TokenCounter) -> list[Recalled]:
    """The best of `recalled` within a token budget, in the same order: near-duplicates of better ones and what does not
    fit are left out. The best one is kept even when it alone is over the budget."""
    kept: list[Recalled] = []
    spent = 0
    for item in recalled:
        if any(near_duplicate(item.memory, better.memory) for better in kept):
            continue
        cost = counter.count(item.memory.text)
        if kept and spent + cost > budget_tokens:
            continue
        kept.append(item)
        spent += cost
    return kept
