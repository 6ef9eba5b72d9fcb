"""What is made of the answers: shares, averages, the proposed floor."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.floor import MIN_MEMORIES, MIN_QUESTIONS, REJECTED, Separation
from bot.evaluation.recall import Asked, Measured
from bot.evaluation.report import figures

relevances = st.lists(st.floats(0.0, 1.0), max_size=60).map(tuple)


def _asked(category: str = "temporal", *, at_5: float = 0.5, told: int = 3) -> Asked:
    recall = {5: at_5, 10: 0.75, 20: 1.0}
    return Asked(category, recall, floored=0.25, latency_ms=20.0, tokens=300, told=told)


@given(relevances, relevances)
def test_the_proposed_floor_is_the_lowest_that_rejects_enough(
    own: tuple[float, ...], foreign: tuple[float, ...]
) -> None:
    found = Separation(100, 100, own, foreign)

    proposed = found.proposed

    assert 0.0 < proposed < 1.0
    if proposed < 0.99:
        assert found.passing(proposed)[1] <= 1 - REJECTED + 1e-9
    if proposed > 0.01:
        assert found.passing(proposed - 0.01)[1] > 1 - REJECTED - 1e-9


@given(relevances, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_higher_floor_lets_no_more_pass(own: tuple[float, ...], one: float, other: float) -> None:
    found = Separation(100, 100, own, own)

    assert found.passing(max(one, other)) <= found.passing(min(one, other))


def test_a_small_community_is_not_measured() -> None:
    assert Separation(MIN_MEMORIES, MIN_QUESTIONS).enough
    assert not Separation(MIN_MEMORIES - 1, 10_000).enough
    assert not Separation(10_000, MIN_QUESTIONS - 1).enough


def test_figures_are_averages_over_questions() -> None:
    asked = (
        _asked(at_5=1.0),
        _asked(at_5=0.0, told=0),
        _asked("multi-hop"),
    )

    found = figures(Measured("locomo", 7, 0.5, asked, rejected=(True, False, True)))

    assert json.loads(json.dumps(found)) == found
    assert found["recall"] == {"5": 0.5, "10": 0.75, "20": 1.0}
    assert found["by_category"]["multi-hop"] == {"5": 0.5, "10": 0.75, "20": 1.0, "questions": 1}
    assert found["questions"] == 3
    assert found["latency_ms"] == {"p50": 20.0, "p95": 20.0}
    assert found["floor"]["foreign_rejected"] == 0.6667
    assert found["floor"]["own_recalled"] == 0.6667
    assert (found["floor"]["recall_without"], found["floor"]["recall_with"]) == (0.75, 0.25)


def test_parts_are_averaged_over_their_questions() -> None:
    small, large = Measured("locomo", 7, 0.5, (_asked(at_5=1.0),)), Measured("locomo", 9, 0.5, (_asked(at_5=0.0),) * 3)

    found = figures(small + large)

    assert (found["memories"], found["questions"], found["recall"]["5"]) == (16, 4, 0.25)


def test_nothing_is_said_of_foreign_questions_that_were_not_asked() -> None:
    assert figures(Measured("madial", 7, 0.5, (_asked(),)))["floor"]["foreign_rejected"] is None
