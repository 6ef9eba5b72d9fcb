"""What memory adds to a reply: `python -m tests.bench.reply_latency [--memories N] [--data DIR]`.

Messages of a bilingual community are answered one after the other on embedded stores, without a chat model, so that the
whole time of a reply is the overhead. The background work of a message is finished before the next one and not counted.
Rows are the stages of a reply; "recall" and "profile" run side by side within "together".
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import defaultdict
from pathlib import Path

from bot.app import App, open_app
from config.settings import Settings
from tests.bench.community import MIX, Community, Sort
from tests.bench.filling import arguments, filled_folder
from tests.bench.places import incoming
from tests.bench.processes import cost_by_kind
from tests.bench.report import machine, quantile, say, table

WARM_UP = 20
Times = dict[Sort, dict[str, list[float]]]


async def measure(app: App, community: Community, replies: int) -> Times:
    times: Times = {sort: defaultdict(list) for sort in MIX}
    for number in range(WARM_UP + replies):
        sort, text = community.message()
        message = incoming(community, number, text, f"channel{number % 40}")
        started = time.perf_counter()
        reply = await app.service.respond(message)
        total_ms = (time.perf_counter() - started) * 1000
        await app.service.settle()
        if number >= WARM_UP:
            prepared_ms = sum(reply.timings_ms.get(name, 0.0) for name in ("working", "together", "extraction", "pack"))
            stages = {**reply.timings_ms, "record and rest": total_ms - prepared_ms, "whole reply": total_ms}
            for stage, ms in stages.items():
                times[sort][stage].append(ms)
    return times


def report(times: Times) -> None:
    stages = list(next(iter(times.values())))
    rows = [
        [stage, *(quantile(times[sort][stage], share) for sort in times for share in (0.5, 0.95))] for stage in stages
    ]
    everything = [ms for by_stage in times.values() for ms in by_stage["whole reply"]]
    table(["ms", *(f"{sort} p{share}" for sort in times for share in (50, 95))], rows)
    p50, p95 = quantile(everything, 0.5), quantile(everything, 0.95)
    say(f"all {len(everything)} replies: p50 {p50:.1f} ms, p95 {p95:.1f} ms")


async def run(memories: int, data: Path | None, replies: int) -> None:
    async with filled_folder(memories, data) as folder:
        say(f"{memories:,} memories, {machine()}")
        async with open_app(Settings(data_dir=folder), background=False) as app:
            before = own_cost()
            times = await measure(app, Community(seed=2), replies)
            spent = {kind: cpu_s - before[kind] for kind, cpu_s in own_cost().items()}
    report(times)
    each = ", ".join(f"{kind} {1000 * cpu_s / (WARM_UP + replies):.1f}" for kind, cpu_s in spent.items())
    say(f"processor time a message, background work included: {each} ms")


def own_cost() -> dict[str, float]:
    return {kind: cost.cpu_s for kind, cost in cost_by_kind(os.getpid()).items()}


def main() -> None:
    parser: argparse.ArgumentParser = arguments(__doc__, memories=100_000)
    parser.add_argument("--replies", type=int, default=400)
    given = parser.parse_args()
    asyncio.run(run(given.memories, given.data, given.replies))


if __name__ == "__main__":
    main()
