"""How well the relevance floor parts a community's own questions from strangers' ones, on its own memories.

Its own are the questions that its members asked, each before its own audience, without the memory that came of the
question itself; the strangers' are those of the shipped cohort. Nothing is changed by measuring.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from rich.table import Table

from memory.audience import Audience
from memory.longterm import RecallPolicy
from memory.model import Memory, Turn
from memory.ports import Holdings
from memory.question import QueryFacts, worth_recalling
from memory.relevance import LANGUAGES, cohort
from memory.sentences import is_question
from memory.system import AgentMemorySystem

FLOORS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REJECTED: Final = 0.95
MIN_MEMORIES: Final = 50
MIN_QUESTIONS: Final = 20
MAX_QUESTIONS: Final = 300
"""Own questions that are asked at most."""
_LATEST: Final = 5_000
"""Turns among which they are drawn."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Separation:
    """The highest relevance that each question recalled, in 0..1; `own` those of the community, `foreign` the others.
    Empty when there is too little to measure, which `memories` and `questions` (found, not asked) show."""

    memories: int
    questions: int
    own: tuple[float, ...] = ()
    foreign: tuple[float, ...] = ()

    @property
    def enough(self) -> bool:
        return self.memories >= MIN_MEMORIES and self.questions >= MIN_QUESTIONS

    def passing(self, floor: float) -> tuple[float, float]:
        """The shares of own and foreign questions that recall something with this floor."""
        return _share(self.own, floor), _share(self.foreign, floor)

    @property
    def proposed(self) -> float:
        """The lowest floor, in hundredths, that rejects enough of the foreign questions."""
        floors = (hundredths / 100 for hundredths in range(1, 100))
        return next((floor for floor in floors if 1 - _share(self.foreign, floor) >= REJECTED), 0.99)


@dataclass(frozen=True, slots=True)
class FloorSurvey:
    """Asks for at most `limit_s` seconds in all, half of them for each sort of question. `policy` is the bot's own."""

    memory: AgentMemorySystem
    holdings: Holdings
    policy: RecallPolicy
    limit_s: float
    progress: Progress

    async def run(self, community: str, *, now: datetime, seed: int) -> Separation:
        """Raises IndexUnavailable, EmbeddingFailed or RecordUnavailable."""
        draw = random.Random(seed)  # noqa: S311 - a sample, no secret
        public = Audience.public(community)
        memories = await self.memory.count_visible(public)
        turns = await self._questions(community)
        found = Separation(memories, len(turns))
        if not found.enough:
            return found
        own = draw.sample(turns, min(MAX_QUESTIONS, len(turns)))
        foreign = [text for language in LANGUAGES for text in cohort(f"queries_{language}")]
        draw.shuffle(foreign)
        asked = [(QueryFacts(text=turn.text, now=turn.at), _audience(turn), turn) for turn in own]
        strangers = [(QueryFacts(text=text, now=now), public, None) for text in foreign]
        return Separation(
            memories,
            len(turns),
            await self._best("own questions", asked),
            await self._best("foreign questions", strangers),
        )

    async def _questions(self, community: str) -> list[Turn]:
        turns = await self.holdings.turns(community, limit=_LATEST)
        return [turn for turn in turns if is_question(turn.text) and worth_recalling(turn.text)]

    async def _best(self, what: str, asked: Sequence[tuple[QueryFacts, Audience, Turn | None]]) -> tuple[float, ...]:
        best: list[float] = []
        until = time.monotonic() + self.limit_s / 2
        for number, (question, audience, turn) in enumerate(asked):
            if time.monotonic() > until:
                break
            self.progress(what, number, len(asked))
            best.append(await self._relevance(question, audience, turn))
        return tuple(best)

    async def _relevance(self, question: QueryFacts, audience: Audience, turn: Turn | None) -> float:
        policy = RecallPolicy(
            min_relevance=0.0,
            limit=self.policy.limit,
            budget_tokens=self.policy.budget_tokens,
            search_timeout_s=self.limit_s,
            half_life_days=self.policy.half_life_days,
        )
        recalled = await self.memory.recall(question, audience, policy=policy, learn=False)
        return max(
            (item.relevance for item in recalled if turn is None or not _rests_on(item.memory, turn)), default=0.0
        )


def floor_table(found: Separation) -> Table:
    table = Table(title="Questions that recall something, by relevance floor", title_justify="left")
    table.add_column("min_relevance", justify="right")
    table.add_column(f"the community's own ({len(found.own)})", justify="right")
    table.add_column(f"foreign ({len(found.foreign)})", justify="right")
    for floor in sorted({*FLOORS, found.proposed}):
        own, foreign = found.passing(floor)
        table.add_row(f"{floor:.2f}", f"{own:.1%}", f"{foreign:.1%}")
    return table


def _audience(turn: Turn) -> Audience:
    """Those who could read the question."""
    return Audience(turn.scope.community, Audience.public(turn.scope.community).scopes | {turn.scope})


def _rests_on(memory: Memory, turn: Turn) -> bool:
    return any(source.turn_id == turn.id for source in memory.sources)


def _share(best: Sequence[float], floor: float) -> float:
    return float(np.mean([value >= floor for value in best])) if best else 0.0
