"""Carries what was committed to PostgreSQL over to the search index, through the outbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from memory.errors import EmbedderChanged, EmbeddingFailed, StoreUnavailable
from memory.model import Memory
from memory.ports import Embedder, Fingerprint, IndexPoint, OutboxStore, VectorIndex
from memory.ranking import passages, sparse_vectors

log = structlog.get_logger(__name__)

BATCH = 64
RETRY_S = 2.0


async def claim_index(outbox: OutboxStore, mine: Fingerprint) -> None:
    """Make the index this embedder's. Raises EmbedderChanged when another one made its vectors."""
    made_by = await outbox.embedder()
    if made_by is None:
        await outbox.set_embedder(mine)
    elif made_by != mine:
        raise EmbedderChanged(
            f"the vectors in this store were made by {made_by.model} ({made_by.dimensions} dimensions), and the "
            f"settings name {mine.model} ({mine.dimensions}). "
            "To re-index with the new one run: python -m bot memory reindex"
        )


class Indexer:
    """Drains the outbox into the index.

    Invariant: an entry leaves the outbox only after the index has acknowledged it, so that a crash anywhere repeats
    work and loses none. One drain runs at a time.
    """

    def __init__(self, outbox: OutboxStore, index: VectorIndex, embedder: Embedder) -> None:
        self._outbox = outbox
        self._index = index
        self._embedder = embedder
        self._wake = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._running = False
        self._caught_up = asyncio.Event()
        self._caught_up.set()

    def wake(self) -> None:
        self._wake.set()
        if self._running:
            self._caught_up.clear()

    async def catch_up(self, timeout_s: float) -> None:
        """Until what was written before can be found, so that a question right after a statement finds it; at most
        `timeout_s`, and once for each write: an index that is far behind does not hold up every reply."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._caught_up.wait()
        except TimeoutError:
            self._caught_up.set()

    async def drain(self, progress: Callable[[int], None] | None = None) -> int:
        """Carry over everything that waits now; returns how many entries. `progress` is told the count so far.

        Raises StoreUnavailable or EmbeddingFailed.
        """
        carried = 0
        async with self._one_at_a_time:
            while taken := await self._outbox.take(BATCH):
                gone = [entry.memory_id for entry, memory in taken if memory is None]
                alive = {memory.id: memory for _, memory in taken if memory is not None}
                if gone:
                    await self._index.delete(gone)
                if alive:
                    await self._index.upsert(await self._points(list(alive.values())))
                await self._outbox.done([entry.seq for entry, _ in taken])
                carried += len(taken)
                if progress is not None:
                    progress(carried)
        return carried

    async def reconcile(self) -> int:
        """Queue whatever the index lacks or holds in excess of the record; returns how many entries. An index may fall
        behind the record without an outbox entry to show for it: files lost, or the machine without power."""
        queued = await self._outbox.reconcile(await self._index.ids())
        if queued:
            log.info("the index differed from the record", _event="index_differed", entries=queued)
            self.wake()
        return queued

    async def rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Index every memory anew with this embedder; returns how many. `progress` is told (done, of) after each
        batch."""
        async with self._one_at_a_time:
            await self._outbox.set_embedder(self._embedder.fingerprint)
            total = await self._outbox.enqueue_all()
            await self._index.clear()
        await self.drain(None if progress is None else lambda done: progress(min(done, total), total))
        return total

    async def run(self) -> None:
        """Make good what the index lacks, then drain whenever woken, until cancelled; a store that is away is tried
        again."""
        reconciled = False
        self._running = True
        while True:
            self._wake.clear()
            try:
                if not reconciled:
                    await self.drain()
                    await self.reconcile()
                    reconciled = True
                await self.drain()
            except (StoreUnavailable, EmbeddingFailed) as error:
                log.warning("the index is behind and will catch up", _event="index_behind", reason=type(error).__name__)
                self._caught_up.set()
                await asyncio.sleep(RETRY_S)
                continue
            if not self._wake.is_set():
                self._caught_up.set()
            await self._wake.wait()

    async def _points(self, memories: list[Memory]) -> list[IndexPoint]:
        texts = [passages(memory) for memory in memories]
        distinct = list({text: None for by_name in texts for text in by_name.values()})
        vectors = dict(zip(distinct, await self._embedder.embed_passages(distinct), strict=True))
        return [
            IndexPoint(
                id=memory.id,
                scope_key=memory.scope.key,
                language=memory.language,
                created_at=memory.created_at,
                dense={name: vectors[text] for name, text in by_name.items()},
                sparse=sparse_vectors(memory),
            )
            for memory, by_name in zip(memories, texts, strict=True)
        ]
