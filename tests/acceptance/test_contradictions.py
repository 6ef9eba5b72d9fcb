"""What a member said about themselves and then changed: the current answer uses the new, history keeps the old."""

from __future__ import annotations

import pytest

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from tests.acceptance.conftest import Opener
from tests.factories import FixedClock


def incoming(text: str, clock: FixedClock, user: str = "mei") -> Incoming:
    clock.advance(hours=1)
    return incoming_from(
        user=user, text=text, channel="lounge", visibility="community", community="home", role="member", at=clock()
    )


@pytest.mark.parametrize(
    ("before", "after", "question", "old", "new"),
    [
        ("I live in Paris", "I moved to Berlin last week", "where does mei live?", "Paris", "Berlin"),
        ("我住在上海", "我搬到柏林了", "mei 住在哪里？", "上海", "柏林"),
    ],
)
async def test_the_current_answer_uses_the_new_statement_and_the_old_one_is_kept_as_history(
    open_kith: Opener, clock: FixedClock, before: str, after: str, question: str, old: str, new: str
) -> None:
    async with open_kith() as app:
        await app.service.respond(incoming(before, clock))
        await app.service.settle()
        await app.service.respond(incoming(after, clock))
        await app.service.settle()
        answer = await app.service.respond(incoming(question, clock, user="bob"))
        profile = await app.service.profile_of(incoming("", clock))
        counts = await app.memory.counts()

    assert new in answer.text and old not in answer.text
    assert any(new in fact for fact in profile.key_facts)
    assert not any(old in fact for fact in profile.key_facts)
    assert counts["superseded"] == 1


async def test_a_statement_that_says_more_than_what_changed_stays(open_kith: Opener, clock: FixedClock) -> None:
    async with open_kith() as app:
        await app.service.respond(incoming("I live in Paris and I write Rust", clock))
        await app.service.respond(incoming("I moved to Berlin", clock))
        await app.service.settle()
        counts = await app.memory.counts()

    assert counts["superseded"] == 0


async def test_an_event_is_not_superseded_by_a_later_one_of_its_kind(open_kith: Opener, clock: FixedClock) -> None:
    async with open_kith() as app:
        await app.service.respond(incoming("我昨天参加了三月的线下聚会，来了40个人", clock))
        await app.service.respond(incoming("我昨天参加了四月的线下聚会，来了55个人", clock))
        await app.service.settle()
        counts = await app.memory.counts()

    assert counts["superseded"] == 0
