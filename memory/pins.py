"""Pins: the turns with hard details, kept verbatim within a budget of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from memory.detail_patterns import DetailKind
from memory.details import hard_details, pin_text, strength_of
from memory.language import HAN
from memory.model import Pin, Turn

PIN_CHARS: Final = 400
"""Of one turn at most this much is pinned."""
STORED_BUDGETS: Final = 3
"""This many times the pins that a request shows are stored, so that the next question decides which ones it shows."""

_MEMBER: Final = 3
_NAMED: Final = 3
_FURTHER_KINDS: Final = 2
_ASKED_KIND: Final = 4
_SHARED_TERM: Final = 6
_SHARED_TERMS: Final = 3


@dataclass(frozen=True, slots=True)
class Worth:
    """What a pin is worth keeping for: how likely somebody asks for it (higher is likelier), its details as they are
    compared with others', their kinds, and its words."""

    strength: int
    details: frozenset[str]
    kinds: frozenset[DetailKind]
    terms: frozenset[str]


class PinSource(Protocol):
    """Where the packer gets pins from."""

    def pin(self, turn: Turn) -> Pin | None: ...

    def worth(self, pin: Pin) -> Worth: ...


_ASKING: tuple[tuple[tuple[DetailKind, ...], str], ...] = (
    (
        ("amount", "percentage"),
        r"价|费|多少钱|几块|几元|押金|预算|金额|工资|票|\b(?:price[ds]?|pricing|costs?|fees?|how much|pay|paid"
        r"|tickets?|budget|deposit|dues|amount|rent|salary|discount)\b",
    ),
    (
        ("time",),
        r"时间|时候|日期|几号|几点|哪天|周几|星期几|几月|截止|期限|定在|改到"
        r"|\b(?:when|what time|dates?|days?|deadline|due|o['’]clock)\b",
    ),
    (
        ("url", "email", "network"),
        r"链接|网址|地址|网站|邮箱|报名|端口|\b(?:links?|urls?|web ?(?:site|page)|e-?mail|address|sign ?-?up"
        r"|register|rsvp|server|port)\b",
    ),
    (
        ("address",),
        r"地址|地点|哪里|哪儿|在哪|位置|几楼|房间|教室|\b(?:where|address|place|venue|location|room|floor|seat)\b",
    ),
    (("phone",), r"电话|手机|号码|联系|\b(?:phone|number|call|contact|tel)\b"),
    (
        ("code",),
        r"码|单号|编号|口令|账号|群号|微信|\b(?:codes?|password|pin|order|booking|coupon|serial|id)\b",
    ),
    (("version",), r"版本|\b(?:versions?|release)\b"),
    (
        ("measure", "percentage"),
        r"多[大长高重远久少]|几[个人位名]|\b(?:how (?:many|long|far|big|tall|heavy)|size)\b",
    ),
)
"""The kinds of details that words ask for; beside a detail of that kind the same words name it."""
_ASKED = tuple((frozenset[DetailKind](kinds), re.compile(pattern, re.IGNORECASE)) for kinds, pattern in _ASKING)
_TERM = re.compile(f"(?=([{HAN}]{{2}}))|([a-z][a-z'’-]{{3,}})", re.IGNORECASE)
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_COMMON_TERMS = frozenset(
    "我们 你们 他们 什么 多少 怎么 刚才 我刚 才说 说的 之前 前说 那个 这个 一下 是多 还记 记得 大家 可以 就是 不是 "
    "what when where which that this there with have does said told tell about just from your remember please".split()
)


def pin_of(turn: Turn) -> Pin | None:
    """What to pin of a turn; None when it holds no hard detail or is the bot's, but no real answer."""
    text = pin_text(turn.text, PIN_CHARS)
    if turn.degraded or not text or (text == turn.text and not hard_details(text)):
        return None
    return Pin(turn.seq, turn.speaker, text, turn.at)


