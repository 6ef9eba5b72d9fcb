"""The write path: what was said becomes memories and profile facts, once, beside the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog

from memory.audience import Audience
from memory.contradiction import outdated_turns
from memory.errors import MemoryFailure, ModelOutputInvalid, ModelUnavailable, StoreUnavailable
from memory.extraction import Extractor, answered, may_tell, without_model
from memory.indexing import Indexer
from memory.longterm import LongTermMemory
from memory.model import ExtractionJob, Memory, MemoryChanges, Neighbours, ProfileFact, Status, Supersession, Turn
from memory.ports import Clock, ConversationStore, ExtractionQueue, MemoryStore, ProfileStore, SmallModel, TokenCounter
from memory.privacy import mask_secrets
from memory.sentences import is_question

log = structlog.get_logger(__name__)

MODEL_RETRY_S = 30.0
TICK_S = 1.0
KNOWN_LIMIT = 24
NEIGHBOUR_CHARS = 600
ANSWERED_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """A conversation's waiting turns are extracted together once they have been idle for `idle_s`, or are `turns` many,
    or hold `tokens` tokens."""

    idle_s: float
    turns: int
    tokens: int


class WritePath:
    """Extraction of recorded turns.

    Invariant: every job stays in PostgreSQL until the transaction that applies its result settles it; applying twice
    changes nothing. A model that is away delays jobs and never loses them.
    """

    def __init__(
        self,
        *,
        conversations: ConversationStore,
        queue: ExtractionQueue,
        memories: MemoryStore,
        profiles: ProfileStore,
        longterm: LongTermMemory,
        extractor: Extractor,
        model: SmallModel,
        indexer: Indexer,
        counter: TokenCounter,
        batches: BatchPolicy,
        zone: ZoneInfo,
        clock: Clock,
    ) -> None:
        self._conversations = conversations
        self._queue = queue
        self._memories = memories
        self._profiles = profiles
        self._longterm = longterm
        self._extractor = extractor
        self._model = model
        self._indexer = indexer
        self._counter = counter
        self._batches = batches
        self._zone = zone
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._wake = asyncio.Event()
        self._model_away_until: datetime | None = None
        self._stored: list[Memory] = []

    @property
    def uses_model(self) -> bool:
        return self._model.available

    def wake(self) -> None:
        self._wake.set()

    async def extract(self, job: ExtractionJob) -> MemoryChanges:
        """What one turn holds, not yet applied; for the profile that a reply must not be behind.

        Raises ModelUnavailable, ModelOutputInvalid or StoreUnavailable.
        """
        return (await self._extracted([job])).changes

    async def apply(self, changes: MemoryChanges, known: Sequence[Memory] = ()) -> Mapping[UUID, UUID]:
        """Commit `changes`, near-duplicates turned into refreshes, and let the index follow. Returns which additions
        were known already, and as what."""
        settled = await self._longterm.settle_additions(changes, known)
        await self._memories.apply(settled.changes)
        self._stored.extend(memory for memory in settled.changes.add if memory.status is Status.ACTIVE)
        self._indexer.wake()
        return settled.known_as

    async def keep_without_model(self, job: ExtractionJob, known: Sequence[Memory]) -> None:
        """Let the deterministic rules alone decide about one turn, right away."""
        await self.apply(await self._by_rules([job]), known)

    async def run_due(self, *, everything: bool = False) -> None:
        """Extract the batches that are due now (`everything`: all that wait). Failures leave their jobs waiting."""
        async with self._one_at_a_time:
            jobs = await self._queue.pending()
            for batch in self._due(jobs, everything=everything):
                await self._run(batch)

    async def run(self) -> None:
        """Extract what becomes due, until cancelled."""
        while True:
            self._wake.clear()
            try:
                await self.run_due()
            except StoreUnavailable as error:
                log.warning("extraction waits for a store", _event="extraction_waits", reason=type(error).__name__)
            try:
                async with asyncio.timeout(TICK_S):
                    await self._wake.wait()
            except TimeoutError:
                pass

    def take_stored(self) -> tuple[Memory, ...]:
        """The memories added since the last call."""
        taken, self._stored = tuple(self._stored), []
        return taken

    def _due(self, jobs: Sequence[ExtractionJob], *, everything: bool) -> list[list[ExtractionJob]]:
        if self.uses_model and self._model_away_until is not None and self._clock() < self._model_away_until:
            return []
        by_conversation: dict[str, list[ExtractionJob]] = {}
        for job in jobs:
            by_conversation.setdefault(job.turn.conversation_id, []).append(job)
        return [
            batch
            for waiting in by_conversation.values()
            for batch in self._batched(waiting)
            if everything or self._is_due(batch)
        ]

    def _batched(self, jobs: Sequence[ExtractionJob]) -> list[list[ExtractionJob]]:
        batches: list[list[ExtractionJob]] = []
        tokens = 0
        for job in jobs:
            size = self._counter.count(job.turn.text)
            full = not batches or len(batches[-1]) >= self._batches.turns or tokens + size > self._batches.tokens
            if full or job.turn.scope != batches[-1][-1].turn.scope:
                batches.append([])
                tokens = 0
            batches[-1].append(job)
            tokens += size
        return batches

    def _is_due(self, batch: Sequence[ExtractionJob]) -> bool:
        if not self.uses_model or len(batch) >= self._batches.turns or any(job.urgent for job in batch):
            return True
        if sum(self._counter.count(job.turn.text) for job in batch) >= self._batches.tokens:
            return True
        return self._clock() - batch[-1].queued_at >= timedelta(seconds=self._batches.idle_s)

    async def _run(self, batch: list[ExtractionJob]) -> None:
        ids = [job.turn.id for job in batch]
        try:
            if self.uses_model:
                found = await self._extracted(batch)
                await self.apply(found.changes, found.known)
            else:
                await self.apply(await self._by_rules(batch))
        except ModelUnavailable as error:
            self._model_away_until = self._clock() + timedelta(seconds=MODEL_RETRY_S)
            log.warning("extraction waits for the model", _event="model_away", reason=str(error))
        except ModelOutputInvalid as error:
            await self._queue.failed(ids, reason=str(error), park=True)
            log.warning("extraction is parked", _event="extraction_parked", turns=len(ids), reason=str(error))
        except StoreUnavailable:
            raise
        except MemoryFailure as error:
            await self._queue.failed(ids, reason=str(error), park=False)
            log.warning("extraction failed", _event="extraction_failed", turns=len(ids), reason=type(error).__name__)

    async def _extracted(self, batch: Sequence[ExtractionJob]) -> _Found:
        """One call for all that may hold something. Questions are kept with their answers as they are, without one."""
        scope = batch[0].turn.scope
        audience = Audience(scope.community, frozenset({scope}))
        telling = [job for job in batch if may_tell(job.turn.text, role=job.speaker_role)]
        changes = MemoryChanges(settled_jobs=tuple(job.turn.id for job in batch))
        known: list[Memory] = []
        if telling:
            text = "\n".join(job.turn.text for job in telling)
            known = await self._longterm.similar(text, audience, now=batch[-1].turn.at)
            facts = await self._facts_of(telling, audience)
            extraction = await self._extractor.extract(
                telling, known[:KNOWN_LIMIT], facts, time_zone=self._zone, now=self._clock()
            )
            changes = replace(extraction.changes, settled_jobs=changes.settled_jobs)
        units = tuple(unit for job in batch if (unit := answered(job)) is not None)
        changes = replace(changes, add=(*changes.add, *units))
        return _Found(await self._in_context(changes, batch), tuple(known))

    async def _facts_of(self, jobs: Sequence[ExtractionJob], audience: Audience) -> list[ProfileFact]:
        members = sorted({str(job.turn.speaker.member_id) for job in jobs})
        return [fact for member_id in members for fact in await self._profiles.facts(member_id, audience)]

    async def _by_rules(self, batch: Sequence[ExtractionJob]) -> MemoryChanges:
        changes = await self._in_context(without_model(batch, zone=self._zone), batch)
        return replace(changes, supersede=await self._outdated_by(changes))

    async def _outdated_by(self, changes: MemoryChanges) -> tuple[Supersession, ...]:
        """The members' statements about themselves that the new facts contradict. (A model names them itself.)"""
        found: list[Supersession] = []
        for memory in changes.add:
            news = [fact for fact in changes.facts if fact.member_id == memory.subject and fact.scope == memory.scope]
            if not news or memory.subject is None:
                continue
            audience = Audience(memory.scope.community, frozenset({memory.scope}))
            turns = outdated_turns(news, await self._profiles.facts(memory.subject, audience))
            old = await self._memories.by_turns(turns, memory.subject, memory.scope) if turns else []
            found += [Supersession(each.id, memory.id, memory.valid_from) for each in old if each.id != memory.id]
        return tuple(found)

    async def _in_context(self, changes: MemoryChanges, batch: Sequence[ExtractionJob]) -> MemoryChanges:
        """`changes` with each new memory told the question that it answered, if it did, which helps to find it."""
        jobs = {job.turn.id: job for job in batch}
        add: list[Memory] = []
        for memory in changes.add:
            job = jobs.get(memory.sources[0].turn_id) if memory.sources and memory.sources[0].turn_id else None
            before = await self._conversations.turn_before(job.turn) if job is not None else None
            if job is not None and before is not None and _answers(job.turn, before):
                memory = replace(memory, neighbours=_neighbours(before))
            add.append(memory)
        return replace(changes, add=tuple(add))


def _answers(turn: Turn, before: Turn) -> bool:
    """Whether `turn` may well answer `before`. In a busy channel, what came before is mostly about something else."""
    return (
        before.scope == turn.scope
        and before.speaker.member_id != turn.speaker.member_id
        and turn.at - before.at <= ANSWERED_WITHIN
        and is_question(before.text)
    )


def _neighbours(before: Turn) -> Neighbours:
    line = f"{before.speaker.name}: {mask_secrets(before.text[:NEIGHBOUR_CHARS])}"
    return Neighbours(before=line, speakers=(str(before.speaker.member_id),))


@dataclass(frozen=True, slots=True)
class _Found:
    changes: MemoryChanges
    known: tuple[Memory, ...]
