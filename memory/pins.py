"""Pins: the turns with hard details, kept verbatim within a budget of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from memory.details import hard_details, pin_text
from memory.model import Pin, Turn

PIN_CHARS: Final = 400
"""Of a longer turn only the sentences with details are pinned."""


def pin_of(turn: Turn) -> Pin | None:
    """What to pin of a turn; None when it holds no hard detail or is the bot's, but no real answer."""
    if turn.degraded or not hard_details(turn.text):
        return None
    text = pin_text(turn.text, PIN_CHARS)
    return Pin(turn.seq, turn.speaker, text, turn.at) if text else None


def choose_pins(pins: Iterable[Pin], budget_tokens: int, cost: Callable[[Pin], int]) -> tuple[Pin, ...]:
    """The pins to keep, oldest first: of the same words only the newest, and no older ones once the budget is spent. A
    pin too large for what is left is passed over."""
    kept: list[Pin] = []
    texts: set[str] = set()
    seqs: set[int] = set()
    room = budget_tokens
    for pin in sorted(pins, key=lambda pin: pin.turn_seq, reverse=True):
        words = " ".join(pin.text.split()).casefold()
        if words in texts or pin.turn_seq in seqs:
            continue
        price = cost(pin)
        if price > room:
            continue
        room -= price
        texts.add(words)
        seqs.add(pin.turn_seq)
        kept.append(pin)
    return tuple(reversed(kept))
