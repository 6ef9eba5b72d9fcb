"""Secrets that members let slip are kept nowhere: not in the record, not in a memory, not in a request."""

from __future__ import annotations

import pytest

from bot.adapters.console_place import incoming_from
from tests.acceptance.conftest import Opener
from tests.factories import FixedClock
from tests.fakes.openai_server import ScriptedModel

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.mark.parametrize("text", [f"our OpenAI key is {KEY}, keep it safe", f"我们的密钥是 {KEY} ，别外传"])
async def test_a_key_in_a_message_is_masked_before_anything_keeps_or_sends_it(
    open_kith: Opener, model: ScriptedModel, clock: FixedClock, text: str
) -> None:
    async with open_kith(model) as app:
        said = incoming_from(
            user="a", text=text, channel="ops", visibility="community", community="home", role="member", at=clock()
        )
        await app.service.respond(said)
        await app.service.settle()
        shown = await app.service.respond(
            incoming_from(
                user="a",
                text="/memory show",
                channel="ops",
                visibility="community",
                community="home",
                role="member",
                at=clock(),
            )
        )

    assert model.requests
    assert not any(KEY in request.text for request in model.requests)
    assert KEY not in shown.text
