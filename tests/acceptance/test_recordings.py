"""The sessions shown in the documentation are what the bot answers today."""

from __future__ import annotations

import pytest

from tests.recordings import PAGES, SCRIPTS, Session, comparable, record, sessions


def _name(session: Session) -> str:
    return f"{session.page}-{session.script}"


@pytest.mark.parametrize("session", list(sessions()), ids=_name)
async def test_a_recorded_session_is_what_the_bot_answers_today(session: Session) -> None:
    answered = await record(session.script, as_json=session.as_json)

    assert comparable(session.shown) == comparable(answered), "record it anew: python -m tests.recordings"


def test_every_page_shows_a_session_and_every_script_is_shown() -> None:
    shown = list(sessions())

    assert {session.page for session in shown} == set(PAGES)
    assert {session.script for session in shown} == {path.name for path in SCRIPTS.glob("*.jsonl")}
