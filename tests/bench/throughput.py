"""Messages a second through the whole pipeline: `python -m tests.bench.throughput [--memories N] [--data DIR]
[--messages N] [--conversations N] [--no-model]`.

As many members as conversations write at once, each the next message after the reply to the last. Replies and
extraction come from a model on loopback that answers at once, in a process of its own which shares the cores; with
`--no-model` the bot quotes its memories and the rules decide what is stored. The clock stops when the background work
is finished too.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from bot.app import App, open_app
from config.settings import ModelSettings, Settings
from tests.bench.community import Community
from tests.bench.filling import arguments, filled_folder
from tests.bench.instant_model import instant_model
from tests.bench.places import incoming
from tests.bench.processes import cost_by_kind, cpu_s
from tests.bench.report import machine, quantile, say, table

Texts = Iterator[tuple[int, str]]


async def converse(app: App, community: Community, channel: str, texts: Texts) -> list[float]:
    """Milliseconds of each reply in one conversation, which takes its texts from those of all."""
    times: list[float] = []
    for number, text in texts:
        started = time.perf_counter()
        await app.service.respond(incoming(community, number, text, channel))
        times.append((time.perf_counter() - started) * 1000)
    return times


async def everything(app: App, texts: list[str], conversations: int) -> tuple[list[float], float]:
    """The replies' times, and the seconds until all work is done."""
    community, shared = Community(seed=5), enumerate(texts)
    started = time.perf_counter()
    channels = (f"channel{number}" for number in range(conversations))
    times = await asyncio.gather(*(converse(app, community, channel, shared) for channel in channels))
    await app.service.settle()
    return [ms for one in times for ms in one], time.perf_counter() - started


async def run(memories: int, data: Path | None, messages: int, conversations: int, *, model: bool) -> None:
    community = Community(seed=4)
    texts = [community.message()[1] for _ in range(messages)]
    async with filled_folder(memories, data) as folder, _endpoint(model) as (settings, model_pid):
        say(f"{memories:,} memories, {'instant model' if model else 'no model'}, {machine()}")
        async with open_app(Settings(data_dir=folder, model=settings)) as app:
            await everything(app, texts[:conversations], conversations)
            before = _cpu_s(model_pid)
            times, spent_s = await everything(app, texts, conversations)
            spent = {kind: seconds - before.get(kind, 0.0) for kind, seconds in _cpu_s(model_pid).items()}
    rows = [
        ["messages a second", messages / spent_s],
        ["reply p50, ms", quantile(times, 0.5)],
        ["reply p95, ms", quantile(times, 0.95)],
        *([f"processor time a message, {kind}, ms", 1000 * seconds / messages] for kind, seconds in spent.items()),
    ]
    table([f"{messages:,} messages, {conversations} conversations", "measured"], rows)


@asynccontextmanager
async def _endpoint(wanted: bool) -> AsyncGenerator[tuple[ModelSettings, int | None]]:
    if not wanted:
        yield ModelSettings(), None
        return
    async with instant_model() as (base_url, pid):
        yield ModelSettings(base_url=base_url, api_key=SecretStr("unused")), pid


def _cpu_s(model_pid: int | None) -> dict[str, float]:
    spent = {kind: cost.cpu_s for kind, cost in cost_by_kind(os.getpid()).items() if kind != "other"}
    return spent if model_pid is None else {**spent, "model": cpu_s(model_pid)}


def main() -> None:
    parser = arguments(__doc__, memories=10_000)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--conversations", type=int, default=50)
    parser.add_argument("--no-model", action="store_true")
    given = parser.parse_args()
    asyncio.run(run(given.memories, given.data, given.messages, given.conversations, model=not given.no_model))


if __name__ == "__main__":
    main()
