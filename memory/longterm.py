"""Long-term memory: what the community knows, found again when it helps."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from memory.audience import Audience
from memory.errors import EmbeddingFailed, IndexUnavailable
from memory.model import Memory, MemoryChanges, Recalled
from memory.ports import Embedder, MemoryStore, TokenCounter, VectorIndex
from memory.ranking import QueryFacts, Search, near_duplicate, pack, worth_recalling
from memory.relevance import Calibration
from memory.tokens import cut_to_tokens

SIMILAR_LIMIT = 12
QUESTION_TOKENS = 128
"""Of a longer question only the beginning and the end are embedded: a local embedder takes milliseconds a token."""
SIZE_AGE = timedelta(minutes=5)
"""How long a count of what an audience may see serves: recall needs only its order of magnitude."""
MOST_SIZES = 1_000
MOST_COMMUNITIES = 1_000


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """`min_relevance` is the floor on the calibrated 0..1 scale; `limit` and `budget_tokens` bound what is returned."""

    min_relevance: float
    limit: int
    budget_tokens: int
    search_timeout_s: float
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Settled:
    """Changes of which every addition is new. `known_as` maps each addition that was not to the memory that already
    says the same."""

    changes: MemoryChanges
    known_as: Mapping[UUID, UUID]


class LongTermMemory:
    """Remembering and recalling statements.

    Invariant: what `recall` returns is active in the record and its scope is in the audience, whatever the index says.
    """

    def __init__(
        self,
        store: MemoryStore,
        index: VectorIndex,
        embedder: Embedder,
        calibration: Calibration,
        counter: TokenCounter,
        policy: RecallPolicy,
    ) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._calibration = calibration
        self._counter = counter
        self._policy = policy
        self._sizes: dict[Audience, tuple[datetime, int]] = {}
        self._calibrations: dict[str, Calibration] = {}

    async def recall(
        self, question: QueryFacts, audience: Audience, *, policy: RecallPolicy | None = None, learn: bool = True
    ) -> list[Recalled]:
        """The memories that bear on `question`, most relevant first; none when nothing stands out. Without `learn` the
        question does not count among those that the community usually asks: for measuring.

        Raises IndexUnavailable (also when the search takes too long), EmbeddingFailed or RecordUnavailable.
        """
        policy = policy or self._policy
        if not audience.scopes or not worth_recalling(question.text):
            return []
        ranked = await self._ranked(question, audience, policy, learn=learn)
        relevant = [item for item in ranked if item.relevance >= policy.min_relevance]
        return pack(relevant[: policy.limit * 2], policy.budget_tokens, self._counter)[: policy.limit]

    async def similar(self, text: str, audience: Audience, *, now: datetime) -> list[Memory]:
        """Memories of the same matter as `text`, for deciding whether it is new. Empty when the index is away."""
        try:
            ranked = await self._ranked(QueryFacts(text=text, now=now), audience, self._policy)
        except (IndexUnavailable, EmbeddingFailed):
            return []
        return [item.memory for item in ranked[:SIMILAR_LIMIT]]

    async def visible(self, audience: Audience, *, limit: int, offset: int) -> list[Memory]:
        """Active memories that `audience` may see, newest first."""
        return [m for m in await self._store.newest(audience, limit=limit, offset=offset) if audience.may_see(m.scope)]

    async def count_visible(self, audience: Audience) -> int:
        return await self._store.count_visible(audience)

    async def counts(self) -> Mapping[str, int]:
        return await self._store.counts()

    async def settle_additions(self, changes: MemoryChanges, known: Sequence[Memory]) -> Settled:
        """`changes` with each addition that is already known turned into a refresh of the memory that exists."""
        add: list[Memory] = []
        refresh = list(changes.refresh)
        known_as: dict[UUID, UUID] = {}
        for memory in changes.add:
            twin = await self._twin(memory, [*add, *known])
            if twin is None:
                add.append(memory)
                continue
            known_as[memory.id] = twin.id
            if twin not in add:
                refresh.append((twin.id, memory.created_at, memory.sources))
        return Settled(replace(changes, add=tuple(add), refresh=tuple(refresh)), known_as)

    async def _twin(self, memory: Memory, candidates: Sequence[Memory]) -> Memory | None:
        same = await self._store.same_text(memory)
        if same is not None and same.id != memory.id:
            return same
        for candidate in candidates:
            of_the_same = (candidate.scope, candidate.subject) == (memory.scope, memory.subject)
            if candidate.id != memory.id and of_the_same and near_duplicate(candidate, memory):
                return candidate
        return None

    async def _ranked(
        self, question: QueryFacts, audience: Audience, policy: RecallPolicy, *, learn: bool = False
    ) -> list[Recalled]:
        wording = cut_to_tokens(question.wording, QUESTION_TOKENS, self._counter)
        vectors = await self._embedder.embed_queries([wording])
        calibration = self._calibration_of(audience.community)
        search = Search.plan(
            question,
            vectors[0],
            calibration,
            half_life_days=policy.half_life_days,
            store_size=await self._size(audience, question.now),
        )
        if learn:
            calibration.usual.learn(vectors[0], question.language)
        try:
            async with asyncio.timeout(policy.search_timeout_s):
                candidates = await self._index.search(search.index_query, audience)
        except TimeoutError:
            raise IndexUnavailable("the search took too long") from None
        found = await self._store.by_ids(search.shortlist(candidates), audience)
        visible = [memory for memory in found if audience.may_see(memory.scope)]
        return _naming(search, visible).rank(candidates, visible)

    def _calibration_of(self, community: str) -> Calibration:
        """What is usually asked differs from one community to the next, and is no business of another's."""
        if community not in self._calibrations:
            if len(self._calibrations) >= MOST_COMMUNITIES:
                self._calibrations.clear()
            self._calibrations[community] = self._calibration.for_community()
        return self._calibrations[community]

    async def _size(self, audience: Audience, now: datetime) -> int:
        known = self._sizes.get(audience)
        if known is not None and abs(now - known[0]) < SIZE_AGE:
            return known[1]
        if len(self._sizes) >= MOST_SIZES:
            self._sizes.clear()
        size = await self._store.count_visible(audience)
        self._sizes[audience] = (now, size)
        return size


def _naming(search: Search, memories: Sequence[Memory]) -> Search:
    """The search with the names of those who said the memories, whom the question may speak of."""
    speakers = {source.speaker.name for memory in memories for source in memory.sources if not source.speaker.is_bot}
    members = tuple(sorted(speakers | set(search.question.members)))
    return replace(search, question=replace(search.question, members=members))
