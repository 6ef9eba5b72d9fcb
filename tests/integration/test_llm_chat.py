"""The chat model through the real client: streaming, every way it can fail, retries, fallbacks, and what is counted."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from bot.errors import ChatFailed, ChatInterrupted
from bot.llm.chat import ChatModel
from bot.llm.client import ModelClient
from bot.llm.ledger import BufferedLedger, usage_scope
from config.settings import ModelSettings
from memory.model import ModelCall, Prompt
from memory.tokens import EstimatedTokens
from tests.factories import FixedClock
from tests.fakes.openai_server import Drop, Raw, ScriptedModel, Status, Text, Usage

PROMPT = Prompt(
    "answer",
    "answer-1",
    (("system", "You are Kith."), ("user", "怎么报名线下聚会？")),
    max_tokens=100,
    conversation_id="c1",
    member_id="m1",
    community="home",
)


class RecordedSleep:
    """Sleeps without sleeping, and remembers for how long."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


class Bench:
    """A chat model against a scripted server."""

    def __init__(self, server: ScriptedModel, **settings: object) -> None:
        self.server = server
        self.sleep = RecordedSleep()
        self.ledger = BufferedLedger(clock=FixedClock())
        self.counter = EstimatedTokens()
        given = {"api_key": SecretStr("sk-test"), "base_url": server.base_url, "chat": "gpt-4.1", **settings}
        self.client = ModelClient(
            ModelSettings.model_validate(given),
            self.ledger,
            self.counter,
            clock=FixedClock(),
            sleep=self.sleep,
            jitter=lambda: 1.0,
        )
        self.chat = ChatModel(self.client)

    async def text(self) -> str:
        return "".join([piece async for piece in self.chat.stream(PROMPT)])

    async def failure(self) -> ChatFailed:
        with pytest.raises(ChatFailed) as caught:
            await self.text()
        return caught.value

    async def calls(self) -> list[ModelCall]:
        kept = Kept()
        await self.ledger.write(kept)
        return kept.calls


class Kept:
    def __init__(self) -> None:
        self.calls: list[ModelCall] = []

    async def record(self, call: ModelCall) -> None:
        self.calls.append(call)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


@pytest.fixture
async def bench(server: ScriptedModel) -> AsyncIterator[Bench]:
    bench = Bench(server)
    yield bench
    await bench.client.close()


async def test_answer_arrives_in_pieces_and_is_counted(bench: Bench) -> None:
    bench.server.reply_with(Text("填表就行。 See the link.", usage=Usage(1_000, 50, cached=400)))
    stream = bench.chat.stream(PROMPT)
    pieces = [piece async for piece in stream]
    assert len(pieces) > 1 and "".join(pieces) == "填表就行。 See the link."
    assert stream.completion is not None
    assert (stream.completion.prompt_tokens, stream.completion.completion_tokens) == (1_000, 50)
    (call,) = await bench.calls()
    assert call.ok and not call.estimated
    assert (call.prompt_tokens, call.cached_tokens, call.completion_tokens) == (1_000, 400, 50)
    assert call.cost_usd == pytest.approx((600 * 2.0 + 400 * 0.5 + 50 * 8.0) / 1e6)
    assert (call.conversation_id, call.member_id, call.community) == ("c1", "m1", "home")
    request = bench.server.chats[0]
    assert request.messages == list(PROMPT.messages)
    assert request.body["max_tokens"] == 100


@pytest.mark.parametrize(
    ("answer", "code", "requests"),
    [
        (Status(401), "auth", 1),
        (Status(403), "forbidden", 1),
        (Status(404), "not_found", 1),
        (Status(400), "bad_request", 1),
        (Status(400, code="context_length_exceeded"), "too_long", 1),
        (Status(402), "quota", 1),
        (Status(429, code="insufficient_quota"), "quota", 1),
        (Status(429), "rate_limited", 3),
        (Status(500), "unavailable", 3),
        (Status(503), "unavailable", 3),
        (Drop(), "interrupted", 3),
        (Text(""), "empty", 3),
        (Text(" \n "), "empty", 3),
        (Text("", finish="length"), "truncated", 1),
        (Text("", finish="content_filter"), "filtered", 1),
        (Raw(b"<html>login</html>", "text/html"), "garbled", 3),
        (Raw(b"data: {broken\n\n", "text/event-stream"), "garbled", 3),
        (Raw(b'data: {"error": {"message": "overloaded"}}\n\n', "text/event-stream"), "unavailable", 3),
    ],
)
async def test_each_failure_has_its_code_and_passing_ones_are_retried(
    bench: Bench, answer: Text | Status | Raw | Drop, code: str, requests: int
) -> None:
    bench.server.reply_with(answer)
    failure = await bench.failure()
    assert failure.code == code
    assert not isinstance(failure, ChatInterrupted)
    assert len(bench.server.requests) == requests
    assert [call.ok for call in await bench.calls()] == [False] * requests


