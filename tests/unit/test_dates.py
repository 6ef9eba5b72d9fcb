"""Times that a text names. "Now" is Wednesday 15 May 2024, 20:00 UTC, which is Thursday the 16th in Shanghai."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.dates import Period, asks_when, find, speaks_of_time

NOW = datetime(2024, 5, 15, 20, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")


def days(text: str, zone: ZoneInfo = SHANGHAI) -> list[tuple[str, str]]:
    """First and last day of each period, in the zone."""
    return [
        (period.start.astimezone(zone).date().isoformat(), _last_day(period, zone).isoformat())
        for period in find(text, NOW, zone)
    ]


def _last_day(period: Period, zone: ZoneInfo) -> date:
    return (period.end - timedelta(seconds=1)).astimezone(zone).date()


@pytest.mark.parametrize(
    ("english", "chinese", "first", "last"),
    [
        ("yesterday", "昨天", "2024-05-15", "2024-05-15"),
        ("the day before yesterday", "前天", "2024-05-14", "2024-05-14"),
        ("3 days ago", "三天前", "2024-05-13", "2024-05-13"),
        ("last week", "上周", "2024-05-06", "2024-05-12"),
        ("two weeks ago", "上上周", "2024-04-29", "2024-05-05"),
        ("last month", "上个月", "2024-04-01", "2024-04-30"),
        ("in March", "三月", "2024-03-01", "2024-03-31"),
        ("in December", "12月", "2023-12-01", "2023-12-31"),
        ("March 2023", "去年三月", "2023-03-01", "2023-03-31"),
        ("5 March 2023", "2023年3月5日", "2023-03-05", "2023-03-05"),
        ("May 3rd", "五月三号", "2024-05-03", "2024-05-03"),
        ("last year", "去年", "2023-01-01", "2023-12-31"),
        ("in 2019", "2019年", "2019-01-01", "2019-12-31"),
        ("last summer", "去年夏天", "2023-06-01", "2023-08-31"),
        ("next month", "下个月", "2024-06-01", "2024-06-30"),
        ("on Tuesday", "周二", "2024-05-14", "2024-05-14"),
        ("2024-02-29", "2024年2月29日", "2024-02-29", "2024-02-29"),
        ("two years ago", "两年前", "2022-01-01", "2022-12-31"),
        ("last weekend", "上周末", "2024-05-11", "2024-05-12"),
    ],
)
def test_a_time_means_the_same_in_both_languages(english: str, chinese: str, first: str, last: str) -> None:
    assert days(f"what happened {english}?") == [(first, last)]
    assert days(f"{chinese}发生了什么？") == [(first, last)]


def test_last_tuesday_is_the_latest_one_that_is_over_and_上周二_is_of_last_week() -> None:
    assert days("last Tuesday") == [("2024-05-14", "2024-05-14")]
    assert days("上周二") == [("2024-05-07", "2024-05-07")]


def test_the_zone_decides_which_day_it_is() -> None:
    assert days("yesterday", ZoneInfo("UTC")) == [("2024-05-14", "2024-05-14")]
    assert days("yesterday", SHANGHAI) == [("2024-05-15", "2024-05-15")]


@pytest.mark.parametrize("text", ["I may go", "every 15th", "每月15号", "version 3.11", "march on", ""])
def test_what_is_no_time_is_not_read_as_one(text: str) -> None:
    assert days(text) == []


def test_several_times_come_in_the_order_of_the_text() -> None:
    assert [first for first, _ in days("yesterday and last Friday")] == ["2024-05-15", "2024-05-10"]


@pytest.mark.parametrize(
    "text", ["When did she leave?", "what year was it", "how long did it take", "你什么时候搬家", "周几开会"]
)
def test_asking_for_a_time_is_recognised(text: str) -> None:
    assert asks_when(text)


@pytest.mark.parametrize("text", ["who left?", "tell me when you are done", "怎么报名"])
def test_other_questions_do_not_ask_for_a_time(text: str) -> None:
    assert not asks_when(text)


def test_vague_times_count_as_speaking_of_time() -> None:
    assert speaks_of_time("we just moved")
    assert speaks_of_time("最近很忙")
    assert not speaks_of_time("I like soup")


@given(st.text(max_size=80), st.integers(0, 36_500))
def test_any_text_gives_well_formed_periods(text: str, days_later: int) -> None:
    for period in find(text, NOW + timedelta(days=days_later), SHANGHAI):
        assert period.start < period.end


@given(st.integers(0, 999), st.sampled_from(["days ago", "weeks ago", "months ago", "years ago"]))
def test_any_distance_is_read_or_left(count: int, unit: str) -> None:
    for period in find(f"{count} {unit}", NOW, SHANGHAI):
        assert period.start <= NOW
