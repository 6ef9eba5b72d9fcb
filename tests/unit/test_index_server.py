"""How the server store meets a collection that it did not make, and a server that is not there."""

from __future__ import annotations

import socket

import pytest
from qdrant_client import AsyncQdrantClient

from config.settings import QdrantSettings
from memory.errors import EmbedderChanged, IndexUnavailable
from memory.ports import IndexSchema
from memory.storage.index.server import ServerIndex
from tests.contract.index_points import PointFactory

SCHEMA = IndexSchema(("text",), ("words",), 8)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_a_collection_of_other_dimensions_is_refused_until_it_is_made_anew() -> None:
    client = AsyncQdrantClient(location=":memory:")
    first = ServerIndex(client, "memories", SCHEMA, 5.0)
    await first.prepare()
    await first.upsert(PointFactory(SCHEMA).points(3))
    wider = IndexSchema(("text",), ("words",), 16)
    second = ServerIndex(client, "memories", wider, 5.0)
    with pytest.raises(EmbedderChanged):
        await second.prepare()
    await second.prepare(recreate=True)
    assert second.created and await second.ids() == set()
    await second.upsert(PointFactory(wider).points(2))
    await client.close()


async def test_a_collection_of_other_vectors_is_refused() -> None:
    client = AsyncQdrantClient(location=":memory:")
    await ServerIndex(client, "memories", SCHEMA, 5.0).prepare()
    for other in (IndexSchema(("text", "gist"), ("words",), 8), IndexSchema(("text",), (), 8)):
        with pytest.raises(EmbedderChanged):
            await ServerIndex(client, "memories", other, 5.0).prepare()
    await client.close()


async def test_a_filled_collection_is_taken_over() -> None:
    client = AsyncQdrantClient(location=":memory:")
    first = ServerIndex(client, "memories", SCHEMA, 5.0)
    await first.prepare()
    assert first.created
    points = PointFactory(SCHEMA).points(3)
    await first.upsert(points)
    second = ServerIndex(client, "memories", SCHEMA, 5.0)
    await second.prepare()
    assert not second.created and await second.ids() == {point.id for point in points}
    await client.close()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    settings = QdrantSettings(url=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(IndexUnavailable):
        await ServerIndex.open(settings, SCHEMA)
