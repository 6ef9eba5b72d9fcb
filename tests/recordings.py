"""The sessions shown in the documentation are recorded, not written: `python -m tests.recordings` records them anew.

A page marks a session with the script that it is the answer to; scripts lie in docs/recordings/.

    <!-- recorded: meetup.en.jsonl -->        or, for JSON lines, meetup.en.jsonl --json
    ```text
    …
    ```
    <!-- end -->
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.kith_process import ROOT, run

PAGES = ("README.md", "README.zh-CN.md", "docs/script-mode.md")
SCRIPTS = ROOT / "docs" / "recordings"

_SESSION = re.compile(
    r"(?P<head><!-- recorded: (?P<script>\S+)(?P<json> --json)? -->\n```(?:text|json)\n)"
    r"(?P<shown>.*?)(?P<tail>```\n<!-- end -->)",
    re.DOTALL,
)
_TIMINGS = re.compile(r'("timings_ms": )\{[^}]*\}')
_FIGURE = re.compile(r'("relevance": \d\.\d)\d*')


@dataclass(frozen=True, slots=True)
class Session:
    """A script, and what a page shows as the answer to it."""

    page: str
    script: str
    as_json: bool
    shown: str


def sessions() -> Iterator[Session]:
    """Every session that a page shows."""
    for page in PAGES:
        for found in _SESSION.finditer((ROOT / page).read_text(encoding="utf-8")):
            yield Session(page, found["script"], found["json"] is not None, found["shown"])


async def record(script: str, *, as_json: bool) -> str:
    """What Kith answers to the script on an empty store, as a page shows it."""
    with tempfile.TemporaryDirectory(prefix="kith-recording-") as folder:
        data = str(Path(folder) / "data")
        options = ["--json"] if as_json else []
        finished = await run("chat", "--data", data, "--script", str(SCRIPTS / script), *options)
    if finished.stderr:
        raise RuntimeError(finished.stderr)
    lines = finished.stdout.splitlines()
    return "".join(f"{_laid_out(line) if as_json else line}\n" for line in lines)


def comparable(shown: str) -> str:
    """A session without what differs from one machine to the next."""
    return _FIGURE.sub(r"\1", _TIMINGS.sub(r"\1{}", shown))


def _laid_out(line: str) -> str:
    """A JSON line with a line for each field, as an answer is too long to be read in one."""
    fields = json.loads(line)
    if "error" in fields:
        return line
    shown = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "{" + ",\n ".join(shown) + "}"


async def _write() -> None:
    recorded = {
        key: await record(key[0], as_json=key[1])
        for key in dict.fromkeys((session.script, session.as_json) for session in sessions())
    }
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        text = _SESSION.sub(
            lambda found: found["head"] + recorded[found["script"], found["json"] is not None] + found["tail"], text
        )
        (ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
