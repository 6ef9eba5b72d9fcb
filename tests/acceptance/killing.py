"""Killing Kith, or one of the two processes that it starts, in the middle of a script, and what must be true after."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from bot.app import unseen
from bot.llm.local_embedder import LocalEmbedder
from config.settings import load_settings
from memory.ranking import index_schema
from memory.storage.open import open_stores
from tests.acceptance.kith_process import encoded, environment, processes_on, start

Victim = Literal["kith", "index", "postgres"]
VICTIMS: tuple[Victim, ...] = ("kith", "kith", "index", "postgres")
FIRST_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
EMBEDDER = LocalEmbedder().fingerprint
PATIENCE_S = 120.0


def script(length: int) -> list[dict[str, Any]]:
    """Messages that are all worth keeping and all different."""
    places = ("library", "harbour", "station", "市图书馆", "咖啡馆")
    lines: list[dict[str, Any]] = []
    for number in range(length):
        place = places[number % len(places)]
        text = (
            f"第{number}期读书会改到4月{number % 28 + 1}日，地点是{place}，报名费{number + 10}元"
            if number % 2
            else f"We decided that release {number}.{number % 7} ships on April {number % 28 + 1} from the {place}"
        )
        at = (FIRST_AT + timedelta(minutes=number)).isoformat()
        lines.append({"user": f"member{number % 5}", "text": text, "channel": f"room{number % 3}", "at": at})
    return lines


@dataclass
class Round:
    """One start of Kith: how long until it answered, what it acknowledged, what was killed."""

    victim: Victim | None
    first_answer_s: float
    acknowledged: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    status: int | None = None
    stderr: str = ""
    left_over: list[str] = field(default_factory=list[str])


async def run_round(
    lines: Sequence[dict[str, Any]], data: Path, victim: Victim | None, after: int, delay_s: float
) -> Round:
    """Give Kith `lines`; `delay_s` after the `after`-th answer kill the victim. When Kith itself is not the victim, it
    is run to the end of `lines`."""
    started = time.monotonic()
    process = await start("chat", "--script", "-", "--json", "--data", str(data), env=environment())
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    errors = asyncio.create_task(process.stderr.read())
    process.stdin.write(b"".join(encoded(line) + b"\n" for line in lines))
    process.stdin.write_eof()
    done = Round(victim, 0.0)
    killing: asyncio.Task[None] | None = None
    async with asyncio.timeout(PATIENCE_S):
        for line in lines:
            answer = await process.stdout.readline()
            if not answer.endswith(b"\n"):
                break
            done.first_answer_s = done.first_answer_s or time.monotonic() - started
            if json.loads(answer)["degraded"] != "no_record":
                done.acknowledged.append(line)
            if len(done.acknowledged) >= after and killing is None and victim is not None:
                killing = asyncio.create_task(_kill(victim, process.pid, data, delay_s))
        if killing is not None:
            await killing
        done.status = await process.wait()
    done.stderr = (await errors).decode()
    done.left_over = await _left_over(data)
    return done


async def _kill(victim: Victim, kith: int, data: Path, delay_s: float) -> None:
    await asyncio.sleep(delay_s)
    wanted = {
        "kith": [kith],
        "index": processes_on(data, "edge_process"),
        "postgres": processes_on(data, "postgres -D"),
    }
    for pid in wanted[victim]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


async def _left_over(data: Path) -> list[str]:
    """What still runs on the folder shortly after; the index's process ends when it sees that its parent is gone, and a
    PostgreSQL whose parent was killed stays until the next start takes over."""
    left = processes_on(data, "edge_process")
    for _ in range(50):
        if not left:
            break
        await asyncio.sleep(0.1)
        left = processes_on(data, "edge_process")
    return [str(pid) for pid in left]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that must be empty or zero, and how much there is in all."""

    lost: list[str]
    twice: list[str]
    gaps: int
    waiting: int
    not_in_record: int
    not_in_index: int
    turns: int
    memories: int

    @property
    def sound(self) -> bool:
        return not (self.lost or self.twice or self.gaps or self.waiting or self.not_in_record or self.not_in_index)


async def examine(data: Path, acknowledged: Sequence[dict[str, Any]]) -> Verdict:
    """Compare what was acknowledged with the record, and the record with the index. Run a script to its end before, so
    that nothing waits."""
    settings = load_settings(data_dir=data, environ={})
    async with open_stores(settings, index_schema(EMBEDDER.dimensions), EMBEDDER, unseen) as stores:
        database = stores.record.database
        turns = await database.fetch("select conversation_id, seq, text from turns where speaker_id is not null")
        memories = await database.fetch("select id, scope_key, subject, text from memories where status = 'active'")
        gaps = await database.fetchval(
            "select count(*) from (select max(seq) as last, count(*) as held from turns group by conversation_id) c "
            "where last <> held"
        )
        waiting = await database.fetchval(
            "select (select count(*) from index_outbox) + (select count(*) from extraction_jobs)"
        )
        indexed = await stores.index.ids()
    recorded = {row["text"] for row in turns}
    kept = Counter((row["scope_key"], row["subject"], row["text"]) for row in memories)
    ids = {row["id"] for row in memories}
    return Verdict(
        lost=[line["text"] for line in acknowledged if line["text"] not in recorded],
        twice=[text for (_, _, text), count in kept.items() if count > 1],
        gaps=gaps,
        waiting=waiting,
        not_in_record=len(indexed - ids),
        not_in_index=len(ids - indexed),
        turns=len(turns),
        memories=len(memories),
    )


async def storm(
    data: Path,
    *,
    length: int,
    rounds: int,
    seed: int,
    least: int = 1,
    most: int = 12,
    tell: Callable[[Round], None] = lambda _: None,
) -> tuple[list[Round], Verdict]:
    """Run a script of `length` messages, `rounds` times interrupted at random, and to its end. What was not
    acknowledged is sent again, as a platform would."""
    chance = random.Random(seed)  # noqa: S311 - for chance that can be repeated
    lines, done = script(length), list[Round]()
    acknowledged: list[dict[str, Any]] = []
    for _ in range(rounds):
        victim = chance.choice(VICTIMS)
        part = lines[len(acknowledged) :][: most * 2]
        if not part:
            break
        done.append(await run_round(part, data, victim, chance.randint(least, most), chance.random() * 0.3))
        tell(done[-1])
        acknowledged += _in_order(part, done[-1].acknowledged)
    rest = await run_round(lines[len(acknowledged) :] or lines[-1:], data, None, 0, 0.0)
    done.append(rest)
    return done, await examine(data, [*acknowledged, *rest.acknowledged])


def _in_order(sent: Sequence[dict[str, Any]], acknowledged: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The acknowledged lines up to the first one that was not, from which on the script is sent again."""
    kept: list[dict[str, Any]] = []
    for line in sent:
        if line not in acknowledged:
            break
        kept.append(line)
    return kept
