"""The search index on a Qdrant server (or, for tests, in qdrant-client's local mode)."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import cast
from uuid import UUID

from httpx import HTTPError
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException

from config.settings import QdrantSettings
from memory.audience import Audience
from memory.errors import EmbedderChanged, IndexUnavailable
from memory.ports import Candidates, IndexPoint, IndexQuery, IndexSchema, SparseVector
from memory.storage.index.candidates import ScoreTable, as_language, check_points, check_query, nothing

_CHUNK = 128
_PAGE_OF_IDS = 5_000
_BULK = 12
"""Writing may take this many times longer than a search."""


class ServerIndex:
    """A `VectorIndex` in one collection of a server. `created` is True when the collection was made or found empty:
    fill it from the record."""

    def __init__(self, client: AsyncQdrantClient, collection: str, schema: IndexSchema, timeout_s: float) -> None:
        self._client = client
        self._collection = collection
        self._schema = schema
        self._timeout_s = timeout_s
        self.created = False

    @classmethod
    async def open(cls, settings: QdrantSettings, schema: IndexSchema, *, recreate: bool = False) -> ServerIndex:
        """Connect to `settings.url` (`:memory:` is the local mode) and make the collection if it is missing, or anew
        with `recreate`. Raises IndexUnavailable, or EmbedderChanged when the collection has other vectors."""
        index = cls(_client(settings), settings.collection, schema, settings.timeout_s)
        try:
            await index.prepare(recreate=recreate)
        except BaseException:
            await index.close()
            raise
        return index

    async def close(self) -> None:
        await self._client.close()

    # --- VectorIndex

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        check_points(points, self._schema)
        for start in range(0, len(points), _CHUNK):
            structs = [_point(point) for point in points[start : start + _CHUNK]]
            async with self._reaching(slow=True):
                await self._client.upsert(self._collection, structs, wait=True)

    async def delete(self, ids: Sequence[UUID]) -> None:
        for start in range(0, len(ids), _PAGE_OF_IDS):
            selector = models.PointIdsList(points=[str(id_) for id_ in ids[start : start + _PAGE_OF_IDS]])
            async with self._reaching(slow=True):
                await self._client.delete(self._collection, selector, wait=True)

    async def search(self, query: IndexQuery, audience: Audience) -> Candidates:
        check_query(query, self._schema)
        keys = audience.keys
        if not keys:
            return nothing(query)
        scopes = models.FieldCondition(key="scope", match=models.MatchAny(any=keys))
        vectors = _query_vectors(query)
        table = ScoreTable(tuple(query.dense), tuple(query.sparse))
        first = [
            models.QueryRequest(
                query=vector,
                using=name,
                filter=models.Filter(must=[scopes]),
                limit=query.limit,
                with_payload=["language"],
            )
            for name, vector in vectors.items()
        ]
        for name, hits in zip(vectors, await self._query(first), strict=True):
            table.add(name, [(UUID(str(hit.id)), hit.score) for hit in hits])
            for hit in hits:
                table.languages[UUID(str(hit.id))] = as_language((hit.payload or {}).get("language"))
        missing = {name: ids for name in vectors if (ids := table.missing(name))}
        second = [
            models.QueryRequest(
                query=vectors[name],
                using=name,
                filter=models.Filter(must=[models.HasIdCondition(has_id=[str(id_) for id_ in ids]), scopes]),
                limit=len(ids),
            )
            for name, ids in missing.items()
        ]
        for name, hits in zip(missing, await self._query(second), strict=True):
            table.add(name, [(UUID(str(hit.id)), hit.score) for hit in hits])
        return table.candidates()

    async def ids(self) -> set[UUID]:
        found: set[UUID] = set()
        after: models.ExtendedPointId | None = None
        while True:
            async with self._reaching():
                records, following = await self._client.scroll(
                    self._collection, limit=_PAGE_OF_IDS, offset=after, with_payload=False, with_vectors=False
                )
            found.update(UUID(str(record.id)) for record in records)
            if following is None:
                return found
            after = cast(models.ExtendedPointId, following)

    async def clear(self) -> None:
        async with self._reaching(slow=True):
            await self._client.delete_collection(self._collection)
        await self._create()

    # --- the collection

    async def drop(self) -> None:
        """Remove the collection."""
        async with self._reaching(slow=True):
            await self._client.delete_collection(self._collection)

    async def prepare(self, *, recreate: bool = False) -> None:
        """Check the collection, or make it if it is missing; see `open`."""
        async with self._reaching(slow=True):
            exists = await self._client.collection_exists(self._collection)
        if exists and recreate:
            await self.clear()
        elif exists:
            await self._check()
        else:
            await self._create()
        async with self._reaching():
            self.created = (await self._client.count(self._collection)).count == 0

    async def _check(self) -> None:
        async with self._reaching():
            parameters = (await self._client.get_collection(self._collection)).config.params
        dense = parameters.vectors if isinstance(parameters.vectors, dict) else {}
        sizes = {name: vector.size for name, vector in dense.items()}
        sparse = set(parameters.sparse_vectors or {})
        if sizes != dict.fromkeys(self._schema.dense, self._schema.dimensions) or sparse != set(self._schema.sparse):
            raise EmbedderChanged
        await self._index_scopes()

    async def _create(self) -> None:
        dense = models.VectorParams(
            size=self._schema.dimensions, distance=models.Distance.DOT, datatype=models.Datatype.FLOAT16
        )
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        async with self._reaching(slow=True):
            await self._client.create_collection(
                self._collection,
                vectors_config=dict.fromkeys(self._schema.dense, dense),
                sparse_vectors_config=dict.fromkeys(self._schema.sparse, sparse),
            )
        await self._index_scopes()

    async def _index_scopes(self) -> None:
        """Also on a collection that exists: the one that made it may have been stopped before this."""
        schema = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        async with self._reaching(slow=True):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Payload indexes have no effect in the local Qdrant", UserWarning)
                await self._client.create_payload_index(self._collection, "scope", schema, wait=True)

    async def _query(self, requests: Sequence[models.QueryRequest]) -> list[list[models.ScoredPoint]]:
        if not requests:
            return []
        async with self._reaching():
            responses = await self._client.query_batch_points(self._collection, requests)
        return [response.points for response in responses]

    @asynccontextmanager
    async def _reaching(self, *, slow: bool = False) -> AsyncGenerator[None]:
        """Bounds a call in time and turns whatever goes wrong between here and the server into IndexUnavailable."""
        try:
            async with asyncio.timeout(self._timeout_s * (_BULK if slow else 1)):
                yield
        except (TimeoutError, OSError, HTTPError, ApiException, QdrantException) as error:
            raise IndexUnavailable from error


def _client(settings: QdrantSettings) -> AsyncQdrantClient:
    if settings.url == ":memory:":
        return AsyncQdrantClient(location=":memory:")
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Api key is used with an insecure connection", UserWarning)
        return AsyncQdrantClient(
            url=settings.url, api_key=key, timeout=round(settings.timeout_s * _BULK), check_compatibility=False
        )


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _point(point: IndexPoint) -> models.PointStruct:
    """A sparse vector without terms is left out, so that it does not count as a document for the term frequencies."""
    vectors: dict[str, models.Vector] = {name: vector.tolist() for name, vector in point.dense.items()}
    vectors |= {name: _sparse(vector) for name, vector in point.sparse.items() if vector.indices}
    created = int(point.created_at.timestamp())
    payload = {"scope": point.scope_key, "language": point.language, "created": created}
    return models.PointStruct(id=str(point.id), vector=vectors, payload=payload)


def _query_vectors(query: IndexQuery) -> dict[str, list[float] | models.SparseVector]:
    """The queries by vector name; a sparse one without terms finds nothing and is left out."""
    vectors: dict[str, list[float] | models.SparseVector] = {n: v.tolist() for n, v in query.dense.items()}
    vectors |= {name: _sparse(vector) for name, vector in query.sparse.items() if vector.indices}
    return vectors
