"""From recorded messages to memories and profile facts: by one model call for a batch, or by the rules alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.dates import find
from memory.disclosure import discloses
from memory.errors import ModelOutputInvalid
from memory.extraction_items import source_of
from memory.extraction_output import TRUST, Reading, read
from memory.extraction_prompt import batch_of, extraction_prompt
from memory.language import language_of
from memory.model import (
    ExtractionJob,
    Kind,
    Memory,
    MemoryChanges,
    Message,
    ProfileFact,
    Role,
    Status,
    derived_id,
)
from memory.ports import SmallModel
from memory.privacy import mask_secrets
from memory.profile import folded
from memory.profile_rules import facts_from
from memory.safety import inspect
from memory.worth import ANSWER_IMPORTANCE, judge, worth_as_answer

MAX_STATEMENT_CHARS = 2_000
STATED_IMPORTANCE = 0.5
MAX_QUESTION_CHARS = 400
MAX_ANSWER_CHARS = 1_200


@dataclass(frozen=True, slots=True)
class Extraction:
    """`changes` settle all jobs of the batch. `refused` says, without any member's words, what of the model's output
    was not taken over; `calls` counts the model calls."""

    changes: MemoryChanges
    refused: tuple[str, ...] = ()
    calls: int = 0


class Extractor:
    """Reads batches with a model.

    Invariant: nothing comes out that does not rest on a member's own message of the batch; text that addresses the
    model is never shown to it but held back as a quarantined memory.
    """

    def __init__(self, model: SmallModel) -> None:
        self._model = model

    async def extract(
        self,
        jobs: Sequence[ExtractionJob],
        known_memories: Sequence[Memory],
        known_facts: Sequence[ProfileFact],
        *,
        time_zone: ZoneInfo,
        now: datetime,
    ) -> Extraction:
        """What the jobs' messages hold: one call, and one more when the first output cannot be read.

        `known_memories` and `known_facts` may be updated, superseded or retired. `now` bounds the dates of what is
        stored. Raises ModelUnavailable, or ModelOutputInvalid with a reason that an admin can read.
        """
        settled = tuple(job.turn.id for job in jobs)
        held = tuple(memory for job in jobs if (memory := quarantined(job)) is not None)
        held_turns = {source.turn_id for memory in held for source in memory.sources}
        readable = [job for job in jobs if job.turn.id not in held_turns and not job.turn.speaker.is_bot]
        if not readable:
            return Extraction(MemoryChanges(add=held, settled_jobs=settled))
        reading, calls = await self._read(readable, known_memories, known_facts, time_zone)
        changes = replace(reading.changes, add=(*held, *reading.changes.add), settled_jobs=settled)
        return Extraction(_not_after(changes, now), reading.refused, calls)

    async def _read(
        self, jobs: Sequence[ExtractionJob], memories: Sequence[Memory], facts: Sequence[ProfileFact], zone: ZoneInfo
    ) -> tuple[Reading, int]:
        batch = batch_of(jobs, memories, facts, zone)
        problem = ""
        for call in (1, 2):
            try:
                completion = await self._model.complete(extraction_prompt(batch, problem=problem))
                if completion.truncated:
                    raise ModelOutputInvalid("the output was cut off")
                return read(completion.text, batch), call
            except ModelOutputInvalid as error:
                problem = str(error)
        raise ModelOutputInvalid(f"{len(jobs)} messages could not be extracted, twice: {problem}")


def without_model(jobs: Sequence[ExtractionJob], *, zone: ZoneInfo) -> MemoryChanges:
    """What the rules alone make of the jobs: the members' own statements that are worth it, as they are but with
    secrets masked, plain profile facts, and answered questions. Settles all jobs."""
    add: list[Memory] = []
    facts: list[ProfileFact] = []
    for job in jobs:
        if job.turn.speaker.is_bot:
            continue
        held = quarantined(job)
        if held is not None:
            add.append(held)
            continue
        stated = facts_from(_message(job), job.turn.id)
        add += [memory for memory in (_statement(job, stated, zone), answered(job)) if memory is not None]
        facts += stated
    return MemoryChanges(add=tuple(add), facts=tuple(facts), settled_jobs=tuple(job.turn.id for job in jobs))


def may_tell(text: str, *, role: Role) -> bool:
    """Whether a message may hold something to remember by itself, so that reading it is worth a model call."""
    return discloses(text) or judge(text, role=role).keep


def answered(job: ExtractionJob) -> Memory | None:
    """The question of this turn and the reply that it got as one memory, if they are worth keeping."""
    question, reply = job.turn.text.strip(), (job.reply_text or "").strip()
    if job.turn.speaker.is_bot or not reply or not worth_as_answer(question, reply) or inspect(question) is not None:
        return None
    ask, tell = ("问：", "答：") if language_of(question) == "zh" else ("Q: ", "A: ")
    text = f"{ask}{_shortened(question, MAX_QUESTION_CHARS)}\n{tell}{_shortened(reply, MAX_ANSWER_CHARS)}"
    return _kept(job, text, Kind.ANSWER, ANSWER_IMPORTANCE)


def quarantined(job: ExtractionJob) -> Memory | None:
    """The message as a memory that only an admin sees, if it addresses the model or plants authority."""
    if job.turn.speaker.is_bot or inspect(job.turn.text) is None:
        return None
    held = _kept(job, _shortened(job.turn.text, MAX_STATEMENT_CHARS), Kind.FACT, 0.0)
    return replace(held, status=Status.QUARANTINED, trust=0.0)


def _statement(job: ExtractionJob, facts: Sequence[ProfileFact], zone: ZoneInfo) -> Memory | None:
    """The message as it stands, if it is worth it or states something about its author."""
    text = job.turn.text.strip()
    worth = judge(text, role=job.speaker_role)
    if not worth.keep and not facts:
        return None
    kind, importance = (worth.kind, worth.importance) if worth.keep else (Kind.FACT, STATED_IMPORTANCE)
    memory = _kept(job, _shortened(text, MAX_STATEMENT_CHARS), kind, importance)
    return replace(
        memory,
        subject=job.turn.speaker.member_id if facts or discloses(text) else None,
        valid_from=_happened(job, zone) if kind is Kind.EVENT else job.turn.at,
    )


def _happened(job: ExtractionJob, zone: ZoneInfo) -> datetime:
    """When an event that is told afterwards took place; the time of telling when the text does not say."""
    periods = find(job.turn.text, job.turn.at, zone)
    return periods[0].start if len(periods) == 1 and periods[0].end <= job.turn.at else job.turn.at


def _kept(job: ExtractionJob, text: str, kind: Kind, importance: float) -> Memory:
    turn = job.turn
    masked = mask_secrets(text)
    return Memory(
        id=derived_id("memory", str(turn.id), kind.value, folded(masked)),
        scope=turn.scope,
        text=masked,
        kind=kind,
        language=language_of(turn.text),
        sources=(source_of(job),),
        created_at=turn.at,
        last_seen_at=turn.at,
        valid_from=turn.at,
        importance=importance,
        trust=TRUST[job.speaker_role],
    )


def _not_after(changes: MemoryChanges, now: datetime) -> MemoryChanges:
    """A message's clock may be ahead of ours; what is stored is not seen in the future."""
    add = tuple(
        replace(memory, created_at=min(memory.created_at, now), last_seen_at=min(memory.last_seen_at, now))
        for memory in changes.add
    )
    return replace(changes, add=add)


def _message(job: ExtractionJob) -> Message:
    turn = job.turn
    return Message(
        conversation_id=turn.conversation_id,
        scope=turn.scope,
        speaker=turn.speaker,
        text=turn.text,
        at=turn.at,
        channel_name=job.channel_name,
        role=job.speaker_role,
    )


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
