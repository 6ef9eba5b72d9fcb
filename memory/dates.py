"""Times that a text names ("last Tuesday", "in March", "上周二", "去年夏天"), as ranges of calendar days.

Resolved against the time and zone of who says it. A month or weekday without a year or week is the latest one that has
begun, because people ask a memory about the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import chain
from typing import Final

from memory.reading import as_read


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` up to and without `end`; both aware UTC."""

    start: datetime
    end: datetime

    def overlaps(self, other: Period) -> bool:
        return self.start < other.end and other.start < self.end

    def days_from(self, at: datetime) -> float:
        """How many days `at` lies outside the period; 0.0 inside it."""
        outside = max(self.start - at, at - self.end, timedelta())
        return outside / timedelta(days=1)


Days = tuple[date, date]
"""First day, and the first day after."""
_Match = re.Match[str]
_Reader = Callable[[_Match, date], Days | None]

_MONTHS: Final = ("january february march april may june july august september october november december").split()
_WEEKDAYS: Final[tuple[str, ...]] = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_MONTH = "(?:" + "|".join(f"{month}|{month[:3]}" if month != "may" else month for month in _MONTHS) + r"|sept)\b\.?"
_WEEKDAY = "(?:" + "|".join(_WEEKDAYS) + ")"
_COUNTS: Final = dict(
    a=1,
    an=1,
    one=1,
    two=2,
    couple=2,
    three=3,
    few=3,
    several=4,
    four=4,
    five=5,
    six=6,
    seven=7,
    eight=8,
    nine=9,
    ten=10,
)
_COUNT = r"(?:\d{1,3}|a couple of|a few|" + "|".join(_COUNTS) + ")"
_SEASON_STARTS: Final = {
    "spring": 3,
    "summer": 6,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
    "春": 3,
    "夏": 6,
    "秋": 9,
    "冬": 12,
}
_CHINESE_WEEKDAYS: Final[tuple[str, ...]] = tuple("一二三四五六日")
_DIGITS: Final = "零一二三四五六七八九"
_NUMERAL = r"(?:\d{1,4}|[零一二两三四五六七八九十几]{1,3})"
_RELATIVE_YEAR: Final = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_RELATIVE_DAY: Final = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1,
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "明天": 1, "明日": 1, "明晚": 1, "后天": 2,
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0,
    "tomorrow": 1, "the day after tomorrow": 2,
}  # fmt: skip
_STEPS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "上": -1, "这": 0, "本": 0, "下": 1}
_WEEK = "(?:周|星期|礼拜)"
_YEAR_WORD = "大前年|前年|去年|今年|明年|后年"


_ASKS_WHEN = re.compile(
    r"^\W*(?:when|since when|until when)\b|\b(?:what|which) (?:time|day|date|week|weekday|month|year|season)\b"
    r"|\bhow long\b"
    r"|什么时候|啥时候|何时|几点|几号|哪天|哪一天|哪年|哪一年|哪个月|几月|星期几|周几|多久|多长时间"
)
_SPEAKS_OF_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|recently|just|morning|evening|night|weekends?|weeks?|months?"
    rf"|years?|spring|summer|autumn|winter|(?:19|20)\d\d|{_WEEKDAY}s?|{'|'.join(_MONTHS)})\b"
    rf"|[昨今明前后去][天晚年日]|{_WEEK}|[0-9一二三四五六七八九十两几]+个?[年月日号点天]|上个?月|下个?月|刚刚|刚才|最近|以前"
    r"|早上|下午|晚上|[春夏秋冬]天"
)


def asks_when(text: str) -> bool:
    """Whether the answer to `text` is a time."""
    return _ASKS_WHEN.search(text.casefold()) is not None


def speaks_of_time(text: str) -> bool:
    """Whether `text` holds any expression of time, also one too vague for `find`."""
    return _SPEAKS_OF_TIME.search(text.casefold()) is not None


def find(text: str, now: datetime, zone: tzinfo = UTC) -> list[Period]:
    """The periods that `text` names, in the order of the text, as said at `now` in `zone`."""
    today = now.astimezone(zone).date()
    folded = as_read(text).casefold()
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Period]] = []
    for match, read in _matches(folded):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        try:
            days = read(match, today)
        except (ValueError, OverflowError):
            continue
        if days is not None:
            taken.append(match.span())
            found.append((match.start(), Period(_midnight(days[0], zone), _midnight(days[1], zone))))
    return [period for _, period in sorted(found, key=lambda item: item[0])]


