"""The index follows the record, whatever happens to either."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from memory.errors import EmbedderChanged, IndexUnavailable
from memory.indexing import Indexer, claim_index
from memory.model import MemoryChanges, Status
from memory.ports import Fingerprint, Floats, IndexPoint
from memory.ranking import index_schema
from memory.storage.index import InMemoryIndex
from memory.storage.postgres import Record
from tests.factories import NOON, a_memory
from tests.fakes.openai_server import embedding_of

DIMENSIONS = 64


class HashedEmbedder:
    """Vectors that follow from the text alone."""

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint("test", "hashed", DIMENSIONS)

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Floats:

        return np.array([embedding_of(text, DIMENSIONS) for text in texts], dtype=np.float32)


@pytest.fixture
async def index() -> InMemoryIndex:
    return await InMemoryIndex.open(index_schema(DIMENSIONS))


@pytest.fixture
def indexer(record: Record, index: InMemoryIndex) -> Indexer:
    return Indexer(record.outbox, index, HashedEmbedder())


async def test_what_is_added_is_indexed_and_what_is_archived_leaves(
    record: Record, index: InMemoryIndex, indexer: Indexer
) -> None:
    kept, dropped = a_memory(text="the meetup is on Friday"), a_memory(text="the meetup is on Sunday")
    await record.memories.apply(MemoryChanges(add=(kept, dropped)))
    assert await indexer.drain() == 2

    await record.memories.set_status([dropped.id], Status.ARCHIVED, at=NOON)
    await indexer.drain()

    assert await index.ids() == {kept.id}
    assert (await record.memories.counts())["outbox"] == 0


async def test_an_entry_stays_until_the_index_has_acknowledged_it(record: Record, index: InMemoryIndex) -> None:
    class Unreachable(InMemoryIndex):
        async def upsert(self, points: Sequence[IndexPoint]) -> None:
            raise IndexUnavailable

    memory = a_memory()
    await record.memories.apply(MemoryChanges(add=(memory,)))

    away = await Unreachable.open(index_schema(DIMENSIONS))
    with pytest.raises(IndexUnavailable):
        await Indexer(record.outbox, away, HashedEmbedder()).drain()
    await Indexer(record.outbox, index, HashedEmbedder()).drain()

    assert await index.ids() == {memory.id}


async def test_whoever_waits_for_the_index_finds_what_was_written_before(
    record: Record, index: InMemoryIndex, indexer: Indexer
) -> None:
    running = asyncio.create_task(indexer.run())
    try:
        for number in range(3):
            memory = a_memory(text=f"fact number {number}")
            await record.memories.apply(MemoryChanges(add=(memory,)))
            await asyncio.sleep(0)
            indexer.wake()
            await indexer.catch_up(timeout_s=30)
            assert memory.id in await index.ids()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_an_index_that_is_stuck_holds_a_reply_up_once_for_a_write_and_not_for_long(record: Record) -> None:
    class Stuck(InMemoryIndex):
        async def upsert(self, points: Sequence[IndexPoint]) -> None:
            await asyncio.Event().wait()

    indexer = Indexer(record.outbox, await Stuck.open(index_schema(DIMENSIONS)), HashedEmbedder())
    running = asyncio.create_task(indexer.run())
    try:
        await asyncio.sleep(0)
        await record.memories.apply(MemoryChanges(add=(a_memory(),)))
        indexer.wake()
        await indexer.catch_up(timeout_s=0.01)
        await indexer.catch_up(timeout_s=3_600)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_an_index_that_lost_and_gained_points_is_made_equal_to_the_record(
    record: Record, index: InMemoryIndex, indexer: Indexer
) -> None:
    memories = tuple(a_memory(text=f"fact number {number}") for number in range(5))
    await record.memories.apply(MemoryChanges(add=memories))
    await indexer.drain()
    await index.delete([memories[0].id, memories[1].id])
    await record.memories.set_status([memories[4].id], Status.ARCHIVED, at=NOON)
    await record.outbox.done([entry.seq for entry, _ in await record.outbox.take(10)])

    assert await indexer.reconcile() == 3
    await indexer.drain()

    assert await index.ids() == {memory.id for memory in memories[:4]}
    assert await indexer.reconcile() == 0


async def test_a_rebuild_fills_an_empty_index_and_tells_how_far_it_is(
    record: Record, index: InMemoryIndex, indexer: Indexer
) -> None:
    memories = tuple(a_memory(text=f"fact number {number}") for number in range(150))
    await record.memories.apply(MemoryChanges(add=memories))
    told: list[tuple[int, int]] = []

    assert await indexer.rebuild(lambda done, total: told.append((done, total))) >= 150

    assert await index.ids() == {memory.id for memory in memories}
    assert told[-1][0] >= told[0][0] > 0


async def test_an_index_made_by_another_embedder_is_refused_with_the_command_that_helps(record: Record) -> None:
    await claim_index(record.outbox, Fingerprint("local", "small", 384))
    await claim_index(record.outbox, Fingerprint("local", "small", 384))

    with pytest.raises(EmbedderChanged, match="python -m bot memory reindex"):
        await claim_index(record.outbox, Fingerprint("openai", "large", 3072))
