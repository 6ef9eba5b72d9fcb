"""Script mode as a contract: what goes in, what comes out, and what happens to lines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.kith_process import Line, run_script

SLOWEST_LINE_MS = 8_000
"""Far above what such a line takes, far below the minute of a bad pattern."""

MALFORMED: list[tuple[Line, str]] = [
    ("not json", "not a JSON object"),
    ("[1, 2]", "line"),
    ('{"user": "alice"}', "text"),
    ('{"text": "hello"}', "user"),
    ('{"user": 7, "text": "hello"}', "user"),
    ('{"user": "alice", "text": ["hello"]}', "text"),
    ('{"user": "alice", "text": "hi", "at": "2026-03-03T09:00:00"}', "at"),
    ('{"user": "alice", "text": "hi", "at": "yesterday"}', "at"),
    ('{"user": "alice", "text": "hi", "at": "0001-01-01T00:00:00+14:00"}', "at"),
    ('{"user": "alice", "text": "hi", "at": 1e300}', "at"),
    ("1" * 5_000, "not a JSON object"),
    ('{"user": "alice", "text": "hi", "visibility": "secret"}', "visibility"),
    ('{"user": "alice", "text": "hi", "role": "owner"}', "role"),
    ('{"user": "", "text": "hi"}', "user"),
    ('{"user": "\\u0000\\u200b", "text": "hi"}', "user"),
    ('{"user": "alice", "text": "hi", "reply_to": 999}', "reply_to"),
    ('{"user": "alice", "text": "hi", "visibilty": "dm"}', "visibility"),
    (b'{"user": "alice", "text": "\xff\xfe"}', "UTF-8"),
    ("[" * 100_000, "not a JSON object"),
]

ODD_TEXTS = [
    "",
    "   \n\t ",
    "😀🎉👍🏽",
    "x" * 100_000,
    "记忆" * 50_000,
    "שלום, איך נרשמים למפגש?",
    "\u202eevil\u202c text \u0007 with \u001b[31mcontrols",
    "a\u0000b",
    "broken \ud83d surrogate",
    "mixed 中文 and English，とカタカナ",
    "<b>bold</b> **markdown** `code` @everyone",
]


async def test_malformed_lines_are_named_and_the_run_goes_on(tmp_path: Path) -> None:
    lines: list[Line] = []
    for malformed, _ in MALFORMED:
        lines += [malformed, {"user": "alice", "text": "thanks"}]

    finished = await run_script(lines, tmp_path)

    assert finished.status == 1, finished.stderr
    assert len(finished.lines) == len(lines)
    for (_, names), wrong, right in zip(MALFORMED, finished.lines[::2], finished.lines[1::2], strict=True):
        assert names in wrong["error"] and "reply" not in wrong
        assert "error" not in right and right["reply"]


async def test_odd_texts_get_a_clear_answer_and_leave_the_memory_usable(tmp_path: Path) -> None:
    lines: list[Line] = [{"user": "<b>al`ice</b>", "text": text} for text in ODD_TEXTS]

    finished = await run_script([*lines, {"user": "bob", "text": "/memory show"}], tmp_path)

    assert finished.status == 0, finished.stderr
    assert len(finished.lines) == len(lines) + 1
    for answer in finished.lines:
        assert answer["reply"]
        assert "\x00" not in answer["reply"]
        json.dumps(answer).encode()


async def test_every_line_out_has_the_documented_fields(tmp_path: Path) -> None:
    finished = await run_script(
        [{"user": "alice", "text": "I'm Alice and I live in Berlin"}, {"user": "alice", "text": "/profile"}], tmp_path
    )

    said, profile = finished.lines
    for line in (said, profile):
        assert set(line) == {"reply", "recalled", "profile", "stored", "degraded", "usage", "timings_ms"}
        assert set(line["usage"]) == {"calls", "prompt_tokens", "completion_tokens", "cost_usd"}
    assert said["usage"]["calls"] == 0
    assert "Berlin" in profile["reply"]
    assert any("Berlin" in fact for fact in profile["profile"]["key_facts"])


async def test_the_same_script_on_two_empty_stores_gives_the_same_answers(tmp_path: Path) -> None:
    script: list[Line] = [
        {"user": "alice", "text": "服务器密码每90天更换一次，下次是4月1日", "at": "2026-03-03T09:00:00Z"},
        {"user": "bob", "text": "服务器密码多久换一次？", "at": "2026-03-03T09:05:00Z"},
        {"user": "bob", "text": "/why", "at": "2026-03-03T09:06:00Z"},
    ]

    first = await run_script(script, tmp_path / "one")
    second = await run_script(script, tmp_path / "two")

    def without_timings(lines: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{key: value for key, value in line.items() if key != "timings_ms"} for line in lines]

    assert without_timings(first.lines) == without_timings(second.lines)
    assert first.lines[1]["recalled"]


async def test_the_same_script_again_stores_nothing_new_and_the_bots_words_never(tmp_path: Path) -> None:
    script: list[Line] = [
        {"user": "alice", "text": "服务器密码每90天更换一次，下次是4月1日", "at": "2026-03-03T09:00:00Z"},
        {"user": "bob", "text": "I live in Berlin and I work as a nurse", "at": "2026-03-03T09:04:00Z"},
        {"user": "carol", "text": "I live in Berlin and I work as a nurse", "at": "2026-03-03T09:04:30Z"},
        {"user": "bob", "text": "服务器密码多久换一次？", "at": "2026-03-03T09:05:00Z"},
    ]

    first = await run_script(script, tmp_path)
    again = await run_script([*script, {"user": "bob", "text": "/memory show"}], tmp_path)

    assert [len(line["stored"]) for line in first.lines] == [1, 1, 1, 0]
    assert not any(line["stored"] for line in again.lines)
    assert again.lines[-1]["reply"].count("•") == 3
    assert first.lines[3]["recalled"] and "引用" not in again.lines[-1]["reply"]


async def test_no_line_is_slow_whatever_it_holds(tmp_path: Path) -> None:
    seeds = ["a", "1 ", "记", "I am ", "我叫", "\n", "? ", "<", "a-", "_", "x@", "http://a/"]
    texts = ["warm", "x" * 100_000, *((seed * 20_000)[:19_999] + "b" for seed in seeds)]

    finished = await run_script([{"user": "alice", "text": text} for text in texts], tmp_path)

    assert finished.status == 0, finished.stderr
    slowest = max(line["timings_ms"]["total"] for line in finished.lines)
    assert slowest < SLOWEST_LINE_MS, [line["timings_ms"] for line in finished.lines]
