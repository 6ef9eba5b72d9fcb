"""Words of a text as sparse vectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.lexical import sparse_document, sparse_query, term_id, terms


def test_chinese_becomes_pairs_without_particles() -> None:
    assert terms("线下活动") == ["线下", "下活", "活动"]
    assert terms("我的猫") == ["猫"]
    assert terms("吗呢吧") == []


def test_english_is_stemmed_and_freed_of_stop_words() -> None:
    assert terms("I was running with the Dogs") == terms("dog runs")[::-1]
    assert terms("what is it that you do") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("upgrade to 3.11.2", "3.11.2"),
        ("order ABC-1234 arrived", "abc-1234"),
        ("order ABC-1234 arrived", "1234"),
        ("费用 99 元", "99"),
        ("write C++ code", "c++"),
        ("see https://example.com/spring-meetup，thanks", "meetup"),
        ("see https://example.com/spring-meetup，thanks", "example.com/spring-meetup"),
    ],
)
def test_numbers_codes_and_links_are_found_whole_and_in_parts(text: str, expected: str) -> None:
    assert expected in terms(text)


def test_full_width_and_case_do_not_matter() -> None:
    assert terms("ＡＢＣ１２") == terms("abc12")
    assert terms("PostgreSQL") == terms("postgresql")


def test_mixed_sentences_keep_both_languages() -> None:
    assert {"rust", "学习"} <= set(terms("Rust 学习小组"))


def test_ids_are_the_same_in_every_process() -> None:
    assert term_id("abc") == 0x352441C2


def test_a_repeated_word_counts_more_but_less_than_twice() -> None:
    once, twice = _weight("tomato soup", "tomato"), _weight("tomato tomato soup", "tomato")
    assert once < twice < 2 * once


def _weight(text: str, term: str) -> float:
    vector = sparse_document(text)
    return vector.values[vector.indices.index(term_id(term))]


@given(st.text(max_size=200))
def test_vectors_are_ascending_unique_and_positive(text: str) -> None:
    for vector in (sparse_document(text), sparse_query(text)):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert all(value > 0 for value in vector.values)


@given(st.text(max_size=200))
def test_a_query_weighs_each_term_once(text: str) -> None:
    assert set(sparse_query(text).indices) == set(sparse_document(text).indices)
    assert len(sparse_query(text).indices) <= len(set(terms(text)))
