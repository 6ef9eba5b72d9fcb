"""What is known about members."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.audience import Audience
from memory.model import Language, MemberActivity, ProfileFact, Speaker, Turn
from memory.storage.postgres.database import Database
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import activity_from, fact_from, turn_from

_SQL = load_queries("profiles")


@dataclass(frozen=True, slots=True)
class PostgresProfiles:
    """Invariant: as for memories, what is returned for an audience everyone in it may see."""

    database: Database

    async def facts(self, member_id: str, audience: Audience) -> list[ProfileFact]:
        rows = await self.database.fetch(_SQL["facts"], member_id, audience.keys)
        return [fact for fact in map(fact_from, rows) if audience.may_see(fact.scope)]

    async def activity(self, community: str, member_id: str) -> MemberActivity | None:
        row = await self.database.fetchrow(_SQL["activity"], community, member_id)
        return activity_from(row) if row is not None else None

    async def unextracted(self, member_id: str, audience: Audience, *, limit: int) -> list[Turn]:
        """As the port says; parked turns are among them, since what they say has not been taken in."""
        rows = await self.database.fetch(_SQL["unextracted"], member_id, audience.keys, limit)
        return [turn for turn in map(turn_from, rows) if audience.may_see(turn.scope)]

    async def choose(
        self,
        community: str,
        member: Speaker,
        *,
        at: datetime,
        opted_out: bool | None = None,
        language: Language | None = None,
    ) -> None:
        """Keep what a member decided about being remembered and about their language; None leaves it as it is."""
        await self.database.execute(_SQL["choose"], community, member.member_id, member.name, at, opted_out, language)
