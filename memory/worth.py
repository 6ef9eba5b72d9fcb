"""Is a message worth remembering? Deterministic and cheap (below 0.2 ms): it decides before any model sees the text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memory import evidence
from memory.disclosure import discloses
from memory.model import Kind, Role
from memory.reading import as_read
from memory.sentences import asks, is_question, sentences

__all__ = ["Worth", "is_question", "judge", "worth_as_answer"]

ANSWER_IMPORTANCE = 0.6
MIN_ANSWER_CHARS = 12

_SIGNS: Final[Mapping[str, tuple[re.Pattern[str], Kind | None]]] = {
    "decision": (evidence.DECISION, Kind.DECISION),
    "event": (evidence.EVENT, Kind.EVENT),
    "time": (evidence.WHEN, Kind.EVENT),
    "money": (evidence.MONEY, Kind.FACT),
    "person": (evidence.PERSON, Kind.FACT),
    "knowledge": (evidence.KNOWLEDGE, Kind.KNOWLEDGE),
    "specific": (evidence.SPECIFIC, Kind.KNOWLEDGE),
    "preference": (evidence.PREFERENCE, Kind.PREFERENCE),
    "claim": (evidence.CLAIM, None),
    "figure": (evidence.FIGURE, None),
    "name": (evidence.NAME, None),
    "trouble": (evidence.TROUBLE, None),
    "own story": (evidence.OWN_STORY, None),
    "hedge": (evidence.HEDGE, None),
    "emotion": (evidence.EMOTION, None),
    "vague": (evidence.VAGUE, None),
    "second person": (evidence.SECOND_PERSON, None),
    "passing state": (evidence.TRANSIENT, None),
    "coordination": (evidence.COORDINATION, None),
}
_WEIGHTS: Final[Mapping[str, float]] = {
    "asked": -0.80,
    "claim": 0.73,
    "coordination": -0.99,
    "decision": 1.00,
    "disclosure": 3.28,
    "emotion": -0.23,
    "event": 1.30,
    "figure": 0.73,
    "fragment": -1.26,
    "hedge": -1.12,
    "knowledge": 0.81,
    "link": 0.53,
    "money": 0.70,
    "name": 1.35,
    "own story": -0.23,
    "passing state": -1.23,
    "person": 1.49,
    "preference": 0.42,
    "second person": -0.72,
    "size": 4.20,
    "specific": 0.44,
    "time": 0.95,
    "trouble": -2.45,
    "vague": -1.57,
}
"""Log odds that a sign adds; fitted by L2-regularised logistic regression to tests/data/worth.jsonl, then
disclosure raised by 0.7 and the bias lowered by 0.1: a missed disclosure costs more than a kept aside."""
_BIAS = -3.38

_IMPORTANCE: Final[Mapping[Kind, float]] = {
    Kind.DECISION: 0.7,
    Kind.EVENT: 0.6,
    Kind.PREFERENCE: 0.6,
    Kind.FACT: 0.55,
    Kind.KNOWLEDGE: 0.5,
}


@dataclass(frozen=True, slots=True)
class Worth:
    """`reason` names what decided, for logs and tests. `importance` is in 0..1."""

    keep: bool
    reason: str
    kind: Kind = Kind.FACT
    importance: float = 0.0


def judge(text: str, *, role: Role = "member", is_answer: bool = False) -> Worth:
    """Whether a member's message holds something worth keeping. An admin's word weighs a little more; `is_answer` says
    that the message answers a question that someone asked."""
    if evidence.COMMAND.match(text):
        return Worth(False, "command")
    text = as_read(text)
    body = evidence.ADDRESS.sub("", text, count=1).strip()
    if not evidence.WORD.search(body):
        return Worth(False, "no words")
    if evidence.CHATTER.match(body):
        return Worth(False, "chatter")
    pieces = sentences(body)
    stated = [piece for piece in pieces if not asks(piece) and not evidence.REQUEST.match(piece)]
    if not stated:
        return Worth(False, "question or request")
    signs = signs_of(" ".join(stated), asked=len(stated) < len(pieces))
    odds = _BIAS + sum(_WEIGHTS.get(name, 0.0) * value for name, value in signs.items())
    odds += 0.3 * (role == "admin") + 0.4 * is_answer
    reason = ", ".join(signs)
    if odds <= 0.0:
        return Worth(False, reason)
    kind = _kind(signs)
    return Worth(True, reason, kind, round(min(0.9, _IMPORTANCE[kind] + 0.04 * min(5.0, odds)), 3))


def signs_of(statement: str, *, asked: bool) -> dict[str, float]:
    """The signs found in what a message states, with their strength (1.0 where a sign is either there or not); `asked`
    says that the message asks something besides."""
    size = _size(evidence.URL.sub(" ", statement))
    signs = {"size": min(size, 12.0) / 12.0}
    if asked:
        signs["asked"] = 1.0
    if evidence.URL.search(statement) and size >= 2.0:
        signs["link"] = 1.0
    if discloses(statement):
        signs["disclosure"] = 1.0
    elif size < 4.0:
        signs["fragment"] = 1.0
    for name, (pattern, _) in _SIGNS.items():
        if pattern.search(statement):
            signs[name] = 1.0
    return signs


def worth_as_answer(question: str, answer: str) -> bool:
    """Whether a question and the reply that it got are worth keeping as one unit: it asks about something that others
    may ask again, and the reply says something."""
    if evidence.COMMAND.match(question) or not is_question(question):
        return False
    question = as_read(question)
    body = evidence.ADDRESS.sub("", question, count=1).strip()
    if evidence.CHATTER.match(body) or _size(body) < 2.5 or evidence.SMALL_TALK.search(body):
        return False
    return len(answer.strip()) >= MIN_ANSWER_CHARS and not evidence.NO_ANSWER.search(answer[:200])


def _size(text: str) -> float:
    """Words; a Chinese character counts three quarters, about what it carries."""
    tokens = evidence.WORD.findall(text)
    return math.fsum(0.75 if evidence.HAN_WORD.match(token) else 1.0 for token in tokens)


def _kind(signs: Mapping[str, float]) -> Kind:
    kinds = [kind for name, (_, kind) in _SIGNS.items() if kind is not None and name in signs]
    if Kind.EVENT in kinds and "event" not in signs:
        kinds.remove(Kind.EVENT)
    if "disclosure" in signs:
        return Kind.PREFERENCE if Kind.PREFERENCE in kinds else Kind.FACT
    return next(
        (kind for kind in (Kind.DECISION, Kind.EVENT, Kind.PREFERENCE) if kind in kinds),
        kinds[-1] if kinds else Kind.FACT,
    )
