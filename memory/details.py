"""Hard details in a text: what a reader would copy out verbatim, such as prices, dates, addresses, links and codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.detail_patterns import (
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
    """`text[start:end]` is a hard detail of that kind."""

    kind: DetailKind
    start: int
    end: int


_LONGEST_CODE = 128
_TRAILING = ".,;:!?'\")]}*~"


def hard_details(text: str) -> list[Detail]:
    """The hard details of `text`, by position; they do not overlap. A number by itself is one only when it is long
    enough to be a code or a year, or when what stands beside it says what it counts."""
    plain = text.translate(FULL_WIDTH) if not text.isascii() else text
    taken = bytearray(len(plain))
    for mention in MENTION.finditer(plain):
        _mark(taken, mention.start(), mention.end())
    found: list[Detail] = []
    for detail in _candidates(plain):
        if taken.find(1, detail.start, detail.end) == -1:
            _mark(taken, detail.start, detail.end)
            found.append(detail)
    return sorted(found, key=lambda detail: detail.start)


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
        yield Detail("phone", match.start(1), match.end(1))
    for match in CUED_CODE.finditer(plain):
        yield Detail("code", match.start(1), match.end(1))
    for match in TOKEN.finditer(plain):
        if _is_code(match.group().rstrip("-_")):
            yield Detail("code", match.start(), match.end())


def _is_code(token: str) -> bool:
    """Whether a run of letters, digits and hyphens is a code rather than a word: "K8X2P", "ABC-1234" and "20394" are,
    "3D", "GPT-4" and "well-known" are not."""
    numbered, token = token.startswith("#"), token.lstrip("#")
    digits = sum(char.isdigit() for char in token)
    if not digits or len(token) > _LONGEST_CODE:
        return False
    if digits == len(token.replace("-", "")):
        return digits >= 4 or (numbered and digits >= 2)
    if token == token.upper():
        return len(token) >= 4 and digits >= 2
    mixed = token != token.lower() and digits >= 2
    return len(token) >= 6 and (mixed or digits >= 3)


# --- pinning --------------------------------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"[。！？!?；;\n]+[”’」』\"')）]*\s*|\.+[”’\"')]*(?:\s+|$)")
_GAP = " … "


def pin_text(text: str, max_chars: int) -> str:
    """What to keep of `text`, in at most `max_chars` characters: all of it when it is short, else the sentences that
    hold its hard details, verbatim and in order, as far as they fit; "" when it has none. Of a sentence that is too
    long by itself the surroundings of the detail are kept; a detail is never cut."""
    if len(text) <= max_chars:
        return text
    kept: list[tuple[int, int]] = []
    room = max_chars
    for start, end in _detail_spans(text, max_chars):
        cost = end - start + (len(_GAP) if kept and kept[-1][1] != start else 0)
        if cost > room:
            continue
        room -= cost
        if kept and kept[-1][1] == start:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return _GAP.join(text[start:end].strip() for start, end in kept)


def _detail_spans(text: str, max_chars: int) -> Iterator[tuple[int, int]]:
    """The sentences of `text` that hold details, in order and apart, none longer than `max_chars`."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    at, sentence_start, done = 0, 0, 0
    for detail in hard_details(text):
        if detail.end <= done:
            continue
        while ends[at] <= detail.start:
            sentence_start, at = ends[at], at + 1
        until = at
        while ends[until] < detail.end:
            until += 1
        start, end = max(sentence_start, done), ends[until]
        if end - start > max_chars:
            start, end = _around(detail, start, end, max_chars)
        if end - start > max_chars or start > detail.start:
            continue
        yield start, end
        done = end


def _around(detail: Detail, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """The part of `start..end` around the detail, at most about a third of `max_chars` so that others fit as well."""
    margin = max(0, max_chars // 3 - (detail.end - detail.start)) // 2
    return max(start, detail.start - margin), min(end, detail.end + margin)
