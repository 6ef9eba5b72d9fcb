"""The numbers in a text, in whatever way it writes them, so that two texts can be compared."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_FULL_WIDTH = {0xFEE0 + code: code for code in b"0123456789.,"}
_WRITTEN = re.compile(r"(\d+(?:[.,]\d+)*)\s?(百万|[kKmM](?![A-Za-z])|千|万|亿|百)?", re.ASCII)
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))", re.ASCII)
_ZH_RUN = re.compile("[零〇一二两三四五六七八九十百千万亿]{1,16}")
_ZH_STATED = re.compile(
    "[一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*[十百千万亿][零〇一二两三四五六七八九十百千万亿]*"
)
_WORDS = re.compile(r"[A-Za-z]+")
_AFTERNOON = re.compile(r"\d\s?p\.?m\b|下午|晚上|今晚|明晚|傍晚", re.IGNORECASE)

_FACTORS: dict[str, int] = {"k": 10**3, "m": 10**6, "百": 100, "千": 10**3, "万": 10**4, "百万": 10**6, "亿": 10**8}
_ZH_DIGITS: dict[str, int] = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_PLACES: dict[str, int] = {"十": 10, "百": 100, "千": 1_000}
_EN_WORDS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "thousand": 1_000, "first": 1, "second": 2}

_LONGEST: Final = 30
"""Digits; a longer run is compared as it is written."""


def numbers_stated(text: str) -> set[str]:
    """The numbers that `text` states in digits, or in Chinese numerals above ten, in a normal form."""
    plain = text.translate(_FULL_WIDTH)
    stated = {_scaled(*match.groups()) for match in _WRITTEN.finditer(plain)}
    return stated | {_normal(str(zh_number(match.group()))) for match in _ZH_STATED.finditer(plain)}


def numbers_in(text: str) -> set[str]:
    """Every number that can be read in `text`: as written, in parts ("2026-03-15" holds 3), scaled ("5k" is 5000), in
    words, and hours of the afternoon on both clocks."""
    plain = text.translate(_FULL_WIDTH)
    found: set[str] = set()
    for match in _WRITTEN.finditer(plain):
        number, suffix = match.groups()
        found |= {_normal(number), _scaled(number, suffix), *map(_normal, re.split("[.,]", number))}
    found |= {_normal(str(zh_number(match.group()))) for match in _ZH_RUN.finditer(plain)}
    found |= {str(_EN_WORDS[word]) for word in map(str.lower, _WORDS.findall(plain)) if word in _EN_WORDS}
    if _AFTERNOON.search(plain):
        found |= {str(hour + 12) for hour in range(1, 12) if str(hour) in found}
    return found


def zh_number(numeral: str) -> int:
    """The value of a Chinese numeral: 三百五十 is 350, 两万三 is 23000, 二〇二六 is 2026."""
    if all(char in _ZH_DIGITS for char in numeral):
        return int("".join(str(_ZH_DIGITS[char]) for char in numeral))
    total, section, digit, place = 0, 0, 0, 1
    for char in numeral:
        if char in _ZH_DIGITS:
            digit = _ZH_DIGITS[char]
            place = 1 if digit == 0 else place
        elif char in _ZH_PLACES:
            place = _ZH_PLACES[char]
            section += (digit or 1) * place
            digit = 0
        elif char == "万":
            place = 10**4
            total += (section + digit or 1) * place
            section, digit = 0, 0
        else:
            place = 10**8
            total = (total + section + digit or 1) * place
            section, digit = 0, 0
    return total + section + digit * max(1, place // 10 if place > 10 else 1)


def _scaled(number: str, suffix: str | None) -> str:
    value = _normal(number)
    if suffix is None or not _is_decimal(value):
        return value
    return _normal(format(Decimal(value) * _FACTORS[suffix.lower()], "f"))


def _normal(number: str) -> str:
    plain = _THOUSANDS.sub("", number)
    if not _is_decimal(plain):
        return plain
    text = format(Decimal(plain), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.lstrip("0") or "0" if "." not in text else text


def _is_decimal(number: str) -> bool:
    return len(number) <= _LONGEST and number.replace(".", "", 1).isdecimal()
