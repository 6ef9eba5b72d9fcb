"""Questions that were answered once: kept as one unit, found again in other words and the other language."""

from __future__ import annotations

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from tests.acceptance.conftest import Opener
from tests.factories import FixedClock
from tests.fakes.openai_server import ScriptedModel

ANSWER = "在官网的活动页面填写报名表即可，链接是 https://example.com/signup ，每人 99 元。"


def incoming(text: str, clock: FixedClock, user: str) -> Incoming:
    clock.advance(days=1)
    return incoming_from(
        user=user, text=text, channel="general", visibility="community", community="home", role="member", at=clock()
    )


async def test_the_same_question_in_other_words_and_languages_finds_the_earlier_answer_and_who_asked_when(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    model.reply_with(ANSWER)
    async with open_kith(model) as app:
        await app.service.respond(incoming("线下活动怎么报名？", clock, "bob"))
        stored = await app.service.settle()
        chinese = await app.service.respond(incoming("想参加线下活动，要在哪里报名呀？", clock, "carol"))
        english = await app.service.respond(incoming("how do I sign up for the offline meetup?", clock, "dave"))
        again = await app.service.settle()

    assert [memory.kind.value for memory in stored] == ["answer"]
    assert stored[0].text == f"问：线下活动怎么报名？\n答：{ANSWER}"
    for reply in (chinese, english):
        assert [item.memory.id for item in reply.recalled] == [stored[0].id]
    for request in model.chats[-2:]:
        assert ANSWER in request.system and "bob" in request.system
    assert "2026年3月2日" in model.chats[-2].system
    assert "2 March 2026" in model.chats[-1].system
    assert again == ()


async def test_a_question_and_its_answer_cost_no_call_of_the_small_model(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    model.reply_with(ANSWER)
    async with open_kith(model) as app:
        await app.service.respond(incoming("线下活动怎么报名？", clock, "bob"))
        await app.service.settle()

    assert model.extractions == []
    assert len(model.chats) == 1


async def test_quoting_and_failed_answers_are_never_kept_as_answers(open_kith: Opener, clock: FixedClock) -> None:
    async with open_kith() as app:
        await app.service.respond(incoming("线下活动的报名费是99元，地点在8号楼302室", clock, "alice"))
        await app.service.settle()
        quoted = await app.service.respond(incoming("线下活动怎么报名？", clock, "bob"))
        stored = await app.service.settle()

    assert "99元" in quoted.text
    assert stored == ()
