"""Applying one step of the write path: a statement for each sort of change, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.language import language_of
from memory.model import Memory, MemoryChanges, ProfileFact
from memory.storage.postgres.database import Connection
from memory.storage.postgres.digest import text_digest
from memory.storage.postgres.queries import load_queries
from memory.storage.postgres.rows import fact_to, memory_to, sources_to, time_to

_SQL = load_queries("memories")

ERASURE_LOCK = 0x6B746572
"""Advisory lock: shared by whoever checks tombstones and then writes, exclusive for whoever writes tombstones."""


async def apply_changes(connection: Connection, changes: MemoryChanges) -> None:
    erased = await _erased(connection, changes)
    if touched := sorted(_touched(changes)):
        await connection.execute(_SQL["lock"], touched)
    await _apply_to_memories(connection, changes, erased)
    if facts := [fact for fact in changes.facts if not erased & _rests_on(fact)]:
        await connection.execute(_SQL["add_facts"], [fact_to(fact) for fact in facts])
    if changes.retire_facts:
        ids, times = zip(*changes.retire_facts, strict=True)
        await connection.execute(_SQL["retire_facts"], list(ids), list(times))
    if changes.settled_jobs:
        await connection.execute(_SQL["settle"], list(changes.settled_jobs))


async def _apply_to_memories(connection: Connection, changes: MemoryChanges, erased: set[UUID]) -> None:
    if add := [memory for memory in changes.add if not erased & _rests_on(memory)]:
        await connection.execute(_SQL["add"], [memory_to(memory) for memory in add])
    for id_, at, sources in changes.refresh:
        kept = [source for source in sources if source.turn_id not in erased]
        seen = {"id": str(id_), "at": time_to(at), "sources": sources_to(kept)}
        await connection.execute(_SQL["refresh"], [seen])
    if changes.update:
        worded = [
            {"id": str(id_), "text": text, "digest": str(text_digest(text)), "language": language_of(text)}
            for id_, text in changes.update
        ]
        await connection.execute(_SQL["update"], worded)
    if changes.supersede:
        replaced = [
            {"old_id": str(change.old_id), "new_id": str(change.new_id), "at": time_to(change.at)}
            for change in changes.supersede
        ]
        await connection.execute(_SQL["supersede"], replaced)


async def _erased(connection: Connection, changes: MemoryChanges) -> set[UUID]:
    """Which of the ids that these changes bring or rest on have a tombstone."""
    ids = {id_ for entry in (*changes.add, *changes.facts) for id_ in _rests_on(entry)}
    ids |= {source.turn_id for _, _, sources in changes.refresh for source in sources if source.turn_id is not None}
    if not ids:
        return set()
    await connection.execute(_SQL["lock_erasure"], ERASURE_LOCK)
    return {row["id"] for row in await connection.fetch(_SQL["erased"], list(ids))}


def _rests_on(entry: Memory | ProfileFact) -> set[UUID]:
    return {entry.id} | {source.turn_id for source in entry.sources if source.turn_id is not None}


def _touched(changes: MemoryChanges) -> set[UUID]:
    """Memories that exist and change. Locked in the order of their ids: two steps cannot wait for each other."""
    ids: list[Sequence[UUID]] = [
        [id_ for id_, _, _ in changes.refresh],
        [id_ for id_, _ in changes.update],
        [change.old_id for change in changes.supersede],
    ]
    return {id_ for group in ids for id_ in group}
