"""Whatever the language model does, the member gets an honest answer and the admin a line that says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.kith_process import Finished, environment, run_script
from tests.fakes.openai_server import Answer, Drop, Raw, Request, ScriptedModel, Status, Text

KEY = "sk-topsecretkey123456"
TOLD = "The summer picnic is on 12 July at the tangerine pavilion"
HALF = "Half of an answer"


@dataclass(frozen=True)
class Failure:
    """What the model does, what of it the member is shown, and what the admin reads on standard error."""

    answer: Answer
    shown: str
    advice: str


def failures() -> Mapping[str, Failure]:
    quoted = "cannot be reached right now, so I am only quoting"
    return {
        "one": Failure(Status(401), quoted, "OPENAI_API_KEY"),
        "two": Failure(Status(404), quoted, "model"),
        "three": Failure(Status(429, retry_after="0"), quoted, "rate limit"),
        "four": Failure(Status(500), quoted, "endpoint"),
        "five": Failure(Text("never", hold=asyncio.Event()), quoted, "in time"),
        "six": Failure(Text(HALF, finish=None), HALF, "in the middle of its answer"),
        "seven": Failure(Text(""), quoted, "answered with nothing"),
        "eight": Failure(Drop(), quoted, "OPENAI_BASE_URL"),
        "nine": Failure(Raw(b"<html>not a model</html>", "text/html"), quoted, "OPENAI_BASE_URL"),
    }


def settings(base_url: str) -> dict[str, str]:
    return environment(
        OPENAI_BASE_URL=base_url,
        OPENAI_API_KEY=KEY,
        KITH_MODEL__RETRIES="1",
        KITH_MODEL__CONNECT_TIMEOUT_S="1",
        KITH_MODEL__FIRST_TOKEN_TIMEOUT_S="1",
        KITH_MODEL__STALL_TIMEOUT_S="1",
        KITH_MODEL__SMALL_TIMEOUT_S="2",
    )


def question(name: str) -> dict[str, str]:
    return {"user": "bob", "text": f"When is the summer picnic? ({name})"}


async def test_a_failing_model_leaves_an_honest_answer_and_advice(tmp_path: Path, model: ScriptedModel) -> None:
    cases = failures()
    model.on_reply(lambda request: _answer_to(request, cases))
    told = await run_script([{"user": "alice", "text": TOLD}], tmp_path)
    assert told.lines[0]["stored"], told.stderr

    asked = await run_script([question(name) for name in cases], tmp_path, env=settings(model.base_url))

    assert asked.status == 0, asked.stderr
    for failure, answer in zip(cases.values(), asked.lines, strict=True):
        assert failure.shown in answer["reply"], (failure, answer["reply"])
        assert answer["degraded"] == "model_failed"
        assert "tangerine" in answer["reply"] or "broke off" in answer["reply"]
        assert failure.advice in asked.stderr
    _assert_discreet(asked)


async def test_a_model_that_cannot_be_reached_is_told_in_the_language_of_the_question(tmp_path: Path) -> None:
    asked = await run_script(
        [{"user": "bob", "text": "夏天的野餐是什么时候？"}], tmp_path, env=settings("http://127.0.0.1:9/v1")
    )

    assert asked.status == 0, asked.stderr
    assert "暂时连不上" in asked.lines[0]["reply"]
    assert "OPENAI_BASE_URL" in asked.stderr
    _assert_discreet(asked)


def _answer_to(request: Request, cases: Mapping[str, Failure]) -> Answer:
    return next(case.answer for name, case in cases.items() if f"({name})" in request.user)


def _assert_discreet(finished: Finished) -> None:
    for secret in (KEY, "picnic", "tangerine", "野餐", "Traceback"):
        assert secret not in finished.stderr, finished.stderr
