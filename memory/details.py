"""Hard details in a text: what a reader would copy out verbatim, such as prices, dates, addresses, links and codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory.detail_patterns import (
    COUNTER,
    CUED_CODE,
    CUED_PHONE,
    FULL_WIDTH,
    MENTION,
    PATTERNS,
    PHONE,
    TOKEN,
    DetailKind,
)


@dataclass(frozen=True, slots=True)
class Detail:
    """`text[start:end]` is a hard detail of that kind; `cued`: a word beside it says that it is a code or phone."""

    kind: DetailKind
    start: int
    end: int
    cued: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a text that is looked at."""

    start: int
    end: int


LOOKED_AT: Final = 2_000
"""Characters; of a longer text only its ends and what stands around figures are looked at, so that no text, however
it is made, holds up the event loop for more than some 20 ms."""
_HEAD, _TAIL, _MIDDLE, _AROUND_HINT = 1_000, 500, 500, 60
_HINT = re.compile(r"[0-9\uff10-\uff19@$€£¥￥元块楼月百千]|://")

_LONGEST_CODE = 128
_TRAILING = ".,;:!?'\")]}*~"

_STRENGTH: Mapping[DetailKind, int] = {
    "url": 5,
    "email": 5,
    "phone": 5,
    "amount": 5,
    "network": 4,
    "address": 4,
    "time": 4,
    "code": 4,
    "version": 2,
    "measure": 1,
    "percentage": 2,
}
_BARE: Final = 1
_FIGURE = re.compile(r"\d")


def hard_details(text: str) -> list[Detail]:
    """The hard details of `text`, by position; they do not overlap. A number by itself is one only when it is long
    enough to be a code or a year, or when what stands beside it says what it counts; what counts the talk itself
    ("round 17") is none."""
    return [detail for region in regions_of(text) for detail in details_in(text, region)]


def strength_of(detail: Detail, text: str) -> int:
    """How likely somebody asks for the detail later, in 1..5. A date with figures is stronger than "Friday", a named
    code stronger than any four digits."""
    said = text[detail.start : detail.end]
    if detail.cued:
        return _STRENGTH["phone"]
    if (detail.kind == "code" and said.lstrip("#").isdigit()) or (detail.kind == "time" and said.isdigit()):
        return _BARE
    if detail.kind == "time" and len(_FIGURE.findall(said)) < 2:
        return _STRENGTH["version"]
    return _STRENGTH[detail.kind]


def regions_of(text: str) -> list[Region]:
    """The parts of `text` to look at, in order and apart, LOOKED_AT characters together."""
    if len(text) <= LOOKED_AT:
        return [Region(0, len(text))]
    tail = len(text) - _TAIL
    found, at, room = [Region(0, _HEAD)], _HEAD, _MIDDLE
    while room > 0 and (hint := _HINT.search(text, at, tail)):
        region = Region(max(at, hint.start() - _AROUND_HINT), min(tail, hint.end() + _AROUND_HINT))
        found.append(region)
        at, room = region.end, room - (region.end - region.start)
    joined: list[Region] = []
    for region in (*found, Region(tail, len(text))):
        if joined and joined[-1].end == region.start:
            region = Region(joined.pop().start, region.end)
        joined.append(region)
    return joined


def details_in(text: str, region: Region) -> list[Detail]:
    """The details of one region, by position in `text`; none that the region may cut off."""
    plain = text[region.start : region.end]
    if not plain.isascii():
        plain = plain.translate(FULL_WIDTH)
    taken = bytearray(len(plain))
    for none in (*MENTION.finditer(plain), *COUNTER.finditer(plain)):
        _mark(taken, none.start(), none.end())
    found: list[Detail] = []
    for detail in _candidates(plain):
        if taken.find(1, detail.start, detail.end) == -1:
            _mark(taken, detail.start, detail.end)
            start, end = region.start + detail.start, region.start + detail.end
            cut_before = region.start > 0 and _is_unbroken(text[region.start : start])
            cut_after = region.end < len(text) and _is_unbroken(text[end : region.end])
            if not cut_before and not cut_after:
                found.append(Detail(detail.kind, start, end, detail.cued))
    return sorted(found, key=lambda detail: detail.start)


def _is_unbroken(text: str) -> bool:
    """Whether a link could run through it."""
    return text.isascii() and not any(map(str.isspace, text))


