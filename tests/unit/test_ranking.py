"""Fusing what the index found, and packing it. Vectors here are made up; the real embedder is in test_relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model import Language, Memory, Neighbours, Recalled, Speaker
from memory.ports import Candidates, Fingerprint, Floats
from memory.question import QueryFacts, stands_alone, worth_recalling
from memory.ranking import Search, index_schema, near_duplicate, pack, passages, sparse_vectors
from memory.relevance import Calibration, UsualQuery
from tests.factories import ALICE, BOB, NOON, a_memory, a_source

DIMENSIONS = 8
NAMES = ("text", "context", "terms")


class Words:
    """One token a word."""

    def count(self, text: str) -> int:
        return len(text.split())


def a_calibration() -> Calibration:
    """Unrelated memories score around 0.0, with a standard deviation of about 0.35."""
    random_state = np.random.default_rng(7)
    cohort = random_state.normal(size=(60, DIMENSIONS)).astype(np.float32)
    cohort /= np.linalg.norm(cohort, axis=1, keepdims=True)
    usual = np.full(DIMENSIONS, 0.01, dtype=np.float32)
    return Calibration(
        Fingerprint("test", "test", DIMENSIONS), {"zh": cohort, "en": cohort}, UsualQuery({"zh": usual, "en": usual})
    )


def a_search(text: str = "Where is the offline meetup?", **fields: object) -> Search:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[0] = 1.0
    question = QueryFacts(text=text, now=NOON + timedelta(days=1), **fields)  # type: ignore[arg-type]
    return Search.plan(question, vector, a_calibration())


def found(memories: Sequence[Memory], rows: Sequence[Sequence[float]]) -> Candidates:
    """Candidates with (text, context, terms) scores each."""
    scores = np.array(rows, dtype=np.float32).reshape(len(memories), len(NAMES))
    columns: dict[str, Floats] = {name: scores[:, i] for i, name in enumerate(NAMES)}
    languages: tuple[Language, ...] = tuple(memory.language for memory in memories)
    return Candidates(tuple(memory.id for memory in memories), languages, columns)


def order(recalled: Sequence[Recalled]) -> list[UUID]:
    return [item.memory.id for item in recalled]


scores = st.floats(-0.2, 1.0).map(lambda x: round(x, 3))
rows = st.lists(st.tuples(scores, scores, st.floats(0, 12).map(lambda x: round(x, 2))), min_size=1, max_size=12)


@given(rows, st.data())
def test_the_order_of_the_input_never_matters(table: list[tuple[float, float, float]], data: st.DataObject) -> None:
    memories = [a_memory(f"note number {i} about plants", at=NOON) for i in range(len(table))]
    straight = a_search().rank(found(memories, table), memories)
    places = data.draw(st.permutations(range(len(table))))
    candidates = found([memories[i] for i in places], [table[i] for i in places])
    mixed = a_search().rank(candidates, data.draw(st.permutations(memories)))
    assert [item.relevance for item in straight] == pytest.approx([item.relevance for item in mixed], abs=1e-4)
    assert order(straight) == order(mixed)


@given(rows, st.data())
def test_a_higher_score_never_lowers_relevance(table: list[tuple[float, float, float]], data: st.DataObject) -> None:
    memories = [a_memory(f"note number {i} about plants", at=NOON) for i in range(len(table))]
    which = data.draw(st.integers(0, len(table) - 1))
    column = data.draw(st.integers(0, 1))
    better = [list(row) for row in table]
    better[which][column] += data.draw(st.floats(0.05, 0.5))
    relevance = [
        {item.memory.id: item.relevance for item in a_search().rank(found(memories, scores), memories)}
        for scores in (table, better)
    ]
    assert relevance[1][memories[which].id] >= relevance[0][memories[which].id] - 1e-5


def test_the_best_score_on_every_count_comes_first() -> None:
    memories = [a_memory(f"note number {i} about plants", at=NOON) for i in range(5)]
    table = [(0.2, 0.2, 1.0), (0.3, 0.1, 0.0), (0.6, 0.7, 5.0), (0.5, 0.6, 4.0), (0.1, 0.3, 2.0)]
    assert order(a_search().rank(found(memories, table), memories))[0] == memories[2].id


@given(rows)
def test_relevance_is_between_0_and_1(table: list[tuple[float, float, float]]) -> None:
    memories = [a_memory(f"note {i}", at=NOON) for i in range(len(table))]
    assert all(0.0 <= item.relevance <= 1.0 for item in a_search().rank(found(memories, table), memories))


def test_equal_memories_come_newest_first_then_by_id() -> None:
    old, new, twin = (a_memory("a note about plants", at=NOON - timedelta(days=age)) for age in (0, 0, 0))
    newer = replace(new, created_at=NOON + timedelta(seconds=1))
    ranked = a_search().rank(found([old, newer, twin], [(0.5, 0.5, 1.0)] * 3), [twin, old, newer])
    assert order(ranked) == [newer.id, *sorted((old.id, twin.id))]


def test_age_and_importance_do_not_outweigh_relevance() -> None:
    right = a_memory("the meetup is in the old library", at=NOON - timedelta(days=900), importance=0.1)
    others = [a_memory(f"plant number {i} needs water", at=NOON, importance=1.0) for i in range(6)]
    table = [(0.9, 0.9, 6.0), *[(0.1 + i / 100, 0.1, 0.0) for i in range(6)]]
    assert order(a_search().rank(found([right, *others], table), [*others, right]))[0] == right.id


def test_between_equally_fitting_memories_the_newer_and_weightier_wins() -> None:
    old = a_memory("the meetup is in the library", at=NOON - timedelta(days=400), importance=0.3)
    new = a_memory("the meetup is in the library", at=NOON, importance=0.9)
    assert order(a_search().rank(found([old, new], [(0.6, 0.6, 3.0)] * 2), [old, new]))[0] == new.id


def test_languages_are_compared_on_their_own_levels() -> None:
    chinese = [a_memory(f"无关的话题{i}", language="zh") for i in range(40)]
    english = [a_memory(f"unrelated topic {i}", language="en") for i in range(39)]
    right = a_memory("the meetup is in the library", language="en")
    table = [(0.80 + i / 2_000, 0.80 + i / 2_000, 0.0) for i in range(40)]
    table += [(0.60 + i / 2_000, 0.60 + i / 2_000, 0.0) for i in range(39)] + [(0.74, 0.74, 0.0)]
    memories = [*chinese, *english, right]
    assert order(a_search().rank(found(memories, table), memories))[0] == right.id


def test_a_member_named_in_the_question_lifts_that_members_words() -> None:
    by_alice = a_memory("I love hiking in the hills", sources=(a_source(speaker=ALICE),))
    by_bob = a_memory("I love hiking in the hills", sources=(a_source(speaker=BOB),))
    rows = [(0.5, 0.5, 2.0)] * 2
    for name, expected in ((ALICE.name, by_alice), (BOB.name, by_bob)):
        search = a_search(f"what does {name} like?", members=(ALICE.name, BOB.name))
        assert order(search.rank(found([by_alice, by_bob], rows), [by_alice, by_bob]))[0] == expected.id


def test_a_name_inside_another_word_is_not_that_member() -> None:
    assert QueryFacts(text="the manual says so", now=NOON, members=("Manu", "Al")).named == frozenset()
    assert QueryFacts(text="小波喜欢什么", now=NOON, members=("小波",)).named == {"小波"}


def test_a_named_time_lifts_what_was_said_then_or_speaks_of_then() -> None:
    march, june = datetime(2025, 3, 10, tzinfo=UTC), datetime(2025, 6, 10, tzinfo=UTC)
    then = a_memory("we planted trees", at=march, sources=(a_source(at=march),))
    later = a_memory("we planted trees", at=june, sources=(a_source(at=june),))
    telling = a_memory("in March 2025 we planted trees", at=june, sources=(a_source(at=june),))
    memories = [later, then, telling]
    for text in ("what did we plant in March 2025?", "2025年3月我们种了什么？"):
        ranked = order(a_search(text).rank(found(memories, [(0.5, 0.5, 2.0)] * 3), memories))
        assert ranked[-1] == later.id


def test_an_answer_is_preferred_to_the_same_question_asked_before() -> None:
    asked = a_memory("where is the offline meetup this time, does anyone know?")
    told = a_memory("the offline meetup is in the library this time, everyone knows")
    ranked = a_search().rank(found([asked, told], [(0.6, 0.6, 4.0)] * 2), [asked, told])
    assert order(ranked)[0] == told.id


def test_memories_that_the_index_did_not_find_are_left_out() -> None:
    known, stranger = a_memory("one"), a_memory("two")
    assert order(a_search().rank(found([known], [(0.5, 0.5, 0.0)]), [stranger, known])) == [known.id]
    assert a_search().rank(found([], []), [stranger]) == []


def test_the_shortlist_holds_the_best_by_the_index_alone() -> None:
    memories = [a_memory(f"note {i}") for i in range(20)]
    candidates = found(memories, [(i / 20, i / 20, float(i)) for i in range(20)])
    assert a_search().shortlist(candidates, 3) == [memories[i].id for i in (19, 18, 17)]


def test_every_vector_of_the_schema_is_made_and_asked() -> None:
    schema = index_schema(DIMENSIONS)
    memory = a_memory("see you there", neighbours=Neighbours(before="小波: when do we meet?", after=""))
    assert set(passages(memory)) == set(schema.dense) == set(a_search().index_query.dense)
    assert set(sparse_vectors(memory)) == set(schema.sparse) == set(a_search().index_query.sparse)
    assert "when do we meet" in passages(memory)["context"]
    assert "when do we meet" not in passages(memory)["text"]


def test_the_bots_name_is_not_indexed_as_a_speaker() -> None:
    memory = a_memory("the fee is 99", sources=(a_source(speaker=Speaker(None, "Kith")),))
    assert passages(memory)["text"] == "the fee is 99"


def test_near_duplicates_are_told_from_different_facts() -> None:
    base = a_memory("The spring meetup costs 99 yuan and starts at seven in the old library")
    assert near_duplicate(base, a_memory("the spring meetup costs 99 yuan, and starts at seven in the old library!"))
    assert not near_duplicate(base, a_memory("The spring meetup costs 89 yuan and starts at seven in the old library"))
    assert not near_duplicate(base, a_memory("The hiking trip starts at the north gate"))
    assert not near_duplicate(a_memory("🎉"), a_memory("🚀"))


def test_packing_keeps_the_order_the_budget_and_one_of_each() -> None:
    best = Recalled(a_memory("alpha beta gamma delta"), 0.9)
    twin = Recalled(a_memory("Alpha beta gamma delta!"), 0.8)
    long = Recalled(a_memory("this one has far too many words to fit in the budget that is left"), 0.7)
    short = Recalled(a_memory("epsilon zeta"), 0.6)
    assert pack([best, twin, long, short], 6, Words()) == [best, short]


def test_the_best_memory_is_kept_even_when_it_alone_is_over_the_budget() -> None:
    only = Recalled(a_memory("a very long memory indeed"), 0.9)
    assert pack([only], 1, Words()) == [only]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hi",
        "Hello everyone!",
        "谢谢大家",
        "👍👍",
        "ok thanks",
        "早上好",
        "/reset",
        "…",
        "好的呀",
        "lol",
        "哈哈哈哈",
    ],
)
def test_small_talk_recalls_nothing(text: str) -> None:
    assert not worth_recalling(text)


@pytest.mark.parametrize(
    "text", ["怎么报名", "why?", "what did we decide?", "我喜欢吃辣", "那个链接", "Who is Bob", "C++"]
)
def test_anything_with_content_may_recall(text: str) -> None:
    assert worth_recalling(text)


@pytest.mark.parametrize(
    "text",
    ["怎么报名线下活动？", "how do I sign up for the offline meetup?", "What does the membership cost per year?"],
)
def test_a_whole_question_is_asked_without_what_was_said_before(text: str) -> None:
    assert stands_alone(text)
    assert QueryFacts(text=text, now=NOON, previous=("Alice: I like soup",)).wording == text


@pytest.mark.parametrize(
    "text", ["那要多少钱？", "And what does it cost?", "What if she is still angry?", "我也喜欢！", "怎么办？"]
)
def test_a_message_that_leans_on_the_conversation_is_asked_with_it(text: str) -> None:
    question = QueryFacts(text=text, now=NOON, previous=("Alice: the meetup is on Friday",), asker="小波")
    assert question.wording == f"Alice: the meetup is on Friday\n小波: {text}"
    assert question.named == {"小波"}
