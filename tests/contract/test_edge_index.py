"""What only the embedded index promises: its process, its folder, its upkeep."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from memory.errors import DataFolderInUse, IndexUnavailable
from memory.ports import IndexPoint, IndexSchema
from memory.storage.index import EdgeIndex
from tests.contract.conftest import INDEX_SCHEMA
from tests.contract.index_points import PUBLIC, PointFactory, assert_complete


@pytest.fixture
def make() -> PointFactory:
    return PointFactory(INDEX_SCHEMA)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest_asyncio.fixture(loop_scope="session")
async def edge(folder: Path) -> AsyncGenerator[EdgeIndex]:
    opened = await EdgeIndex.open(folder, INDEX_SCHEMA, timeout_s=20.0)
    yield opened
    await opened.close()


async def reopened(folder: Path, schema: IndexSchema = INDEX_SCHEMA) -> EdgeIndex:
    return await EdgeIndex.open(folder, schema, timeout_s=20.0)


def running_child(edge: EdgeIndex) -> int:
    assert edge.child_pid is not None
    return edge.child_pid


async def crash(edge: EdgeIndex) -> None:
    """Kills the child and waits until the index knows."""
    os.kill(running_child(edge), signal.SIGKILL)
    async with asyncio.timeout(20.0):
        while edge.child_pid is not None:
            await asyncio.to_thread(os.sched_yield)


def only_shard(folder: Path) -> Path:
    (shard,) = folder.glob("shard-*")
    return shard


def damage(folder: Path, content: bytes) -> None:
    for file in folder.glob("shard-*/segments/*/segment.json"):
        file.write_bytes(content)


async def test_a_restart_keeps_everything(folder: Path, edge: EdgeIndex, make: PointFactory) -> None:
    points, query = make.points(200), make.query()
    assert edge.created
    await edge.upsert(points)
    before = await edge.search(query, PUBLIC)
    await edge.close()
    again = await reopened(folder)
    try:
        assert not again.created
        after = await again.search(query, PUBLIC)
        assert after.ids == before.ids
        assert_complete(after, query, points, points)
    finally:
        await again.close()


async def test_acknowledged_writes_survive_a_kill_and_the_next_call_recovers(
    edge: EdgeIndex, make: PointFactory
) -> None:
    acknowledged: list[IndexPoint] = []

    async def write() -> None:
        for _ in range(1_000):
            batch = make.points(20)
            await edge.upsert(batch)
            acknowledged.extend(batch)
            if len(acknowledged) >= 400:
                os.kill(running_child(edge), signal.SIGKILL)

    with pytest.raises(IndexUnavailable):
        await write()
    assert len(acknowledged) >= 400
    assert {point.id for point in acknowledged} <= await edge.ids()
    await edge.delete(list(await edge.ids() - {point.id for point in acknowledged}))
    query = make.query()
    assert_complete(await edge.search(query, PUBLIC), query, acknowledged, acknowledged)
    assert await edge.count() == len(acknowledged)


async def test_an_acknowledged_delete_survives_a_kill(edge: EdgeIndex, make: PointFactory) -> None:
    points = make.points(50)
    await edge.upsert(points)
    await edge.delete([point.id for point in points[:25]])
    await crash(edge)
    assert await edge.ids() == {point.id for point in points[25:]}


async def test_a_process_that_keeps_ending_is_left_alone_for_a_while(folder: Path, make: PointFactory) -> None:
    now_s = 1_000.0

    def clock_s() -> float:
        return now_s

    edge = await EdgeIndex.open(folder, INDEX_SCHEMA, timeout_s=20.0, clock_s=clock_s)
    try:
        await edge.upsert(make.points(5))
        await crash(edge)
        assert await edge.count() == 5
        await crash(edge)
        with pytest.raises(IndexUnavailable, match="keeps ending"):
            await edge.count()
        now_s += 1.0
        assert await edge.count() == 5
    finally:
        await edge.close()


async def test_a_second_process_on_the_folder_is_refused(folder: Path, edge: EdgeIndex, make: PointFactory) -> None:
    with pytest.raises(DataFolderInUse):
        await reopened(folder)
    await edge.upsert(make.points(3))
    assert await edge.count() == 3


async def test_tidying_serves_searches_and_loses_no_write(edge: EdgeIndex, make: PointFactory) -> None:
    points = make.points(600)
    await edge.upsert(points)
    await edge.delete([point.id for point in points[:300]])
    living = {point.id: point for point in points[300:]}
    tidying = asyncio.create_task(edge.tidy())
    searches = 0
    while not tidying.done():
        query = make.query()
        assert_complete(await edge.search(query, PUBLIC), query, list(living.values()), list(living.values()))
        fresh, renewed, dropped = make.point(), make.point(id_=next(iter(living))), list(living)[-1]
        await edge.upsert([fresh, renewed])
        await edge.delete([dropped])
        living |= {fresh.id: fresh, renewed.id: renewed}
        del living[dropped]
        searches += 1
    await tidying
    assert searches > 3
    assert await edge.ids() == set(living)
    query = make.query()
    assert_complete(await edge.search(query, PUBLIC), query, list(living.values()), list(living.values()))


async def test_tidying_gives_room_back_and_the_result_survives_a_kill(
    folder: Path, edge: EdgeIndex, make: PointFactory
) -> None:
    points = make.points(400)
    await edge.upsert(points)
    await edge.delete([point.id for point in points[10:]])
    old = only_shard(folder)
    await edge.tidy()
    assert only_shard(folder) != old
    late = make.points(10)
    await edge.upsert(late)
    await crash(edge)
    await edge.close()
    again = await reopened(folder)
    try:
        assert await again.ids() == {point.id for point in (*points[:10], *late)}
    finally:
        await again.close()


async def test_clearing_during_tidying_brings_nothing_back(edge: EdgeIndex, make: PointFactory) -> None:
    await edge.upsert(make.points(600))
    tidying = asyncio.create_task(edge.tidy())
    await edge.search(make.query(), PUBLIC)
    await edge.clear()
    await tidying
    assert await edge.ids() == set()


async def test_a_half_built_shard_is_discarded_at_open(folder: Path, edge: EdgeIndex, make: PointFactory) -> None:
    points = make.points(10)
    await edge.upsert(points)
    await edge.close()
    (folder / "building" / "segments").mkdir(parents=True)
    (folder / "shard-99").mkdir()
    again = await reopened(folder)
    try:
        assert await again.ids() == {point.id for point in points}
        assert not (folder / "building").exists() and not (folder / "shard-99").exists()
        await again.tidy()
        assert await again.ids() == {point.id for point in points}
    finally:
        await again.close()


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x00" * 200])
async def test_an_unreadable_shard_is_moved_aside_and_reported(
    folder: Path, edge: EdgeIndex, make: PointFactory, content: bytes
) -> None:
    await edge.upsert(make.points(10))
    await edge.close()
    damage(folder, content)
    again = await reopened(folder)
    try:
        assert again.created
        assert await again.ids() == set()
        assert (folder / "unusable").is_dir()
        await again.upsert(make.points(2))
        await again.clear()
        assert not (folder / "unusable").exists()
    finally:
        await again.close()


@pytest.mark.parametrize("content", ["", "[]", '{"format": 1', '{"format": 0, "shard": "shard-1"}'])
async def test_a_damaged_pointer_starts_an_empty_index(folder: Path, edge: EdgeIndex, content: str) -> None:
    await edge.close()
    (folder / "current.json").write_text(content)
    again = await reopened(folder)
    try:
        assert again.created and await again.ids() == set()
    finally:
        await again.close()


async def test_another_schema_starts_an_empty_index(folder: Path, edge: EdgeIndex, make: PointFactory) -> None:
    await edge.upsert(make.points(4))
    await edge.close()
    wider = IndexSchema(INDEX_SCHEMA.dense, INDEX_SCHEMA.sparse, INDEX_SCHEMA.dimensions * 2)
    again = await reopened(folder, wider)
    try:
        assert again.created and await again.ids() == set()
        await again.upsert(PointFactory(wider).points(3))
        assert await again.count() == 3
    finally:
        await again.close()


async def test_a_folder_may_have_any_name(tmp_path: Path, make: PointFactory) -> None:
    folder = tmp_path / "my data 数据 é" / ("long" * 40) / ("path" * 40)
    for expected in (3, 6):
        edge = await reopened(folder)
        await edge.upsert(make.points(3))
        assert await edge.count() == expected
        await edge.close()


async def test_flushing_and_closing_twice_are_harmless(edge: EdgeIndex, make: PointFactory) -> None:
    await edge.upsert(make.points(3))
    await edge.flush()
    await edge.close()
    await edge.close()
    with pytest.raises(IndexUnavailable):
        await edge.count()


async def test_many_searches_and_writes_at_once(edge: EdgeIndex, make: PointFactory) -> None:
    points = make.points(300)
    await edge.upsert(points)
    more = [make.points(30) for _ in range(10)]
    found, *_ = await asyncio.gather(
        asyncio.gather(*(edge.search(make.query(), PUBLIC) for _ in range(20))),
        *(edge.upsert(batch) for batch in more),
    )
    assert all(candidates.ids for candidates in found)
    assert await edge.count() == 600


OWNER = """
import asyncio, sys
from pathlib import Path
from memory.storage.index import EdgeIndex
from tests.contract.conftest import INDEX_SCHEMA
from tests.contract.index_points import PointFactory

async def main():
    edge = await EdgeIndex.open(Path(sys.argv[1]), INDEX_SCHEMA, timeout_s=20.0)
    await edge.upsert(PointFactory(INDEX_SCHEMA).points(50))
    print(edge.child_pid, flush=True)
    await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""


async def test_the_child_ends_with_its_killed_parent_and_frees_the_folder(folder: Path) -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, str(folder), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None and owner.stderr is not None
    child = int(await owner.stdout.readline())
    os.kill(child, signal.SIGINT)  # Ctrl-C is the parent's business
    owner.kill()
    await owner.wait()
    assert await owner.stderr.read() == b""
    edge = await reopened(folder)  # the child holds the folder's lock for as long as it lives
    try:
        assert await edge.count() == 50
    finally:
        await edge.close()


async def test_the_pointer_names_the_schema(folder: Path, edge: EdgeIndex) -> None:
    assert edge.created
    current = json.loads((folder / "current.json").read_text("utf-8"))
    assert current["schema"]["dimensions"] == INDEX_SCHEMA.dimensions
    assert (folder / current["shard"]).is_dir()
