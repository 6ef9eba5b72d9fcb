"""What a member has just said about themselves is in the very request that answers them."""

from __future__ import annotations

import asyncio
import json

import pytest

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from memory.audience import VisibilityKind
from tests.acceptance.conftest import Opener
from tests.factories import FixedClock
from tests.fakes.openai_server import Answer, Handler, Request, ScriptedModel, Status, Text

SHORT_DEADLINE = {"episodic": {"extraction_deadline_s": 0.2}}


def incoming(
    text: str, clock: FixedClock, *, channel: str = "lounge", visibility: VisibilityKind = "community"
) -> Incoming:
    clock.advance(seconds=5)
    return incoming_from(
        user="u1", text=text, channel=channel, visibility=visibility, community="home", role="member", at=clock()
    )


def notes_in(request: Request) -> str:
    """What the request says about the member, apart from the conversation itself."""
    return "\n".join(text for role, text in request.messages if role == "system" and "<profile>" in text)


def extracted(request: Request) -> Answer:
    """A faithful extractor for the one sentence of these tests."""
    if "I write Rust" not in request.text:
        return {"memories": [], "profile": []}
    facts = [("name", "name", "Lin"), ("interest", "", "Rust")]
    return {
        "memories": [],
        "profile": [
            {"op": "add", "member": "p1", "field": field, "key": key, "value": value, "target": None, "sources": ["t1"]}
            for field, key, value in facts
        ],
    }


def failing(_: Request) -> Answer:
    return Status(500)


async def test_the_request_that_answers_a_disclosure_holds_the_profile(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    model.on_extraction(extracted)
    async with open_kith(model) as app:
        await app.service.respond(incoming("I'm Lin, I write Rust", clock))
        answered = model.chats[-1]
        await app.service.respond(incoming("what should I read next?", clock, channel="books"))

    assert "Lin" in notes_in(answered) and "Rust" in notes_in(answered)
    assert "Lin" in notes_in(model.chats[-1]) and "Rust" in notes_in(model.chats[-1])


@pytest.mark.parametrize("handler", [failing, lambda _: Text("not json"), lambda _: Text("")])
async def test_the_profile_is_current_when_extraction_fails(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock, handler: Handler
) -> None:
    model.on_extraction(handler)
    async with open_kith(model) as app:
        await app.service.respond(incoming("I'm Lin, I write Rust", clock))
        answered = model.chats[-1]
        await app.service.settle()
        await app.service.respond(incoming("what should I read next?", clock, channel="books"))

    for request in (answered, model.chats[-1]):
        assert "Lin" in notes_in(request) and "Rust" in notes_in(request)


async def test_a_slow_extraction_does_not_hold_the_reply_and_lands_before_it_is_needed(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    release = asyncio.Event()

    def slow(request: Request) -> Answer:
        answer = extracted(request)
        assert isinstance(answer, dict)
        return Text(json.dumps(answer), hold=release)

    model.on_extraction(slow)
    async with open_kith(model, memory=SHORT_DEADLINE) as app:
        await app.service.respond(incoming("I'm Lin, I write Rust", clock))
        answered = model.chats[-1]
        await app.service.respond(incoming("what should I read next?", clock, channel="books"))
        still_waiting = model.chats[-1]
        release.set()
        await app.service.settle()
        profile = await app.service.profile_of(incoming("", clock))

    for request in (answered, still_waiting):
        assert "Lin" in notes_in(request) and "Rust" in notes_in(request)
    assert profile.name == "Lin"
    assert "Rust" in profile.interests


async def test_what_was_disclosed_in_a_direct_message_is_in_no_request_of_a_channel(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock
) -> None:
    model.on_extraction(failing)
    async with open_kith(model) as app:
        await app.service.respond(incoming("I'm Lin, I write Rust", clock, visibility="dm"))
        await app.service.respond(incoming("what should I read next?", clock, channel="books"))
        await app.service.settle()
        await app.service.respond(incoming("and after that?", clock, channel="books"))

    for request in model.chats[1:]:
        if request.streamed:
            assert "Rust" not in request.text