def worth_of(pin: Pin) -> Worth:
    """Stronger is a detail of a stronger kind, one that its words name ("the price is"), further kinds beside it, and
    what a member said rather than the bot."""
    found = hard_details(pin.text)
    kinds = frozenset[DetailKind](detail.kind for detail in found)
    strength = max((strength_of(detail, pin.text) for detail in found), default=0)
    strength += min(_FURTHER_KINDS, max(0, len(kinds) - 1))
    if kinds & _kinds_asked(pin.text):
        strength += _NAMED
    if not pin.speaker.is_bot:
        strength += _MEMBER
    details = frozenset(_compared(detail.kind, pin.text[detail.start : detail.end]) for detail in found)
    return Worth(strength, details, kinds, _terms(pin.text))


def preference(question: str) -> Callable[[Worth], int]:
    """How much more a pin is worth when this is said next: of a kind that it asks for, and in its words."""
    kinds, terms = _kinds_asked(question), _terms(question)

    def bonus(worth: Worth) -> int:
        shared = min(_SHARED_TERMS, len(worth.terms & terms))
        return _SHARED_TERM * shared + (_ASKED_KIND if worth.kinds & kinds else 0)

    return bonus


def choose_pins(
    pins: Iterable[Pin],
    budget_tokens: int,
    cost: Callable[[Pin], int],
    worth: Callable[[Pin], Worth],
    bonus: Callable[[Worth], int] = lambda _: 0,
) -> tuple[Pin, ...]:
    """The pins to keep, oldest first: those worth most, and of equals the newest. Of the same words only one is kept;
    the bot's are left out when members' kept pins hold all their details, a member's that say nothing new come last. A
    pin too large for what is left is passed over."""
    worths = {pin: worth(pin) for pin in pins}
    ranked = sorted(worths, key=lambda pin: (worths[pin].strength + bonus(worths[pin]), pin.turn_seq), reverse=True)
    choice = _Choice(budget_tokens, cost)
    repeats: list[Pin] = []
    for pin in ranked:
        if choice.holds_details(pin, worths[pin].details):
            repeats.append(pin)
        else:
            choice.take(pin, worths[pin].details)
    for pin in repeats:
        if not pin.speaker.is_bot:
            choice.take(pin, worths[pin].details)
    return tuple(sorted(choice.kept, key=lambda pin: pin.turn_seq))


class _Choice:
    """Pins chosen so far, and the room that is left."""

    def __init__(self, budget_tokens: int, cost: Callable[[Pin], int]) -> None:
        self.kept: list[Pin] = []
        self._room = budget_tokens
        self._cost = cost
        self._texts: set[str] = set()
        self._seqs: set[int] = set()
        self._sets: list[frozenset[str]] = []
        self._details: set[str] = set()

    def holds_details(self, pin: Pin, details: frozenset[str]) -> bool:
        """Whether a kept pin says all of them; for the bot, who only repeats, whether the kept pins together do."""
        if pin.speaker.is_bot:
            return details <= self._details
        return any(details <= each for each in self._sets)

    def take(self, pin: Pin, details: frozenset[str]) -> None:
        words = " ".join(pin.text.split()).casefold()
        if words in self._texts or pin.turn_seq in self._seqs:
            return
        price = self._cost(pin)
        if price > self._room:
            return
        self._room -= price
        self.kept.append(pin)
        self._texts.add(words)
        self._seqs.add(pin.turn_seq)
        self._sets.append(details)
        self._details |= details


def _compared(kind: DetailKind, said: str) -> str:
    """A detail as it is compared with others: its figures ("价格 99" is "99 元"), else all of it."""
    figures = [] if kind in ("url", "email", "network", "code") else _FIGURES.findall(said)
    return f"{kind} {' '.join(figures)}" if figures else "".join(said.split()).casefold()


def _kinds_asked(text: str) -> frozenset[DetailKind]:
    return frozenset[DetailKind](kind for kinds, pattern in _ASKED if pattern.search(text) for kind in kinds)


def _terms(text: str) -> frozenset[str]:
    """Chinese character pairs and longer Latin words, without those that every question has."""
    found = (match.group(1) or match.group(2).casefold() for match in _TERM.finditer(text[:2_000]))
    return frozenset(term for term in found if term not in _COMMON_TERMS)
