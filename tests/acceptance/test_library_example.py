"""The library example of docs/architecture.md, run as it stands."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from tests.acceptance.kith_process import ROOT, TIMEOUT_S, environment


def example() -> str:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return block


async def test_in_the_library_example_the_second_message_recalls_the_first(folder_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        example(),
        cwd=folder_path.parent,
        env=environment(PYTHONPATH=str(ROOT)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(TIMEOUT_S):
        stdout, stderr = await process.communicate()

    assert process.returncode == 0, stderr.decode()
    assert stdout.decode().splitlines() == [
        "Alice: []",
        "Bob: ['The meetup is on 15 March at 7pm.']",
    ]
