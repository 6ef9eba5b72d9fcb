"""The data folder: made where it is asked for, used by one process at a time."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from memory.errors import DataFolderInUse, DataFolderUnusable
from memory.storage.folder import DataFolder

_HOLDER = """
import asyncio, sys
from pathlib import Path
from memory.storage.folder import DataFolder

async def main():
    async with await DataFolder.open(Path(sys.argv[1])):
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["plain", "with some spaces", "记忆 的文件夹", "long/" + "x" * 200, "a'b\"c,d"])
async def test_the_folder_is_made_with_its_sub_folders(tmp_path: Path, name: str) -> None:
    async with await DataFolder.open(tmp_path / name) as folder:
        assert folder.path == tmp_path / name
        assert folder.postgres.is_dir() and folder.index.is_dir()
        assert folder.path.stat().st_mode & 0o077 == 0


async def test_a_folder_can_be_opened_again_once_it_is_closed(tmp_path: Path) -> None:
    for _ in range(2):
        folder = await DataFolder.open(tmp_path)
        await folder.close()
        await folder.close()


async def test_a_folder_in_use_is_refused_with_the_process_that_uses_it(tmp_path: Path) -> None:
    async with await DataFolder.open(tmp_path):
        with pytest.raises(DataFolderInUse, match=f"process {os.getpid()}"):
            await DataFolder.open(tmp_path, wait_s=0.0)


async def test_a_folder_becomes_free_while_one_waits_for_it(tmp_path: Path) -> None:
    first = await DataFolder.open(tmp_path)
    waiting = asyncio.create_task(DataFolder.open(tmp_path, wait_s=30.0))
    await asyncio.sleep(0)
    assert not waiting.done()
    await first.close()
    await (await waiting).close()


async def test_another_process_keeps_the_folder_until_it_is_killed(tmp_path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, tmp_path, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None and await holder.stdout.readline() == b"open\n"
    with pytest.raises(DataFolderInUse, match=f"process {holder.pid}"):
        await DataFolder.open(tmp_path, wait_s=0.0)
    holder.kill()
    await holder.wait()
    async with await DataFolder.open(tmp_path, wait_s=0.0):
        pass


async def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataFolderUnusable, match="--data"):
        await DataFolder.open(Path(__file__) / "data")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_a_folder_without_the_right_to_write_says_what_to_do(tmp_path: Path) -> None:
    async with await DataFolder.open(tmp_path):
        pass
    os.chmod(tmp_path, 0o500)
    with pytest.raises(DataFolderUnusable, match="--data"):
        await DataFolder.open(tmp_path)
    os.chmod(tmp_path, 0o700)
