"""What is worth remembering, measured on labelled chat."""

import json
from pathlib import Path

import pytest

from memory.model import Kind
from memory.worth import is_question, judge, worth_as_answer

DATA = Path(__file__).parents[1] / "data"


def labelled(name: str) -> list[dict[str, str | bool]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["worth.jsonl", "worth_heldout.jsonl"])
def test_nine_in_ten_of_what_is_kept_is_worth_it_and_the_other_way_round(name: str) -> None:
    rows = [(bool(row["keep"]), judge(str(row["text"])).keep) for row in labelled(name)]
    hits = rows.count((True, True))
    assert hits / (hits + rows.count((False, True))) >= 0.9
    assert hits / (hits + rows.count((True, False))) >= 0.9


@pytest.mark.parametrize("lang", ["zh", "en", "mixed"])
def test_both_languages_are_judged_equally_well(lang: str) -> None:
    rows = [(bool(row["keep"]), judge(str(row["text"])).keep) for row in labelled("worth.jsonl") if row["lang"] == lang]
    hits = rows.count((True, True))
    assert hits / (hits + rows.count((False, True))) >= 0.9
    assert hits / (hits + rows.count((True, False))) >= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "🎉🎉",
        "/reset",
        "!play",
        "ok",
        "嗯嗯",
        "哈哈哈哈",
        "lol",
        "brb",
        "谢谢",
        "怎么报名？",
        "帮我翻译一下",
    ],
)
def test_noise_commands_questions_and_requests_are_dropped(text: str) -> None:
    assert not judge(text).keep


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to move the meetup to Saturday 14 March.", Kind.DECISION),
        ("我们决定把聚会改到3月14号周六", Kind.DECISION),
        ("I prefer async updates over meetings", Kind.PREFERENCE),
        ("我住在柏林，是个护士", Kind.FACT),
    ],
)
def test_a_kept_message_has_a_kind(text: str, kind: Kind) -> None:
    worth = judge(text)
    assert worth.keep
    assert worth.kind is kind
    assert 0.5 <= worth.importance <= 0.9


@pytest.mark.parametrize(
    "text",
    ["how do i sign up", "怎么报名", "什么时候开始", "可以带狗吗", "anyone here tried rust", "the link works, right?"],
)
def test_questions_are_told_without_a_question_mark(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    ["I moved to Berlin.", "When I reboot, it works", "我不知道怎么办", "see https://a.example/c?d=1", "那么就周六吧"],
)
def test_statements_are_no_questions(text: str) -> None:
    assert not is_question(text)


def test_an_answered_question_is_worth_keeping_as_a_unit() -> None:
    assert worth_as_answer("How do I sign up for the meetup?", "Use the form on the website before Friday.")
    assert worth_as_answer("线下聚会怎么报名？", "在网站上填表，周五之前都可以。")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how are you?", "I am doing very well, thank you."),
        ("你还记得我叫什么吗", "你叫小林，上次告诉过我。"),
        ("How do I sign up?", "I don't know, sorry about that."),
        ("怎么报名？", "抱歉，没有找到相关信息。"),
        ("I signed up.", "Great, see you at the meetup."),
        ("/help what is this?", "These are my commands: /reset."),
    ],
)
def test_small_talk_and_non_answers_are_no_unit(question: str, answer: str) -> None:
    assert not worth_as_answer(question, answer)
