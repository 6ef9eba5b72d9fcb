"""Lines of other makes: mem0's, and plain `{"text", "user", "at"}`.

They say little about a memory, so the rest is told as for a message: kind and importance by its worth, secrets masked,
what addresses the model held back for an admin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field, ValidationError

from bot.transfer.lines import LineRefused
from memory.audience import Scope, Visibility, VisibilityKind
from memory.extraction import TRUST
from memory.language import language_of
from memory.model import Memory, Source, Speaker, Status, derived_id
from memory.ports import Clock
from memory.privacy import clean_name, clean_text, is_readable, mask_secrets
from memory.safety import inspect
from memory.worth import judge

MAX_CHARS: Final = 4_000
PLAIN_IMPORTANCE: Final = 0.3
"""Of a statement that would not have been kept by its worth alone; whoever imports it wants it kept."""

L = TypeVar("L", bound=BaseModel)


class _PlainLine(BaseModel):
    """Visibility is the community's unless the line says otherwise, as in a script."""

    text: str
    user: str = Field(min_length=1, max_length=200)
    at: datetime | None = None
    channel: str = Field(default="general", min_length=1, max_length=200)
    visibility: VisibilityKind = "community"
    community: str | None = Field(default=None, min_length=1, max_length=200)


class _Mem0Line(BaseModel):
    memory: str
    id: str | None = Field(default=None, max_length=200)
    user_id: str | None = Field(default=None, max_length=200)
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ForeignLines:
    """Reads foreign lines into one community. A user who is not named with their platform is one of `platform`.

    A line of mem0's is about one user and does not say who else may know it, so only that user may, unless `shared`.
    """

    community: str
    platform: str
    shared: bool
    clock: Clock

    def read(self, content: Mapping[str, Any]) -> Memory:
        """Raises LineRefused."""
        if isinstance(content.get("memory"), str):
            return self._mem0(_validated(_Mem0Line, content))
        if "text" in content:
            return self._plain(_validated(_PlainLine, content))
        raise LineRefused('has neither "kith" nor "memory" nor "text"')

    def _plain(self, line: _PlainLine) -> Memory:
        speaker = self._speaker(line.user)
        community = line.community or self.community
        scope = Scope(community, _visibility(line.visibility, speaker, line.channel, community))
        id_ = derived_id("import", scope.key, speaker.member_id or "", str(_aware(line.at)), line.text)
        at = _aware(line.at) or self.clock()
        channel = "" if line.visibility == "dm" else line.channel
        return _memory(id_, line.text, scope, at, (Source(None, speaker, at, channel),))

    def _mem0(self, line: _Mem0Line) -> Memory:
        if line.user_id is None:
            if not self.shared:
                raise LineRefused("is about no user, so nobody could see it; --shared shows it to the community")
            return self._about_nobody(line)
        speaker = self._speaker(line.user_id)
        visibility = _visibility("community" if self.shared else "dm", speaker, "", self.community)
        scope = Scope(self.community, visibility)
        at = _aware(line.created_at) or self.clock()
        memory = _memory(_mem0_id(line, scope), line.memory, scope, at, (Source(None, speaker, at),))
        return replace(memory, subject=speaker.member_id, last_seen_at=max(at, _aware(line.updated_at) or at))

    def _about_nobody(self, line: _Mem0Line) -> Memory:
        scope = Scope(self.community, Visibility.community(self.community))
        at = _aware(line.created_at) or self.clock()
        return _memory(_mem0_id(line, scope), line.memory, scope, at, ())

    def _speaker(self, user: str) -> Speaker:
        cleaned = " ".join(clean_text(user).split())
        if not cleaned:
            raise LineRefused("user: holds no readable character")
        return Speaker(cleaned if ":" in cleaned else f"{self.platform}:{cleaned}", clean_name(cleaned.split(":")[-1]))


def _memory(id_: UUID, text: str, scope: Scope, at: datetime, sources: tuple[Source, ...]) -> Memory:
    cleaned = clean_text(text).strip()
    if not is_readable(cleaned):
        raise LineRefused("holds no readable text")
    if len(cleaned) > MAX_CHARS:
        raise LineRefused(f"holds more than {MAX_CHARS:,} characters")
    worth = judge(cleaned)
    memory = Memory(
        id=id_,
        scope=scope,
        text=mask_secrets(cleaned),
        kind=worth.kind,
        language=language_of(cleaned),
        sources=sources,
        created_at=at,
        last_seen_at=at,
        valid_from=at,
        importance=worth.importance if worth.keep else PLAIN_IMPORTANCE,
        trust=TRUST["member"],
    )
    if inspect(cleaned) is None:
        return memory
    return replace(memory, status=Status.QUARANTINED, importance=0.0, trust=0.0)


def _mem0_id(line: _Mem0Line, scope: Scope) -> UUID:
    try:
        return UUID(line.id or "")
    except ValueError:
        return derived_id("mem0", scope.key, line.id or line.memory)


def _visibility(kind: VisibilityKind, speaker: Speaker, channel: str, community: str) -> Visibility:
    if kind == "dm":
        return Visibility.dm(str(speaker.member_id))
    return Visibility.channel(channel) if kind == "channel" else Visibility.community(community)


def _aware(time: datetime | None) -> datetime | None:
    """A time without a zone is taken for UTC."""
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


def _validated(shape: type[L], content: Mapping[str, Any]) -> L:
    try:
        return shape.model_validate(content)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
        raise LineRefused(f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}") from None
