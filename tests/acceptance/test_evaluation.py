"""`eval recall` as it is run: what it prints, and what it says about input that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.kith_process import run
from tests.evaluation_files import BAKERY, CLIMBING, write_locomo, write_madial


async def test_recall_is_reported_as_one_json_object(tmp_path: Path) -> None:
    file = write_locomo(tmp_path / "dialogues.json", BAKERY, CLIMBING)

    finished = await run("eval", "recall", "--dataset", "locomo", str(file), "--json")

    assert finished.status == 0, finished.stderr
    (found,) = finished.lines
    assert found["questions"] == 4
    assert set(found["recall"]) == {"5", "10", "20"}
    assert found["recall"]["5"] == 1.0
    assert set(found["by_category"]) == {"single-hop", "temporal", "multi-hop"}
    assert found["memories"] == 7
    assert 0 < found["latency_ms"]["p50"] <= found["latency_ms"]["p95"]
    assert found["tokens"]["p95"] > 0
    assert found["floor"]["foreign_rejected"] is not None
    assert finished.stderr == ""


async def test_invented_memories_are_searched_with_the_others(tmp_path: Path) -> None:
    file = write_locomo(tmp_path / "dialogues.json", BAKERY, CLIMBING)

    finished = await run("eval", "recall", "--dataset", "locomo", str(file), "--json", "--filler", "40")

    assert finished.status == 0, finished.stderr
    assert finished.lines[0]["memories"] == 47
    assert finished.lines[0]["recall"]["10"] >= 0.75


async def test_dialogues_meet_the_other_languages_memories(tmp_path: Path) -> None:
    zh, en = write_madial(tmp_path / "zh.json", "zh"), write_madial(tmp_path / "en.json", "en")

    for options in ([], ["--memories", str(en)], ["--memories", str(en), "--mixed", "7"]):
        finished = await run("eval", "recall", "--dataset", "madial", str(zh), "--json", *options)

        assert finished.status == 0, finished.stderr
        assert finished.lines[0]["recall"]["5"] == 1.0
        assert finished.lines[0]["questions"] == 3


async def test_a_person_gets_a_table(tmp_path: Path) -> None:
    file = write_madial(tmp_path / "en.json", "en")

    finished = await run("eval", "recall", "--dataset", "madial", str(file))

    assert "recall@10" in finished.stdout
    assert "latency" in finished.stdout


@pytest.mark.parametrize("content", [None, "{", "[]", json.dumps({"memories": {}, "dialogues": []})])
async def test_a_wrong_file_gets_one_message_and_status_2(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    if content is not None:
        path.write_text(content, "utf-8")

    finished = await run("eval", "recall", "--dataset", "madial", str(path), "--json")

    assert finished.status == 2
    assert finished.stdout == ""
    assert len(finished.stderr.splitlines()) == 1
    assert str(path) in finished.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--dataset", "locomo", "--memories", "x.json"],
        ["--dataset", "madial", "--mixed", "1"],
        ["--dataset", "madial", "--filler", "-1"],
        ["--dataset", "squad"],
        [],
    ],
    ids=str,
)
async def test_options_that_make_no_sense_are_refused(options: list[str], tmp_path: Path) -> None:
    file = write_madial(tmp_path / "zh.json", "zh")

    assert (await run("eval", "recall", str(file), *options)).status == 2
