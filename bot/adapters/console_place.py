"""Where a terminal line is said: its ids, its scope and who reads the answer."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.message import Actor, Incoming
from memory.audience import Audience, Scope, Visibility, VisibilityKind
from memory.model import Role
from memory.privacy import clean_name, clean_text

PLATFORM = "console"


def incoming_from(
    *,
    user: str,
    text: str,
    channel: str,
    visibility: VisibilityKind,
    community: str,
    role: Role,
    at: datetime,
    quoted: str | None = None,
) -> Incoming:
    """An `Incoming` said by `user`. Raises ValueError when an id has no readable character."""
    user, channel, community = (
        _id(value, name) for value, name in ((user, "user"), (channel, "channel"), (community, "community"))
    )
    member_id = f"{PLATFORM}:{user}"
    place = f"dm/{user}" if visibility == "dm" else f"{visibility}/{channel}"
    return Incoming(
        platform=PLATFORM,
        conversation_id=f"{PLATFORM}/{community}/{place}",
        channel_name="" if visibility == "dm" else channel,
        scope=Scope(community, _visibility(visibility, member_id, channel, community)),
        audience=_audience(visibility, member_id, channel, community),
        actor=Actor(member_id, clean_name(user), role),
        text=text,
        at=at,
        quoted=quoted,
    )


def _id(value: str, name: Literal["user", "channel", "community"] | str) -> str:
    cleaned = " ".join(clean_text(value).split())
    if not cleaned:
        raise ValueError(f"{name}: holds no readable character")
    return cleaned


def _visibility(kind: VisibilityKind, member_id: str, channel: str, community: str) -> Visibility:
    if kind == "dm":
        return Visibility.dm(member_id)
    return Visibility.channel(channel) if kind == "channel" else Visibility.community(community)


def _audience(kind: VisibilityKind, member_id: str, channel: str, community: str) -> Audience:
    if kind == "dm":
        return Audience.direct_message(community, member_id, member_of=[community])
    return Audience.private_channel(community, channel) if kind == "channel" else Audience.public(community)
