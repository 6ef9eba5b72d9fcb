"""How many tokens a text costs: the real vocabulary where it is at hand offline, else an estimate that corrects itself.

The estimate sorts characters into classes and weighs what the tokenizer of the current models (o200k) makes of each;
the weights are fitted by tests/bench/fit_tokens.py, the errors are in docs/decisions/0006-token-counts.md.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import math
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import TokenCounter

MESSAGE_OVERHEAD: Final = 4
"""Tokens that the chat format adds per message (role and delimiters)."""
REPLY_OVERHEAD: Final = 3
"""Tokens that open the model's reply."""

VOCABULARY: Final = "o200k_base"
VOCABULARY_FILE: Final = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""The name under which tiktoken keeps the vocabulary in its cache folder."""
VOCABULARY_SHA256: Final = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

ELLIPSIS: Final = " … "
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[。！？；…\n]")
_ZERO_WIDTH_JOINER = "\u200d"
_JOINS = re.compile("[\u0300-\u036f\u200d\u20e3\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""Characters that belong to the one before them."""

_PIECE_CHARS = 4_000
"""tiktoken's time grows with the square of an unbroken run; longer texts are counted in pieces of this size."""

_REMEMBERED = 20_000
"""Estimates; about 3 MB."""

_OTHER, _SPACE, _NEWLINE, _LOWER, _UPPER, _DIGIT, _PUNCTUATION = range(7)
_WIDE_PUNCTUATION, _HAN, _RARE_HAN, _KANA, _HANGUL, _ALPHABET = range(7, 13)

WEIGHTS: Final[Mapping[str, float]] = {
    "han": 0.830,
    "rare han": 4.860,
    "kana": 0.383,
    "hangul": 0.620,
    "alphabet": 0.333,
    "other": 1.313,
    "word 1-4": 0.866,
    "word 5-6": 1.095,
    "word 7-9": 1.303,
    "word 10-12": 0.920,
    "word 13+": 0.935,
    "letters beyond 12": 0.203,
    "words after no space": 0.232,
    "capitals": 1.024,
    "digit groups": 1.100,
    "punctuation runs": 0.606,
    "punctuation": 0.155,
    "wide punctuation": 0.315,
    "line breaks": 1.178,
    "wide spaces": 1.699,
}
"""Tokens per unit of each thing that `features` counts, in its order."""


def message_tokens(messages: Iterable[tuple[str, str]], counter: TokenCounter) -> int:
    """What a chat request of (role, content) messages costs, with the format's own tokens."""
    return REPLY_OVERHEAD + sum(MESSAGE_OVERHEAD + counter.count(content) for _, content in messages)


class EstimatedTokens:
    """Estimates tokens, and learns from the API's own figures how far off it is.

    Invariant: the correction stays within 0.9 to 1.5, and implausible figures do not move it, so that an endpoint that
    reports nonsense cannot make budgets meaningless. It hardly goes down: counting too much costs an old turn,
    counting too little a request over the model's limit.
    """

    LOWEST: Final = 0.9
    HIGHEST: Final = 1.5
    PLAUSIBLE: Final = (0.8, 1.7)
    """Tokens per estimated token; a report outside is no count of tokens (words, characters, a constant)."""
    _LEARNING_RATE = 0.1
    _SMALLEST_SAMPLE = 50

    def __init__(self) -> None:
        self._correction = 1.0
        self._weights = np.array(tuple(WEIGHTS.values()))
        self._uncorrected: dict[tuple[int, int], float] = {}

    @property
    def correction(self) -> float:
        return self._correction

    def count(self, text: str) -> int:
        """At least 1 for any text that is not empty."""
        if not text:
            return 0
        return max(1, math.ceil(self._estimate(text) * self._correction - 1e-9))

    def _estimate(self, text: str) -> float:
        """Before correction. A conversation's turns are counted again for every reply, so estimates are remembered, by
        hash: no text is kept here."""
        key = (len(text), hash(text))
        estimate = self._uncorrected.get(key)
        if estimate is None:
            if len(self._uncorrected) >= _REMEMBERED:
                self._uncorrected.clear()
            estimate = self._uncorrected[key] = float(features(text) @ self._weights)
        return estimate

    def calibrate(self, estimated: int, actual: int) -> None:
        """Move towards what the API counted for a text that this counter put at `estimated`. Small texts, where the
        format's own tokens blur the ratio, and implausible figures teach nothing."""
        if estimated < self._SMALLEST_SAMPLE:
            return
        wanted = actual * self._correction / estimated
        least, most = self.PLAUSIBLE
        if not least <= wanted <= most:
            return
        moved = self._correction + self._LEARNING_RATE * (wanted - self._correction)
        self._correction = min(max(moved, self.LOWEST), self.HIGHEST)


