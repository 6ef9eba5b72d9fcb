"""Conversations in PostgreSQL: turns, sessions, duplicates, compression."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.audience import Audience
from memory.errors import InvalidText
from memory.model import Compression, ConversationState, MemoryChanges, Pin, Speaker, turn_id
from memory.storage.postgres import Record
from tests.conftest import IDLE_TIMEOUT_S
from tests.factories import ALICE, BOB, NOON, a_memory, a_message, an_exchange, an_id, dm_scope

CONVERSATION = "guild/general"
PUBLIC = Audience.public("guild")


async def _load(record: Record, *, minutes: float = 1, conversation: str = CONVERSATION) -> ConversationState:
    now = NOON + timedelta(minutes=minutes)
    return await record.conversations.load(conversation, now=now, idle_timeout_s=IDLE_TIMEOUT_S)


async def test_unknown_conversation_is_empty(record: Record) -> None:
    state = await _load(record)
    assert (state.last_seq, state.turns, state.summary, state.version, state.last_at) == (0, (), "", 0, None)


async def test_recorded_exchange_comes_back_as_it_was_said(record: Record) -> None:
    message = a_message("报名在哪里？ 🎉", speaker=BOB, scope=dm_scope("bob"))
    recorded = await record.conversations.record(an_exchange(message, "在这里：https://example.org"))
    state = await _load(record)
    assert state.turns == (recorded.member_turn, recorded.bot_turn)
    member, bot = state.turns
    assert (member.speaker, member.text, member.scope, member.at) == (BOB, message.text, message.scope, NOON)
    assert bot.speaker == Speaker(None, "Kith")
    assert [turn.id for turn in state.turns] == [turn_id(CONVERSATION, 1), turn_id(CONVERSATION, 2)]


async def test_an_overheard_message_has_no_reply(record: Record) -> None:
    recorded = await record.conversations.record(an_exchange(reply_text=None))
    assert recorded.bot_turn is None
    assert len((await _load(record)).turns) == 1


async def test_the_same_event_is_recorded_once(record: Record) -> None:
    exchange = an_exchange(a_message(event_id="discord:1"))
    assert not await record.conversations.seen("discord:1")
    first = await record.conversations.record(exchange)
    second = await record.conversations.record(exchange)
    assert not first.duplicate
    assert second.duplicate and second.member_turn is None
    assert await record.conversations.seen("discord:1")
    assert (await _load(record)).last_seq == 2
    activity = await record.profiles.activity("guild", "alice")
    assert activity is not None and activity.interaction_count == 1


async def test_the_same_event_at_the_same_moment_is_recorded_once(record: Record) -> None:
    exchange = an_exchange(a_message(event_id="discord:1"))
    outcomes = await asyncio.gather(*(record.conversations.record(exchange) for _ in range(8)))
    assert sorted(outcome.duplicate for outcome in outcomes) == [False] + [True] * 7


async def test_concurrent_exchanges_of_one_conversation_are_numbered_without_gaps(record: Record) -> None:
    await asyncio.gather(*(record.conversations.record(an_exchange(a_message(f"question {n}"))) for n in range(20)))
    turns = await record.conversations.turns(CONVERSATION)
    assert [turn.seq for turn in turns] == list(range(1, 41))
    assert {turn.text for turn in turns if not turn.speaker.is_bot} == {f"question {n}" for n in range(20)}
    assert all(turn.speaker.is_bot for turn in turns[1::2])


async def test_a_failed_exchange_leaves_nothing(record: Record) -> None:
    with pytest.raises(InvalidText):
        await record.conversations.record(an_exchange(a_message("a\0b", event_id="discord:9")))
    assert not await record.conversations.seen("discord:9")
    assert (await _load(record)).last_seq == 0


@pytest.mark.parametrize("text", ["nul \0 inside", "half a pair \ud83d"])
async def test_text_that_cannot_be_stored_is_refused_as_invalid(record: Record, text: str) -> None:
    with pytest.raises(InvalidText):
        await record.conversations.record(an_exchange(a_message(text)))
    with pytest.raises(InvalidText):
        await record.memories.apply(MemoryChanges(add=(a_memory(text),)))
    with pytest.raises(InvalidText):
        await record.conversations.seen(text)


async def test_an_idle_session_is_empty_and_the_next_exchange_begins_a_new_one(record: Record) -> None:
    await record.conversations.record(an_exchange())
    assert await record.conversations.compress(Compression(CONVERSATION, 0, 1, "They talked.", ()))
    late = NOON + timedelta(hours=7)
    idle = await _load(record, minutes=7 * 60)
    assert (idle.turns, idle.summary, idle.pins, idle.last_seq) == ((), "", (), 2)
    await record.conversations.record(an_exchange(a_message("Good morning", at=late)))
    state = await _load(record, minutes=7 * 60 + 1)
    assert state.turns[0].text == "Good morning"
    assert (state.session_start_seq, state.summarised_seq, state.summary) == (2, 2, "")
    assert state.version == idle.version
    assert [turn.seq for turn in await record.conversations.turns(CONVERSATION)] == [1, 2, 3, 4]


async def test_a_session_just_within_the_time_out_goes_on(record: Record) -> None:
    await record.conversations.record(an_exchange())
    last = NOON + timedelta(seconds=2)
    message = a_message(at=last + timedelta(seconds=IDLE_TIMEOUT_S))
    state = await record.conversations.load(CONVERSATION, now=message.at, idle_timeout_s=IDLE_TIMEOUT_S)
    assert len(state.turns) == 2
    await record.conversations.record(an_exchange(message))
    state = await record.conversations.load(CONVERSATION, now=message.at, idle_timeout_s=IDLE_TIMEOUT_S)
    assert (len(state.turns), state.session_start_seq) == (4, 0)


async def test_compression_moves_the_window_and_keeps_pins(record: Record) -> None:
    for _ in range(3):
        await record.conversations.record(an_exchange())
    pin = Pin(1, ALICE, "票价 128 元", NOON)
    assert await record.conversations.compress(Compression(CONVERSATION, 0, 4, "Tickets were discussed.", (pin,)))
    state = await _load(record)
    assert [turn.seq for turn in state.turns] == [5, 6]
    assert (state.summary, state.pins, state.version) == ("Tickets were discussed.", (pin,), 1)


async def test_of_two_compressions_only_the_first_is_stored(record: Record) -> None:
    await record.conversations.record(an_exchange())
    outcomes = await asyncio.gather(
        *(record.conversations.compress(Compression(CONVERSATION, 0, 1, f"summary {n}", ())) for n in range(4))
    )
    assert sorted(outcomes) == [False, False, False, True]


async def test_a_compression_of_an_ended_session_is_not_stored(record: Record) -> None:
    await record.conversations.record(an_exchange())
    await record.conversations.end_session(CONVERSATION)
    assert not await record.conversations.compress(Compression(CONVERSATION, 0, 2, "too late", ()))
    state = await _load(record)
    assert (state.turns, state.summary) == ((), "")


async def test_the_window_holds_at_most_400_turns_the_newest(record: Record) -> None:
    for _ in range(205):
        await record.conversations.record(an_exchange())
    state = await _load(record)
    assert [turn.seq for turn in state.turns] == list(range(11, 411))


async def test_turns_are_read_page_by_page(record: Record) -> None:
    for _ in range(3):
        await record.conversations.record(an_exchange())
    pages = [await record.conversations.turns(CONVERSATION, after_seq=after, limit=4) for after in (0, 4, 6)]
    assert [[turn.seq for turn in page] for page in pages] == [[1, 2, 3, 4], [5, 6], []]


async def test_recalled_memories_are_counted_once_per_reply(record: Record) -> None:
    used, unused = a_memory("used"), a_memory("unused")
    await record.memories.apply(MemoryChanges(add=(used, unused)))
    await record.conversations.record(an_exchange(recalled_ids=(used.id, used.id, an_id())))
    await record.conversations.record(an_exchange(recalled_ids=(used.id,)))
    read = {memory.id: memory for memory in await record.memories.by_ids((used.id, unused.id), PUBLIC)}
    assert (read[used.id].access_count, read[used.id].last_access_at) == (2, NOON)
    assert (read[unused.id].access_count, read[unused.id].last_access_at) == (0, None)


async def test_replies_that_recall_the_same_memories_do_not_block_each_other(record: Record) -> None:
    memories = [a_memory(f"memory {n}") for n in range(8)]
    await record.memories.apply(MemoryChanges(add=tuple(memories)))
    ids = [memory.id for memory in memories]
    exchanges = [
        an_exchange(a_message(conversation_id=f"guild/{n}"), recalled_ids=ids if n % 2 else ids[::-1])
        for n in range(16)
    ]
    await asyncio.gather(*(record.conversations.record(exchange) for exchange in exchanges))
    assert {memory.access_count for memory in await record.memories.by_ids(ids, PUBLIC)} == {16}


async def test_activity_counts_per_member_and_community_and_follows_the_name(record: Record) -> None:
    later = NOON + timedelta(minutes=5)
    await record.conversations.record(an_exchange())
    renamed = replace(ALICE, name="艾丽丝")
    await record.conversations.record(an_exchange(a_message(speaker=renamed, at=later)))
    activity = await record.profiles.activity("guild", "alice")
    assert activity is not None
    assert (activity.name, activity.interaction_count) == ("艾丽丝", 2)
    assert (activity.first_seen, activity.last_seen) == (NOON, later)
    assert await record.profiles.activity("elsewhere", "alice") is None


async def test_times_come_back_aware_and_in_utc(record: Record) -> None:
    await record.conversations.record(an_exchange())
    turn = (await _load(record)).turns[0]
    assert turn.at == NOON and turn.at.utcoffset() == timedelta(0)


async def test_the_language_that_a_member_writes_most_is_known(record: Record) -> None:
    for text in ("你好，大家早上好", "今天聚会几点开始", "see you there"):
        await record.conversations.record(an_exchange(message=a_message(text=text)))
    activity = await record.profiles.activity("guild", "alice")
    assert activity is not None and activity.written == "zh" and activity.language is None
