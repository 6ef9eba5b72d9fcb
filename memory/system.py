"""The one door to memory: prepare the context of a reply, then record what came of it.

Usable without any bot; docs/architecture.md has a ten-line example.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog

from memory.audience import Audience
from memory.context import Context, Early, Missing, RequestPacker, Stopwatch
from memory.disclosure import discloses
from memory.episodic import Acquaintance, EpisodicMemory
from memory.errors import (
    EmbeddingFailed,
    IndexUnavailable,
    InvalidText,
    MemoryFailure,
    ModelFailed,
    ModelOutputInvalid,
    RecordUnavailable,
    StoreUnavailable,
)
from memory.indexing import Indexer
from memory.language import language_of
from memory.longterm import LongTermMemory
from memory.model import (
    ConversationState,
    Exchange,
    ExtractionJob,
    Kind,
    Memory,
    MemoryChanges,
    Message,
    Recalled,
    RecordedExchange,
    Speaker,
    Turn,
    UserProfile,
    turn_id,
)
from memory.ports import Clock, ConversationStore, ExtractionQueue, TokenCounter
from memory.privacy import clean_name, clean_text, is_readable
from memory.profile_rules import facts_from
from memory.prompts import context_text
from memory.question import QueryFacts
from memory.tokens import cut_to_tokens
from memory.working import WorkingMemory
from memory.worth import judge, worth_as_answer
from memory.writing import WritePath

log = structlog.get_logger(__name__)

T = TypeVar("T")
FRESH_TOKENS = 300
QUESTION_CONTEXT_TURNS = 2
QUESTION_CONTEXT_CHARS = 600
REPEATED_QUESTION = 0.8
"""An earlier answer this relevant means that the question has been answered from memory."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`profile_update` and its deadline as in the settings; `budget_tokens` bounds the whole request."""

    profile_update: Literal["before_reply", "after_reply"]
    extraction_deadline_s: float
    budget_tokens: int
    zone: ZoneInfo


