"""One long conversation with a model: what was said early is still there late, and no request is over its budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from memory.tokens import MESSAGE_OVERHEAD, EstimatedTokens
from tests.acceptance.conftest import Opener
from tests.factories import FixedClock
from tests.fakes.openai_server import Answer, Request, ScriptedModel, Status, Text

ROUNDS = 60
BUDGET = 8_000
SMALL_CALLS = 0.5
"""Per message, at most, whatever they are for."""
EARLY = {
    2: "会员年费的价格是 1299.50 元，团购价 999 元",
    4: "下次聚会定在 2026-03-15 晚上7:30，地点是8号楼302室",
    6: "报名链接 https://example.com/march?from=kith 邀请码 K8X2P",
}
FILLER = "我们继续聊聊社区的事情，大家最近都在忙各自的项目，有人写代码，有人画画，也有人在准备考试。" * 6
SUMMARY = "大家聊了会员年费、聚会时间和报名方式，随后谈到各自的近况。"


def said(round_: int) -> str:
    return EARLY.get(round_, f"第{round_}轮：{FILLER}")


def incoming(text: str, clock: FixedClock, user: str = "lin") -> Incoming:
    clock.advance(minutes=1)
    return incoming_from(
        user=user,
        text=text,
        channel="lounge",
        visibility="community",
        community="home",
        role="member",
        at=clock(),
    )


def tokens_of(request: Request) -> int:
    counter = EstimatedTokens()
    return sum(counter.count(text) + MESSAGE_OVERHEAD for _, text in request.messages)


def is_summary(request: Request) -> bool:
    return not request.streamed and not request.wants_json


async def test_an_early_price_is_verbatim_in_a_late_request_beside_summary_and_last_rounds(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    model.on_reply(lambda request: Text(f"好的，收到。{request.user[:12]}"))
    model.on(is_summary, lambda _: Text(SUMMARY))

    async with open_kith(model) as app:
        for round_ in range(1, ROUNDS + 1):
            await app.service.respond(incoming(said(round_), clock))
            await app.service.settle()
        await app.service.respond(incoming("我刚才说的那个价格是多少", clock))

    asked = model.chats[-1]
    assert asked.streamed and asked.user.endswith("我刚才说的那个价格是多少")
    for text in EARLY.values():
        assert text in asked.text
    assert SUMMARY in asked.system
    for round_ in range(ROUNDS - 2, ROUNDS + 1):
        assert f"lin: {said(round_)}" in asked.text
        assert f"好的，收到。lin: {said(round_)[:7]}" in asked.text
    for request in model.chats:
        assert tokens_of(request) <= BUDGET
    assert sum(not request.streamed for request in model.chats) <= SMALL_CALLS * ROUNDS


@pytest.mark.parametrize(
    "answers",
    [
        [Status(500)],
        [Text("")],
        [Text("I cannot help with that.")],
        [Text("x" * 1_000_000)],
    ],
    ids=["fails", "empty", "refuses", "nonsense"],
)
async def test_a_summary_that_fails_loses_no_turn(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock, answers: Sequence[Answer]
) -> None:
    model.on_reply(lambda _: Text("好的。"))
    model.on(is_summary, lambda _: answers[0])

    async with open_kith(model) as app:
        for round_ in range(1, 31):
            await app.service.respond(incoming(said(round_), clock))
            await app.service.settle()
        await app.service.respond(incoming("我刚才说的那个价格是多少", clock))
        counts = await app.memory.counts()

    assert counts["turns"] == 2 * 31
    asked = model.chats[-1]
    assert "1299.50 元" in asked.text
    assert all(tokens_of(request) <= BUDGET for request in model.chats)


async def test_a_summary_that_never_comes_holds_nobody_up(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    release = asyncio.Event()
    model.on_reply(lambda _: Text("好的。"))
    model.on(is_summary, lambda _: Text(SUMMARY, hold=release))

    async with open_kith(model) as app:
        for round_ in range(1, 31):
            reply = await app.service.respond(incoming(said(round_), clock))
            assert reply.text == "好的。"
        release.set()
        await app.service.settle()

        assert (await app.memory.counts())["turns"] == 2 * 30
