"""The stores that the contract of the search index is checked on."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from uuid import uuid4

import pytest
import pytest_asyncio

from config.settings import QdrantSettings
from memory.ports import IndexSchema, VectorIndex
from memory.storage.index import EdgeIndex, InMemoryIndex, ServerIndex

INDEX_SCHEMA = IndexSchema(dense=("text", "context"), sparse=("words", "gist"), dimensions=16)

_STORES = ["in_memory", "edge", "local_server"] + (["server"] if os.environ.get("QDRANT_TEST_URL") else [])


@pytest.fixture(scope="session", params=_STORES)
def store_name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def opened_index(store_name: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[VectorIndex]:
    """One store of each kind for the whole run; `index` hands it out empty."""
    if store_name == "in_memory":
        yield await InMemoryIndex.open(INDEX_SCHEMA)
    elif store_name == "edge":
        edge = await EdgeIndex.open(tmp_path_factory.mktemp("index") / "edge", INDEX_SCHEMA, timeout_s=20.0)
        yield edge
        await edge.close()
    elif store_name == "local_server":
        local = await ServerIndex.open(QdrantSettings(url=":memory:"), INDEX_SCHEMA)
        yield local
        await local.close()
    else:
        url, name = os.environ["QDRANT_TEST_URL"], f"kith_test_{uuid4().hex}"
        server = await ServerIndex.open(QdrantSettings(url=url, collection=name), INDEX_SCHEMA)
        yield server
        await server.drop()
        await server.close()


@pytest_asyncio.fixture(loop_scope="session")
async def index(opened_index: VectorIndex) -> VectorIndex:
    await opened_index.clear()
    return opened_index