class VocabularyTokens:
    """Counts with tiktoken's real vocabulary, offline."""

    def __init__(self, encoding: Any) -> None:  # noqa: ANN401 - tiktoken is optional, so its types are not at hand
        self._encoding = encoding

    def count(self, text: str) -> int:
        pieces = (text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS))
        return sum(len(self._encoding.encode_ordinary(piece)) for piece in pieces)


def open_counter(environ: Mapping[str, str] | None = None) -> EstimatedTokens | VocabularyTokens:
    """The best counter that works without a network: tiktoken's when it is installed and the true vocabulary already
    lies in `TIKTOKEN_CACHE_DIR` (tiktoken would fetch a missing or damaged one), else the estimate."""
    folder = (os.environ if environ is None else environ).get("TIKTOKEN_CACHE_DIR", "")
    if not folder or not _is_vocabulary(Path(folder) / VOCABULARY_FILE):
        return EstimatedTokens()
    if importlib.util.find_spec("tiktoken") is None:
        return EstimatedTokens()
    return VocabularyTokens(importlib.import_module("tiktoken").get_encoding(VOCABULARY))


def cut_to_tokens(text: str, budget: int, counter: TokenCounter) -> str:
    """The text, or its head and tail around an ellipsis, so that it costs at most `budget` tokens. Two thirds go to the
    head; both ends are cut at a sentence where one is near, and never inside a composed character."""
    if counter.count(text) <= budget:
        return text
    if counter.count(ELLIPSIS) > budget:
        return ""
    fits, too_many = 0, len(text)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if counter.count(_ends_of(text, middle)) <= budget:
            fits = middle
        else:
            too_many = middle
    while fits:
        cut = _tidy_ends(text, fits)
        if counter.count(cut) <= budget:
            return cut
        fits = fits * 9 // 10
    return ELLIPSIS.strip()


def _ends_of(text: str, kept: int) -> str:
    tail = kept // 3
    return text[: kept - tail] + ELLIPSIS + text[len(text) - tail :]


