"""How fast the local embedder is: `python -m tests.bench.embedding_throughput`. Prints a table."""

from __future__ import annotations

import asyncio
import time

from bot.llm.local_embedder import LocalEmbedder
from tests.bench.report import Cell, machine, quantile, say, table

QUERIES = [f"how do I sign up for the offline meetup number {n}? 怎么报名？" for n in range(120)]
PASSAGES = [
    f"On day {n} Alice said that the meetup moved to the library, 三楼的会议室 {n}, at seven." for n in range(240)
]


async def one_by_one(embedder: LocalEmbedder, texts: list[str]) -> list[float]:
    """Milliseconds of each query when they come one after the other."""
    times: list[float] = []
    for text in texts:
        started = time.perf_counter()
        await embedder.embed_queries([text])
        times.append((time.perf_counter() - started) * 1000)
    return times


async def measure(embedder: LocalEmbedder) -> list[list[Cell]]:
    alone = await one_by_one(embedder, QUERIES[:40])
    started = time.perf_counter()
    await asyncio.gather(*(embedder.embed_queries([text]) for text in QUERIES[40:]))
    together_ms = (time.perf_counter() - started) * 1000 / 80
    started = time.perf_counter()
    await embedder.embed_passages(PASSAGES[:120])
    passage_ms = (time.perf_counter() - started) * 1000 / 120
    bulk = asyncio.ensure_future(embedder.embed_passages(PASSAGES[120:]))
    await asyncio.sleep(0)
    busy = await one_by_one(embedder, [f"{text} again" for text in QUERIES[:20]])
    await bulk
    return [
        ["query alone", quantile(alone, 0.5), min(alone)],
        ["one of 80 queries at once", together_ms, ""],
        ["one of 120 passages", passage_ms, ""],
        ["query beside passages", quantile(busy, 0.5), min(busy)],
    ]


async def main() -> None:
    say(machine())
    embedder = LocalEmbedder()
    try:
        await embedder.embed_queries(["warm up"])
        table(["", "p50 or mean, ms", "best, ms"], await measure(embedder))
    finally:
        await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
