"""MADial-Bench (hejunqing/MADial-Bench): events of a person's life, and talks in which some of them come back.

What is asked is the text of up to three turns before a test turn, as the product sees it: the last one as the message,
the two before as what was said before.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.errors import InputUnusable
from bot.evaluation.dataset import Dataset, Question, community_of, read
from memory.audience import Audience, Scope
from memory.language import language_of
from memory.model import Kind, Memory, derived_id
from memory.question import QueryFacts
from memory.system import QUESTION_CONTEXT_CHARS, QUESTION_CONTEXT_TURNS

TURNS: Final = 3
_LINE = re.compile(r"""\s*<([^>]*)>\s*[:：]?\s*(.*)""", re.DOTALL)
_MARKS: Final = frozenset({"BOD", "EOD"})
_QUOTES: Final = '"“”\n '
_UNDATED: Final = datetime(2023, 6, 1, tzinfo=UTC)


class _Event(BaseModel):
    event: str
    time: str = ""
    scene: str = ""


class _Talk(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    dialogue: list[str]
    test_turns: list[int] = Field(alias="test-turn")
    relevant: list[Any] = Field(alias="relevant-id")


class _File(BaseModel):
    memories: dict[str, _Event]
    dialogues: list[_Talk]


_SHAPE = TypeAdapter(_File)


@dataclass(frozen=True, slots=True)
class _Turn:
    name: str
    text: str


def load_madial(path: Path, *, memories: Path | None = None, mixed: int | None = None) -> tuple[Dataset, ...]:
    """The dialogues of one file against its own memories or those of another file with the same ids; with `mixed`,
    against a store that holds each in one of the two at random, drawn with that seed. Raises InputUnusable."""
    asked = read(path, _SHAPE, "MADial")
    events = asked.memories if memories is None else read(memories, _SHAPE, "MADial").memories
    if mixed is not None:
        events = _mixed(asked.memories, events, random.Random(mixed))  # noqa: S311 - a sample, no secret
    scope, audience = community_of("madial")
    kept = {id_: _memory(id_, event, scope) for id_, event in events.items()}
    now = max((memory.created_at for memory in kept.values()), default=_UNDATED) + timedelta(days=1)
    ids = {id_: memory.id for id_, memory in kept.items()}
    scenes = {id_: event.scene for id_, event in events.items()}
    questions = [question for talk in asked.dialogues for question in _questions(talk, ids, scenes, audience, now)]
    if not questions:
        raise InputUnusable(f"{path} has no test turn with a relevant memory")
    return (Dataset("madial", tuple(kept.values()), tuple(questions), capped=True),)


def _mixed(one: Mapping[str, _Event], other: Mapping[str, _Event], draw: random.Random) -> dict[str, _Event]:
    """Each event that both files tell, as one of them tells it."""
    return {id_: draw.choice((event, other[id_])) for id_, event in one.items() if id_ in other}


def _memory(id_: str, event: _Event, scope: Scope) -> Memory:
    at = _time(event.time)
    return Memory(
        id=derived_id("madial", id_),
        scope=scope,
        text=event.event,
        kind=Kind.EVENT,
        language=language_of(event.event),
        sources=(),
        created_at=at,
        last_seen_at=at,
        valid_from=at,
    )


def _time(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return _UNDATED


def _questions(
    talk: _Talk, ids: Mapping[str, UUID], scenes: Mapping[str, str], audience: Audience, now: datetime
) -> Iterator[Question]:
    known = [str(id_) for id_ in talk.relevant if str(id_) in ids]
    turns = _turns(talk.dialogue)
    for place in talk.test_turns:
        before = [turn for turn in turns[max(0, place - TURNS) : max(0, place)] if turn is not None]
        if not known or not before:
            continue
        *earlier, last = before
        lines = (f"{turn.name}: {turn.text[:QUESTION_CONTEXT_CHARS]}" for turn in earlier[-QUESTION_CONTEXT_TURNS:])
        facts = QueryFacts(text=last.text, now=now, previous=tuple(lines), asker=last.name)
        relevant = tuple(dict.fromkeys(ids[id_] for id_ in known))
        yield Question(facts, audience, relevant, scenes[known[0]] or "other")


def _turns(dialogue: Sequence[str]) -> list[_Turn | None]:
    """A turn or a mark (None) for each line. A line without a name is by whoever spoke before the last."""
    turns: list[_Turn | None] = []
    names: list[str] = []
    for line in dialogue:
        match = _LINE.match(line)
        name, text = match.groups() if match else (names[-2] if len(names) > 1 else "", line)
        if name in _MARKS:
            turns.append(None)
            continue
        names.append(name)
        turns.append(_Turn(name, text.strip(_QUOTES)))
    return turns
