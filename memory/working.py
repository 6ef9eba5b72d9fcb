"""Working memory: the running conversation, as the record holds it, within a token budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

import structlog

from config.settings import WorkingMemorySettings
from memory.cache import CachedConversation, ConversationCache
from memory.errors import ModelFailed, ModelOutputInvalid, RecordUnavailable
from memory.language import language_of
from memory.model import Compression, ConversationState, Pin, RecordedExchange, Speaker, Turn
from memory.packing import Packer
from memory.pins import STORED_BUDGETS, choose_pins
from memory.ports import Clock, ConversationStore, SmallModel, TokenCounter
from memory.rounds import recent_start
from memory.summary import compression_prompt, flaw_of, tidy
from memory.window import Window, labels_of, pin_line, window_messages

__all__ = ["Window", "WorkingMemory", "window_messages"]

log = structlog.get_logger(__name__)

RETRY_TURNS: Final = 6
"""After a failed compression this many turns pass before the next try, twice as many after each further failure."""
MAX_RETRY_TURNS: Final = 48
LEAST_SHARE: Final = 0.1
"""Of the budget; compressing less than this is not worth a model call."""
PLAIN_SHARE: Final = 0.5
"""Of the tokens at which compression begins, those that turns keep when there is no model to summarise the others."""
SOURCE_TURN_TOKENS: Final = 800
"""What a summary is made from holds at most this much of one turn."""

LANGUAGE_CHARS: Final = 1_000
"""This much of a turn tells which language it is in."""


class WorkingMemory:
    """The running conversations.

    Invariant: what it holds is a copy of the record. Whatever does not fit with the record (a turn's number that is not
    the next one, a refused compression) makes it read the record again, and no turn ever leaves the record.
    """

    def __init__(
        self,
        store: ConversationStore,
        model: SmallModel,
        counter: TokenCounter,
        settings: WorkingMemorySettings,
        clock: Clock,
        *,
        time_zone: tzinfo = UTC,
        model_timeout_s: float = 30.0,
        max_conversations: int = 512,
    ) -> None:
        self._store = store
        self._model = model
        self._counter = counter
        self._settings = settings
        self._clock = clock
        self._time_zone = time_zone
        self._model_timeout_s = model_timeout_s
        self._packer = Packer(settings.keep_rounds, settings.pinned_budget_tokens, counter, time_zone)
        self._cache = ConversationCache(
            store, idle_timeout_s=settings.idle_timeout_s, max_conversations=max_conversations
        )
        self._running: dict[str, asyncio.Task[bool]] = {}

    # --- the conversation as it stands --------------------------------------------------------------------------------

    async def load(self, conversation_id: str, now: datetime) -> ConversationState:
        """The conversation's running session; empty when it has been idle for too long. Raises RecordUnavailable."""
        return await self._cache.load(conversation_id, now)

    def remember(self, recorded: RecordedExchange) -> None:
        """Take over what `ConversationStore.record` wrote."""
        for turn in (recorded.member_turn, recorded.bot_turn):
            if turn is not None and not recorded.duplicate:
                self._cache.append(turn)

    async def end_session(self, conversation_id: str) -> None:
        """Begin anew: nothing said so far is in the window any more. Raises RecordUnavailable."""
        await self._stop([conversation_id])
        try:
            await self._store.end_session(conversation_id)
        finally:
            self._cache.drop(conversation_id)

    async def drop_cache(self) -> None:
        """Hold nothing of any conversation and stop compressing; for after a wipe, when the record has changed."""
        await self._stop(list(self._running))
        self._cache.drop_all()

    # --- the window ---------------------------------------------------------------------------------------------------

    def window(
        self,
        state: ConversationState | None,
        budget_tokens: int,
        *,
        now: datetime,
        speaker: Speaker | None = None,
        question: str = "",
    ) -> Window:
        """What the chat model gets to see of the conversation, for at most `budget_tokens`. `speaker` is who says the
        message to answer, `question` its text; it is not part of the window, but decides which pins are shown when
        not all of them fit."""
        if state is None or self._cache.is_idle(state, now):
            return Window(labels=labels_of([speaker] if speaker else []), time_zone=self._time_zone)
        entry = self._cache.get(state.conversation_id) or CachedConversation(state)
        entry.fixed_tokens = max(0, self._settings.budget_tokens - budget_tokens)
        return self._packer.pack(state, budget_tokens, entry, speaker, question)

    # --- compression --------------------------------------------------------------------------------------------------

    def needs_compression(self, state: ConversationState, fixed_tokens: int) -> bool:
        """Whether the request holds so much that old turns should be summarised. `fixed_tokens` are those of all that
        is not the conversation: the system prompt, profile, recalled memories, the message."""
        entry = self._cache.get(state.conversation_id)
        if entry is not None and state.last_seq < entry.retry_at_seq:
            return False
        older = state.turns[: recent_start(state.turns, self._settings.keep_rounds)]
        if not older:
            return False
        budget = self._settings.budget_tokens
        old_tokens = self._tokens(older, enough=budget)
        if old_tokens < LEAST_SHARE * budget:
            return False
        stored = sum(self._counter.count(pin.text) for pin in state.pins)
        pins = min(stored, self._settings.pinned_budget_tokens)
        others = fixed_tokens + self._counter.count(state.summary) + pins + old_tokens
        return others + self._tokens(state.turns[len(older) :], enough=budget) >= self._settings.compress_at * budget

    async def compress_if_needed(self, conversation_id: str, fixed_tokens: int | None = None) -> None:
        """Begin a compression beside the conversation if it is due, without waiting for it. `fixed_tokens` is by
        default what the last window's budget left out."""
        entry = self._cache.get(conversation_id)
        if entry is None or conversation_id in self._running:
            return
        if self.needs_compression(entry.state, entry.fixed_tokens if fixed_tokens is None else fixed_tokens):
            self._begin(conversation_id)

    async def compress(self, conversation_id: str) -> bool:
        """Compress now, or join the compression that is running; returns whether one was stored. Never raises for a
        model or record that fails: the turns stay as they are."""
        task = self._begin(conversation_id)
        await asyncio.wait({task})
        return not task.cancelled() and task.result()

    async def settle(self) -> None:
        """Wait for the compressions that are running."""
        while self._running:
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def close(self) -> None:
        """Stop the compressions that are running; their turns stay in the record."""
        await self._stop(list(self._running))

    # --- one compression ----------------------------------------------------------------------------------------------

    def _begin(self, conversation_id: str) -> asyncio.Task[bool]:
        task = self._running.get(conversation_id)
        if task is None:
            task = asyncio.create_task(self._run(conversation_id), name=f"compress {conversation_id}")
            self._running[conversation_id] = task
            task.add_done_callback(lambda _: self._running.pop(conversation_id, None))
        return task

    async def _stop(self, conversation_ids: Sequence[str]) -> None:
        tasks = [self._running[each] for each in conversation_ids if each in self._running]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _run(self, conversation_id: str) -> bool:
        try:
            return await self._compress(conversation_id)
        except (RecordUnavailable, ModelFailed, TimeoutError) as error:
            log.warning(
                "a conversation was not compressed",
                _event="compression_failed",
                reason=type(error).__name__,
                conversation_id=conversation_id,
            )
        except Exception:
            log.exception("a compression broke", _event="compression_broke", conversation_id=conversation_id)
        self._back_off(conversation_id)
        return False

    async def _compress(self, conversation_id: str) -> bool:
        state = await self._state_to_compress(conversation_id)
        with_model = self._model.available
        older = self._turns_to_summarise(state) if with_model else self._turns_to_let_go(state)
        if not older:
            return False
        summary = await self._summarise(state, older) if with_model else state.summary
        stored = await self._store.compress(
            Compression(
                conversation_id=conversation_id,
                based_on_version=state.version,
                summarised_seq=older[-1].seq,
                summary=summary,
                pins=self._pins_after(state, older),
            )
        )
        await self._cache.reload(conversation_id, state.last_at or self._clock())
        entry = self._cache.get(conversation_id)
        if stored and entry is not None:
            entry.failures = entry.retry_at_seq = 0
        elif not stored:
            self._back_off(conversation_id)
        return stored

    def _tokens(self, turns: Sequence[Turn], *, enough: int) -> int:
        """What the turns cost, counted until that is `enough`."""
        total = 0
        for turn in turns:
            total += self._packer.turn_cost(turn, turn.speaker.name)
            if total >= enough:
                break
        return total

    async def _state_to_compress(self, conversation_id: str) -> ConversationState:
        entry = self._cache.get(conversation_id)
        return entry.state if entry is not None else await self._cache.reload(conversation_id, self._clock())

    def _turns_to_summarise(self, state: ConversationState) -> Sequence[Turn]:
        """The turns before the last rounds, oldest first, as many as one request may hold."""
        older = state.turns[: recent_start(state.turns, self._settings.keep_rounds)]
        room = self._settings.budget_tokens
        for index, turn in enumerate(older):
            room -= min(SOURCE_TURN_TOKENS, self._packer.turn_cost(turn, turn.speaker.name))
            if room < 0:
                return older[: max(1, index)]
        return older

    def _turns_to_let_go(self, state: ConversationState) -> Sequence[Turn]:
        """The oldest turns, so that those which stay leave room to go on; the last rounds always stay."""
        recent = recent_start(state.turns, self._settings.keep_rounds)
        room = int(self._settings.budget_tokens * self._settings.compress_at * PLAIN_SHARE)
        for index in range(len(state.turns) - 1, -1, -1):
            room -= self._packer.turn_cost(state.turns[index], state.turns[index].speaker.name)
            if room < 0:
                return state.turns[: min(index + 1, recent)]
        return ()

    async def _summarise(self, state: ConversationState, older: Sequence[Turn]) -> str:
        language = language_of("\n".join(turn.text[:LANGUAGE_CHARS] for turn in older))
        labels = labels_of(turn.speaker for turn in state.turns)
        pins = (
            Pin(turn.seq, turn.speaker, self._packer.cut_text(turn.text, SOURCE_TURN_TOKENS), turn.at) for turn in older
        )
        lines = [pin_line(pin, labels[pin.speaker.member_id], self._time_zone) for pin in pins]
        words = self._settings.summary_words
        prompt = compression_prompt(state.summary, lines, older[-1], language=language, summary_words=words)
        async with asyncio.timeout(self._model_timeout_s):
            completion = await self._model.complete(prompt)
        flaw = flaw_of(completion, prompt, language=language, summary_words=words)
        if flaw is not None:
            log.warning("a summary was refused", _event="summary_refused", flaw=flaw)
            raise ModelOutputInvalid
        return tidy(completion.text)

    def _pins_after(self, state: ConversationState, older: Sequence[Turn]) -> tuple[Pin, ...]:
        entry = self._cache.get(state.conversation_id) or CachedConversation(state)
        new = map(entry.pin, older)
        labels = labels_of([pin.speaker for pin in state.pins] + [turn.speaker for turn in state.turns])
        return choose_pins(
            (*state.pins, *(pin for pin in new if pin is not None)),
            STORED_BUDGETS * self._settings.pinned_budget_tokens,
            lambda pin: self._packer.pin_cost(pin, labels[pin.speaker.member_id]),
            entry.worth,
        )

    def _back_off(self, conversation_id: str) -> None:
        entry = self._cache.get(conversation_id)
        if entry is None:
            return
        wait = min(MAX_RETRY_TURNS, RETRY_TURNS * 2**entry.failures)
        entry.failures = min(entry.failures + 1, 10)
        entry.retry_at_seq = entry.state.last_seq + wait
