"""Values for tests. Every factory has defaults for what a test does not care about."""

# ruff: noqa: ANN401 - a factory passes any field on

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from memory.audience import Scope, Visibility
from memory.model import (
    Exchange,
    Kind,
    Memory,
    Message,
    ModelCall,
    ProfileFact,
    ProfileField,
    Source,
    Speaker,
    Turn,
    derived_id,
    turn_id,
)

COMMUNITY = "guild"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALICE = Speaker("alice", "Alice")
BOB = Speaker("bob", "小波")

_numbers = count(1)


@dataclass
class FixedClock:
    """A clock that stands still until it is told to move. Calling it tells the time."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **units: float) -> datetime:
        """Move on by `timedelta(**units)`; returns the new time."""
        self.now += timedelta(**units)
        return self.now


def an_id() -> UUID:
    """An id that no other call returned."""
    return derived_id("test", str(next(_numbers)))


def community_scope(community: str = COMMUNITY) -> Scope:
    return Scope(community, Visibility.community(community))


def channel_scope(channel: str, community: str = COMMUNITY) -> Scope:
    return Scope(community, Visibility.channel(channel))


def dm_scope(member: str, community: str = COMMUNITY) -> Scope:
    return Scope(community, Visibility.dm(member))


def a_message(text: str = "When is the meetup?", **fields: Any) -> Message:
    values: dict[str, Any] = {
        "conversation_id": "guild/general",
        "scope": community_scope(),
        "speaker": ALICE,
        "at": NOON,
        "channel_name": "general",
    }
    return Message(text=text, **(values | fields))


def an_exchange(
    message: Message | None = None,
    reply_text: str | None = "On Friday at seven.",
    *,
    recalled_ids: Sequence[UUID] = (),
    **fields: Any,
) -> Exchange:
    message = message or a_message()
    values: dict[str, Any] = {
        "replied_at": None if reply_text is None else message.at + timedelta(seconds=2),
        "degraded": False,
        "extract": "batch",
    }
    return Exchange(message=message, reply_text=reply_text, recalled_ids=tuple(recalled_ids), **(values | fields))


def a_turn(text: str = "The meetup is on Friday.", *, seq: int = 1, **fields: Any) -> Turn:
    values: dict[str, Any] = {
        "conversation_id": "guild/general",
        "scope": community_scope(),
        "speaker": ALICE,
        "at": NOON,
    }
    values |= fields
    return Turn(id=turn_id(values["conversation_id"], seq), seq=seq, text=text, **values)


def a_source(**fields: Any) -> Source:
    values: dict[str, Any] = {"turn_id": an_id(), "speaker": ALICE, "at": NOON, "channel_name": "general"}
    return Source(**(values | fields))


def a_memory(text: str = "The meetup is on Friday at seven.", **fields: Any) -> Memory:
    """`at` sets created, last seen and valid-from at once."""
    at = fields.pop("at", NOON)
    values: dict[str, Any] = {
        "id": an_id(),
        "scope": community_scope(),
        "kind": Kind.FACT,
        "language": "en",
        "sources": (a_source(at=at),),
        "created_at": at,
        "last_seen_at": at,
        "valid_from": at,
    }
    return Memory(text=text, **(values | fields))


def a_fact(value: str = "climbing", **fields: Any) -> ProfileFact:
    values: dict[str, Any] = {
        "id": an_id(),
        "member_id": "alice",
        "scope": community_scope(),
        "field": ProfileField.INTEREST,
        "stated_at": NOON,
        "sources": (a_source(),),
    }
    return ProfileFact(value=value, **(values | fields))


def a_model_call(**fields: Any) -> ModelCall:
    values: dict[str, Any] = {
        "purpose": "answer",
        "model": "gpt-4.1",
        "prompt_version": "answer-1",
        "prompt_tokens": 900,
        "cached_tokens": 0,
        "completion_tokens": 60,
        "cost_usd": 0.0023,
        "latency_ms": 812.5,
        "at": NOON,
        "ok": True,
    }
    return ModelCall(**(values | fields))
