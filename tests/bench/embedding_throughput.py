"""How fast the local embedder is: `python -m tests.bench.embedding_throughput`. Prints a table."""

from __future__ import annotations

import asyncio
import os
import statistics
import time

from bot.llm.local_embedder import LocalEmbedder

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


async def main() -> None:
    embedder = LocalEmbedder()
    try:
        await embedder.embed_queries(["warm up"])
        print(f"cores {os.cpu_count()}, load before {os.getloadavg()[0]:.1f}")
        alone = await one_by_one(embedder, QUERIES[:40])
        print(f"query alone           p50 {statistics.median(alone):7.1f} ms  best {min(alone):6.1f} ms")
        started = time.perf_counter()
        await asyncio.gather(*(embedder.embed_queries([text]) for text in QUERIES[40:]))
        print(f"80 queries at once    {(time.perf_counter() - started) * 1000 / 80:7.1f} ms each")
        started = time.perf_counter()
        await embedder.embed_passages(PASSAGES[:120])
        print(f"120 passages          {(time.perf_counter() - started) * 1000 / 120:7.1f} ms each")
        bulk = asyncio.ensure_future(embedder.embed_passages(PASSAGES[120:]))
        await asyncio.sleep(0)
        busy = await one_by_one(embedder, [f"{text} again" for text in QUERIES[:20]])
        await bulk
        print(f"query beside the bulk p50 {statistics.median(busy):7.1f} ms  best {min(busy):6.1f} ms")
    finally:
        await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
