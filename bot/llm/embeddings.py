"""What turns text into vectors: the local model, or an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Self

import numpy as np

from bot.llm.client import ModelClient
from bot.llm.failures import EndpointFailure
from bot.llm.local_embedder import LocalEmbedder
from bot.llm.vectors import VectorCache
from config.settings import EmbeddingSettings, Settings
from memory.errors import EmbeddingFailed
from memory.model import Prompt
from memory.ports import Fingerprint, Floats

KNOWN_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
MAX_CHARS = 6_000
"""Below the 8,191 tokens that the endpoint's models read, in any script."""
PARALLEL_REQUESTS = 4
CACHED_QUERIES = 256


async def open_embedder(settings: Settings, client: ModelClient) -> LocalEmbedder | OpenAIEmbedder:
    """The embedder of the settings. Close it when done. Raises EmbeddingFailed when an endpoint must be asked for the
    length of its vectors and does not answer."""
    if settings.embedding.provider == "local":
        return LocalEmbedder()
    return await OpenAIEmbedder.open(settings.embedding, client)


class OpenAIEmbedder:
    """A memory.ports.Embedder over an endpoint. Queries and passages are the same to it. Made by `open`."""

    def __init__(self, settings: EmbeddingSettings, client: ModelClient, *, owns_client: bool) -> None:
        self._settings = settings
        self._client = client
        self._owns_client = owns_client
        self._dimensions = settings.dimensions or KNOWN_DIMENSIONS.get(settings.model)
        self._ask_for_dimensions = settings.dimensions is not None
        self._slots = asyncio.Semaphore(PARALLEL_REQUESTS)
        self._cache = VectorCache(CACHED_QUERIES)

    @classmethod
    async def open(cls, settings: EmbeddingSettings, client: ModelClient) -> Self:
        """With the endpoint of `client`, unless the settings name another. Raises EmbeddingFailed."""
        own = settings.base_url is not None or settings.api_key is not None
        if own:
            changes = {"base_url": settings.base_url, "api_key": settings.api_key}
            given = {name: value for name, value in changes.items() if value is not None}
            client = client.with_endpoint(client.settings.model_copy(update=given))
        embedder = cls(settings, client, owns_client=own)
        try:
            if embedder._dimensions is None:
                embedder._dimensions = (await embedder._request(["?"])).shape[1]
        except BaseException:
            await embedder.close()
            raise
        return embedder

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint("openai", self._settings.model, self._dimensions or 0)

    async def close(self) -> None:
        if self._owns_client:
            await self._client.close()

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        vectors = await self._cache.through(texts, self.embed_passages)
        return np.stack(vectors) if vectors else self._none()

    async def embed_passages(self, texts: Sequence[str]) -> Floats:
        size = self._settings.batch_size
        batches = [[_sendable(text) for text in texts[start : start + size]] for start in range(0, len(texts), size)]
        if not batches:
            return self._none()
        requests = [asyncio.create_task(self._embed(batch)) for batch in batches]
        try:
            return np.concatenate(await asyncio.gather(*requests))
        finally:
            for request in requests:
                request.cancel()

    def _none(self) -> Floats:
        return np.empty((0, self._dimensions or 0), dtype=np.float32)

    async def _embed(self, texts: list[str]) -> Floats:
        async with self._slots:
            vectors = await self._request(texts)
        if vectors.shape[1] != self._dimensions:
            raise EmbeddingFailed(
                f"model {self._settings.model} makes vectors of length {vectors.shape[1]}, not {self._dimensions};"
                f" set KITH_EMBEDDING__DIMENSIONS={vectors.shape[1]}"
            )
        return vectors

    async def _request(self, texts: list[str]) -> Floats:
        """Unit vectors, whatever their length."""
        try:
            vectors = await self._client.first_success((self._settings.model,), lambda model: self._ask(model, texts))
        except EndpointFailure as failure:
            raise EmbeddingFailed(str(failure)) from failure
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (lengths > 0).all():
            raise EmbeddingFailed(f"model {self._settings.model} made a vector of zeros")
        return (vectors / lengths).astype(np.float32)

    async def _ask(self, model: str, texts: list[str]) -> Floats:
        try:
            return await self._call(model, texts, self._settings.dimensions if self._ask_for_dimensions else None)
        except EndpointFailure as failure:
            if failure.code != "bad_request" or not self._ask_for_dimensions:
                raise
        vectors = await self._call(model, texts, None)
        self._ask_for_dimensions = False  # the model has one length only
        return vectors

    async def _call(self, model: str, texts: list[str], dimensions: int | None) -> Floats:
        endpoint = await self._client.endpoint()
        timeout_s = self._settings.timeout_s
        prompt = Prompt("embedding", "", tuple(("user", text) for text in texts), max_tokens=0)
        call = self._client.begin(model, prompt)
        try:
            async with asyncio.timeout(timeout_s):
                vectors, usage = await endpoint.embed(model, texts, dimensions=dimensions, timeout_s=timeout_s)
            call.succeeded("", usage)
        except TimeoutError:
            raise EndpointFailure("timeout", model) from None
        finally:
            call.failed()
        return vectors


def _sendable(text: str) -> str:
    """Endpoints refuse empty texts and cannot take lone surrogates or NUL."""
    text = text[:MAX_CHARS].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return text if text.strip() else "."
