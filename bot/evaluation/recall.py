"""Measures recall through the same two doors that the bot uses: `remember` and `recall`.

Each question is asked twice. Once without the reply's limits, for what stands where in the order; and once as the bot
asks, for what would reach the prompt. Only the latter leaves a trace in the calibration, as a message would.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from bot.evaluation.dataset import Dataset, Question, community_of
from bot.evaluation.filler import filler
from memory.audience import Audience
from memory.longterm import RecallPolicy
from memory.model import Memory, Recalled
from memory.ports import TokenCounter
from memory.prompts import context_text
from memory.system import AgentMemorySystem

DEPTHS: Final = (5, 10, 20)
FLOOR_DEPTH: Final = 10
_BATCH: Final = 64
_FILLER_SCOPE, _FILLER_AUDIENCE = community_of("filler")
_PATIENCE_S: Final = 60.0

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one question. Recall is at each of `DEPTHS`, `floored` at `FLOOR_DEPTH` with what is below the floor
    left out; `told` is how many memories would reach the prompt."""

    category: str
    recall: Mapping[int, float]
    floored: float
    latency_ms: float
    tokens: int
    told: int


@dataclass(frozen=True, slots=True)
class Measured:
    """`rejected` says of each foreign question whether it recalled nothing."""

    dataset: str
    memories: int
    floor: float
    asked: tuple[Asked, ...]
    rejected: tuple[bool, ...] = ()

    def __add__(self, other: Measured) -> Measured:
        return replace(
            self,
            memories=self.memories + other.memories,
            asked=self.asked + other.asked,
            rejected=self.rejected + other.rejected,
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Asks a data set's questions of a memory that holds nothing yet. `policy` is the bot's own."""

    memory: AgentMemorySystem
    counter: TokenCounter
    policy: RecallPolicy
    progress: Progress

    async def run(self, dataset: Dataset, *, fillers: int = 0) -> Measured:
        """Raises memory's errors when a store fails."""
        kept = await self._ingest(dataset, fillers)
        asked = await self._ask_all(dataset, kept, with_filler=fillers > 0)
        rejected = await self._ask_foreign(dataset)
        counts = await self.memory.counts()
        return Measured(dataset.name, counts["active"], self.policy.min_relevance, asked, rejected)

    async def _ingest(self, dataset: Dataset, fillers: int) -> dict[UUID, UUID]:
        """The id under which each of the data set's memories is kept."""
        total = len(dataset.memories) + fillers
        until = max((memory.created_at for memory in dataset.memories), default=None)
        kept: dict[UUID, UUID] = {}
        await self._remember(dataset.memories, 0, total, kept)
        if until is not None:
            invented = filler(fillers, _FILLER_SCOPE, until)
            await self._remember(invented, len(dataset.memories), total, {})
        return kept

    async def _remember(self, memories: Iterable[Memory], done: int, total: int, kept: dict[UUID, UUID]) -> None:
        waiting = iter(memories)
        while batch := list(islice(waiting, _BATCH)):
            ids = await self.memory.remember(batch)
            kept.update(zip((memory.id for memory in batch), ids, strict=True))
            await self.memory.index_now()
            done += len(batch)
            self.progress("remembering", done, total)

    async def _ask_all(self, dataset: Dataset, kept: Mapping[UUID, UUID], *, with_filler: bool) -> tuple[Asked, ...]:
        asked: list[Asked] = []
        for question in dataset.questions:
            self.progress("asking", len(asked), len(dataset.questions))
            relevant = [kept[id_] for id_ in question.relevant]
            asked.append(await self._ask(question, relevant, capped=dataset.capped, with_filler=with_filler))
        return tuple(asked)

    async def _ask_foreign(self, dataset: Dataset) -> tuple[bool, ...]:
        rejected: list[bool] = []
        for question in dataset.foreign:
            self.progress("asking strangers", len(rejected), len(dataset.foreign))
            rejected.append(not await self.memory.recall(question.facts, question.audience, learn=False))
        return tuple(rejected)

    async def _ask(self, question: Question, relevant: Sequence[UUID], *, capped: bool, with_filler: bool) -> Asked:
        audience = _joined(question.audience) if with_filler else question.audience
        started = time.perf_counter()
        ranked = await self._ranked(question, audience)
        latency_ms = (time.perf_counter() - started) * 1000
        told = await self.memory.recall(question.facts, audience)
        return Asked(
            category=question.category,
            recall={depth: _recall(ranked[:depth], relevant, depth if capped else None) for depth in DEPTHS},
            floored=_recall(self._above_floor(ranked[:FLOOR_DEPTH]), relevant, FLOOR_DEPTH if capped else None),
            latency_ms=latency_ms,
            tokens=self._tokens(question, told),
            told=len(told),
        )

    async def _ranked(self, question: Question, audience: Audience) -> list[Recalled]:
        policy = RecallPolicy(
            min_relevance=0.0,
            limit=max(DEPTHS),
            budget_tokens=1_000_000,
            search_timeout_s=_PATIENCE_S,
            half_life_days=self.policy.half_life_days,
        )
        return await self.memory.recall(question.facts, audience, policy=policy, learn=False)

    def _above_floor(self, ranked: Sequence[Recalled]) -> list[Recalled]:
        return [item for item in ranked if item.relevance >= self.policy.min_relevance]

    def _tokens(self, question: Question, told: Sequence[Recalled]) -> int:
        """Of the block that these memories would make in the prompt."""
        language, zone = question.facts.language, ZoneInfo("UTC")
        block = context_text(profile="", fresh=(), recalled=told, language=language, zone=zone)
        return self.counter.count(block) if block else 0


def _joined(audience: Audience) -> Audience:
    """The audience, which may see the invented memories too."""
    return Audience(audience.community, audience.scopes | _FILLER_AUDIENCE.scopes)


def _recall(found: Sequence[Recalled], relevant: Sequence[UUID], cap: int | None) -> float:
    ids = {item.memory.id for item in found}
    hits = sum(id_ in ids for id_ in relevant)
    return hits / (len(relevant) if cap is None else min(cap, len(relevant)))