def _mark(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def _candidates(plain: str) -> Iterator[Detail]:
    """Possible details, the surest kinds first."""
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(plain):
            end = match.end()
            if kind == "url":
                end = match.start() + len(match.group().rstrip(_TRAILING))
            yield Detail(kind, match.start(), end)
    for match in PHONE.finditer(plain):
        if 7 <= sum(char.isdigit() for char in match.group()) <= 15:
            yield Detail("phone", match.start(), match.end())
    for match in CUED_PHONE.finditer(plain):
        yield Detail("phone", match.start(1), match.end(1), cued=True)
    for match in CUED_CODE.finditer(plain):
        yield Detail("code", match.start(1), match.end(1), cued=True)
    for match in TOKEN.finditer(plain):
        if _is_code(match.group().rstrip("-_")):
            yield Detail("code", match.start(), match.end())


def _is_code(token: str) -> bool:
    """Whether a run of letters, digits and hyphens is a code rather than a word: "K8X2P", "ABC-1234" and "20394" are,
    "3D", "GPT-4", "#12" and "well-known" are not."""
    token = token.lstrip("#")
    digits = sum(char.isdigit() for char in token)
    if not digits or len(token) > _LONGEST_CODE:
        return False
    if digits == len(token.replace("-", "")):
        return digits >= 4
    if token == token.upper():
        return len(token) >= 4 and digits >= 2
    mixed = token != token.lower() and digits >= 2
    return len(token) >= 6 and (mixed or digits >= 3)


# --- pinning --------------------------------------------------------------------------------------------------------

SHORT_WIDTH: Final = 120
"""A text or sentence up to this width is pinned whole; a Chinese character is two wide, about what it costs."""
_CONTEXT_WIDTH = 60
"""A clause narrower than this takes those before it along, as far as they fit: "the fee, as I said, is $49"."""
_SENTENCE = r"[。！？!?；;\n]++[”’」』\"')）]*+\s*+|\.++[”’\"')]*+(?:\s++|\Z)"
_SENTENCE_END = re.compile(_SENTENCE)
_CLAUSE_END = re.compile(rf"{_SENTENCE}|，|,\s++|\s[–—-]++\s|—++")
_WIDE = re.compile("[\u2e80-\uffff\U00020000-\U0003ffff]")
_GAP = " … "


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    strength: int


def pin_text(text: str, max_chars: int) -> str:
    """What to keep of `text`, in at most `max_chars` characters: all of it when it is short, else the sentences, or of
    long ones the clauses, that hold its hard details, verbatim and in order, the strongest as far as they fit; "" when
    it has none. A detail is never cut."""
    if len(text) <= max_chars and _width(text) <= SHORT_WIDTH:
        return text
    spans = [span for region in regions_of(text) for span in _spans(text, region, max_chars)]
    kept: list[_Span] = []
    room = max_chars + len(_GAP)
    for span in sorted(spans, key=lambda span: -span.strength):
        cost = span.end - span.start + len(_GAP)
        if cost <= room:
            room -= cost
            kept.append(span)
    return _join(text, sorted(kept, key=lambda span: span.start))


def _join(text: str, spans: Sequence[_Span]) -> str:
    pieces: list[tuple[int, int]] = []
    for span in spans:
        if pieces and pieces[-1][1] == span.start:
            pieces[-1] = (pieces[-1][0], span.end)
        else:
            pieces.append((span.start, span.end))
    return _GAP.join(text[start:end].strip().rstrip("，,") for start, end in pieces)


def _spans(text: str, region: Region, max_chars: int) -> Iterator[_Span]:
    """The parts of a region that hold details, in order and apart, none longer than `max_chars`."""
    sentences, clauses = _bounds(_SENTENCE_END, text, region), _bounds(_CLAUSE_END, text, region)
    widest = min(max_chars, SHORT_WIDTH)
    done, at_sentence, at_clause = region.start, 0, 0
    for detail in details_in(text, region):
        if detail.end <= done:
            continue
        at_sentence, start, end = _around(sentences, at_sentence, detail)
        start = max(start, done)
        if _width(text[start:end]) > widest:
            first = start
            at_clause, start, end = _around(clauses, at_clause, detail)
            start = _with_context(text, clauses, at_clause, max(first, done, start), max(first, done), end)
        if end - start > max_chars or _width(text[start:end]) > widest:
            start, end = _beside(text, detail, start, end, widest)
        if end - start <= max_chars and start <= detail.start:
            yield _Span(start, end, strength_of(detail, text))
            done = end


def _bounds(pattern: re.Pattern[str], text: str, region: Region) -> list[int]:
    """The region's start, the ends that `pattern` finds in it, and its end."""
    ends = [match.end() for match in pattern.finditer(text, region.start, region.end)]
    return [region.start, *(end for end in ends if region.start < end < region.end), region.end]


def _around(bounds: Sequence[int], at: int, detail: Detail) -> tuple[int, int, int]:
    """The index in `bounds`, start and end of what holds the detail, searched from `at` on."""
    while bounds[at + 1] <= detail.start:
        at += 1
    until = at + 1
    while bounds[until] < detail.end:
        until += 1
    return at, bounds[at], bounds[until]


def _with_context(text: str, clauses: Sequence[int], at: int, start: int, first: int, end: int) -> int:
    """Where the part up to `end` begins when the clauses before it, down to `first`, are taken along as they fit."""
    while at > 0 and start > first and _width(text[start:end]) < _CONTEXT_WIDTH:
        at -= 1
        if _width(text[max(first, clauses[at]) : end]) > SHORT_WIDTH:
            break
        start = max(first, clauses[at])
    return start


def _beside(text: str, detail: Detail, start: int, end: int, width: int) -> tuple[int, int]:
    """The part of `start..end` around the detail, about half of `width` wide, with whole words at its ends."""
    margin = max(0, width // 2 - (detail.end - detail.start)) // 2
    left, right = max(start, detail.start - margin), min(end, detail.end + margin)
    if left > start and (space := text.find(" ", left, detail.start)) != -1:
        left = space + 1
    if right < end and (space := text.rfind(" ", detail.end, right)) != -1:
        right = space
    return left, right


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))