def _tidy_ends(text: str, kept: int) -> str:
    tail = kept // 3
    stop, start = kept - tail, len(text) - tail
    ends = [found.end() for found in _SENTENCE_END.finditer(text, stop * 3 // 4, stop)]
    begin = _SENTENCE_END.search(text, start, start + tail // 4)
    stop = ends[-1] if ends else _before_character(text, stop)
    start = begin.end() if begin else _after_character(text, start)
    return text[:stop].rstrip() + ELLIPSIS + text[start:].lstrip()


def _before_character(text: str, at: int) -> int:
    while 0 < at < len(text) and (_JOINS.match(text[at]) or text[at - 1] == _ZERO_WIDTH_JOINER):
        at -= 1
    return at


def _after_character(text: str, at: int) -> int:
    while 0 < at < len(text) and (_JOINS.match(text[at]) or text[at - 1] == _ZERO_WIDTH_JOINER):
        at += 1
    return at


def _is_vocabulary(path: Path) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == VOCABULARY_SHA256
    except OSError:
        return False


# --- the estimate ---------------------------------------------------------------------------------------------------


def features(text: str) -> NDArray[np.float64]:
    """What the estimate counts in a text, in the order of WEIGHTS. Works on any text, lone surrogates included."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kind = _class_of_character()[points]
    chars = np.bincount(kind, minlength=13).astype(np.float64)
    before = np.concatenate((np.array([_SPACE], dtype=np.uint8), kind[:-1]))
    return np.array(
        [
            chars[_HAN], chars[_RARE_HAN], chars[_KANA], chars[_HANGUL], chars[_ALPHABET], chars[_OTHER],
            *_words(kind, before),
            np.ceil(_run_lengths(kind == _DIGIT) / 3).sum(),
            np.count_nonzero((kind == _PUNCTUATION) & (before != _PUNCTUATION)), chars[_PUNCTUATION],
            chars[_WIDE_PUNCTUATION],
            np.count_nonzero((kind == _NEWLINE) & (before != _NEWLINE)),
            np.count_nonzero(_run_lengths(kind == _SPACE) > 1),
        ]
    )  # fmt: skip


def _words(kind: NDArray[np.uint8], before: NDArray[np.uint8]) -> list[float]:
    """Words by length, letters beyond the twelfth, words that no space precedes (most whole-word tokens begin with
    one), and capitals that follow a capital. A word ends where a capital follows a small letter, as it does for the
    tokenizer."""
    letter = (kind == _LOWER) | (kind == _UPPER)
    lengths = _run_lengths(letter, breaks=(kind == _UPPER) & (before == _LOWER))
    buckets = np.bincount(np.digitize(lengths, (5, 7, 10, 13)), minlength=5)
    capitals = int(np.count_nonzero((kind == _UPPER) & (before == _UPPER)))
    spaced = int(np.count_nonzero(letter & (before == _SPACE)))
    beyond = int(np.maximum(lengths - 12, 0).sum())
    return [*map(float, buckets), beyond, len(lengths) - spaced, capitals]


def _run_lengths(mask: NDArray[np.bool_], breaks: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """The lengths of the runs of True in `mask`; a run is split before each position of `breaks`."""
    padded = np.concatenate((np.array([False]), mask, np.array([False])))
    starts = padded[1:-1] & ~padded[:-2]
    ends = padded[1:-1] & ~padded[2:]
    if breaks is not None:
        split = breaks & mask
        starts |= split
        ends[:-1] |= split[1:]
    return np.flatnonzero(ends) - np.flatnonzero(starts) + 1


@cache
def _class_of_character() -> NDArray[np.uint8]:
    """The class of every code point."""
    table = np.full(0x110000, _OTHER, dtype=np.uint8)
    for first, last, kind in (
        (0x21, 0x7E, _PUNCTUATION), (0x30, 0x39, _DIGIT), (0x41, 0x5A, _UPPER), (0x61, 0x7A, _LOWER),
        (0x20, 0x20, _SPACE), (0x09, 0x09, _SPACE), (0xA0, 0xA0, _SPACE), (0x0A, 0x0D, _NEWLINE),
        (0xC0, 0x24F, _LOWER), (0x370, 0x1FFF, _ALPHABET),
        (0x2010, 0x206F, _WIDE_PUNCTUATION), (0x3000, 0x303F, _WIDE_PUNCTUATION), (0xFF00, 0xFFEF, _WIDE_PUNCTUATION),
        (0x3040, 0x30FF, _KANA), (0xAC00, 0xD7AF, _HANGUL),
        (0x4E00, 0x9FFF, _HAN), (0x3400, 0x4DBF, _RARE_HAN), (0xF900, 0xFAFF, _RARE_HAN), (0x20000, 0x323AF, _RARE_HAN),
    ):  # fmt: skip
        table[first : last + 1] = kind
    return table
