"""Writes everything that is held as lines, a page at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from bot.transfer.lines import encode
from memory.ports import Holdings

PAGE: Final = 500


async def exported(holdings: Holdings) -> AsyncIterator[str]:
    """A line, without its end, for each memory and then for each profile fact, in the order of their ids. What is
    stored meanwhile may or may not be among them. Raises RecordUnavailable."""
    after = None
    while memories := await holdings.memories(after, limit=PAGE):
        for filed in memories:
            yield encode(filed)
        after = memories[-1].memory.id
    after = None
    while facts := await holdings.facts(after, limit=PAGE):
        for fact in facts:
            yield encode(fact)
        after = facts[-1].id