class AgentMemorySystem:
    """Three layers of memory around one reply.

    Call `prepare_context` and then `post_response` for each message, one message of a conversation at a time; different
    conversations may overlap freely. Failures of a store or model never surface as exceptions from `prepare_context`:
    they make the context poorer and are named in it.
    """

    def __init__(
        self,
        *,
        conversations: ConversationStore,
        queue: ExtractionQueue,
        working: WorkingMemory,
        longterm: LongTermMemory,
        episodic: EpisodicMemory,
        writing: WritePath,
        indexer: Indexer,
        counter: TokenCounter,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._conversations = conversations
        self._queue = queue
        self._working = working
        self._longterm = longterm
        self._episodic = episodic
        self._writing = writing
        self._indexer = indexer
        self._counter = counter
        self._packer = RequestPacker(working, counter, policy.budget_tokens)
        self._policy = policy
        self._clock = clock
        self._landing: dict[str, set[asyncio.Task[None]]] = {}
        self._background: list[asyncio.Task[None]] = []

    # --- life -------------------------------------------------------------------------------------------------------

    async def start(self, *, background: bool = True, index_is_new: bool = False) -> None:
        """Check the index against the embedder and, with `background`, begin to index and extract as work arrives. A
        new index is filled from the record.

        Raises EmbedderChanged or RecordUnavailable.
        """
        await self._indexer.check_embedder()
        if index_is_new:
            await self._indexer.refill()
        if background:
            self._background = [asyncio.create_task(self._indexer.run()), asyncio.create_task(self._writing.run())]

    async def close(self) -> None:
        """Stop the background work. What is unfinished waits in PostgreSQL."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        self._background = []
        await self._land_all()
        await self._working.close()

    async def rebuild_index(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Index every memory anew, instead of `start`; returns how many. Raises StoreUnavailable or EmbeddingFailed."""
        return await self._indexer.rebuild(progress)

    async def counts(self) -> Mapping[str, int]:
        """How much is stored, by kind of row. Raises RecordUnavailable."""
        return await self._longterm.counts()

    async def settle(self) -> tuple[Memory, ...]:
        """Finish all work that waits: extraction, compression, indexing. Returns the memories stored since the last
        call. Work whose model or store is away goes on waiting."""
        await self._land_all()
        await self._working.settle()
        try:
            await self._writing.run_due(everything=True)
            await self._indexer.drain()
        except (StoreUnavailable, EmbeddingFailed) as error:
            log.warning("background work waits for a store", _event="settle_waits", reason=type(error).__name__)
        return self._writing.take_stored()

    # --- one reply --------------------------------------------------------------------------------------------------

    async def prepare_context(self, message: Message, audience: Audience, *, system_prompt: str = "") -> Context:
        """What is known that bears on `message` and may be said to `audience`.

        `system_prompt` is the caller's own; it counts towards the budget and heads `Context.messages`. Raises
        InvalidText when the message holds nothing readable.
        """
        message = _cleaned(message)
        watch = Stopwatch()
        missing: set[Missing] = set()
        language = language_of(message.text)

        state = await self._state(message, missing)
        watch.lap("working")
        early = self._begin_extraction(message, state) if "record" not in missing else None
        await self._wait_for_landing(message.speaker.member_id)
        (known, profile_ms), (recalled, recall_ms) = await asyncio.gather(
            _timed(self._know(message, audience, missing)),
            _timed(self._recall(message, state, audience, missing)),
        )
        watch.note("profile", profile_ms)
        watch.note("recall", recall_ms)
        watch.lap("together")
        known = await self._with_news(message, known, early)
        watch.lap("extraction")

        if known.activity is not None and known.activity.language is not None:
            language = known.activity.language if language == "other" else language
        block = context_text(
            profile=self._episodic.text(known.profile, language),
            fresh=[cut_to_tokens(text, FRESH_TOKENS, self._counter) for text in known.fresh],
            recalled=recalled,
            language=language,
            zone=self._policy.zone,
        )
        window, messages = self._packer.pack(message, state, language, system_prompt, block)
        watch.lap("pack")
        return Context(
            message=message,
            audience=audience,
            language=language,
            profile=known.profile,
            recalled=tuple(recalled),
            window=window,
            messages=messages,
            missing=frozenset(missing),
            opted_out=known.opted_out,
            timings_ms=watch.laps_ms,
            early=early,
        )

    async def post_response(
        self, context: Context, reply_text: str | None, *, degraded: bool = False, agent_name: str = "Kith"
    ) -> RecordedExchange:
        """Record what was delivered (`reply_text` None: nothing was) and let the write path have it.

        `degraded` marks a reply that is no real answer, which is never remembered as one. Raises RecordUnavailable.
        """
        if context.opted_out:
            return RecordedExchange(None, None)
        message = context.message
        recorded = await self._conversations.record(
            Exchange(
                message=message,
                reply_text=reply_text,
                replied_at=message.at if reply_text is not None else None,
                degraded=degraded,
                recalled_ids=tuple(item.memory.id for item in context.recalled),
                extract=self._worth(context, reply_text, degraded=degraded),
                agent_name=agent_name,
            )
        )
        if recorded.duplicate or recorded.member_turn is None:
            return recorded
        self._working.remember(recorded)
        await self._write(context, recorded, None if degraded else reply_text)
        await self._working.compress_if_needed(message.conversation_id)
        return recorded

    async def answered(self, event_id: str | None) -> bool:
        """Whether the message with this platform event id has been recorded. Raises RecordUnavailable."""
        return event_id is not None and await self._conversations.seen(event_id)

    def would_keep(self, context: Context) -> bool:
        """Whether the message itself is going to be remembered."""
        return not context.opted_out and self._worth(context, None, degraded=True) != "no"

    # --- looking ----------------------------------------------------------------------------------------------------

    async def visible(self, audience: Audience, *, limit: int, offset: int = 0) -> list[Memory]:
        """The memories that may be used before `audience`, newest first. Raises RecordUnavailable."""
        return await self._longterm.visible(audience, limit=limit, offset=offset)

    async def count_visible(self, audience: Audience) -> int:
        return await self._longterm.count_visible(audience)

    async def profile(self, member_id: str, name: str, audience: Audience) -> UserProfile:
        """A member as `audience` may know them. Raises RecordUnavailable."""
        return (await self._episodic.know(member_id, name, audience)).profile

    async def end_session(self, conversation_id: str) -> None:
        """Forget the running conversation; its record and what was learnt from it stay."""
        await self._working.end_session(conversation_id)

    # --- preparing --------------------------------------------------------------------------------------------------

    async def _state(self, message: Message, missing: set[Missing]) -> ConversationState | None:
        try:
            return await self._working.load(message.conversation_id, message.at)
        except RecordUnavailable:
            missing.add("record")
            return None

    async def _know(self, message: Message, audience: Audience, missing: set[Missing]) -> Acquaintance:
        member_id, name = str(message.speaker.member_id), message.speaker.name
        try:
            return await self._episodic.know(member_id, name, audience)
        except RecordUnavailable:
            missing.add("record")
            return Acquaintance(UserProfile(user_id=member_id, name=name), (), (), None)

    async def _recall(
        self, message: Message, state: ConversationState | None, audience: Audience, missing: set[Missing]
    ) -> list[Recalled]:
        question = QueryFacts(
            text=message.text,
            now=message.at,
            zone=self._policy.zone,
            previous=_lines_before(state),
            asker=message.speaker.name,
        )
        try:
            return await self._longterm.recall(question, audience)
        except (IndexUnavailable, EmbeddingFailed) as error:
            log.warning("the reply goes out without recall", _event="recall_missing", reason=type(error).__name__)
            missing.add("index")
        except RecordUnavailable:
            missing.add("record")
        return []

    def _begin_extraction(self, message: Message, state: ConversationState | None) -> Early | None:
        before_reply = self._policy.profile_update == "before_reply"
        if state is None or not before_reply or not self._writing.uses_model or not discloses(message.text):
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
        return Early(turn.id, asyncio.create_task(self._writing.extract(_job(turn, message, None))))

    async def _with_news(self, message: Message, known: Acquaintance, early: Early | None) -> Acquaintance:
        """`known` with what the message itself discloses: extracted if that is done within the deadline, otherwise by
        the rules, and in either of those cases with the raw sentence besides."""
        if known.opted_out or not discloses(message.text):
            return known
        if early is not None:
            await asyncio.wait({early.found}, timeout=self._policy.extraction_deadline_s)
        changes = _result_of(early)
        news = changes.facts if changes is not None else tuple(facts_from(message, _draft_id(message)))
        retired = {fact_id for fact_id, _ in changes.retire_facts} if changes is not None else set[UUID]()
        facts = [*(fact for fact in known.facts if fact.id not in retired), *news]
        own = [fact for fact in facts if fact.member_id == message.speaker.member_id]
        profile = self._episodic.fold(str(message.speaker.member_id), message.speaker.name, known.activity, own)
        fresh = known.fresh if changes is not None else (message.text, *known.fresh)
        return replace(known, profile=profile, facts=tuple(own), fresh=fresh)

    # --- recording --------------------------------------------------------------------------------------------------

    def _worth(self, context: Context, reply_text: str | None, *, degraded: bool) -> Literal["no", "batch", "now"]:
        message = context.message
        if discloses(message.text):
            return "now"
        if judge(message.text).keep:
            return "batch"
        if degraded or reply_text is None or not worth_as_answer(message.text, reply_text):
            return "no"
        repeated = any(
            item.memory.kind is Kind.ANSWER and item.relevance >= REPEATED_QUESTION for item in context.recalled
        )
        return "no" if repeated else "batch"

    async def _write(self, context: Context, recorded: RecordedExchange, answer: str | None) -> None:
        turn = recorded.member_turn
        if turn is None:
            return
        if not self._writing.uses_model:
            job = _job(turn, context.message, answer)
            if self._worth(context, answer, degraded=answer is None) != "no":
                await self._writing.keep_without_model(job, [item.memory for item in context.recalled])
            return
        if context.early is not None and context.early.turn_id == turn.id:
            self._land(str(turn.speaker.member_id), self._finish(context.early))
        else:
            self._writing.wake()

    async def _finish(self, early: Early) -> None:
        """Apply an extraction that was begun before the reply; its turn is recorded by now."""
        try:
            await self._writing.apply(await early.found)
        except ModelOutputInvalid as error:
            await self._queue.failed([early.turn_id], reason=str(error), park=True)
        except (ModelFailed, StoreUnavailable) as error:
            log.warning("a disclosure waits to be extracted", _event="disclosure_waits", reason=type(error).__name__)
            self._writing.wake()

    def _land(self, member_id: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        landing = self._landing.setdefault(member_id, set())
        landing.add(task)

        def landed(done: asyncio.Task[None]) -> None:
            landing.discard(done)
            if not landing and self._landing.get(member_id) is landing:
                del self._landing[member_id]
            if not done.cancelled() and (error := done.exception()) is not None:
                log.error("a disclosure was not filed", _event="disclosure_failed", exc_info=error)

        task.add_done_callback(landed)

    async def _wait_for_landing(self, member_id: str | None) -> None:
        landing = self._landing.get(str(member_id))
        if landing:
            await asyncio.wait(set(landing), timeout=self._policy.extraction_deadline_s)

    async def _land_all(self) -> None:
        while tasks := [task for landing in self._landing.values() for task in landing]:
            await asyncio.wait(tasks)


def _lines_before(state: ConversationState | None) -> tuple[str, ...]:
    """The last turns as a question to long-term memory takes them. What the bot quoted without a model is no part of
    the conversation's matter."""
    turns = state.turns if state is not None else ()
    told = [turn for turn in turns if not turn.degraded][-QUESTION_CONTEXT_TURNS:]
    return tuple(f"{turn.speaker.name}: {turn.text[:QUESTION_CONTEXT_CHARS]}" for turn in told)


def _job(turn: Turn, message: Message, answer: str | None) -> ExtractionJob:
    return ExtractionJob(
        turn=turn,
        channel_name=message.channel_name,
        speaker_role=message.role,
        urgent=True,
        attempts=0,
        queued_at=message.at,
        reply_text=answer,
    )


def _draft_id(message: Message) -> UUID:
    return turn_id(message.conversation_id, 0)


def _result_of(early: Early | None) -> MemoryChanges | None:
    if early is None or not early.found.done() or early.found.cancelled():
        return None
    error = early.found.exception()
    if error is not None and not isinstance(error, MemoryFailure):
        raise error
    return early.found.result() if error is None else None


def _cleaned(message: Message) -> Message:
    text = clean_text(message.text)
    if not is_readable(text):
        raise InvalidText
    speaker = Speaker(message.speaker.member_id, clean_name(message.speaker.name))
    quoted = clean_text(message.quoted) if message.quoted else None
    return replace(message, text=text, speaker=speaker, quoted=quoted)


async def _timed(work: Awaitable[T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = await work
    return result, (time.perf_counter() - started) * 1000
