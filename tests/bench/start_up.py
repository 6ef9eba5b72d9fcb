"""From the process's start to its first reply, on existing data: `python -m tests.bench.start_up [--memories N]
[--data DIR] [--runs N]`.

One line goes into `python -m bot chat --script - --json`. "python" is an interpreter that imports the bot and ends.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from tests.bench.bot_process import ROOT, ask, ended, environment, start_bot
from tests.bench.filling import arguments, filled_folder
from tests.bench.processes import cost_by_kind
from tests.bench.report import machine, quantile, say, table

QUESTION = {"user": "Alice", "text": "How do I sign up for the offline meetup?", "at": "2026-12-01T12:00:00Z"}


async def imports_s() -> float:
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import bot.cli", cwd=ROOT, env=environment())
    await process.wait()
    return time.perf_counter() - started


async def first_reply(data: Path) -> dict[str, float]:
    """Seconds to the reply and to the end of the process, and the processor seconds spent until the reply."""
    started = time.perf_counter()
    process = await start_bot("chat", "--script", "-", "--json", data=data)
    answer = json.loads(await ask(process, json.dumps(QUESTION).encode()))
    replied_s = time.perf_counter() - started
    cpu_s = sum(cost.cpu_s for cost in cost_by_kind(process.pid).values())
    await ended(process)
    return {
        "first reply": replied_s,
        "of that the reply itself": answer["timings_ms"]["reply"] / 1000,
        "processor time until then": cpu_s,
        "closed": time.perf_counter() - started - replied_s,
    }


async def run(memories: int, data: Path | None, runs: int) -> None:
    async with filled_folder(memories, data) as folder:
        await first_reply(folder)
        say(f"{memories:,} memories, {machine()}")
        found = [{"python with imports": await imports_s(), **await first_reply(folder)} for _ in range(runs)]
    rows = [
        [name, *(f"{quantile([one[name] for one in found], share):.2f}" for share in (0.0, 0.5, 1.0))]
        for name in found[0]
    ]
    table(["seconds", "best", "median", "worst"], rows)


def main() -> None:
    parser = arguments(__doc__, memories=100_000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    asyncio.run(run(given.memories, given.data, given.runs))


if __name__ == "__main__":
    main()
