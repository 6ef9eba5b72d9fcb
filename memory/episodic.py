"""Episodic memory: who a member is, as one audience may know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.audience import Audience
from memory.disclosure import discloses
from memory.model import Language, MemberActivity, ProfileFact, UserProfile
from memory.ports import ProfileStore, TokenCounter
from memory.profile import fold, profile_text

FRESH_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """What is known of a member for one reply. `fresh` are their own words that are not filed yet, newest first."""

    profile: UserProfile
    facts: tuple[ProfileFact, ...]
    fresh: tuple[str, ...]
    activity: MemberActivity | None

    @property
    def opted_out(self) -> bool:
        return self.activity is not None and self.activity.opted_out


class EpisodicMemory:
    """Profiles folded from a member's own statements.

    Invariant: a profile never holds a fact whose scope its audience may not see, and together with `fresh` it is never
    behind what the member said.
    """

    def __init__(self, store: ProfileStore, counter: TokenCounter, budget_tokens: int) -> None:
        self._store = store
        self._counter = counter
        self._budget_tokens = budget_tokens

    async def know(self, member_id: str, name: str, audience: Audience) -> Acquaintance:
        """The member as recorded. Raises RecordUnavailable."""
        facts = [fact for fact in await self._store.facts(member_id, audience) if audience.may_see(fact.scope)]
        activity = await self._store.activity(audience.community, member_id)
        waiting = await self._store.unextracted(member_id, audience, limit=FRESH_LIMIT)
        fresh = tuple(turn.text for turn in waiting if audience.may_see(turn.scope) and discloses(turn.text))
        return Acquaintance(self.fold(member_id, name, activity, facts), tuple(facts), fresh, activity)

    def fold(
        self, member_id: str, name: str, activity: MemberActivity | None, facts: Sequence[ProfileFact]
    ) -> UserProfile:
        profile = fold(member_id, activity, facts)
        return profile if profile.name else replace(profile, name=name)

    def text(self, profile: UserProfile, language: Language) -> str:
        """The profile for the model, in the member's language, within its token budget."""
        return profile_text(profile, language, self._budget_tokens, self._counter)
