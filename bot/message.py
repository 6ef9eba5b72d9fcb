"""What platforms hand to the agent and what they get back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.audience import Audience, Scope
from memory.model import Language, Recalled, Role, UserProfile


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever sent a message. `id` is stable and unique across platforms (`console:alice`)."""

    id: str
    name: str
    role: Role = "member"


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message from a platform. `scope` is where it was said, `audience` who can read the reply."""

    platform: str
    conversation_id: str
    channel_name: str
    scope: Scope
    audience: Audience
    actor: Actor
    text: str
    at: datetime
    event_id: str | None = None
    quoted: str | None = None

    @property
    def is_direct(self) -> bool:
        return self.scope.visibility.kind == "dm"


Degraded = Literal["", "no_model", "model_failed", "no_record", "no_index"]
"""Why a reply is less than it could be; empty when it is not."""


@dataclass(frozen=True, slots=True)
class Usage:
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    language: Language
    recalled: tuple[Recalled, ...] = ()
    profile: UserProfile | None = None
    degraded: Degraded = ""
    duplicate: bool = False
    """The message had been answered before; nothing is to be sent."""
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
