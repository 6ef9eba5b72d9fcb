"""Which of the community's languages a text is in, by its script. Deterministic, and right for mixed sentences."""

from __future__ import annotations

import re

from memory.model import Language

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Character class (for use inside brackets) of Chinese characters."""

_HAN = re.compile(f"[{HAN}]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)?")
_NOT_PROSE = re.compile(r"https?://\S+|`[^`]*`|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.]+|<[@#:][^<>]*>")


def language_of(text: str) -> Language:
    """`zh` when Chinese characters weigh at least as much as Latin words (a word counts as two characters: that is
    about how long its translation is), `en` when Latin words weigh more, `other` when there is neither. Links, code and
    addresses do not count unless there is nothing else."""
    prose = _NOT_PROSE.sub(" ", text)
    for candidate in (prose, text):
        han = len(_HAN.findall(candidate))
        latin = len(_LATIN_WORD.findall(candidate))
        kana = len(_KANA_OR_HANGUL.findall(candidate))
        if kana > han:
            return "other"
        if han or latin:
            return "zh" if han >= 2 * latin or (han >= 4 and han >= latin) else "en"
    return "other"
