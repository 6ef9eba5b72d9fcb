"""No stale profile: what a message discloses about its author is read before the reply to it goes out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from uuid import UUID

import structlog

from memory.disclosure import discloses
from memory.episodic import Acquaintance, EpisodicMemory
from memory.errors import MemoryFailure, ModelFailed, ModelOutputInvalid, StoreUnavailable
from memory.model import ConversationState, ExtractionJob, MemoryChanges, Message, Turn, turn_id
from memory.ports import ExtractionQueue
from memory.profile_rules import facts_from
from memory.writing import WritePath

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Early:
    """An extraction that was begun before the reply, of a turn that is recorded after it."""

    turn_id: UUID
    found: asyncio.Task[MemoryChanges]


class EarlyExtractions:
    """Extractions of disclosures, begun beside recall and waited for until a deadline.

    Invariant: a result is applied only once the turn that it rests on has been recorded. One that is late, fails or
    belongs to a turn that got another number leaves the turn's job in the queue, and meanwhile the rules and the raw
    sentence stand in for it.
    """

    def __init__(
        self,
        writing: WritePath,
        queue: ExtractionQueue,
        episodic: EpisodicMemory,
        *,
        before_reply: bool,
        deadline_s: float,
    ) -> None:
        self._writing = writing
        self._queue = queue
        self._episodic = episodic
        self._before_reply = before_reply
        self._deadline_s = deadline_s
        self._landing: dict[str, set[asyncio.Task[None]]] = {}

    def begin(self, message: Message, state: ConversationState | None) -> Early | None:
        """Start reading `message`, if it discloses anything and there is a model for it."""
        if state is None or not self._before_reply or not self._writing.uses_model or not discloses(message.text):
            return None
        seq = state.last_seq + 1
        turn = Turn(
            id=turn_id(message.conversation_id, seq),
            conversation_id=message.conversation_id,
            seq=seq,
            scope=message.scope,
            speaker=message.speaker,
            text=message.text,
            at=message.at,
        )
        return Early(turn.id, asyncio.create_task(self._writing.extract(job_of(turn, message, None))))

    async def wait_for(self, member_id: str | None) -> None:
        """Until what the member said earlier is filed, at most until the deadline."""
        landing = self._landing.get(str(member_id))
        if landing:
            await asyncio.wait(set(landing), timeout=self._deadline_s)

    async def news(self, message: Message, known: Acquaintance, early: Early | None) -> Acquaintance:
        """`known` with what the message itself discloses: as extracted if that is done within the deadline, otherwise
        by the rules and with the raw sentence besides."""
        if known.opted_out or not discloses(message.text):
            return known
        if early is not None:
            await asyncio.wait({early.found}, timeout=self._deadline_s)
        changes = _result_of(early)
        if changes is None:
            draft = turn_id(message.conversation_id, 0)
            found = MemoryChanges(facts=tuple(facts_from(message, draft)))
            return self._learnt(message, replace(known, fresh=(message.text, *known.fresh)), found)
        return self._learnt(message, known, changes)

    def land(self, early: Early, member_id: str) -> None:
        """Apply the result when it is there; its turn is recorded by now."""
        task = asyncio.create_task(self._finish(early))
        landing = self._landing.setdefault(member_id, set())
        landing.add(task)

        def landed(done: asyncio.Task[None]) -> None:
            landing.discard(done)
            if not landing and self._landing.get(member_id) is landing:
                del self._landing[member_id]
            if not done.cancelled() and (error := done.exception()) is not None:
                log.error("a disclosure was not filed", _event="disclosure_failed", exc_info=error)

        task.add_done_callback(landed)

    def drop(self, early: Early | None) -> None:
        """Give up an extraction whose turn is not going to be recorded."""
        if early is not None:
            early.found.cancel()

    async def settle(self) -> None:
        """Until everything that was begun has landed."""
        while tasks := [task for landing in self._landing.values() for task in landing]:
            await asyncio.wait(tasks)

    def _learnt(self, message: Message, known: Acquaintance, changes: MemoryChanges) -> Acquaintance:
        member_id = str(message.speaker.member_id)
        retired = {fact_id for fact_id, _ in changes.retire_facts}
        own = [
            fact for fact in (*known.facts, *changes.facts) if fact.member_id == member_id and fact.id not in retired
        ]
        profile = self._episodic.fold(member_id, message.speaker.name, known.activity, own)
        return replace(known, profile=profile, facts=tuple(own))

    async def _finish(self, early: Early) -> None:
        try:
            await self._writing.apply(await early.found)
        except ModelOutputInvalid as error:
            await self._queue.failed([early.turn_id], reason=str(error), park=True)
        except (ModelFailed, StoreUnavailable) as error:
            log.info("a disclosure waits to be extracted", _event="disclosure_waits", reason=type(error).__name__)
            self._writing.wake()


def job_of(turn: Turn, message: Message, answer: str | None) -> ExtractionJob:
    """The extraction job of a turn that was just said. `answer` is the reply to it, if it was a real one."""
    return ExtractionJob(
        turn=turn,
        channel_name=message.channel_name,
        speaker_role=message.role,
        urgent=True,
        attempts=0,
        queued_at=message.at,
        reply_text=answer,
    )


def _result_of(early: Early | None) -> MemoryChanges | None:
    if early is None or not early.found.done() or early.found.cancelled():
        return None
    error = early.found.exception()
    if error is not None and not isinstance(error, MemoryFailure):
        raise error
    return early.found.result() if error is None else None
