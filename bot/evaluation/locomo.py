"""LoCoMo (Maharana et al. 2024): long dialogues of two speakers, with questions and the turns that hold the answers.

One turn is one memory, with the neighbours that it would have in the product: the turns before and after it in the
same session. Each dialogue is a community of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.errors import InputUnusable
from bot.evaluation.dataset import Dataset, Foreign, Question, community_of, read
from memory.audience import Audience, Scope
from memory.language import language_of
from memory.model import Kind, Memory, Neighbours, Source, Speaker, derived_id
from memory.question import QueryFacts

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""Those that are asked; the adversarial ones have no evidence that answers them."""
_BETWEEN_TURNS: Final = timedelta(seconds=30)


class _Turn(BaseModel):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Asked(BaseModel):
    question: str
    category: int
    evidence: list[Any] = []


class _Dialogue(BaseModel):
    sample_id: str
    conversation: dict[str, Any]
    qa: list[_Asked]


_FILE = TypeAdapter(list[_Dialogue])
_SESSION = TypeAdapter(list[_Turn])


@dataclass(frozen=True, slots=True)
class _Session:
    at: datetime
    turns: list[_Turn]


def load_locomo(path: Path) -> tuple[Dataset, ...]:
    """A part for each dialogue; to each the questions of the one before it are foreign. Raises InputUnusable when the
    file is no LoCoMo file or asks nothing."""
    parts = [_part(dialogue, path) for dialogue in read(path, _FILE, "LoCoMo")]
    if not any(part.questions for part in parts):
        raise InputUnusable(f"{path} has no question of categories 1 to 4 with evidence in its dialogue")
    if len(parts) == 1:
        return tuple(parts)
    return tuple(_with_foreign(part, parts[place - 1]) for place, part in enumerate(parts))


def _part(dialogue: _Dialogue, path: Path) -> Dataset:
    scope, audience = community_of(dialogue.sample_id)
    sessions = _sessions(dialogue, path)
    told = {id_: memory for session in sessions for id_, memory in _memories(session, scope)}
    ids = {id_: memory.id for id_, memory in told.items()}
    questions = tuple(_questions(dialogue, ids, sessions, audience))
    return Dataset("locomo", tuple(told.values()), questions, capped=False)


def _with_foreign(part: Dataset, other: Dataset) -> Dataset:
    audience = Audience.public(part.memories[0].scope.community) if part.memories else None
    asked = (Foreign(question.facts, audience) for question in other.questions if audience is not None)
    return replace(part, foreign=tuple(asked))


def _sessions(dialogue: _Dialogue, path: Path) -> list[_Session]:
    sessions: list[_Session] = []
    for number in range(1, len(dialogue.conversation) + 1):
        turns, at = (dialogue.conversation.get(f"session_{number}{end}") for end in ("", "_date_time"))
        if turns is None:
            continue
        try:
            begun = datetime.strptime(str(at), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            sessions.append(_Session(begun, _SESSION.validate_python(turns)))
        except (ValueError, ValidationError) as error:
            raise InputUnusable(
                f"{path} is not a LoCoMo file: session {number} of {dialogue.sample_id} has no turns or no time"
            ) from error
    return sessions


def _memories(session: _Session, scope: Scope) -> Iterator[tuple[str, Memory]]:
    lines = [_said(turn) for turn in session.turns]
    quoted = [f"{turn.speaker}: {line}" for turn, line in zip(session.turns, lines, strict=True)]
    members = [f"{scope.community}:{turn.speaker}" for turn in session.turns]
    for n, turn in enumerate(session.turns):
        at = session.at + n * _BETWEEN_TURNS
        turn_id = derived_id("locomo turn", scope.community, turn.dia_id)
        near = [place for place in (n - 1, n + 1) if 0 <= place < len(lines)]
        memory = Memory(
            id=derived_id("locomo", scope.community, turn.dia_id),
            scope=scope,
            text=lines[n],
            kind=Kind.FACT,
            language=language_of(lines[n]),
            sources=(Source(turn_id, Speaker(members[n], turn.speaker), at),),
            created_at=at,
            last_seen_at=at,
            valid_from=at,
            neighbours=Neighbours(
                before=quoted[n - 1] if n else "",
                after=quoted[n + 1] if n + 1 < len(quoted) else "",
                speakers=tuple(dict.fromkeys(members[place] for place in near)),
            ),
        )
        yield turn.dia_id, memory


def _said(turn: _Turn) -> str:
    return f"{turn.text} [image: {turn.blip_caption}]" if turn.blip_caption else turn.text


def _questions(
    dialogue: _Dialogue, ids: dict[str, UUID], sessions: Sequence[_Session], audience: Audience
) -> Iterator[Question]:
    now = max((session.at for session in sessions), default=datetime.now(UTC)) + timedelta(days=1)
    for asked in dialogue.qa:
        relevant = tuple(dict.fromkeys(ids[str(id_)] for id_ in asked.evidence if str(id_) in ids))
        if asked.category in CATEGORIES and relevant:
            facts = QueryFacts(text=asked.question, now=now)
            yield Question(facts, audience, relevant, CATEGORIES[asked.category])
