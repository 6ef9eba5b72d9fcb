"""What is read from the data sets' files, and what is said about files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.errors import InputUnusable
from bot.evaluation.dataset import joined
from bot.evaluation.filler import filler
from bot.evaluation.locomo import load_locomo
from bot.evaluation.madial import load_madial
from memory.audience import Scope, Visibility
from memory.ranking import near_duplicate
from tests.evaluation_files import BAKERY, CLIMBING, a_question, madial, texts, write_locomo, write_madial
from tests.factories import NOON

SCOPE = Scope("filler", Visibility.community("filler"))


def test_a_turn_becomes_a_memory_with_its_speaker_time_and_picture(tmp_path: Path) -> None:
    (dataset,) = load_locomo(write_locomo(tmp_path / "l.json", BAKERY))
    memories = dataset.memories

    assert texts(memories)[2] == "Look at this! [image: a tray of almond croissants]"
    assert [memory.sources[0].speaker.name for memory in memories] == ["Nora", "Viktor", "Nora", "Viktor", "Nora"]
    assert memories[0].created_at.isoformat() == "2024-05-03T09:05:00+00:00"
    assert memories[3].created_at.isoformat() == "2024-06-21T19:40:00+00:00"


def test_neighbours_are_those_of_the_same_session(tmp_path: Path) -> None:
    (dataset,) = load_locomo(write_locomo(tmp_path / "l.json", BAKERY))
    first, second, third, fourth, _ = dataset.memories

    assert first.neighbours.before == fourth.neighbours.before == third.neighbours.after == ""
    assert second.neighbours.before == f"Nora: {first.text}"
    assert second.neighbours.after == f"Nora: {third.text}"
    assert set(second.neighbours.speakers) == {"bakery:Nora"}


def test_only_questions_with_evidence_in_their_dialogue_are_asked(tmp_path: Path) -> None:
    (dataset,) = load_locomo(write_locomo(tmp_path / "l.json", BAKERY))

    assert [question.category for question in dataset.questions] == ["single-hop", "temporal", "multi-hop"]
    assert dataset.questions[2].relevant == tuple(memory.id for memory in dataset.memories[3:])


def test_each_dialogue_is_asked_its_own_questions_and_those_of_another(tmp_path: Path) -> None:
    parts = load_locomo(write_locomo(tmp_path / "l.json", BAKERY, CLIMBING))

    for part, other in zip(parts, reversed(parts), strict=True):
        assert {question.audience for question in part.questions} == {question.audience for question in part.foreign}
        assert [question.facts for question in part.foreign] == [question.facts for question in other.questions]
        assert all(part.questions[0].audience.may_see(memory.scope) for memory in part.memories)
        assert not any(other.questions[0].audience.may_see(memory.scope) for memory in part.memories)


def test_parts_in_one_store_keep_to_themselves(tmp_path: Path) -> None:
    parts = load_locomo(write_locomo(tmp_path / "l.json", BAKERY, CLIMBING))

    together = joined(parts)

    assert together.memories == parts[0].memories + parts[1].memories
    assert together.questions == parts[0].questions + parts[1].questions
    assert together.foreign == parts[0].foreign + parts[1].foreign


def test_a_single_dialogue_has_no_foreign_questions(tmp_path: Path) -> None:
    assert not load_locomo(write_locomo(tmp_path / "l.json", CLIMBING))[0].foreign


def test_a_talk_is_asked_with_up_to_three_turns_before_the_test_turn(tmp_path: Path) -> None:
    opening, later, _ = load_madial(write_madial(tmp_path / "m.json", "en"))[0].questions

    assert opening.facts.text == "School holds another swimming race."
    assert opening.facts.previous == ()
    assert later.facts.text == "Yes, but I am afraid to lose the swimming race."
    assert later.facts.previous == ("Jie: School holds another swimming race.", "Assistant: Will you take part?")
    assert later.facts.asker == "Jie"


def test_a_line_without_a_name_belongs_to_whose_turn_it_is(tmp_path: Path) -> None:
    content = madial("en")
    content["dialogues"][0]["test-turn"] = [5]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(content), "utf-8")

    assert load_madial(path)[0].questions[0].facts.asker == "Assistant"


def test_dialogues_of_one_language_meet_memories_of_the_other(tmp_path: Path) -> None:
    zh, en = write_madial(tmp_path / "zh.json", "zh"), write_madial(tmp_path / "en.json", "en")

    (crossed,) = load_madial(zh, memories=en)

    assert {memory.language for memory in crossed.memories} == {"en"}
    assert {question.facts.language for question in crossed.questions} == {"zh"}


def test_a_mixed_store_depends_on_its_seed_alone(tmp_path: Path) -> None:
    zh, en = write_madial(tmp_path / "zh.json", "zh"), write_madial(tmp_path / "en.json", "en")
    stores = [load_madial(zh, memories=en, mixed=seed)[0].memories for seed in range(20)]

    assert load_madial(zh, memories=en, mixed=3)[0].memories == stores[3]
    assert len({tuple(texts(store)) for store in stores}) > 2
    assert all(len(store) == 3 for store in stores)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '"text"', "null", "[1]", '[{"qa": []}]', "\ufeff[]", "[" * 99_999]
)
@pytest.mark.parametrize("load", [load_locomo, load_madial])
def test_a_file_that_is_no_such_data_set_is_refused(load: object, content: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(content, "utf-8")

    with pytest.raises(InputUnusable, match=r"wrong\.json"):
        load(path)  # type: ignore[operator]


def test_one_data_set_is_not_taken_for_the_other(tmp_path: Path) -> None:
    with pytest.raises(InputUnusable, match="not a LoCoMo file"):
        load_locomo(write_madial(tmp_path / "m.json", "zh"))
    with pytest.raises(InputUnusable, match="not a MADial file"):
        load_madial(write_locomo(tmp_path / "l.json", BAKERY))


def test_a_session_without_a_time_is_refused(tmp_path: Path) -> None:
    timeless = {key: value for key, value in CLIMBING["conversation"].items() if not key.endswith("date_time")}  # type: ignore[attr-defined]

    with pytest.raises(InputUnusable, match="session 1 of climbing"):
        load_locomo(write_locomo(tmp_path / "l.json", CLIMBING | {"conversation": timeless}))


def test_a_data_set_that_asks_nothing_is_refused(tmp_path: Path) -> None:
    silent = CLIMBING | {"qa": [a_question("Who?", "D1:1", category=5), a_question("Where?", "D7:7")]}

    with pytest.raises(InputUnusable, match="no question"):
        load_locomo(write_locomo(tmp_path / "l.json", silent))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputUnusable, match=r"nowhere\.json cannot be read"):
        load_madial(tmp_path / "nowhere.json")


def test_filler_is_bilingual_and_the_same_for_the_same_seed() -> None:
    memories = list(filler(400, SCOPE, NOON, seed=5))

    assert memories == list(filler(400, SCOPE, NOON, seed=5))
    assert memories != list(filler(400, SCOPE, NOON, seed=6))
    assert 120 < sum(memory.language == "zh" for memory in memories) < 280
    assert all(memory.created_at <= NOON for memory in memories)


def test_filler_hardly_repeats_itself() -> None:
    memories = list(filler(200, SCOPE, NOON))
    repeats = sum(near_duplicate(one, other) for n, one in enumerate(memories) for other in memories[:n])

    assert repeats < 10
