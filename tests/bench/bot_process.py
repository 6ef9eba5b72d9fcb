"""The bot as a process of its own, without any setting of the developer's."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_OWN_SETTINGS = ("KITH_", "OPENAI_", "QDRANT_", "DATABASE_", "DISCORD_", "TELEGRAM_", "PYTHONDONTWRITEBYTECODE")


def environment() -> dict[str, str]:
    """The process environment as a user's: without the bot's settings, and with compiled modules kept."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}


async def start_bot(*arguments: str, data: Path) -> Process:
    """`python -m bot …` with a data folder; what it says besides its output is not shown."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", *arguments, "--data", str(data)),
        cwd=ROOT,
        env=environment(),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=2**24,
    )


async def ask(process: Process, line: bytes) -> bytes:
    """The answer to one script line."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the bot was started without pipes")
    process.stdin.write(line + b"\n")
    await process.stdin.drain()
    answer = await process.stdout.readline()
    if not answer:
        raise RuntimeError("the bot ended without an answer")
    return answer


async def ended(process: Process) -> int:
    """Its exit status once its input is over."""
    if process.stdin is not None:
        process.stdin.close()
    return await process.wait()
