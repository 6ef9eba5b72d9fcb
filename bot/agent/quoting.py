"""The answer without a language model: the best memories, quoted, and said to be nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from zoneinfo import ZoneInfo

from memory.model import Language, Recalled
from memory.prompts import origin_text, written_in
from memory.question import worth_recalling

QUOTES = 3
SURE = 0.75
QUOTED_CHARS = 600
"""Longest passage of one memory that is quoted; three of them fit into one message of every platform."""

Reason = Literal["no_model", "model_failed"]

_WHY = {
    "no_model": {"en": "I have no language model to answer with", "zh": "我没有配置语言模型，无法自己作答"},
    "model_failed": {"en": "My language model cannot be reached right now", "zh": "我的语言模型暂时连不上"},
}
_QUOTING = {
    "en": "{why}, so I am only quoting what was said before:",
    "zh": "{why}，只能原样引用以前说过的话：",
}
_NOTHING = {
    "en": "{why}, and I remember nothing about this.",
    "zh": "{why}，而且关于这件事我什么都不记得。",
}
_SMALL_TALK = {
    "en": "I am here. {why}, but I take notes: ask me about anything that was said here. /help shows what else I do.",
    "zh": "我在。{why}，不过我会做记录：这里说过的事都可以问我。/help 看看我还能做什么。",
}
_NOTED = {
    "en": "Noted. ({why}, so all I can do is keep notes and quote them.)",
    "zh": "记下了。（{why}，只能记录和引用。）",
}


def quote_memories(
    message: str, recalled: Sequence[Recalled], *, reason: Reason, language: Language, zone: ZoneInfo, noted: bool
) -> str:
    """The reply to `message`. `noted` says that it is no question but something that is being kept: that is the answer
    to it then."""
    words = written_in(language)
    why = _WHY[reason][words]
    if noted:
        return _NOTED[words].format(why=why)
    if not worth_recalling(message):
        return _SMALL_TALK[words].format(why=why)
    if not recalled:
        return _NOTHING[words].format(why=why)
    lines = [_QUOTING[words].format(why=why)]
    lines += [_quoted(item, language, zone) for item in _best(recalled)]
    return "\n".join(lines)


def _best(recalled: Sequence[Recalled]) -> list[Recalled]:
    """The first, and the next ones as far as they are about as relevant: what is only related is no answer."""
    least = min(SURE, max(item.relevance for item in recalled))
    return [item for item in recalled if item.relevance >= least][:QUOTES]


def _quoted(item: Recalled, language: Language, zone: ZoneInfo) -> str:
    origin, text = origin_text(item, language, zone), shortened(item.memory.text, QUOTED_CHARS)
    if written_in(language) == "zh":
        return f"• {origin}：「{text}」"
    return f"• {origin}: “{text}”"


def shortened(text: str, max_chars: int) -> str:
    """`text`, or its beginning with an ellipsis when it has more than `max_chars` characters."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
