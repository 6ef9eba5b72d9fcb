"""Packing a conversation into a hard token budget.

What gets room first: the last rounds, then pins, then the summary, then older turns from the newest back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from memory.model import ConversationState, Pin, Speaker, Turn
from memory.pins import PinSource, choose_pins, preference
from memory.ports import TokenCounter
from memory.rounds import recent_start
from memory.tokens import ELLIPSIS, MESSAGE_OVERHEAD, cut_to_tokens
from memory.window import Window, block_text, labels_of, pin_line, turn_message, turn_messages

SMALLEST_CUT: Final = 48
"""Tokens; less than this of a turn or summary is not worth showing."""
CONTEXT_SHARE: Final = 0.2
"""Of the budget, at most, is kept free for pins and summary when the last rounds have to be cut anyway."""
_CHARS_PER_TOKEN: Final = 8
"""Ordinary text has fewer; only this much of an oversized text is looked at when it is cut."""


@dataclass(frozen=True, slots=True)
class Packer:
    """Fits windows. Invariant: a window from `pack` never costs more than the budget, whatever the turns hold."""

    keep_rounds: int
    pinned_budget_tokens: int
    counter: TokenCounter
    time_zone: tzinfo

    def pack(
        self,
        state: ConversationState,
        budget_tokens: int,
        source: PinSource,
        newcomer: Speaker | None = None,
        question: str = "",
    ) -> Window:
        """`source` gives the pins of turns and their worth; `newcomer` is who speaks next, so that names stay apart;
        `question` is what is said next: where not all pins fit, those that it asks for come first."""
        speakers = [pin.speaker for pin in state.pins] + [turn.speaker for turn in state.turns]
        labels = labels_of([*speakers, newcomer] if newcomer is not None else speakers)
        empty = Window(labels=labels, time_zone=self.time_zone)
        return _Fitting(self, state, budget_tokens, source, empty, question).window()

    def turn_cost(self, turn: Turn, label: str) -> int:
        """At most what the turn costs in any window."""
        return MESSAGE_OVERHEAD + self.counter.count(turn_message(turn, label, self.time_zone, timed=True)[1])

    def pin_cost(self, pin: Pin, label: str) -> int:
        return 1 + self.counter.count(pin_line(pin, label, self.time_zone))

    def cut(self, turn: Turn, label: str, tokens: int) -> Turn:
        """The turn's head and tail, so that it costs at most `tokens`."""
        room = tokens - self.turn_cost(replace(turn, text=""), label)
        return replace(turn, text=self.cut_text(turn.text, room))

    def cut_text(self, text: str, tokens: int) -> str:
        room = max(0, tokens)
        chars = room * _CHARS_PER_TOKEN
        if len(text) > 2 * chars + len(ELLIPSIS):
            text = text[:chars] + ELLIPSIS + text[len(text) - chars :]
        return cut_to_tokens(text, room, self.counter)

    def tokens_of(self, window: Window) -> int:
        turns = sum(MESSAGE_OVERHEAD + self.counter.count(content) for _, content in turn_messages(window))
        if not window.pins and not window.summary:
            return turns
        return turns + MESSAGE_OVERHEAD + max(self.counter.count(block_text(window, lang)) for lang in ("zh", "en"))


