"""What model calls cost: each goes to the ledger of the record, and to the tally of the reply that it was made for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import structlog

from memory.errors import MemoryFailure
from memory.model import ModelCall
from memory.ports import Clock, Ledger

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
LAST_WRITE_S = 5.0
"""How long the end of the process waits for the last calls to be written."""


@dataclass(slots=True)
class Tally:
    """The sum of a reply's calls, failed ones included, those of its background work too."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    def add(self, call: ModelCall) -> None:
        self.calls += 1
        self.prompt_tokens += call.prompt_tokens
        self.cached_tokens += call.cached_tokens
        self.completion_tokens += call.completion_tokens
        self.cost_usd += call.cost_usd


_tallies: ContextVar[tuple[Tally, ...]] = ContextVar("tallies", default=())


@contextmanager
def usage_scope() -> Generator[Tally]:
    """Everything called inside, also by tasks that are started inside, is summed in the tally. Scopes nest."""
    tally = Tally()
    token = _tallies.set((*_tallies.get(), tally))
    try:
        yield tally
    finally:
        _tallies.reset(token)


class BufferedLedger:
    """Takes calls at once and writes them when it can.

    Invariant: `note` never waits and never fails. What cannot be written is kept, up to `capacity`; beyond that the
    oldest calls are dropped, and that is logged.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        capacity: int = 10_000,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.clock = clock
        self._waiting: deque[ModelCall] = deque(maxlen=capacity)
        self._news = asyncio.Event()
        self._sleep = sleep
        self._dropped = 0

    @property
    def waiting(self) -> int:
        """How many calls are still to be written."""
        return len(self._waiting)

    def note(self, call: ModelCall) -> None:
        for tally in _tallies.get():
            tally.add(call)
        self._dropped += len(self._waiting) == self._waiting.maxlen
        self._waiting.append(call)
        self._news.set()

    @asynccontextmanager
    async def writing_to(self, ledger: Ledger) -> AsyncGenerator[None]:
        """Writes while the context is open; what is left at its end is tried once more."""
        writer = asyncio.create_task(self._write_on(ledger), name="ledger")
        try:
            yield
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            try:
                async with asyncio.timeout(LAST_WRITE_S):
                    await self.write(ledger)
            except (MemoryFailure, TimeoutError):
                log.warning("model calls were not written", _event="ledger_lost", calls=len(self._waiting))

    async def write(self, ledger: Ledger) -> None:
        """Writes what is waiting, oldest first. Raises what the ledger raises; the call that failed stays."""
        while self._waiting:
            call = self._waiting[0]
            await ledger.record(call)
            if self._waiting and self._waiting[0] is call:
                self._waiting.popleft()

    async def _write_on(self, ledger: Ledger) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self.write(ledger)
                pause_s = FIRST_PAUSE_S
            except MemoryFailure as error:
                reason = type(error).__name__
                log.info("model calls wait to be written", _event="ledger_waits", calls=self.waiting, reason=reason)
                await self._sleep(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
                self._news.set()
            if self._dropped:
                log.warning("model calls were dropped unwritten", _event="ledger_dropped", calls=self._dropped)
                self._dropped = 0