async def test_advice_names_what_to_check_and_never_the_key(bench: Bench) -> None:
    bench.server.reply_with(Status(401, "Incorrect API key provided: sk-abcdef."))
    message = str(await bench.failure())
    assert "OPENAI_API_KEY" in message
    assert "sk-abcdef" not in message


async def test_refused_connection_is_unreachable(server: ScriptedModel) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    bench = Bench(server, base_url=f"http://127.0.0.1:{port}/v1", chat_fallbacks=("gpt-4o",))
    async with bench.client:
        assert (await bench.failure()).code == "unreachable"
    assert len(await bench.calls()) == 3


@pytest.mark.parametrize("base_url", ["not an address", "http://", "ftp://127.0.0.1", "http://127.0.0.1:99999999/v1"])
async def test_senseless_address_is_a_failure_like_any_other(server: ScriptedModel, base_url: str) -> None:
    bench = Bench(server, base_url=base_url)
    async with bench.client:
        assert (await bench.failure()).code == "unreachable"


async def test_key_that_cannot_be_sent_is_an_auth_failure(server: ScriptedModel) -> None:
    bench = Bench(server, api_key=SecretStr("密钥"))
    async with bench.client:
        assert (await bench.failure()).code == "auth"


async def test_silent_model_times_out_and_the_fallback_answers(server: ScriptedModel) -> None:
    bench = Bench(server, first_token_timeout_s=0.2, chat_fallbacks=("gpt-4o-mini",))
    server.for_model("gpt-4.1", Text("late", hold=asyncio.Event()))
    server.for_model("gpt-4o-mini", "in time")
    async with bench.client:
        assert await bench.text() == "in time"
    assert [request.model for request in server.requests] == ["gpt-4.1", "gpt-4o-mini"]
    assert [(call.model, call.ok) for call in await bench.calls()] == [("gpt-4.1", False), ("gpt-4o-mini", True)]


async def test_time_out_without_fallback_says_so(server: ScriptedModel) -> None:
    bench = Bench(server, first_token_timeout_s=0.2)
    server.reply_with(Text("late", hold=asyncio.Event()))
    async with bench.client:
        assert (await bench.failure()).code == "timeout"


async def test_a_retry_that_works_is_an_ordinary_answer(bench: Bench) -> None:
    bench.server.reply_with(Status(500), Status(429, retry_after="3"), "fine")
    assert await bench.text() == "fine"
    assert bench.sleep.pauses == [0.5, 3.0]


async def test_a_long_retry_after_is_not_waited_for(server: ScriptedModel) -> None:
    bench = Bench(server, chat_fallbacks=("gpt-4o",))
    server.for_model("gpt-4.1", Status(429, retry_after="120"))
    async with bench.client:
        await bench.text()
    assert [request.model for request in server.requests] == ["gpt-4.1", "gpt-4o"]
    assert bench.sleep.pauses == []


async def test_fallbacks_are_asked_in_order_until_one_answers(server: ScriptedModel) -> None:
    bench = Bench(server, chat_fallbacks=("gpt-4o", "gpt-4o-mini"), retries=0)
    server.for_model("gpt-4.1", Status(404))
    server.for_model("gpt-4o", Status(500))
    server.for_model("gpt-4o-mini", "third time lucky")
    async with bench.client:
        assert await bench.text() == "third time lucky"


async def test_a_bad_key_is_not_tried_on_other_models(server: ScriptedModel) -> None:
    bench = Bench(server, chat_fallbacks=("gpt-4o",))
    server.on_reply(lambda _: Status(401))
    async with bench.client:
        assert (await bench.failure()).code == "auth"
    assert len(server.requests) == 1


