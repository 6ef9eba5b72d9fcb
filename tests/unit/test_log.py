"""Logs: readable, machine-readable, and never holding what members wrote or a secret."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot.log import MASKED, WITHHELD, configure_logging
from config.settings import LogSettings
from memory.errors import RecordUnavailable

TEXT = "my sister's wedding is on Friday 我妹妹周五结婚"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Logging belongs to the process; leave it as it was found."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    levels = {name: logger.level for name, logger in _loggers().items()}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, logger in _loggers().items():
        logger.setLevel(levels.get(name, logging.NOTSET))
    structlog.reset_defaults()


def _loggers() -> dict[str, logging.Logger]:
    return {name: log for name, log in logging.root.manager.loggerDict.items() if isinstance(log, logging.Logger)}


class Lines:
    """What is logged, as text and as objects."""

    def __init__(self, *, level: str = "debug", form: str = "json") -> None:
        self._stream = io.StringIO()
        configure_logging(LogSettings.model_validate({"level": level, "format": form}), self._stream)
        self.log = structlog.get_logger("memory.test")

    @property
    def text(self) -> str:
        return self._stream.getvalue()

    @property
    def last(self) -> dict[str, Any]:
        return json.loads(self.text.splitlines()[-1])


def test_a_json_line_has_sentence_event_and_ids() -> None:
    lines = Lines()

    lines.log.warning("the index is behind", _event="index_behind", conversation_id="c1", points=3)

    entry = lines.last
    assert entry["message"] == "the index is behind"
    assert (entry["event"], entry["conversation_id"], entry["points"]) == ("index_behind", "c1", 3)
    assert (entry["level"], entry["logger"]) == ("warning", "memory.test")
    assert datetime.fromisoformat(entry["timestamp"]).utcoffset() is not None


def test_a_console_line_reads_as_a_sentence() -> None:
    lines = Lines(form="console")

    lines.log.warning("the index is behind", conversation_id="c1")

    assert "the index is behind" in lines.text
    assert "conversation_id=c1" in lines.text


def test_entries_below_the_level_are_left_out() -> None:
    lines = Lines(level="warning")

    lines.log.info("quiet")
    logging.getLogger("some.library").info("quiet")
    lines.log.warning("loud")

    assert len(lines.text.splitlines()) == 1


def test_a_later_configuration_replaces_the_first() -> None:
    first, second = Lines(), Lines()

    second.log.warning("once")

    assert first.text == ""
    assert len(second.text.splitlines()) == 1


def test_context_that_was_bound_is_written() -> None:
    lines = Lines()

    with structlog.contextvars.bound_contextvars(conversation_id="c1"):
        lines.log.info("replied")

    assert lines.last["conversation_id"] == "c1"


@pytest.mark.parametrize(
    "name", ["text", "reply_text", "content", "token", "api_key", "prompt", "quoted", "password", "Authorization"]
)
@pytest.mark.parametrize("form", ["json", "console"])
def test_a_value_under_a_private_name_is_withheld(name: str, form: str) -> None:
    lines = Lines(form=form)

    lines.log.error("failed", **{name: TEXT})

    assert "wedding" not in lines.text
    assert WITHHELD in lines.text


@given(value=st.text(min_size=5), depth=st.integers(0, 3))
def test_private_values_are_withheld_however_deep(value: str, depth: int) -> None:
    held: object = {"text": f"<{value}>"}
    for _ in range(depth):
        held = {"below": held}
    lines = Lines()

    lines.log.info("stored", memory=held)

    assert json.dumps(f"<{value}>", ensure_ascii=False) not in lines.text


def test_counts_of_private_things_are_written() -> None:
    lines = Lines()

    lines.log.info("answered", prompt_tokens=12, text_chars=5, token=None, message_id="m1")

    entry = lines.last
    assert (entry["prompt_tokens"], entry["text_chars"], entry["token"], entry["message_id"]) == (12, 5, None, "m1")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "a1B2" * 8,
        "1234567890:" + "Aa0_-" * 7,
        "M" * 24 + ".Gabc12." + "x" * 38,
    ],
    ids=["model", "telegram", "discord"],
)
def test_a_credential_in_any_text_is_masked(secret: str) -> None:
    lines = Lines()

    lines.log.warning(f"refused {secret}", reason=f"key {secret}", seen=[f"/{secret}/get"], also={"where": secret})
    logging.getLogger("some.library").warning("GET /%s/me", secret)

    assert secret not in lines.text
    assert lines.text.count(MASKED) == 5


def test_the_token_in_an_address_of_telegram_is_masked() -> None:
    lines = Lines()

    logging.getLogger("some.library").warning("GET https://telegram.invalid/bot1234567890:%s/getMe", "Aa0_-" * 7)

    assert lines.last["message"] == f"GET https://telegram.invalid/bot{MASKED}/getMe"


def test_the_password_of_an_address_is_masked() -> None:
    lines = Lines()

    lines.log.warning("cannot reach postgresql://kith:hunter2@db/kith")

    assert lines.last["message"] == f"cannot reach postgresql://{MASKED}@db/kith"


def test_an_exception_is_written_without_its_message() -> None:
    lines = Lines()

    try:
        try:
            raise KeyError(TEXT)
        except KeyError as error:
            raise RuntimeError(TEXT) from error
    except RuntimeError:
        lines.log.exception("failed")

    exception = lines.last["exception"]
    assert "wedding" not in lines.text
    assert exception.startswith("RuntimeError\n")
    assert "caused by KeyError" in exception
    assert "in test_an_exception_is_written_without_its_message" in exception


def test_an_exception_of_our_own_is_written_with_its_message() -> None:
    lines = Lines()

    lines.log.error("failed", exc_info=RecordUnavailable())

    assert "RecordUnavailable: PostgreSQL cannot be reached" in lines.last["exception"]


def test_an_exception_of_a_library_is_written_the_same_way() -> None:
    lines = Lines()

    try:
        raise ValueError(TEXT)
    except ValueError:
        logging.getLogger("some.library").exception("it failed")

    assert "wedding" not in lines.text
    assert lines.last["exception"].startswith("ValueError")


@pytest.mark.parametrize("library", ["httpx", "discord.gateway", "telegram.ext.Application", "apscheduler.scheduler"])
def test_libraries_speak_only_when_something_is_wrong(library: str) -> None:
    lines = Lines(level="debug")

    logging.getLogger(library).info("every step")
    logging.getLogger(library).warning("something is wrong")

    assert len(lines.text.splitlines()) == 1
    assert lines.last["logger"] == library
