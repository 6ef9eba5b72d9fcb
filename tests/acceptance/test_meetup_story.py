"""The story that Kith exists for, without any model: what one member said reaches the others, across a restart."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.kith_process import run_script

ANNOUNCEMENT = "线下活动每月15号，报名链接 https://example.com/march，费用 99 元"


async def test_what_one_member_said_is_quoted_to_others_across_conversations_languages_and_a_restart(
    tmp_path: Path,
) -> None:
    before = await run_script(
        [
            {"user": "alice", "channel": "events", "text": ANNOUNCEMENT, "at": "2026-03-03T09:00:00Z"},
            {"user": "bob", "channel": "general", "text": "线下活动怎么报名？", "at": "2026-03-04T10:00:00Z"},
        ],
        tmp_path,
    )
    after = await run_script(
        [
            {
                "user": "carol",
                "channel": "lounge",
                "text": "how do I sign up for the offline meetup?",
                "at": "2026-03-05T08:00:00Z",
            },
            {"user": "carol", "channel": "lounge", "text": "火星基地的氧气配额是多少？", "at": "2026-03-05T08:01:00Z"},
            {
                "user": "carol",
                "channel": "lounge",
                "text": "what is the oxygen quota of the Mars base?",
                "at": "2026-03-05T08:02:00Z",
            },
        ],
        tmp_path,
    )

    assert before.status == after.status == 0, before.stderr + after.stderr
    told, asked = before.lines
    assert [stored["text"] for stored in told["stored"]] == [ANNOUNCEMENT]
    assert "记下了" in told["reply"]
    english, mars_zh, mars_en = after.lines
    for answer in (asked, english):
        assert "https://example.com/march" in answer["reply"]
        assert "alice" in answer["reply"]
        assert [memory["id"] for memory in answer["recalled"]] == [told["stored"][0]["id"]]
        assert answer["degraded"] == "no_model"
        assert answer["stored"] == []
    assert "2026年3月3日" in asked["reply"] and "#events" in asked["reply"]
    assert "3 March 2026" in english["reply"]
    assert mars_zh["recalled"] == mars_en["recalled"] == []
    assert "什么都不记得" in mars_zh["reply"]
    assert "I remember nothing about this" in mars_en["reply"]
