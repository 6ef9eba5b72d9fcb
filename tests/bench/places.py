"""A member of the invented community who writes in one of its channels."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from tests.bench.community import NAME, NOW, Community


def incoming(community: Community, number: int, text: str, channel: str, at: datetime = NOW) -> Incoming:
    """A message of the community's `number`-th member (they take turns)."""
    member = str(community.members[number % len(community.members)].member_id)
    return incoming_from(
        user=member.removeprefix("console:"),
        text=text,
        channel=channel,
        visibility="community",
        community=NAME,
        role="member",
        at=at,
    )