def _matches(text: str) -> Iterator[tuple[_Match, _Reader]]:
    return chain.from_iterable(((match, read) for match in pattern.finditer(text)) for pattern, read in _READERS)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


# --- building ranges ------------------------------------------------------------------------------------------------


def _day(day: date) -> Days:
    return day, day + timedelta(days=1)


def _week(today: date, step: int) -> Days:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
    return monday, monday + timedelta(weeks=1)


def _month(year: int, month: int) -> Days:
    """`month` may lie outside 1..12."""
    months = year * 12 + month - 1
    return date(months // 12, months % 12 + 1, 1), date((months + 1) // 12, (months + 1) % 12 + 1, 1)


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _season(year: int, first_month: int) -> Days:
    return _month(year, first_month)[0], _month(year, first_month + 2)[1]


def _latest_month(today: date, month: int) -> Days:
    return _month(today.year if month <= today.month else today.year - 1, month)


def _latest_day(today: date, month: int, day: int) -> Days:
    this_year = date(today.year, month, day)
    return _day(this_year if this_year <= today + timedelta(days=31) else date(today.year - 1, month, day))


def _latest_weekday(today: date, weekday: int) -> Days:
    return _day(today - timedelta(days=(today.weekday() - weekday) % 7))


def _ago(today: date, count: int, unit: str) -> Days:
    """Around a time that long ago: exact for days, with the blur that people speak with for the rest."""
    if unit == "day":
        return _day(today - timedelta(days=count))
    if unit == "week":
        return _week(today, -count)
    if unit == "month":
        return _month(today.year, today.month - count)
    return _year(today.year - count)


# --- reading --------------------------------------------------------------------------------------------------------


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.strip(". ")[:3]))


def _numeral(text: str) -> int:
    """An Arabic or Chinese number up to 99; 几 is a few."""
    if text.isdigit():
        return int(text)
    if text == "几":
        return 3
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_numeral(tens) if tens else 1) * 10 + (_numeral(ones) if ones else 0)
    if len(text) == 1:
        return 2 if text == "两" else _DIGITS.index(text)
    raise ValueError("not a number")


def _english_count(text: str) -> int:
    words = text.split()
    return int(words[0]) if words[0].isdigit() else _COUNTS[words[1] if len(words) > 1 else words[0]]


