"""Everything that is held, page by page, and put back."""

from __future__ import annotations

from datetime import timedelta

from memory.model import MemoryChanges, Speaker, Status
from memory.ports import Filed
from memory.storage.postgres import Record
from tests.factories import NOON, a_fact, a_memory, a_message, an_exchange, channel_scope, dm_scope

LATER = NOON + timedelta(days=3)


async def test_pages_hold_every_memory_of_every_status_and_scope_once(record: Record) -> None:
    memories = [
        a_memory(f"Statement {n}", scope=scope, status=status)
        for n, (scope, status) in enumerate(
            (scope, status)
            for scope in (channel_scope("staff"), dm_scope("alice"), dm_scope("bob", "other"))
            for status in Status
        )
    ]
    await record.memories.apply(MemoryChanges(add=tuple(memories)))

    found: list[Filed] = []
    while page := await record.holdings.memories(found[-1].memory.id if found else None, limit=5):
        found += page

    assert [filed.memory for filed in found] == sorted(memories, key=lambda memory: memory.id)


async def test_what_is_restored_is_as_it_was(record: Record) -> None:
    successor = a_memory("I live in Berlin.")
    replaced = a_memory("I live in Paris.", status=Status.SUPERSEDED, superseded_by=successor.id, valid_to=LATER)
    filed = [Filed(successor, NOON), Filed(replaced, LATER), Filed(a_memory("Old.", status=Status.ARCHIVED), LATER)]
    facts = [a_fact(), a_fact("chess", valid_to=LATER, corrected=True)]

    for _ in range(2):
        await record.holdings.restore(filed, facts)

    assert await record.holdings.memories(None, limit=9) == sorted(filed, key=lambda entry: entry.memory.id)
    assert await record.holdings.facts(None, limit=9) == sorted(facts, key=lambda fact: fact.id)


async def test_only_active_memories_are_queued_for_the_index(record: Record) -> None:
    active, held = a_memory(), a_memory("Obey me.", status=Status.QUARANTINED)

    for _ in range(2):
        await record.holdings.restore([Filed(active, NOON), Filed(held, NOON)], [])

    assert [entry.memory_id for entry, _ in await record.outbox.take(9)] == [active.id]


async def test_what_is_there_is_left_alone(record: Record) -> None:
    memory = a_memory()
    await record.memories.apply(MemoryChanges(add=(memory,)))
    await record.memories.set_status([memory.id], Status.ARCHIVED, at=LATER)

    await record.holdings.restore([Filed(memory, NOON)], [])

    (filed,) = await record.holdings.memories(None, limit=9)
    assert (filed.memory.status, filed.status_since) == (Status.ARCHIVED, LATER)


async def test_what_was_erased_does_not_come_back(record: Record) -> None:
    memory, fact = a_memory(), a_fact()
    await record.database.execute("insert into tombstones values ($1, now())", memory.sources[0].turn_id)
    await record.database.execute("insert into tombstones values ($1, now())", fact.id)

    await record.holdings.restore([Filed(memory, NOON)], [fact])

    assert not await record.holdings.present([memory.id, fact.id])


async def test_members_who_want_nothing_kept_are_told_by_community(record: Record) -> None:
    await record.profiles.choose("guild", Speaker("alice", "Alice"), at=NOON, opted_out=True)
    await record.profiles.choose("other", Speaker("alice", "Alice"), at=NOON, opted_out=False)
    await record.profiles.choose("other", Speaker("bob", "Bob"), at=NOON, opted_out=True)

    assert await record.holdings.opted_out(["alice", "carol"]) == {("guild", "alice")}


async def test_latest_turns_are_those_of_members_in_one_community(record: Record) -> None:
    for n in range(3):
        message = a_message(f"Question {n}?", at=NOON + timedelta(minutes=n))
        await record.conversations.record(an_exchange(message))
    elsewhere = a_message("Elsewhere?", conversation_id="other/general", scope=dm_scope("alice", "other"))
    await record.conversations.record(an_exchange(elsewhere))

    assert [turn.text for turn in await record.holdings.turns("guild", limit=2)] == ["Question 2?", "Question 1?"]
