"""Kith as a person runs it: the command line, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 240.0

Line = Mapping[str, Any] | str | bytes


@dataclass(frozen=True, slots=True)
class Finished:
    status: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines()]


def environment(**extra: str) -> dict[str, str]:
    """The process environment without any setting of the developer's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KITH_", "OPENAI_", "QDRANT_", "DATABASE_", "DISCORD_", "TELEGRAM_"))
    }
    return {**kept, "PYTHONUNBUFFERED": "1", **extra}


async def start(*args: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *args,
        cwd=cwd,
        env=dict(env) if env is not None else environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )


async def run(*args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Finished:
    process = await start(*args, env=env)
    async with asyncio.timeout(TIMEOUT_S):
        stdout, stderr = await process.communicate(stdin)
    return Finished(process.returncode or 0, stdout.decode(), stderr.decode())


async def run_script(lines: Sequence[Line], data: Path, *, env: Mapping[str, str] | None = None) -> Finished:
    """`chat --script - --json` over `lines`; a string or bytes is sent as it is."""
    stdin = b"\n".join(encoded(line) for line in lines) + b"\n"
    return await run("chat", "--script", "-", "--json", "--data", str(data), stdin=stdin, env=env)


def encoded(line: Line) -> bytes:
    if isinstance(line, bytes):
        return line
    return (line if isinstance(line, str) else json.dumps(line)).encode()


def processes_on(data: Path, naming: str = "") -> list[int]:
    """The processes whose command line names the data folder, and `naming`. Linux only."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(data) in words and naming in words and int(path.parent.name) != os.getpid():
            found.append(int(path.parent.name))
    return sorted(found)
