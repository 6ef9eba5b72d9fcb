"""The small model through the real client: JSON modes, refusals, and the rest after a failure that will repeat."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from bot.llm.client import ModelClient
from bot.llm.ledger import BufferedLedger
from bot.llm.small import NoSmallModel, OpenAISmallModel
from config.settings import ModelSettings
from memory.errors import ModelOutputInvalid, ModelUnavailable
from memory.model import Prompt
from memory.ports import SmallModel
from memory.tokens import EstimatedTokens
from tests.factories import FixedClock
from tests.fakes.openai_server import Answer, Raw, Request, ScriptedModel, Status, Text, Usage

SCHEMA = {
    "type": "object",
    "properties": {"memories": {"type": "array", "items": {"type": "string"}}},
    "required": ["memories"],
    "additionalProperties": False,
}
TEXT_PROMPT = Prompt("compression", "summary-1", (("system", "Extract."), ("user", "我住在柏林")), max_tokens=200)
JSON_PROMPT = replace(TEXT_PROMPT, purpose="extraction", version="extraction 1", schema=SCHEMA)


async def no_sleep(_: float) -> None:
    return


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


@pytest.fixture
async def client(server: ScriptedModel, clock: FixedClock) -> AsyncIterator[ModelClient]:
    settings = ModelSettings(
        api_key=SecretStr("k"), base_url=server.base_url, small="gpt-4.1-mini", small_timeout_s=5.0, retries=1
    )
    ledger = BufferedLedger(clock=clock)
    async with ModelClient(settings, ledger, EstimatedTokens(), clock=clock, sleep=no_sleep) as client:
        yield client


@pytest.fixture
def small(client: ModelClient) -> OpenAISmallModel:
    return OpenAISmallModel(client)


async def test_schema_is_asked_for_strictly(server: ScriptedModel, small: OpenAISmallModel) -> None:
    server.on_extraction(lambda _: Text(json.dumps({"memories": ["住在柏林"]}), usage=Usage(30, 9)))
    completion = await small.complete(JSON_PROMPT)
    assert json.loads(completion.text) == {"memories": ["住在柏林"]}
    assert (completion.prompt_tokens, completion.completion_tokens) == (30, 9)
    format_ = server.extractions[0].body["response_format"]
    assert format_["type"] == "json_schema"
    assert format_["json_schema"] == {"name": "extraction_1", "strict": True, "schema": SCHEMA}
    assert server.extractions[0].body["temperature"] == 0.0


@pytest.mark.parametrize(
    ("taken", "asked"),
    [("json_object", ["json_schema", "json_object"]), ("none", ["json_schema", "json_object", "none"])],
)
async def test_what_the_endpoint_takes_is_found_and_remembered(
    server: ScriptedModel, small: OpenAISmallModel, taken: str, asked: list[str]
) -> None:
    def answer(request: Request) -> Answer:
        kind = request.body.get("response_format", {}).get("type", "none")
        return {"memories": []} if kind == taken else Status(400, "response_format is not supported")

    server.on(lambda request: request.path == "chat/completions", answer)
    await small.complete(JSON_PROMPT)
    await small.complete(JSON_PROMPT)
    kinds = [request.body.get("response_format", {}).get("type", "none") for request in server.requests]
    assert kinds == [*asked, taken]
    assert json.dumps(SCHEMA) in server.requests[-1].system
    assert server.requests[-1].system.startswith("Extract.")


async def test_another_refusal_changes_nothing_for_the_next_call(
    server: ScriptedModel, small: OpenAISmallModel
) -> None:
    server.for_model("gpt-4.1-mini", *[Status(400, "bad input")] * 3, {"memories": []})
    with pytest.raises(ModelOutputInvalid):
        await small.complete(JSON_PROMPT)
    await small.complete(JSON_PROMPT)
    assert server.requests[-1].body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "answer",
    [
        Text('{"memories": [', finish="length"),
        Text("", finish="content_filter"),
        Text("   "),
        Text('"' + "x" * 1_000_001 + '"'),
        Raw(b"{broken"),
        Raw(b"<html></html>", "text/html"),
        Raw(b'{"choices": []}'),
        Raw(b'{"choices": [{"index": 0, "finish_reason": "stop"}]}'),
        Raw(b"[1, 2]"),
        Status(400, code="context_length_exceeded"),
    ],
)
async def test_unusable_output_is_refused(server: ScriptedModel, small: OpenAISmallModel, answer: Answer) -> None:
    server.for_model("gpt-4.1-mini", answer)
    with pytest.raises(ModelOutputInvalid):
        await small.complete(JSON_PROMPT)


@pytest.mark.parametrize("status", [401, 403, 404, 402, 429, 500, 503])
async def test_endpoint_failures_are_unavailability(
    server: ScriptedModel, small: OpenAISmallModel, status: int
) -> None:
    server.for_model("gpt-4.1-mini", Status(status))
    with pytest.raises(ModelUnavailable):
        await small.complete(TEXT_PROMPT)
    assert small.available


async def test_cut_text_without_schema_is_marked(server: ScriptedModel, small: OpenAISmallModel) -> None:
    server.reply_with(Text("They spoke of", finish="length"))
    assert (await small.complete(TEXT_PROMPT)).truncated


async def test_a_silent_endpoint_times_out(server: ScriptedModel, client: ModelClient) -> None:
    hurried = client.with_endpoint(client.settings.model_copy(update={"small_timeout_s": 0.2}))
    server.reply_with(Text("late", hold=asyncio.Event()))
    async with hurried:
        with pytest.raises(ModelUnavailable, match="in time"):
            await OpenAISmallModel(hurried).complete(TEXT_PROMPT)


@pytest.mark.parametrize(("status", "rest_s"), [(401, 60), (404, 60)])
async def test_a_dead_endpoint_is_left_alone_for_a_while(
    server: ScriptedModel, small: OpenAISmallModel, clock: FixedClock, status: int, rest_s: int
) -> None:
    server.reply_with(Status(status), "back again")
    for _ in range(5):
        with pytest.raises(ModelUnavailable):
            await small.complete(TEXT_PROMPT)
    assert len(server.requests) == 1
    clock.advance(seconds=rest_s)
    assert (await small.complete(TEXT_PROMPT)).text == "back again"


async def test_a_passing_failure_brings_no_rest(server: ScriptedModel, small: OpenAISmallModel) -> None:
    server.reply_with(Status(500), Status(500), "back again")
    with pytest.raises(ModelUnavailable):
        await small.complete(TEXT_PROMPT)
    assert (await small.complete(TEXT_PROMPT)).text == "back again"


async def test_small_fallback_answers_for_a_missing_model(server: ScriptedModel, client: ModelClient) -> None:
    settings = client.settings.model_copy(update={"small_fallbacks": ("gpt-4.1-nano",)})
    server.for_model("gpt-4.1-mini", Status(404))
    async with client.with_endpoint(settings) as with_fallback:
        assert (await OpenAISmallModel(with_fallback).complete(TEXT_PROMPT)).model == "gpt-4.1-nano"


async def test_without_a_model_nothing_is_available(server: ScriptedModel, client: ModelClient) -> None:
    unset = client.settings.model_copy(update={"api_key": None, "base_url": None})
    async with client.with_endpoint(unset) as unconfigured:
        for model in (NoSmallModel(), OpenAISmallModel(unconfigured)):
            small: SmallModel = model
            assert not small.available
            with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
                await small.complete(TEXT_PROMPT)
    assert server.requests == []


async def test_a_base_url_alone_is_enough(server: ScriptedModel, client: ModelClient) -> None:
    async with client.with_endpoint(client.settings.model_copy(update={"api_key": None})) as keyless:
        small = OpenAISmallModel(keyless)
        assert small.available
        assert (await small.complete(TEXT_PROMPT)).text
