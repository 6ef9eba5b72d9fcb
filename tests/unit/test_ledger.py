"""The buffered ledger: never in the way, and nothing lost while the record is away."""

from __future__ import annotations

import asyncio

import pytest

from bot.llm.ledger import BufferedLedger, usage_scope
from memory.errors import RecordUnavailable
from memory.model import ModelCall
from tests.factories import FixedClock


def a_call(number: int = 0) -> ModelCall:
    return ModelCall("answer", "gpt-4.1", f"v{number}", 10, 4, 5, 0.25, 1.0, FixedClock()(), True)


class FlakyLedger:
    """Refuses the first `failures` writes."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.calls: list[ModelCall] = []
        self.written = asyncio.Event()

    async def record(self, call: ModelCall) -> None:
        if self.failures:
            self.failures -= 1
            raise RecordUnavailable
        self.calls.append(call)
        self.written.set()


async def test_calls_are_written_in_the_background() -> None:
    ledger, kept = BufferedLedger(clock=FixedClock()), FlakyLedger()
    async with ledger.writing_to(kept):
        ledger.note(a_call())
        await kept.written.wait()
    assert kept.calls == [a_call()] and ledger.waiting == 0


async def test_calls_wait_while_the_record_is_away() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    ledger, kept = BufferedLedger(clock=FixedClock(), sleep=sleep), FlakyLedger(failures=8)
    async with ledger.writing_to(kept):
        ledger.note(a_call(1))
        ledger.note(a_call(2))
        await kept.written.wait()
    assert [call.prompt_version for call in kept.calls] == ["v1", "v2"]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


async def test_calls_made_before_and_after_writing_are_kept() -> None:
    ledger, kept = BufferedLedger(clock=FixedClock()), FlakyLedger()
    ledger.note(a_call(1))
    async with ledger.writing_to(kept):
        ledger.note(a_call(2))
    assert [call.prompt_version for call in kept.calls] == ["v1", "v2"]


async def test_the_end_does_not_fail_when_the_record_is_away() -> None:
    ledger = BufferedLedger(clock=FixedClock())
    async with ledger.writing_to(FlakyLedger(failures=1_000)):
        ledger.note(a_call())
    assert ledger.waiting == 1


def test_the_oldest_calls_go_when_too_many_wait() -> None:
    ledger = BufferedLedger(clock=FixedClock(), capacity=3)
    for number in range(5):
        ledger.note(a_call(number))
    assert ledger.waiting == 3


async def test_tallies_sum_a_replys_calls_and_only_those() -> None:
    ledger = BufferedLedger(clock=FixedClock())

    async def reply(calls: int) -> tuple[int, float]:
        with usage_scope() as usage:
            for number in range(calls):
                ledger.note(a_call(number))
                await asyncio.sleep(0)
        return usage.calls, usage.cost_usd

    assert await asyncio.gather(reply(1), reply(3)) == [(1, 0.25), (3, 0.75)]
    with usage_scope() as usage:
        await asyncio.gather(asyncio.create_task(reply(2)), reply(1))
    assert (usage.calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (3, 30, 12, 15)
    assert usage.cost_usd == pytest.approx(0.75)
