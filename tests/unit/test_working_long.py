"""Sixty rounds against working memory at its default budget: what was said early is asked for at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from config.settings import WorkingMemorySettings
from memory.audience import Scope, Visibility
from memory.context import RequestPacker
from memory.model import Exchange, Message, Speaker
from memory.tokens import EstimatedTokens, message_tokens
from memory.working import WorkingMemory
from tests.fakes.conversations import InMemoryConversations
from tests.fakes.small_model import ScriptedModel

BUDGET, ROUNDS = 8_000, 60
SCOPE = Scope("home", Visibility.community("home"))
CREW = [Speaker(f"m{index}", name) for index, name in enumerate(("Lin", "Alice", "小王", "Bob", "阿美"))]
SYSTEM = "You are Kith, a member of this community who remembers. " * 30
NOTES = "- [lin in #lounge on 3 March 2026; fact] We talked about the hall and its rent of 450 euros.\n" * 70
ZH, EN = "大家聊了近况，还有一些事没有定。", "They talked about this and that; nothing is open."
ZH_TALK = "大家最近都在忙各自的项目，有人写代码，有人画画，也有人在准备考试，顺便聊聊天。"
EN_TALK = "we went on about the weather and the food and the people there, as one does, without saying much. "

EARLY_ZH = {
    2: "会员年费的价格是 1299.50 元，团购 999 元",
    4: "下次聚会定在 2026-03-15 晚上7:30，在8号楼302室",
    6: "报名链接 https://example.com/march?from=kith",
}
EARLY_EN = {
    2: "The early bird ticket price is $49.50 per head",
    4: "We meet on March 15th at 7:30pm, room 302",
    6: "Sign up here: https://example.com/march?from=kith",
}


@dataclass(frozen=True)
class Case:
    early: dict[int, str]
    filler: Callable[[int], str]
    reply: Callable[[str], str]
    question: str
    wanted: str
    summary: str
    speakers: int = 1


def numbers_zh(n: int) -> str:
    return f"第{n}轮：今天走了 {n + 3} 公里，喝了 {n % 7} 杯水，看了第{n}条，进度 {n}%，有 {1000 + n} 行。{ZH_TALK * 3}"


def times_zh(n: int) -> str:
    return f"{ZH_TALK}我 {n % 12 + 8}:{n % 50 + 10} 起床，下午{n % 5 + 1}点跑步，3月{n % 28 + 1}号早起。{ZH_TALK * 2}"


def prices_zh(n: int) -> str:
    return f"{ZH_TALK}午饭吃面花了 {n + 10} 元，奶茶 {n % 9 + 8}.5 元，地铁 {n % 5 + 2} 块。{ZH_TALK * 2}"


def prices_en(n: int) -> str:
    return f"Message {n}: {EN_TALK}Lunch was ${n + 8}.25 and the coffee ${n % 5 + 2}.90 today. {EN_TALK * 2}"


def numbers_en(n: int) -> str:
    return f"Round {n}: {EN_TALK}I ran {n} km in {n + 20} minutes, step {n} of 60, build 1.{n}.0 at {n}%. {EN_TALK * 2}"


def short(said: str) -> str:
    return "好的，收到。"


def echo(said: str) -> str:
    return f"好的，我记下了：{said}"


PRICE_ZH, PRICE_EN = "我刚才说的那个价格是多少", "what was the price I told you?"
CASES = {
    "numbers": Case(EARLY_ZH, numbers_zh, short, PRICE_ZH, EARLY_ZH[2], ZH),
    "numbers-echoed": Case(EARLY_ZH, numbers_zh, echo, PRICE_ZH, EARLY_ZH[2], ZH),
    "times-echoed": Case(EARLY_ZH, times_zh, echo, "聚会定在什么时间？", EARLY_ZH[4], ZH),
    "prices": Case(EARLY_ZH, prices_zh, short, PRICE_ZH, EARLY_ZH[2], ZH),
    "prices-echoed": Case(EARLY_ZH, prices_zh, echo, PRICE_ZH, EARLY_ZH[2], ZH),
    "prices-link": Case(EARLY_ZH, prices_zh, echo, "链接再发我一下", EARLY_ZH[6], ZH),
    "english-prices": Case(EARLY_EN, prices_en, echo, PRICE_EN, EARLY_EN[2], EN),
    "english-numbers": Case(EARLY_EN, numbers_en, echo, "where do I sign up?", EARLY_EN[6], EN),
    "english-date": Case(EARLY_EN, prices_en, short, "when do we meet?", EARLY_EN[4], EN),
    "group": Case(EARLY_ZH, prices_zh, echo, PRICE_ZH, EARLY_ZH[2], ZH, speakers=5),
    "group-mixed": Case(EARLY_EN, numbers_zh, echo, PRICE_EN, EARLY_EN[2], ZH, speakers=5),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_what_was_said_early_is_in_the_late_request(case: Case) -> None:
    at = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
    store, model, counter = InMemoryConversations(), ScriptedModel(case.summary), EstimatedTokens()
    memory = WorkingMemory(store, model, counter, WorkingMemorySettings(), lambda: at)
    packer = RequestPacker(memory, counter, BUDGET)
    said: list[str] = []

    async def request(text: str, speaker: Speaker) -> tuple[tuple[str, str], ...]:
        state = await memory.load("lounge", at)
        _, messages = packer.pack(Message("lounge", SCOPE, speaker, text, at), state, "zh", SYSTEM, NOTES)
        assert message_tokens(messages, EstimatedTokens()) <= BUDGET
        return messages

    for round_ in range(1, ROUNDS + 1):
        at += timedelta(minutes=1)
        text, speaker = case.early.get(round_, case.filler(round_)), CREW[round_ % case.speakers]
        said.append(text)
        await request(text, speaker)
        message = Message("lounge", SCOPE, speaker, text, at)
        memory.remember(await store.record(Exchange(message, case.reply(text), at, False, (), "no")))
        await memory.compress_if_needed("lounge")
        await memory.settle()

    shown = "\n".join(content for _, content in await request(case.question, CREW[0]))
    assert case.wanted in shown
    assert case.summary in shown
    assert all(text in shown and case.reply(text) in shown for text in said[-3:])
    assert len(model.prompts) <= 0.5 * ROUNDS
    later = "\n".join(content for _, content in await request("哈哈，好的", CREW[0]))
    for early in case.early.values():
        assert early in later
