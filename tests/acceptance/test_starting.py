"""What stands in the way of a start, or of going on, is told in one message that says what to do."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.killing import examine
from tests.acceptance.kith_process import Finished, encoded, environment, run, run_script, start

HELLO = {"user": "alice", "text": "I live in Berlin"}
NOBODY = 65534
TMPFS_MB, LEFT_BYTES = 260, 64 * 1024


def assert_explained(finished: Finished, *words: str) -> None:
    assert finished.status not in (0, -9), finished
    assert "Traceback" not in finished.stderr
    assert len(finished.stderr.strip().splitlines()) <= 2, finished.stderr
    for word in words:
        assert word in finished.stderr


@pytest.mark.parametrize(
    ("variable", "value", "advice"),
    [
        ("KITH_MODEL__CHATX", "1", "did you mean KITH_MODEL__CHAT"),
        ("KITH_COMMUNITY__TIME_ZONE", "Mars", "Europe/Berlin"),
        ("KITH_AGENT__PERSONA", "/nowhere.md", "/nowhere.md"),
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:9/kith", "DATABASE_URL"),
        ("DATABASE_URL", "nonsense", "DATABASE_URL"),
    ],
)
async def test_a_wrong_setting_is_named(variable: str, value: str, advice: str, tmp_path: Path) -> None:
    finished = await run_script([HELLO], tmp_path / "data", env=environment(**{variable: value}))

    assert_explained(finished, advice)


async def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")

    assert_explained(await run_script([HELLO], place), str(place), "--data")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone who may not write")
async def test_a_folder_that_may_not_be_written_to_is_told(folder_path: Path) -> None:
    await asyncio.to_thread(folder_path.mkdir, mode=0o755)
    await asyncio.to_thread(folder_path.parent.chmod, 0o755)
    process = await asyncio.create_subprocess_exec(
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *(sys.executable, "-m", "bot", "chat", "--data", str(folder_path)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(HOME="/"),
    )
    _, stderr = await process.communicate()

    assert_explained(Finished(process.returncode or 0, "", stderr.decode()), str(folder_path), "--data")


async def test_a_second_process_is_told_who_has_the_folder_and_long_odd_paths_work(folder_path: Path) -> None:
    data = folder_path / ("long " * 20 + "名字 $x") / ("y" * 30)
    first = await start("chat", "--script", "-", "--json", "--data", str(data))
    assert first.stdin is not None and first.stdout is not None
    first.stdin.write(encoded(HELLO) + b"\n")
    assert b"Berlin" in await first.stdout.readline()

    second = await run_script([HELLO], data)
    await first.communicate(b"")

    assert first.returncode == 0
    assert_explained(second, f"process {first.pid}", "--data")


async def test_a_pipe_without_json_is_a_conversation(tmp_path: Path) -> None:
    finished = await run("chat", "--data", str(tmp_path / "data"), stdin=b"I live in Berlin\n\n/profile\n")

    assert (finished.status, finished.stderr) == (0, "")
    assert "Noted." in finished.stdout and "lives in Berlin" in finished.stdout


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kith-disk-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_MB}m", "none", folder], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            pytest.skip("only root, outside of most containers, can mount a small disk")
        yield Path(folder)
        subprocess.run(["umount", folder], check=True)


async def test_a_disk_that_fills_up_is_told_and_loses_nothing(small_disk: Path) -> None:
    data, filler = small_disk / "data", small_disk / "filler"
    chance = random.Random(3)  # noqa: S311 - text that does not compress
    lines: list[dict[str, Any]] = [
        {"user": "alice", "text": f"Meetup {number} is on 3 March. {chance.randbytes(1200).hex(' ', 4)}"}
        for number in range(150)
    ]
    process = await start("chat", "--script", "-", "--json", "--data", str(data))
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(encoded(lines[0]) + b"\n")
    answers = [await process.stdout.readline()]
    room = os.statvfs(small_disk)
    filler.write_bytes(b"x" * (room.f_bavail * room.f_frsize - LEFT_BYTES))
    stdout, stderr = await process.communicate(b"\n".join(encoded(line) for line in lines[1:]))
    answers += stdout.splitlines()
    full = await run_script([HELLO], data)
    filler.unlink()
    after = await run_script([HELLO], data)

    assert_explained(Finished(process.returncode or 0, "", stderr.decode()), "disk is full")
    assert 1 <= len(answers) < len(lines)
    assert_explained(full, "disk is full")
    assert after.status == 0, after.stderr
    acknowledged = [line for line, answer in zip(lines, answers, strict=False) if b'"no_record"' not in answer]
    verdict = await examine(data, [{**line, "text": line["text"].strip()} for line in acknowledged])
    assert verdict.sound, verdict
