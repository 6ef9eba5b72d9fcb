"""What a member said about themselves and no longer holds, found by the facts that it rested on."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.model import SINGLE_VALUED, ProfileFact
from memory.profile import ends, folded, same_value


def outdated_turns(news: Sequence[ProfileFact], known: Sequence[ProfileFact]) -> set[UUID]:
    """The turns all of whose facts among `known` are replaced or ended by `news`, so that nothing of them still holds.
    What a member set on purpose is not outdated by what they say in passing."""
    standing: dict[UUID, bool] = {}
    for fact in known:
        outdated = any(_replaces(new, fact) for new in news)
        for source in fact.sources:
            if source.turn_id is not None:
                standing[source.turn_id] = standing.get(source.turn_id, False) or not outdated
    return {turn_id for turn_id, holds in standing.items() if not holds}


def _replaces(new: ProfileFact, old: ProfileFact) -> bool:
    if new.member_id != old.member_id or new.stated_at < old.stated_at or (old.corrected and not new.corrected):
        return False
    if ends(new, old):
        return True
    if same_value(new.value, old.value):
        return False
    same_key = bool(new.key) and folded(new.key) == folded(old.key)
    return same_key or (new.field is old.field and new.field in SINGLE_VALUED)