class _Fitting:
    """One window in the making. `room` is what is left of the budget."""

    def __init__(
        self,
        packer: Packer,
        state: ConversationState,
        budget_tokens: int,
        source: PinSource,
        empty: Window,
        question: str,
    ) -> None:
        self._packer = packer
        self._state = state
        self._budget = budget_tokens
        self._source = source
        self._bonus = preference(question)
        self._empty = empty
        start = recent_start(state.turns, packer.keep_rounds)
        self._older, self._recent = state.turns[:start], state.turns[start:]

    def window(self) -> Window:
        recent = self._fit_recent()
        room = self._budget - sum(map(self._turn_cost, recent)) - self._frame_cost()
        window = self._around(recent, room, self._state.pins)
        if self._pins_beside(window.turns) == self._state.pins:
            return self._trimmed(window, len(recent))
        window = self._around(recent, room, self._pins_beside(recent))
        spent = sum(map(self._turn_cost, window.turns[: len(window.turns) - len(recent)]))
        left = room - spent - self._summary_cost(window.summary)
        pins = self._choose(self._pins_beside(window.turns), left)
        return self._trimmed(replace(window, pins=pins), len(recent))

    def _around(self, recent: Sequence[Turn], room: int, candidates: Sequence[Pin]) -> Window:
        """Pins, summary and older turns in the room that the last rounds leave."""
        pins = self._choose(candidates, room)
        room -= sum(map(self._pin_cost, pins))
        summary = self._fit_summary(room)
        room -= self._summary_cost(summary)
        older = self._fit_older(room)
        return replace(self._empty, summary=summary, pins=pins, turns=(*older, *recent))

    def _pins_beside(self, shown: Sequence[Turn]) -> tuple[Pin, ...]:
        """The stored pins, and those of the turns that do not stand in `shown` verbatim."""
        texts = {turn.seq: turn.text for turn in shown}
        hidden = (turn for turn in self._state.turns if texts.get(turn.seq) != turn.text)
        return (*self._state.pins, *(pin for pin in map(self._source.pin, hidden) if pin is not None))

    def _fit_recent(self) -> list[Turn]:
        """The last rounds; when they exceed the budget, the largest turns are cut to an equal size, and when that is
        too small to be of use the oldest turns go."""
        costs = [self._turn_cost(turn) for turn in self._recent]
        if sum(costs) <= self._budget:
            return list(self._recent)
        context = self._frame_cost() + self._packer.pinned_budget_tokens + self._summary_cost(self._state.summary)
        usable = self._budget - min(int(self._budget * CONTEXT_SHARE), context)
        turns = list(self._recent)
        while turns and _level(costs, usable) < min(SMALLEST_CUT, max(costs)):
            turns, costs = turns[1:], costs[1:]
        if not turns:
            return []
        level = _level(costs, usable)
        return [turn if cost <= level else self._cut(turn, level) for turn, cost in zip(turns, costs, strict=True)]

    def _fit_summary(self, room: int) -> str:
        if self._summary_cost(self._state.summary) <= room:
            return self._state.summary
        return self._packer.cut_text(self._state.summary, room) if room >= SMALLEST_CUT else ""

    def _fit_older(self, room: int) -> list[Turn]:
        """Older turns without a gap, from the newest back; one may take a quarter of the budget at most."""
        kept: list[Turn] = []
        most = max(SMALLEST_CUT, self._budget // 4)
        for turn in reversed(self._older):
            cost = self._turn_cost(turn)
            if cost > min(room, most):
                if room < SMALLEST_CUT:
                    break
                turn = self._cut(turn, min(room, most))
                cost = self._turn_cost(turn)
            room -= cost
            kept.append(turn)
        return kept[::-1]

    def _trimmed(self, window: Window, recent: int) -> Window:
        """The window with its true cost; a counter for which parts do not add up to the whole may need less of it."""
        while (tokens := self._packer.tokens_of(window)) > self._budget:
            if len(window.turns) > recent:
                window = replace(window, turns=window.turns[1:])
            elif window.summary:
                window = replace(window, summary="")
            elif window.pins:
                window = replace(window, pins=window.pins[1:])
            else:
                window = replace(window, turns=window.turns[1:])
        return replace(window, tokens=tokens)

    def _choose(self, candidates: Sequence[Pin], room: int) -> tuple[Pin, ...]:
        budget = min(room, self._packer.pinned_budget_tokens)
        return choose_pins(candidates, budget, self._pin_cost, self._source.worth, self._bonus)

    def _frame_cost(self) -> int:
        """What the block around pins and summary costs by itself."""
        speaker = Speaker(None, "-")
        pin = Pin(0, speaker, "-", self._state.last_at) if self._state.last_at is not None else None
        framed = replace(self._empty, summary="-", pins=(pin,) if pin is not None else ())
        return self._packer.tokens_of(framed)

    def _summary_cost(self, summary: str) -> int:
        return self._packer.counter.count(summary)

    def _turn_cost(self, turn: Turn) -> int:
        return self._packer.turn_cost(turn, self._empty.label(turn.speaker))

    def _pin_cost(self, pin: Pin) -> int:
        return self._packer.pin_cost(pin, self._empty.label(pin.speaker))

    def _cut(self, turn: Turn, tokens: int) -> Turn:
        return self._packer.cut(turn, self._empty.label(turn.speaker), tokens)


def _level(costs: Sequence[int], budget: int) -> int:
    """The largest size to which all `costs` can be cut so that their sum fits the budget (what is smaller stays)."""
    left, count = budget, len(costs)
    for cost in sorted(costs):
        if cost * count > left:
            return left // count
        left -= cost
        count -= 1
    return max(costs, default=0)
