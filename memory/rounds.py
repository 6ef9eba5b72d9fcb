"""Rounds of a conversation: what members said, and the bot's answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.model import Turn

MAX_MEMBER_TURNS: Final = 8
"""More member turns in a row than this make a further round, so that a busy group cannot stretch one without end."""


def recent_start(turns: Sequence[Turn], keep_rounds: int) -> int:
    """The index in `turns` at which the last `keep_rounds` rounds begin. Member turns at the end that have no answer
    yet are the round in progress: it stays as well, unless it is long enough to be a round itself."""
    at, rounds = len(turns), 0
    open_start = _members_start(turns, at)
    if len(turns) - open_start < MAX_MEMBER_TURNS:
        at = open_start
    while at > 0 and rounds < keep_rounds:
        while at > 0 and turns[at - 1].speaker.is_bot:
            at -= 1
        at = _members_start(turns, at)
        rounds += 1
    return at


def _members_start(turns: Sequence[Turn], end: int) -> int:
    """Where the run of member turns that ends before `end` begins, at most MAX_MEMBER_TURNS back."""
    at = end
    while at > 0 and end - at < MAX_MEMBER_TURNS and not turns[at - 1].speaker.is_bot:
        at -= 1
    return at