@pytest.mark.parametrize("quiet_end", [False, True])
async def test_half_a_stream_is_a_failure_that_keeps_what_arrived(bench: Bench, quiet_end: bool) -> None:
    bench.server.reply_with(Text("Sign up on ", finish=None, quiet_end=quiet_end))
    arrived: list[str] = []
    with pytest.raises(ChatInterrupted) as caught:
        async for piece in bench.chat.stream(PROMPT):
            arrived.append(piece)
    assert "".join(arrived) == caught.value.partial == "Sign up on "
    assert caught.value.code == "interrupted"
    assert len(bench.server.requests) == 1
    (call,) = await bench.calls()
    assert not call.ok and call.estimated and call.completion_tokens > 0


async def test_a_stream_that_stalls_is_given_up(server: ScriptedModel) -> None:
    bench = Bench(server, stall_timeout_s=0.2)
    server.reply_with(Text("Sign up on the page", pause=asyncio.Event()))
    async with bench.client:
        with pytest.raises(ChatInterrupted) as caught:
            await bench.text()
    assert caught.value.partial == "Sign "


async def test_a_content_filter_in_the_middle_is_an_interruption(bench: Bench) -> None:
    bench.server.reply_with(Text("Well, ", finish="content_filter"))
    with pytest.raises(ChatInterrupted) as caught:
        await bench.text()
    assert (caught.value.code, caught.value.partial) == ("filtered", "Well, ")


async def test_an_answer_cut_by_its_limit_is_marked(bench: Bench) -> None:
    bench.server.reply_with(Text("Once upon", finish="length"))
    stream = bench.chat.stream(PROMPT)
    assert [piece async for piece in stream]
    assert stream.completion is not None and stream.completion.truncated


async def test_missing_usage_is_estimated_and_flagged(bench: Bench) -> None:
    bench.server.reply_with(Text("Sign up on the page.", usage=None))
    stream = bench.chat.stream(PROMPT)
    assert [piece async for piece in stream]
    assert stream.completion is not None and stream.completion.prompt_tokens > 10
    (call,) = await bench.calls()
    assert call.ok and call.estimated and call.completion_tokens == stream.completion.completion_tokens > 0


async def test_usage_figures_correct_the_counter(bench: Bench) -> None:
    long_prompt = Prompt("answer", "v", (("user", "一起去看展览吧。" * 40),), max_tokens=5)
    bench.server.reply_with(Text("ok", usage=Usage(400, 1)))
    assert [piece async for piece in bench.chat.stream(long_prompt)]
    assert bench.counter.correction > 1.0


async def test_a_reader_who_leaves_ends_the_call(bench: Bench) -> None:
    bench.server.reply_with(Text("one two three", pause=asyncio.Event()))
    pieces = aiter(bench.chat.stream(PROMPT))
    assert await anext(pieces) == "one "
    waiting = asyncio.ensure_future(anext(pieces))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    (call,) = await bench.calls()
    assert not call.ok and call.completion_tokens > 0


@pytest.mark.parametrize(
    ("refusal", "field"),
    [
        (Status(400, "Unsupported parameter: use 'max_completion_tokens' instead.", param="max_tokens"), "max_tokens"),
        (Status(400, "Unsupported value", param="temperature"), "temperature"),
        (Status(400, "unknown field stream_options"), "stream_options"),
    ],
)
async def test_a_field_that_the_model_refuses_is_left_out_from_then_on(
    bench: Bench, refusal: Status, field: str
) -> None:
    bench.server.reply_with(refusal, "one", "two")
    assert await bench.text() == "one"
    assert await bench.text() == "two"
    assert [field in request.body for request in bench.server.requests] == [True, False, False]


async def test_text_that_no_store_can_hold_is_cleaned_both_ways(bench: Bench) -> None:
    bench.server.reply_with(Text("a\x00b\ud800c", pieces=["a\x00b\ud800c"]))
    stream = bench.chat.stream(Prompt("answer", "v", (("user", "lone \ud83d half"),), max_tokens=5))
    assert "".join([piece async for piece in stream]) == "ab\ufffdc"
    assert bench.server.chats[0].user == "lone ? half"


async def test_a_reply_knows_what_its_calls_cost(bench: Bench) -> None:
    bench.server.reply_with(Text("ok", usage=Usage(100, 10)))
    await bench.text()
    with usage_scope() as outer:
        await bench.text()
        with usage_scope() as inner:
            await asyncio.create_task(bench.text())
    assert (inner.calls, inner.prompt_tokens, inner.completion_tokens) == (1, 100, 10)
    assert (outer.calls, outer.prompt_tokens, outer.completion_tokens) == (2, 200, 20)
    assert outer.cost_usd == pytest.approx(2 * (100 * 2.0 + 10 * 8.0) / 1e6)
