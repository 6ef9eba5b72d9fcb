"""What a process and its children cost. Linux only: elsewhere the figures are not numbers."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Cost:
    """`memory_mb` is the proportional set size: pages that processes share count once in the sum."""

    memory_mb: float
    cpu_s: float


def tree(pid: int) -> list[int]:
    """The process and all its living descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        if fields := _stat(path):
            children[int(fields[1])].append(int(path.parent.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children[found[-1]]
    return found


def cost_by_kind(pid: int) -> dict[str, Cost]:
    """What the tree of `pid` costs: `bot`, `index` and `postgres`."""
    memory: dict[str, float] = defaultdict(float)
    cpu: dict[str, float] = defaultdict(float)
    for process in tree(pid):
        kind = _kind(process, pid)
        memory[kind] += memory_mb(process)
        cpu[kind] += cpu_s(process)
    return {kind: Cost(memory[kind], cpu[kind]) for kind in sorted(memory)}


def memory_mb(pid: int | None) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return NAN if pid is None or not Path("/proc/self").exists() else 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def cpu_s(pid: int | None) -> float:
    """Processor time that the process has used, with that of its children that have ended."""
    fields = _stat(Path(f"/proc/{pid}/stat"))
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") if fields else NAN


async def peak_memory_mb(pid: int, ended: asyncio.Event, *, every_s: float = 1.0) -> float:
    """The most memory that the tree of `pid` was seen to hold until `ended`."""
    peak = 0.0
    while not ended.is_set():
        costs = await asyncio.to_thread(cost_by_kind, pid)
        peak = max(peak, sum(cost.memory_mb for cost in costs.values()))
        try:
            async with asyncio.timeout(every_s):
                await ended.wait()
        except TimeoutError:
            continue
    return peak


def _stat(path: Path) -> list[str]:
    """The fields after the program's name: state, parent, …"""
    try:
        return path.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _kind(process: int, root: int) -> str:
    if process == root:
        return "bot"
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return "other"
    if b"edge_process" in command:
        return "index"
    return "postgres" if b"postgres" in command else "other"
