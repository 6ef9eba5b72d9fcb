"""Words of a text as sparse vectors, for Chinese and English alike.

Chinese has no spaces, so a run of Chinese characters becomes its overlapping pairs (measured: `\\w+` tokens find next
to nothing in Chinese, pairs find two thirds). Latin words are stemmed; numbers, versions, codes and links are kept
whole and in parts. The weights are BM25's term saturation without inverse document frequency, which the index applies
itself.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from memory.language import HAN
from memory.ports import SparseVector

_SATURATION = 1.2
_LENGTH_WEIGHT = 0.5
_USUAL_LENGTH = 14.0
"""Terms of a usual chat turn. Fixed, so that a document's weights never depend on the other documents."""

_ENGLISH_STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren't as at be because been before being below between both
    but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
    get gets getting got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
    himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's like me more most my
    myself no nor not now of off oh ok okay on once only or other our ours ourselves out over own please really same
    she she'd she'll she's should shouldn't so some such than that that's the their theirs them
    themselves then there there's these they they'd they'll they're they've this those through to too under until up us
    very was wasn't we we'd we'll
    we're we've well were weren't what what's when when's where where's which while who who's whom why why's will with
    won't would wouldn't yeah yes you you'd you'll you're you've your yours yourself yourselves""".split()
)
_CHINESE_PARTICLES = "的了吗呢吧啊呀哦嘛哈们着过得"
_CHINESE_STOP_SINGLES = frozenset("我你他她它是在有和就也都不很这那被把给让与及或要会能说去来到上下人")
_CHINESE_STOP_PAIRS = frozenset(
    """什么 怎么 怎样 这个 那个 这样 那样 这些 那些 一个 一下 一些 我们 你们 他们 她们 大家 自己 可以 就是 还是 但是
    因为 所以 如果 不是 没有 有没 是不 是否 哪里 哪个 哪些 多少 为什 请问 时候 知道 觉得 我的 你的 他的 她的
    现在 已经 然后 或者 而且 不过 真的 非常 其实 一样 有点""".split()
)

_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。、；！？）)\]]+", re.IGNORECASE)
_KANA_HANGUL = "\u3040-\u30ff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?P<cjk>[{HAN}{_KANA_HANGUL}]+)"
    r"|(?P<code>[a-z0-9\u00c0-\u024f]+(?:[-_.:/#@+][a-z0-9\u00c0-\u024f]+)+)"
    r"|(?P<mixed>[a-z\u00c0-\u024f]*[0-9][a-z0-9\u00c0-\u024f]*)"
    r"|(?P<word>[a-z\u00c0-\u024f]+(?:'[a-z]+)?(?:\+\+|#)?)"
    r"|(?P<other>[^\W\d_]+)",
)
_PARTICLES = re.compile(f"[{_CHINESE_PARTICLES}]+")
_PARTS = re.compile(r"[a-z\u00c0-\u024f]+|[0-9]+")
_stem = cast(
    Callable[[str], str],
    snowballstemmer.stemmer("english").stemWord,  # pyright: ignore[reportUnknownMemberType]
)


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repeated where they repeat. Empty for a text without content words."""
    return list(_terms(text))


def sparse_document(text: str) -> SparseVector:
    """BM25's saturated term frequencies of a document, to be multiplied by inverse document frequency at search."""
    return weigh(Counter(terms(text)))


def sparse_query(text: str) -> SparseVector:
    """Each term of a query once with weight 1, so that a long query repeats no word's vote."""
    return _vector((term, 1.0) for term in set(_terms(text)))


def weigh_query(weights: Mapping[str, float]) -> SparseVector:
    """A query vector of terms with weights of their own."""
    return _vector(weights.items())


def weigh(counts: Mapping[str, float]) -> SparseVector:
    """The document vector of terms with (possibly fractional) frequencies."""
    length = sum(counts.values())
    norm = _SATURATION * (1.0 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / _USUAL_LENGTH)
    return _vector((term, count * (_SATURATION + 1.0) / (count + norm)) for term, count in counts.items())


def term_id(term: str) -> int:
    """A stable unsigned 32-bit id."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def _vector(weights: Iterable[tuple[str, float]]) -> SparseVector:
    by_id: dict[int, float] = {}
    for term, weight in weights:
        key = term_id(term)
        by_id[key] = by_id.get(key, 0.0) + weight
    indices = tuple(sorted(by_id))
    return SparseVector(indices, tuple(by_id[index] for index in indices))


def _terms(text: str) -> Iterable[str]:
    position = 0
    for link in _LINK.finditer(text):
        yield from _prose_terms(_fold(text[position : link.start()]))
        yield from _link_terms(_fold(link.group()))
        position = link.end()
    yield from _prose_terms(_fold(text[position:]))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _prose_terms(text: str) -> Iterable[str]:
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "cjk":
            yield from _chinese_terms(token)
        elif kind == "word":
            yield from _word_terms(token)
        elif kind == "code":
            yield token
            yield from _part_terms(token)
        else:
            yield token


def _link_terms(link: str) -> Iterable[str]:
    address = re.sub(r"^(?:https?://)?(?:www\.)?", "", link).rstrip("/.,")
    yield address
    for part in re.split(rf"[^a-z0-9{HAN}]+", address):
        if part and part not in ("com", "org", "net", "html"):
            yield from _prose_terms(part)


def _chinese_terms(run: str) -> Iterable[str]:
    for piece in _PARTICLES.split(run):
        if len(piece) == 1 and piece not in _CHINESE_STOP_SINGLES:
            yield piece
        for start in range(len(piece) - 1):
            pair = piece[start : start + 2]
            if pair not in _CHINESE_STOP_PAIRS:
                yield pair


def _word_terms(word: str) -> Iterable[str]:
    if word in _ENGLISH_STOP_WORDS:
        return
    bare = word.split("'")[0]
    if len(bare) > 1 and bare not in _ENGLISH_STOP_WORDS:
        yield _stemmed(bare)


def _part_terms(code: str) -> Iterable[str]:
    for part in _PARTS.findall(code):
        if part.isdigit() or len(part) > 1:
            yield from _word_terms(part) if part.isalpha() else (part,)


@lru_cache(maxsize=50_000)
def _stemmed(word: str) -> str:
    return _stem(word)
