"""How much memory the bot holds: `python -m tests.bench.resident_memory [--memories N] [--data DIR] [--messages N]`.

Proportional set size of the bot, of its index's process and of PostgreSQL, after the start and after some messages
through `python -m bot chat --script -`.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.bench.bot_process import ask, ended, start_bot
from tests.bench.community import Community
from tests.bench.filling import arguments, filled_folder
from tests.bench.processes import cost_by_kind
from tests.bench.report import machine, say, table


def lines(count: int) -> list[bytes]:
    community = Community(seed=3)
    told: list[bytes] = []
    for number in range(count):
        user = community.members[number % len(community.members)].name
        line = {"user": user, "channel": f"channel{number % 40}", "text": community.message()[1]}
        told.append(json.dumps(line).encode())
    return told


async def run(memories: int, data: Path | None, messages: int) -> None:
    async with filled_folder(memories, data) as folder:
        say(f"{memories:,} memories, {machine()}")
        process = await start_bot("chat", "--script", "-", "--json", data=folder)
        states: dict[str, dict[str, float]] = {}
        for number, line in enumerate(lines(messages), start=1):
            await ask(process, line)
            if number in (1, messages):
                costs = cost_by_kind(process.pid)
                states[f"{number} messages"] = {kind: cost.memory_mb for kind, cost in costs.items()}
        await ended(process)
    kinds = sorted({kind for state in states.values() for kind in state})
    rows = [[name, *(state.get(kind, 0.0) for kind in kinds), sum(state.values())] for name, state in states.items()]
    table(["MB after", *kinds, "sum"], rows)


def main() -> None:
    parser = arguments(__doc__, memories=100_000)
    parser.add_argument("--messages", type=int, default=300)
    given = parser.parse_args()
    asyncio.run(run(given.memories, given.data, given.messages))


if __name__ == "__main__":
    main()
