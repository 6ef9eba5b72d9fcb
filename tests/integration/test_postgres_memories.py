"""Memories in PostgreSQL: changes, visibility, the outbox that follows them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.audience import Audience, Scope, Visibility
from memory.errors import InvalidText
from memory.model import Kind, Memory, MemoryChanges, Neighbours, Speaker, Status, Supersession
from memory.storage.postgres import Record
from memory.storage.postgres.digest import normalised, text_digest
from tests.factories import (
    BOB,
    NOON,
    a_fact,
    a_memory,
    a_source,
    an_exchange,
    an_id,
    channel_scope,
    community_scope,
    dm_scope,
)

PUBLIC = Audience.public("guild")
LATER = NOON + timedelta(days=3)


async def _add(record: Record, *memories: Memory) -> None:
    await record.memories.apply(MemoryChanges(add=memories))


async def _get(record: Record, memory: Memory | UUID) -> Memory | None:
    """The memory as it is stored if it is active."""
    id_ = memory.id if isinstance(memory, Memory) else memory
    found = await record.memories.by_ids([id_], PUBLIC)
    return found[0] if found else None


async def _outbox(record: Record) -> list[tuple[UUID, bool]]:
    return [(entry.memory_id, entry.delete) for entry, _ in await record.outbox.take(1000)]


async def _erase(record: Record, *ids: UUID) -> None:
    await record.database.execute("insert into tombstones select unnest($1::uuid[]), now()", list(ids))


async def test_a_memory_comes_back_as_it_was_added(record: Record) -> None:
    memory = a_memory(
        "下次聚会是 3 月 14 日，7:30 pm",
        kind=Kind.EVENT,
        language="zh",
        sources=(a_source(speaker=BOB, channel_name="聚会"), a_source(turn_id=None)),
        importance=0.1 + 0.2,
        trust=0.9,
        subject="bob",
        hearsay=True,
        pinned=True,
        access_count=3,
        last_access_at=LATER,
        valid_to=LATER,
        neighbours=Neighbours("什么时候？", "好的", ("alice", "bob")),
        gist="the next meetup is on 14 March",
    )
    await _add(record, memory)
    assert await _get(record, memory) == memory


async def test_memories_come_back_in_the_order_of_the_ids(record: Record) -> None:
    memories = [a_memory(f"memory {n}") for n in range(10)]
    await _add(record, *memories)
    ids = [memory.id for memory in reversed(memories)]
    found = await record.memories.by_ids([an_id(), *ids, ids[0]], PUBLIC)
    assert [memory.id for memory in found] == ids
    assert await record.memories.by_ids([], PUBLIC) == []


async def test_newest_come_first_across_scopes_and_page_by_page(record: Record) -> None:
    scopes = (community_scope(), channel_scope("staff"))
    memories = [a_memory(f"m{n}", scope=scopes[n % 2], at=NOON + timedelta(hours=n)) for n in range(7)]
    await _add(record, *memories)
    audience = Audience.private_channel("guild", "staff")
    pages = [await record.memories.newest(audience, limit=3, offset=offset) for offset in (0, 3, 6)]
    assert [memory.text for page in pages for memory in page] == ["m6", "m5", "m4", "m3", "m2", "m1", "m0"]


async def test_newest_about_a_member_leaves_out_the_others(record: Record) -> None:
    about = [a_memory(f"bob {n}", subject="bob", at=NOON + timedelta(hours=n)) for n in range(3)]
    await _add(record, *about, a_memory("alice", subject="alice"), a_memory("nobody"))
    found = await record.memories.newest(PUBLIC, limit=2, subject="bob")
    assert [memory.text for memory in found] == ["bob 2", "bob 1"]
    assert [memory.text for memory in await record.memories.newest(PUBLIC, limit=2, offset=2, subject="bob")] == [
        "bob 0"
    ]


async def test_dm_memory_never_reaches_a_channel(record: Record) -> None:
    secret = a_memory("I am looking for another job.", scope=dm_scope("alice"), subject="alice")
    await _add(record, secret)
    staff = Audience.private_channel("guild", "staff")
    for audience in (PUBLIC, staff, Audience.direct_message("guild", "bob", member_of=["guild"])):
        assert await record.memories.by_ids([secret.id], audience) == []
        assert await record.memories.newest(audience, limit=10) == []
        assert await record.memories.newest(audience, limit=10, subject="alice") == []
    assert await record.memories.by_ids([secret.id], Audience.direct_message("guild", "alice")) == [secret]


_ODD_IDS = st.text(alphabet=st.sampled_from("a:/%*,'\"{}\\ 聚会\n😀"), min_size=0, max_size=4)
_SCOPES = st.builds(
    Scope,
    _ODD_IDS,
    st.builds(Visibility, st.sampled_from(["dm", "channel", "community"]), _ODD_IDS),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), scopes=st.lists(_SCOPES, min_size=1, max_size=6, unique=True))
async def test_an_audience_sees_exactly_its_scopes(record: Record, data: st.DataObject, scopes: list[Scope]) -> None:
    member = str(an_id())
    memories = [a_memory(f"in scope {n}", scope=scope, subject=member) for n, scope in enumerate(scopes)]
    facts = [a_fact(f"fact {n}", scope=scope, member_id=member) for n, scope in enumerate(scopes)]
    await record.memories.apply(MemoryChanges(add=tuple(memories), facts=tuple(facts)))
    visible = data.draw(st.sets(st.sampled_from(scopes)))
    audience = Audience("guild", frozenset(visible | {Scope("elsewhere", Visibility.community("elsewhere"))}))
    ids = [memory.id for memory in memories]
    expected = {memory.id for memory in memories if memory.scope in visible}
    assert {memory.id for memory in await record.memories.by_ids(ids, audience)} == expected
    assert {memory.id for memory in await record.memories.newest(audience, limit=99, subject=member)} == expected
    assert {memory.id for memory in await record.memories.newest(audience, limit=10_000)} & set(ids) == expected
    seen = {fact.id for fact in await record.profiles.facts(member, audience)}
    assert seen == {fact.id for fact in facts if fact.scope in visible}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The meetup is on Friday.", "the  meetup is on friday", True),
        ("聚会在周五。", "聚会在周五", True),
        ("聚会在周五！", "聚会在周五？", False),
        ("ＡＢＣ　１２３", "abc 123", True),
        ("I like C", "I like C#", False),
        ("It costs 5", "It costs 5%", False),
        ("v1.2", "v12", False),
        ("...", "!!!", False),
        ("Straße", "STRASSE", True),
    ],
)
def test_texts_are_the_same_up_to_case_width_and_punctuation(one: str, other: str, same: bool) -> None:
    assert (text_digest(one) == text_digest(other)) is same


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once


async def test_same_text_is_found_in_the_same_scope_only(record: Record) -> None:
    memory = a_memory("The meetup is on Friday.")
    await _add(record, memory)
    again = a_memory("the meetup is on friday")
    assert await record.memories.same_text(again) == memory
    assert await record.memories.same_text(replace(again, scope=channel_scope("staff"))) is None
    await record.memories.set_status([memory.id], Status.ARCHIVED, at=LATER)
    assert await record.memories.same_text(again) is None


async def test_applying_the_same_changes_twice_changes_nothing(record: Record) -> None:
    old, kept, new = a_memory("old"), a_memory("kept"), a_memory("new")
    fact, retired = a_fact("climbing"), a_fact("chess")
    await record.memories.apply(MemoryChanges(add=(old, kept), facts=(retired,)))
    changes = MemoryChanges(
        add=(new,),
        refresh=((kept.id, LATER, (a_source(speaker=BOB, at=LATER),)),),
        update=((kept.id, "kept, worded better"),),
        supersede=(Supersession(old.id, new.id, LATER),),
        facts=(fact,),
        retire_facts=((retired.id, LATER),),
    )
    await record.memories.apply(changes)
    ids = [old.id, kept.id, new.id]
    first = (await record.memories.by_ids(ids, PUBLIC), await _outbox(record), await record.memories.counts())
    await record.memories.apply(changes)
    second = (await record.memories.by_ids(ids, PUBLIC), await _outbox(record), await record.memories.counts())
    assert first == second


async def test_concurrent_additions_of_one_memory_store_it_once(record: Record) -> None:
    memories = [a_memory(f"memory {n}") for n in range(5)]
    orders: list[Sequence[Memory]] = [memories, memories[::-1]] * 4
    await asyncio.gather(*(_add(record, *order) for order in orders))
    assert (await record.memories.counts())["active"] == 5
    assert sorted(await _outbox(record)) == sorted((memory.id, False) for memory in memories)


async def test_refreshing_appends_sources_and_moves_last_seen_forward_only(record: Record) -> None:
    memory = a_memory()
    await _add(record, memory)
    source = a_source(speaker=BOB, at=LATER)
    await record.memories.apply(MemoryChanges(refresh=((memory.id, LATER, (source, memory.sources[0])),)))
    await record.memories.apply(MemoryChanges(refresh=((memory.id, NOON, ()),)))
    assert await _get(record, memory) == replace(memory, last_seen_at=LATER, sources=(*memory.sources, source))
    members = await record.database.fetchval("select speakers from memories where id = $1", memory.id)
    assert members == ["alice", "bob"]


async def test_what_many_repeat_keeps_twenty_sources_and_no_more(record: Record) -> None:
    memory = a_memory()
    await _add(record, memory)
    for number in range(40):
        source = a_source(speaker=Speaker(f"member {number}", "M"), at=LATER)
        await record.memories.apply(MemoryChanges(refresh=((memory.id, LATER, (source,)),)))
    kept = await _get(record, memory)
    assert kept is not None and len(kept.sources) == 20 and kept.sources[0] == memory.sources[0]
    members = await record.database.fetchval("select speakers from memories where id = $1", memory.id)
    assert set(members) == {source.speaker.member_id for source in kept.sources}


async def test_a_better_wording_replaces_the_text_and_reaches_the_index(record: Record) -> None:
    memory = a_memory("meetup fri")
    await _add(record, memory)
    await record.memories.apply(MemoryChanges(update=((memory.id, "聚会在星期五"),)))
    assert await _get(record, memory) == replace(memory, text="聚会在星期五", language="zh")
    assert await _outbox(record) == [(memory.id, False)] * 2
    assert await record.memories.same_text(a_memory("聚会在星期五！")) is not None


async def test_a_superseded_memory_is_kept_with_its_successor_and_leaves_the_index(record: Record) -> None:
    old, new = a_memory("The fee is 10."), a_memory("The fee is 12.")
    await _add(record, old)
    await record.memories.apply(MemoryChanges(add=(new,), supersede=(Supersession(old.id, new.id, LATER),)))
    assert await record.memories.by_ids([old.id, new.id], PUBLIC) == [new]
    row = await record.database.fetchrow("select status, valid_to, superseded_by from memories where id = $1", old.id)
    assert row is not None and tuple(row.values()) == ("superseded", LATER, new.id)
    assert await _outbox(record) == [(old.id, False), (new.id, False), (old.id, True)]


async def test_a_memory_is_not_superseded_by_one_that_does_not_exist(record: Record) -> None:
    old = a_memory()
    await _add(record, old)
    await record.memories.apply(MemoryChanges(supersede=(Supersession(old.id, an_id(), LATER),)))
    await record.memories.apply(MemoryChanges(supersede=(Supersession(old.id, old.id, LATER),)))
    assert await _get(record, old) == old


async def test_what_was_erased_does_not_come_back(record: Record) -> None:
    gone, rests_on_gone, stays = a_memory("gone"), a_memory("rests on an erased turn"), a_memory("stays")
    fact, other_fact = a_fact("gone"), a_fact("rests on an erased turn")
    turn, other_turn = rests_on_gone.sources[0].turn_id, other_fact.sources[0].turn_id
    assert turn is not None and other_turn is not None
    await _erase(record, gone.id, turn, fact.id, other_turn)
    seen_in_gone = (a_source(turn_id=turn, speaker=BOB), a_source(speaker=BOB))
    await record.memories.apply(
        MemoryChanges(
            add=(gone, rests_on_gone, stays),
            facts=(fact, other_fact),
            refresh=((stays.id, LATER, seen_in_gone),),
        )
    )
    assert await record.memories.by_ids([gone.id, rests_on_gone.id], PUBLIC) == []
    assert await record.profiles.facts("alice", PUBLIC) == []
    assert await _outbox(record) == [(stays.id, False)]
    kept = await _get(record, stays)
    assert kept is not None and kept.sources == (*stays.sources, seen_in_gone[1])


async def test_quarantined_memories_are_neither_seen_nor_indexed_until_released(record: Record) -> None:
    memory = a_memory(status=Status.QUARANTINED)
    await _add(record, memory)
    assert await _get(record, memory) is None and await _outbox(record) == []
    assert await record.memories.set_status([memory.id, an_id()], Status.ACTIVE, at=LATER) == [memory.id]
    assert await record.memories.set_status([memory.id], Status.ACTIVE, at=LATER) == []
    assert await _get(record, memory) == replace(memory, status=Status.ACTIVE)
    assert await _outbox(record) == [(memory.id, False)]


async def test_an_archived_memory_leaves_the_index(record: Record) -> None:
    memory = a_memory()
    await _add(record, memory)
    await record.memories.set_status([memory.id], Status.ARCHIVED, at=LATER)
    assert await _get(record, memory) is None
    assert await _outbox(record) == [(memory.id, False), (memory.id, True)]


async def test_a_refused_step_changes_nothing(record: Record) -> None:
    memory = a_memory()
    with pytest.raises(InvalidText):
        await record.memories.apply(MemoryChanges(add=(memory,), facts=(a_fact("a\0b"),)))
    assert await _get(record, memory) is None and await _outbox(record) == []


async def test_settled_jobs_go_with_the_changes(record: Record) -> None:
    recorded = await record.conversations.record(an_exchange())
    assert recorded.member_turn is not None
    await record.memories.apply(MemoryChanges(settled_jobs=(recorded.member_turn.id,)))
    assert await record.queue.pending() == []


async def test_counts_name_every_status_and_store(record: Record) -> None:
    assert set((await record.memories.counts()).values()) == {0}
    await record.conversations.record(an_exchange())
    await record.memories.apply(MemoryChanges(add=(a_memory(), a_memory(status=Status.QUARANTINED)), facts=(a_fact(),)))
    assert dict(await record.memories.counts()) == {
        "active": 1,
        "superseded": 0,
        "quarantined": 1,
        "archived": 0,
        "turns": 2,
        "outbox": 1,
        "jobs": 1,
        "facts": 1,
    }
