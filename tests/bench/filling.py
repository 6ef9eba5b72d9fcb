"""A data folder with many memories, filled through the stores that the bot uses.

The vectors are those of the statements' meanings with a little noise, which takes minutes off the filling; everything
else (transactions, outbox, indexer, the index's process) is the bot's own.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from bot.llm.local_embedder import LocalEmbedder
from config.settings import Settings
from memory.indexing import Indexer
from memory.model import MemoryChanges
from memory.ports import Fingerprint, Floats
from memory.ranking import CONTEXT, TEXT, index_schema, passages
from memory.storage.open import Stores, open_stores
from tests.bench.community import Community, Statement
from tests.bench.report import progress

BATCH = 1_000
NOISE = 0.25
"""Length of the noise beside a vector of length one: two wordings of one meaning then have a cosine of 0.94."""
MARK = "bench.json"


def arguments(description: str | None, *, memories: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=memories, help="memories in the stores (%(default)s)")
    parser.add_argument("--data", type=Path, help="folder to fill, or filled before (default: a temporary one)")
    return parser


@asynccontextmanager
async def filled_folder(memories: int, folder: Path | None) -> AsyncGenerator[Path]:
    """A data folder that holds `memories`, filled now unless an earlier benchmark did."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="kith-bench-") as temporary:
            await fill(Path(temporary), memories)
            yield Path(temporary)
        return
    mark = folder / MARK
    if not mark.is_file():
        await fill(folder, memories)
        mark.write_text(json.dumps({"memories": memories}), "utf-8")
    elif json.loads(mark.read_text("utf-8"))["memories"] != memories:
        raise SystemExit(f"{folder} was filled with another number of memories")
    yield folder


async def fill(folder: Path, memories: int) -> None:
    community = Community()
    async with _embedder(community) as embedder:
        schema = index_schema(embedder.fingerprint.dimensions)
        async with open_stores(Settings(data_dir=folder), schema, embedder.fingerprint, progress) as stores:
            await _fill(stores, embedder, community, memories)


async def _fill(stores: Stores, embedder: PerturbedEmbedder, community: Community, memories: int) -> None:
    indexer = Indexer(stores.record.outbox, stores.index, embedder)
    statements, done, started = community.statements(memories), 0, time.perf_counter()
    while batch := list(islice(statements, BATCH)):
        embedder.expect(batch)
        await stores.record.memories.apply(MemoryChanges(add=tuple(statement.memory for statement in batch)))
        await indexer.drain()
        done += len(batch)
        if done % 10_000 == 0:
            progress(f"filled {done:,} of {memories:,}, {done / (time.perf_counter() - started):,.0f} a second")


class PerturbedEmbedder:
    """An `Embedder` for the filling: passages that are expected have the vector of their meaning, with noise."""

    def __init__(self, fingerprint: Fingerprint, bases: Floats) -> None:
        self.fingerprint = fingerprint
        self._bases = bases
        self._random = np.random.default_rng(1)
        self._expected: dict[str, Floats] = {}

    def expect(self, statements: Sequence[Statement]) -> None:
        self._expected = dict(pair for statement in statements for pair in self._vectors(statement))

    async def embed_passages(self, texts: Sequence[str]) -> Floats:
        return np.stack([self._expected[text] for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        raise NotImplementedError("nothing is searched while the stores are filled")

    def _vectors(self, statement: Statement) -> Iterator[tuple[str, Floats]]:
        texts = passages(statement.memory)
        own = self._bases[statement.base]
        yield texts[TEXT], self._noisy(own)
        if statement.base_before is not None:
            yield texts[CONTEXT], self._noisy(0.7 * own + 0.5 * self._bases[statement.base_before])

    def _noisy(self, vector: Floats) -> Floats:
        noise = self._random.standard_normal(vector.shape, np.float32)
        noisy = vector / np.linalg.norm(vector) + noise * (NOISE / np.linalg.norm(noise))
        return (noisy / np.linalg.norm(noisy)).astype(np.float32)


@asynccontextmanager
async def _embedder(community: Community) -> AsyncGenerator[PerturbedEmbedder]:
    local = LocalEmbedder()
    try:
        texts = community.bases()
        progress(f"embedding {len(texts):,} meanings")
        yield PerturbedEmbedder(local.fingerprint, await local.embed_passages(texts))
    finally:
        await local.close()
