"""Token counts: the estimate, its correction, the choice of a counter, and cutting to a budget."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.tokens import (
    MESSAGE_OVERHEAD,
    REPLY_OVERHEAD,
    VOCABULARY_FILE,
    WEIGHTS,
    EstimatedTokens,
    VocabularyTokens,
    cut_to_tokens,
    features,
    message_tokens,
    open_counter,
)

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=400)


class WordTokens:
    """One token a word; simple enough to reason about."""

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The meetup is on Saturday at seven, please sign up on the page before Friday evening.", 18),
        ("报名线下聚会需要先填写表格，然后等待管理员确认。", 15),
        ("來週的聚會改到星期六晚上七點，地點在圖書館三樓。", 20),
        ("来週の土曜日に東京で勉強会を開催します。参加したい人は今週中に申し込んでください。", 31),
        ("다음 주 토요일에 서울에서 모임이 있습니다. 참가하고 싶은 사람은 신청해 주세요.", 22),
        ("В следующую субботу мы встречаемся в Берлине. Напишите мне до пятницы, пожалуйста.", 24),
        ("def reply(self, text: str) -> None:\n    return self._client.send(text, retry=3)\n", 23),
    ],
)
def test_estimate_is_near_for_each_script(text: str, tokens: int) -> None:
    assert EstimatedTokens().count(text) == pytest.approx(tokens, rel=0.35)


@given(ANY_TEXT)
def test_any_text_can_be_counted(text: str) -> None:
    count = EstimatedTokens().count(text)
    assert (count == 0) == (text == "")
    assert count <= 5 * len(text) + 1


@given(ANY_TEXT, ANY_TEXT)
def test_longer_text_never_costs_less(left: str, right: str) -> None:
    counter = EstimatedTokens()
    assert counter.count(left + "\n" + right) >= counter.count(left) - 1


def test_each_feature_has_a_weight() -> None:
    assert len(features("x")) == len(WEIGHTS)


def test_hundred_thousand_characters_are_counted_at_once() -> None:
    text = "Meet at 7 o'clock, 别忘了带上 your laptop! " * 2_600
    features(text)
    started = time.process_time()
    features(text)
    assert time.process_time() - started < 0.5


def test_counts_follow_the_usage_figures() -> None:
    counter = EstimatedTokens()
    text = "一起去看展览吧" * 40
    truth = round(EstimatedTokens().count(text) * 1.3)
    for _ in range(60):
        counter.calibrate(counter.count(text), truth)
    assert counter.count(text) == pytest.approx(truth, rel=0.02)


@given(st.lists(st.tuples(st.integers(-10, 10**9), st.integers(-10, 10**9)), max_size=50))
def test_correction_stays_within_its_bounds(figures: list[tuple[int, int]]) -> None:
    counter = EstimatedTokens()
    for estimated, actual in figures:
        counter.calibrate(estimated, actual)
    assert EstimatedTokens.LOWEST <= counter.correction <= EstimatedTokens.HIGHEST


@pytest.mark.parametrize("reported", [0, -5, 1, 10, 2_500, 3_000, 8_000, 10**9])
def test_nonsense_usage_figures_leave_counts_alone(reported: int) -> None:
    counter = EstimatedTokens()
    for _ in range(100):
        counter.calibrate(4_000, reported)
    assert counter.correction == 1.0


def test_a_wrong_correction_is_unlearned() -> None:
    counter = EstimatedTokens()
    text = "一起去看展览吧" * 40
    truth = counter.count(text)
    for actual in [round(truth * 1.5)] * 40 + [truth] * 60:
        counter.calibrate(counter.count(text), actual)
    assert counter.count(text) == pytest.approx(truth, rel=0.02)


def test_small_samples_teach_nothing() -> None:
    counter = EstimatedTokens()
    counter.calibrate(5, 40)
    assert counter.correction == 1.0


def test_messages_cost_the_format_too() -> None:
    messages = (("system", "one two"), ("user", "three"))
    assert message_tokens(messages, WordTokens()) == 3 + 2 * MESSAGE_OVERHEAD + REPLY_OVERHEAD


@pytest.mark.parametrize("content", [None, b"not the vocabulary"])
def test_without_the_true_vocabulary_nothing_is_fetched(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / VOCABULARY_FILE).write_bytes(content)
    assert isinstance(open_counter({"TIKTOKEN_CACHE_DIR": str(tmp_path)}), EstimatedTokens)
    assert isinstance(open_counter({}), EstimatedTokens)


def test_vocabulary_counts_long_texts_in_pieces() -> None:
    class Characters:
        longest = 0

        def encode_ordinary(self, text: str) -> list[int]:
            self.longest = max(self.longest, len(text))
            return [0] * len(text)

    encoding = Characters()
    assert VocabularyTokens(encoding).count("a" * 10_001) == 10_001
    assert encoding.longest <= 4_000


def test_short_text_is_not_cut() -> None:
    assert cut_to_tokens("see you there", 3, WordTokens()) == "see you there"


def test_cut_keeps_head_and_tail_at_sentences() -> None:
    text = " ".join(f"This is sentence number {n}." for n in range(100))
    cut = cut_to_tokens(text, 100, WordTokens())
    head, tail = cut.split(" … ")
    assert head.startswith("This is sentence number 0.") and head.endswith(".")
    assert tail.startswith("This is") and tail.endswith("number 99.")


def test_cut_works_on_chinese_sentences() -> None:
    text = "".join(f"第{n}条：周六的聚会改到下午三点。" for n in range(80))
    counter = EstimatedTokens()
    head, tail = cut_to_tokens(text, 120, counter).split(" … ")
    assert head.endswith("。") and tail.endswith("第79条：周六的聚会改到下午三点。")


def test_cut_never_splits_a_composed_emoji() -> None:
    family = "👨‍👩‍👧‍👦"
    head, tail = cut_to_tokens(family * 200, 60, EstimatedTokens()).split(" … ")
    assert head == family * head.count(family)
    assert tail == family * tail.count(family)


@given(ANY_TEXT, st.integers(0, 60))
def test_cut_text_fits_its_budget(text: str, budget: int) -> None:
    counter = EstimatedTokens()
    assert counter.count(cut_to_tokens(text, budget, counter)) <= budget
