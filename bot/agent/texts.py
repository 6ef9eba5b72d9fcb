"""What the agent itself says, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from memory.model import Language
from memory.prompts import written_in

Text = Literal["unreadable", "too_long", "no_record", "not_recorded", "interrupted", "cannot_remember"]

_TEXTS: Mapping[Text, Mapping[str, str]] = {
    "unreadable": {
        "en": "I cannot read anything in that message. Please write it as text.",
        "zh": "这条消息里没有我能读懂的内容，请用文字再写一次。",
    },
    "too_long": {
        "en": "That message is too long for me ({size:,} characters; at most {limit:,}). Please send it in parts.",
        "zh": "这条消息太长了（{size:,} 个字符，最多 {limit:,} 个），请分几次发。",
    },
    "no_record": {
        "en": "I cannot remember right now: my database cannot be reached. Please try again in a moment.",
        "zh": "我暂时无法记忆：数据库连不上。请稍后再试。",
    },
    "not_recorded": {
        "en": "(My database cannot be reached, so I will not remember this exchange.)",
        "zh": "（数据库连不上，这次对话我记不下来。）",
    },
    "interrupted": {
        "en": "(The answer broke off: the connection to the language model was lost. Ask again for the rest.)",
        "zh": "（回答中断了：与语言模型的连接断开。想看后面的内容，请再问一次。）",
    },
    "cannot_remember": {
        "en": "(I cannot search my long-term memory right now, so this answer is without it.)",
        "zh": "（我暂时无法检索长期记忆，这条回答没有用到它。）",
    },
}


def say(text: Text, language: Language, **values: object) -> str:
    return _TEXTS[text][written_in(language)].format(**values)
