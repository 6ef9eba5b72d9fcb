"""Working memory over the real record."""

from __future__ import annotations

from datetime import timedelta

from config.settings import WorkingMemorySettings
from memory.storage.postgres import Record
from memory.tokens import EstimatedTokens
from memory.working import WorkingMemory
from tests.factories import NOON, a_message, an_exchange
from tests.fakes.small_model import ScriptedModel

CHATTER = "we went on about the weather and the food and the people there, as one does, without saying much. " * 4
SUMMARY = "Alice talked about the weather and the food."


async def test_summary_and_pins_survive_a_restart_and_end_with_the_session(record: Record) -> None:
    settings = WorkingMemorySettings(budget_tokens=2_000)
    at = NOON

    def working() -> WorkingMemory:
        return WorkingMemory(record.conversations, ScriptedModel(SUMMARY), EstimatedTokens(), settings, lambda: at)

    memory = working()
    conversation_id = a_message("").conversation_id
    for text in ("会费是 99 元", *[CHATTER] * 15):
        at += timedelta(minutes=1)
        message = a_message(text, at=at)
        await memory.load(conversation_id, at)
        memory.remember(await record.conversations.record(an_exchange(message, CHATTER)))
        await memory.compress_if_needed(conversation_id)
        await memory.settle()

    window = memory.window(await memory.load(conversation_id, at), 2_000, now=at)
    again = working()
    assert window.summary == SUMMARY
    assert "会费是 99 元" in [pin.text for pin in window.pins]
    assert again.window(await again.load(conversation_id, at), 2_000, now=at) == window

    await again.end_session(conversation_id)
    assert not await memory.compress(conversation_id)
    assert (await memory.load(conversation_id, at)).turns == ()
