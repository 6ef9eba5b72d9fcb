"""Which language a member speaks where: what a bare `/help`, which is in none, is answered in."""

from __future__ import annotations

from collections import OrderedDict

from bot.message import Incoming
from memory.errors import RecordUnavailable
from memory.language import language_of
from memory.model import Language
from memory.system import AgentMemorySystem

REMEMBERED = 10_000


class SpokenLanguages:
    """What each member wrote last in each conversation; after a restart, what the record says of it."""

    def __init__(self, memory: AgentMemorySystem) -> None:
        self._memory = memory
        self._last: OrderedDict[tuple[str, str], Language] = OrderedDict()

    def hear(self, incoming: Incoming) -> None:
        language = language_of(incoming.text)
        if language == "other":
            return
        place = (incoming.conversation_id, incoming.actor.id)
        self._last[place] = language
        self._last.move_to_end(place)
        while len(self._last) > REMEMBERED:
            self._last.popitem(last=False)

    async def of(self, incoming: Incoming) -> Language:
        """The language to answer `incoming` in when its own words do not tell."""
        known = self._last.get((incoming.conversation_id, incoming.actor.id))
        if known is not None:
            return known
        actor = incoming.actor
        try:
            return await self._memory.language_of(
                actor.id, actor.name, incoming.audience, conversation_id=incoming.conversation_id, at=incoming.at
            )
        except RecordUnavailable:
            return "other"
