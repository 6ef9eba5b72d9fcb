"""What holds the event loop: `python -m tests.bench.loop_blocking SCRIPT [--lines N] [--over-ms MS]`.

Runs a script's lines through the bot in this process, without a model, and lists the callbacks that took longer than
`--over-ms` of this thread's processor time, so that a busy machine makes nothing look slow.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import tempfile
import time
from asyncio import Handle, Task
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine
from itertools import islice
from pathlib import Path
from typing import Any

from bot.adapters.console_script import Script, ScriptClock
from bot.app import open_app, utc_now
from config.settings import Settings
from tests.bench.report import machine, say, table

Held = dict[str, list[float]]


class WatchedLoop(asyncio.SelectorEventLoop):
    """An event loop that takes the processor time of each callback."""

    def __init__(self) -> None:
        super().__init__()
        self.held_ms: Held = defaultdict(list)

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> Handle:  # noqa: ANN401
        return super().call_soon(self._watch, callback, *args, context=context)

    def _watch(self, callback: Callable[..., object], *args: object) -> None:
        started = time.thread_time()
        callback(*args)
        self.held_ms[_name(callback)].append((time.thread_time() - started) * 1000)


def _name(callback: Callable[..., object]) -> str:
    """The coroutine in which a task stands, or the callback's own name."""
    callback = getattr(callback, "func", callback)
    owner = getattr(callback, "__self__", None)
    if not isinstance(owner, Task):
        return getattr(callback, "__qualname__", type(callback).__name__)
    coroutine: object = owner.get_coro()
    while isinstance(inner := getattr(coroutine, "cr_await", None), Coroutine):
        coroutine = inner
    return getattr(coroutine, "__qualname__", type(coroutine).__name__)


async def lines_of(script: Path, count: int) -> AsyncIterator[bytes]:
    for line in islice(await asyncio.to_thread(lambda: script.read_bytes().splitlines()), count):
        yield line


async def run(script: Path, lines: int, folder: Path) -> float:
    clock = ScriptClock(utc_now)
    async with open_app(Settings(data_dir=folder), clock=clock, background=False) as app:
        started = time.perf_counter()
        async for outcome in Script(app.service, clock, "home").run(lines_of(script, lines)):
            if outcome.error:
                say(outcome.error)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", type=Path)
    parser.add_argument("--lines", type=int, default=500)
    parser.add_argument("--over-ms", type=float, default=20.0)
    given = parser.parse_args()
    say(machine())
    gc.freeze()  # as the bot does
    loop = WatchedLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner, tempfile.TemporaryDirectory() as folder:
        runner.run(run(given.script, given.lines, Path(folder)))
    slow = {name: ms for name, ms in loop.held_ms.items() if max(ms) > given.over_ms}
    rows = [[name, sum(m > given.over_ms for m in ms), max(ms), sum(ms) / len(ms)] for name, ms in slow.items()]
    table(["holds the loop", f"times over {given.over_ms:.0f} ms", "longest, ms", "mean, ms"], rows)
    say(f"{sum(map(sum, loop.held_ms.values())) / given.lines:.1f} ms of the loop's thread a line")


if __name__ == "__main__":
    main()
