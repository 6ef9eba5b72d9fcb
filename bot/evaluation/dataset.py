"""What an evaluation needs of a data set, whichever file it came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from bot.errors import InputUnusable
from memory.audience import Audience, Scope, Visibility
from memory.model import Memory
from memory.question import QueryFacts

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """`relevant` are the memories that ought to come back."""

    facts: QueryFacts
    audience: Audience
    relevant: tuple[UUID, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A question before an audience whose memories have nothing to do with it."""

    facts: QueryFacts
    audience: Audience


@dataclass(frozen=True, slots=True)
class Dataset:
    """What one store holds and is asked, in that order. With `capped`, recall@k of a question with more than k relevant
    memories is reckoned against k."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]
    capped: bool
    foreign: tuple[Foreign, ...] = ()


def joined(parts: Sequence[Dataset]) -> Dataset:
    """All parts in one store."""
    return Dataset(
        parts[0].name,
        tuple(memory for part in parts for memory in part.memories),
        tuple(question for part in parts for question in part.questions),
        parts[0].capped,
        tuple(question for part in parts for question in part.foreign),
    )


def community_of(name: str) -> tuple[Scope, Audience]:
    """A community of its own for one part of a data set, and all of its members."""
    return Scope(name, Visibility.community(name)), Audience.public(name)


def read(path: Path, shape: TypeAdapter[T], kind: str) -> T:
    """A JSON file of a given shape. Raises InputUnusable with what is wrong, and none of the content."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InputUnusable(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputUnusable(f"{path} is not UTF-8 text") from error
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputUnusable(f"{path} is not JSON{where}") from error
    try:
        return shape.validate_python(content)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(step) for step in problem["loc"]) or "the top level"
        raise InputUnusable(f"{path} is not a {kind} file: at {where}: {problem['msg'].lower()}") from error
