"""A real channel through the whole bot: `python -m tests.bench.irc_channel FILE [--data DIR] [--lines N]`.

FILE is a script for `python -m bot chat --script FILE --json`, which runs in a fresh data folder, without a model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tests.bench.bot_process import ended, start_bot
from tests.bench.processes import cost_by_kind, peak_memory_mb
from tests.bench.report import machine, quantile, say, table


@dataclass(slots=True)
class Run:
    replies_ms: list[float] = field(default_factory=list[float])
    lines_ms: list[float] = field(default_factory=list[float])
    stages_ms: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    answered: int = 0
    errors: int = 0
    stored_messages: int = 0
    memories: int = 0
    recalled: int = 0

    def take(self, outcome: dict[str, Any]) -> None:
        if "error" in outcome:
            self.errors += 1
            return
        self.answered += bool(outcome["reply"])
        self.stored_messages += bool(outcome["stored"])
        self.memories += len(outcome["stored"])
        self.recalled += bool(outcome["recalled"])
        timings = outcome["timings_ms"]
        self.replies_ms.append(timings["reply"])
        self.lines_ms.append(timings["total"])
        for stage, ms in timings.items():
            self.stages_ms.setdefault(stage, []).append(ms)


async def outcomes(process: asyncio.subprocess.Process) -> AsyncIterator[dict[str, Any]]:
    assert process.stdout is not None
    async for line in process.stdout:
        yield json.loads(line)


async def run(script: Path, data: Path) -> None:
    say(machine())
    started, result, over = time.perf_counter(), Run(), asyncio.Event()
    process = await start_bot("chat", "--script", str(script), "--json", data=data)
    memory = asyncio.create_task(peak_memory_mb(process.pid, over))
    costs = {}
    async for outcome in outcomes(process):
        result.take(outcome)
        if len(result.lines_ms) % 500 == 0:
            costs = cost_by_kind(process.pid)
    spent_s = time.perf_counter() - started
    over.set()
    peak, status = await memory, await ended(process)
    report(result, spent_s, peak, status, {kind: cost.cpu_s for kind, cost in costs.items()})


def report(result: Run, spent_s: float, peak_mb: float, status: int, cpu_s: dict[str, float]) -> None:
    count = len(result.lines_ms) + result.errors
    rows = [
        ["lines", count],
        ["answered", result.answered],
        ["errors", result.errors],
        ["exit status", status],
        ["messages stored, %", 100 * result.stored_messages / max(1, count)],
        ["memories stored", result.memories],
        ["replies with a recall, %", 100 * result.recalled / max(1, count)],
        ["slowest line, ms", max(result.lines_ms, default=0.0)],
        ["line p50, ms", quantile(result.lines_ms, 0.5)],
        ["line p95, ms", quantile(result.lines_ms, 0.95)],
        ["reply p50, ms", quantile(result.replies_ms, 0.5)],
        ["reply p95, ms", quantile(result.replies_ms, 0.95)],
        ["lines a second", count / spent_s],
        ["peak memory, MB", peak_mb],
        *([f"processor time a line, {kind}, ms", 1000 * seconds / max(1, count)] for kind, seconds in cpu_s.items()),
    ]
    table(["", "measured"], rows)
    say()
    stages = [
        [stage, quantile(ms, 0.5), quantile(ms, 0.95), max(ms)] for stage, ms in result.stages_ms.items() if any(ms)
    ]
    table(["stage", "p50 ms", "p95 ms", "max ms"], stages)


def shortened(script: Path, lines: int | None, folder: Path) -> Path:
    """The script's first `lines` lines, as a file."""
    if lines is None:
        return script
    short = folder / "script.jsonl"
    with script.open("rb") as whole:
        short.write_bytes(b"".join(islice(whole, lines)))
    return short


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", type=Path)
    parser.add_argument("--data", type=Path, help="data folder to use (default: a fresh one, removed afterwards)")
    parser.add_argument("--lines", type=int, help="only so many lines (default: all)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        script = shortened(given.script, given.lines, Path(folder))
        asyncio.run(run(script, given.data or Path(folder) / "data"))


if __name__ == "__main__":
    main()