def _iso(match: _Match, _today: date) -> Days:
    return _day(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _english_date(match: _Match, today: date) -> Days:
    month, day, year = _month_number(match["m"]), int(match["d"]), match["y"]
    return _day(date(int(year), month, day)) if year else _latest_day(today, month, day)


def _english_month(match: _Match, today: date) -> Days:
    month, step, year = _month_number(match["m"]), match["step"], match["y"]
    if year:
        return _month(int(year), month)
    if step == "next" and month <= today.month:
        return _month(today.year + 1, month)
    return _latest_month(today, month) if step in (None, "last") else _month(today.year, month)


def _english_step(match: _Match, today: date) -> Days:
    step, unit = _STEPS[match["step"]], match["unit"]
    if unit == "week":
        return _week(today, step)
    if unit == "weekend":
        monday, after = _week(today, step)
        return monday + timedelta(days=5), after
    if unit == "month":
        return _month(today.year, today.month + step)
    if unit == "year":
        return _year(today.year + step)
    return _stepped_season(today, step, _SEASON_STARTS[unit])


def _stepped_season(today: date, step: int, first_month: int) -> Days:
    """ "Last summer" is the latest that is over, "this summer" the calendar year's."""
    if step == 0:
        return _season(today.year, first_month)
    year = today.year - 1
    while step < 0 and _season(year + 1, first_month)[1] <= today:
        year += 1
    return _season(year if step < 0 else today.year + (_season(today.year, first_month)[0] <= today), first_month)


def _english_weekday(match: _Match, today: date) -> Days:
    weekday, step = _WEEKDAYS.index(match["w"]), match["step"]
    if step == "next":
        return _day(today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1))
    if step == "this":
        return _day(_week(today, 0)[0] + timedelta(days=weekday))
    if step == "last":
        return _day(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    return _latest_weekday(today, weekday)


def _chinese_date(match: _Match, today: date) -> Days:
    month, day = _numeral(match["m"]), match["d"]
    year = _chinese_year(match["y"], today) if match["y"] else None
    if day is None:
        return _month(year, month) if year else _latest_month(today, _checked_month(month))
    if year is None:
        return _latest_day(today, month, _numeral(day))
    return _day(date(year, month, _numeral(day)))


def _checked_month(month: int) -> int:
    if not 1 <= month <= 12:
        raise ValueError("not a month")
    return month


def _chinese_year(text: str, today: date) -> int:
    return today.year + _RELATIVE_YEAR[text] if text in _RELATIVE_YEAR else int(text.removesuffix("年"))


def _chinese_season(match: _Match, today: date) -> Days:
    year = _chinese_year(match["y"], today)
    if match["s"] == "暑假":
        return _month(year, 7)[0], _month(year, 8)[1]
    if match["s"] == "寒假":
        return _month(year, 1)[0], _month(year, 2)[1]
    return _season(year, _SEASON_STARTS[match["s"][0]])


def _chinese_week(match: _Match, today: date) -> Days:
    step = _STEPS[match["step"][0]] * len(match["step"])
    monday, after = _week(today, step)
    if match["d"] is None:
        return monday, after
    if match["d"] == "末":
        return monday + timedelta(days=5), after
    return _day(monday + timedelta(days=_chinese_weekday(match["d"])))


def _chinese_weekday(name: str) -> int:
    return _CHINESE_WEEKDAYS.index("日" if name == "天" else name)


def _chinese_ago(match: _Match, today: date) -> Days:
    unit = {"天": "day", "日": "day", "周": "week", "星": "week", "礼": "week", "月": "month", "年": "year"}[
        match["unit"][0]
    ]
    return _ago(today, _numeral(match["n"]), unit)


_PATTERNS: Final[tuple[tuple[str, _Reader], ...]] = (
    (r"(?<!\d)(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)", _iso),
    (rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_MONTH}),? ?(?P<y>(?:19|20)\d\d)?\b", _english_date),
    (rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>(?:19|20)\d\d)\b)?", _english_date),
    (rf"\b(?P<m>{_MONTH}),? (?P<step>)?(?P<y>(?:19|20)\d\d)\b", _english_month),
    (rf"\b(?:(?P<step>last|this|next)|in|since|during|by|of|until) (?:early |mid-?|late )?(?P<m>{_MONTH})(?P<y>)?(?! \d)", _english_month),  # noqa: E501
    (r"\b(?P<step>last|past|previous|this|next) (?P<unit>weekend|week|month|year|spring|summer|autumn|fall|winter)\b", _english_step),  # noqa: E501
    (rf"\b(?:(?P<step>last|this|next)|on|since) (?P<w>{_WEEKDAY})\b", _english_weekday),
    (rf"\b(?P<n>{_COUNT}) (?P<unit>day|week|month|year)s? ago\b", lambda m, today: _ago(today, _english_count(m["n"]), m["unit"])),  # noqa: E501
    ("|".join(rf"\b{word}\b" if word.isascii() else word for word in sorted(_RELATIVE_DAY, key=len, reverse=True)),
     lambda m, today: _day(today + timedelta(days=_RELATIVE_DAY[m.group()]))),
    (rf"(?:(?P<y>\d{{4}}年|{_YEAR_WORD})的?)?(?P<m>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月(?:份|底|初|中旬)?(?:(?P<d>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号])?(?!前)", _chinese_date),  # noqa: E501
    (rf"(?P<y>\d{{4}}年|{_YEAR_WORD})的?(?P<s>[春夏秋冬][天季]?|暑假|寒假)", _chinese_season),
    (rf"(?P<step>上{{1,3}}|下{{1,2}}|这|本)个?{_WEEK}(?P<d>[一二三四五六日天末])?", _chinese_week),
    (r"(?P<step>上{1,3}|下{1,2}|这|本)个?月", lambda m, today: _month(today.year, today.month + _STEPS[m["step"][0]] * len(m["step"]))),  # noqa: E501
    (rf"(?P<n>{_NUMERAL})个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:之|以)?前", _chinese_ago),
    (rf"{_WEEK}(?P<d>[一二三四五六日天])", lambda m, today: _latest_weekday(today, _chinese_weekday(m["d"]))),
    (_YEAR_WORD, lambda m, today: _year(today.year + _RELATIVE_YEAR[m.group()])),
    (r"(?<!\d)(?P<y>(?:19|20)\d\d)年", lambda m, _: _year(int(m["y"]))),
    (r"\b(?:in|since|during|of|by) (?P<y>(?:19|20)\d\d)\b", lambda m, _: _year(int(m["y"]))),
)  # fmt: skip
_READERS: Final = tuple((re.compile(pattern), read) for pattern, read in _PATTERNS)
