"""The embedded PostgreSQL: starts anywhere, survives kills, is reachable by nobody else."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from config.settings import DatabaseSettings
from memory.errors import DataFolderUnusable, RecordUnavailable
from memory.storage.folder import DataFolder
from memory.storage.postgres import Database, EmbeddedPostgres, Record
from tests.conftest import IDLE_TIMEOUT_S
from tests.factories import a_message, an_exchange

_KEEPER = """
import asyncio, os, sys
import concurrent.futures.thread  # now: after the change of user, Python's own files may be out of reach
from pathlib import Path
from config.settings import DatabaseSettings
from memory.storage.folder import DataFolder
from memory.storage.postgres import EmbeddedPostgres, Record
from tests.factories import a_message, an_exchange

async def main():
    if len(sys.argv) > 2:
        os.setgroups([])
        os.setgid(int(sys.argv[2]))
        os.setuid(int(sys.argv[2]))
    async with await DataFolder.open(Path(sys.argv[1])) as folder:
        server = await EmbeddedPostgres.start(folder)
        record = await Record.open(server.dsn, DatabaseSettings(), idle_timeout_s=3600)
        await record.conversations.record(an_exchange(a_message("acknowledged")))
        print(server.pid, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await record.close()
        await server.stop()

asyncio.run(main())
"""


async def _texts(server: EmbeddedPostgres) -> list[str]:
    record = await Record.open(server.dsn, DatabaseSettings(), idle_timeout_s=IDLE_TIMEOUT_S)
    try:
        return [turn.text for turn in await record.conversations.turns("guild/general") if not turn.speaker.is_bot]
    finally:
        await record.close()


async def _say(server: EmbeddedPostgres, text: str) -> None:
    record = await Record.open(server.dsn, DatabaseSettings(), idle_timeout_s=IDLE_TIMEOUT_S)
    try:
        await record.conversations.record(an_exchange(a_message(text)))
    finally:
        await record.close()


async def _keeper(folder: Path, *, uid: int | None = None) -> tuple[asyncio.subprocess.Process, int]:
    """Another process that keeps the folder open, under `uid` if given; also its server's pid."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _KEEPER,
        folder,
        *([] if uid is None else [str(uid)]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = await process.stdout.readline()
    return process, int(line)


@pytest.fixture(scope="module")
async def made() -> AsyncIterator[Path]:
    """Database files, made once and copied by the tests that need nothing fresh: making them takes seconds."""
    with tempfile.TemporaryDirectory(prefix="kith-made-") as root:
        async with await DataFolder.open(Path(root)) as folder:
            await (await EmbeddedPostgres.start(folder)).stop()
        yield Path(root)


@pytest.fixture
def used_path(made: Path, folder_path: Path) -> Path:
    """A data folder that has been used before, restored from a copy."""
    shutil.copytree(made, folder_path)
    return folder_path


@pytest.fixture(
    params=["with some spaces", "记忆 的文件夹", "deep/" + "x" * 120 + "/长" * 20, "a'b\"c,d$e;f"],
    ids=["spaces", "chinese", "long", "quotes"],
)
def awkward_path(request: pytest.FixtureRequest, folder_path: Path) -> Path:
    return folder_path.parent / request.param


@pytest.fixture
def short_of_folders(monkeypatch: pytest.MonkeyPatch, folder_path: Path) -> Iterator[Path]:
    """A folder for temporary files whose own path is too long for a socket."""
    long = folder_path.parent / ("t" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    yield long


async def test_it_starts_in_awkward_places_twice_in_a_row(awkward_path: Path, used_path: Path) -> None:
    shutil.copytree(used_path, awkward_path)
    for text in ("first", "second"):
        async with await DataFolder.open(awkward_path) as folder:
            server = await EmbeddedPostgres.start(folder)
            await _say(server, text)
            assert (await _texts(server))[-1] == text
            await server.stop()
    async with await DataFolder.open(awkward_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        assert await _texts(server) == ["first", "second"]
        await server.stop()
        assert server.pid is None


async def test_nobody_else_can_reach_it_and_it_is_durable(used_path: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        try:
            assert server.pid is not None
            assert [c for c in psutil.Process(server.pid).net_connections("inet") if c.status == "LISTEN"] == []
            database = await Database.connect(DatabaseSettings(), server.dsn)
            for name in ("fsync", "synchronous_commit", "full_page_writes"):
                assert await database.fetchval("select current_setting($1)", name) == "on"
            setting = await database.fetchval("select current_setting('unix_socket_directories')")
            await database.close()
            socket_folder = str(setting).strip('"')
            assert stat.S_IMODE(os.stat(socket_folder).st_mode) == 0o700
            assert stat.S_IMODE(os.stat(folder.postgres / "data").st_mode) == 0o700
        finally:
            await server.stop()
        assert not os.access(socket_folder, os.F_OK)


async def test_what_was_acknowledged_survives_a_kill_and_the_leftover_server_is_stopped(used_path: Path) -> None:
    keeper, left_pid = await _keeper(used_path)
    keeper.kill()
    await keeper.wait()
    assert psutil.pid_exists(left_pid)
    async with await DataFolder.open(used_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        assert server.pid != left_pid and not psutil.pid_exists(left_pid)
        assert await _texts(server) == ["acknowledged"]
        await server.stop()


async def test_a_clean_end_leaves_no_process(used_path: Path) -> None:
    keeper, pid = await _keeper(used_path)
    await keeper.communicate(b"")
    assert keeper.returncode == 0
    assert not psutil.pid_exists(pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as somebody else")
async def test_it_runs_as_an_ordinary_user(folder_path: Path) -> None:
    uid = pwd.getpwnam("nobody").pw_uid
    shutil.chown(folder_path.parent, uid)
    keeper, pid = await _keeper(folder_path, uid=uid)
    assert psutil.Process(pid).uids().real == uid
    await keeper.communicate(b"")
    assert keeper.returncode == 0
    async with await DataFolder.open(folder_path) as folder:  # root goes on with what the user began
        server = await EmbeddedPostgres.start(folder)
        assert await _texts(server) == ["acknowledged"]
        await server.stop()


async def test_the_database_works_again_once_a_killed_server_is_back(used_path: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        database = await Database.connect(DatabaseSettings(), server.dsn)
        try:
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            with pytest.raises(RecordUnavailable) as caught:
                while True:
                    await database.fetchval("select 1")
            assert caught.value.__cause__ is not None
            assert await _eventually(database) == 1
        finally:
            await database.close()
            await server.stop()


async def _eventually(database: Database) -> object:
    async with asyncio.timeout(60):
        while True:
            try:
                return await database.fetchval("select 1")
            except RecordUnavailable:
                await asyncio.sleep(0.05)


async def test_stopping_while_the_server_is_down_ends_the_restarts(used_path: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        await server.stop()
        assert server.pid is None


async def test_a_process_number_that_belongs_to_a_stranger_does_not_stop_the_start(used_path: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        await (await EmbeddedPostgres.start(folder)).stop()
        lines = [str(os.getpid()), str(folder.postgres / "data"), "1700000000", "5432", "/var/kith-gone", "", "1 2", ""]
        (folder.postgres / "data" / "postmaster.pid").write_text("\n".join(lines))
        server = await EmbeddedPostgres.start(folder)
        await server.stop()


async def test_an_interrupted_first_start_is_begun_anew(folder_path: Path) -> None:
    """Also the one test here that makes its files in a path with spaces and Chinese."""
    async with await DataFolder.open(folder_path / "我的 folder") as folder:
        unfinished = folder.postgres / "data.new-1"
        unfinished.mkdir()
        (unfinished / "PG_VERSION").write_text("18")
        server = await EmbeddedPostgres.start(folder)
        await server.stop()
        assert not unfinished.exists()


async def test_a_long_folder_for_temporary_files_is_passed_over(used_path: Path, short_of_folders: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        server = await EmbeddedPostgres.start(folder)
        assert str(short_of_folders) not in server.dsn
        await server.stop()


async def test_damaged_files_are_reported_with_the_place_to_look(used_path: Path) -> None:
    async with await DataFolder.open(used_path) as folder:
        await (await EmbeddedPostgres.start(folder)).stop()
        (folder.postgres / "data" / "global" / "pg_control").write_bytes(b"\0" * 8192)
        with pytest.raises(DataFolderUnusable, match=r"server\.log"):
            await EmbeddedPostgres.start(folder)


async def test_files_of_another_version_are_refused_by_name(folder_path: Path) -> None:
    async with await DataFolder.open(folder_path) as folder:
        (folder.postgres / "data").mkdir()
        (folder.postgres / "data" / "PG_VERSION").write_text("12\n")
        with pytest.raises(DataFolderUnusable, match="PostgreSQL 12"):
            await EmbeddedPostgres.start(folder)
