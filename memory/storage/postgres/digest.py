"""When two texts say the same in the same words."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache
from uuid import UUID

_MEANINGFUL = frozenset("#%@&*?")
"""Punctuation that changes what is said: C and C#, 5 and 5%, a statement and a question."""


def normalised(text: str) -> str:
    """Compatibility forms unified, case folded, runs of white space and punctuation made one space. A text of nothing
    but punctuation stands for itself."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = "".join(" " if _separates(sign) else sign for sign in folded).split()
    return " ".join(words) or folded.strip()


def text_digest(text: str) -> UUID:
    """128 bits of SHA-256 over the normalised text, as a uuid because the database stores and compares those best."""
    return UUID(bytes=hashlib.sha256(normalised(text).encode()).digest()[:16])


@lru_cache(maxsize=8192)
def _separates(sign: str) -> bool:
    return sign not in _MEANINGFUL and unicodedata.category(sign)[0] in "PZC"
