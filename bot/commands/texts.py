"""What the commands say, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from memory.model import Language
from memory.prompts import written_in

Text = Literal[
    "unknown_command",
    "no_memories",
    "no_such_page",
    "memories_page",
    "no_profile",
    "reset_done",
    "no_answer_yet",
    "why_nothing",
    "why_title",
    "no_record",
]

_TEXTS: Mapping[Text, Mapping[str, str]] = {
    "unknown_command": {
        "en": "There is no command /{name}. /help lists what there is.",
        "zh": "没有 /{name} 这个命令。输入 /help 查看所有命令。",
    },
    "no_memories": {
        "en": "Nothing is remembered here yet.",
        "zh": "这里还没有任何记忆。",
    },
    "no_such_page": {
        "en": "There is no page “{page}”. Pages go from 1 to {pages}: /memory show 1",
        "zh": "没有第“{page}”页。页码从 1 到 {pages}：/memory show 1",
    },
    "memories_page": {
        "en": "Memories that may be used here, newest first (page {page} of {pages}):",
        "zh": "这里可以使用的记忆，新的在前（第 {page} 页，共 {pages} 页）：",
    },
    "no_profile": {
        "en": "I know nothing about you yet. Tell me your name or what you do, and I will.",
        "zh": "我还不了解你。告诉我你的名字或你做什么，我就会记住。",
    },
    "reset_done": {
        "en": "This conversation starts afresh. What was learnt from it stays; /memory show lists it.",
        "zh": "对话重新开始。已经记住的内容仍然保留，可用 /memory show 查看。",
    },
    "no_answer_yet": {
        "en": "I have not answered anything in this conversation since I was started.",
        "zh": "自启动以来，我还没有在这个对话里回答过。",
    },
    "why_nothing": {
        "en": "No memory shaped the last answer.",
        "zh": "上一条回答没有用到任何记忆。",
    },
    "why_title": {
        "en": "These shaped the last answer:",
        "zh": "上一条回答用到了：",
    },
    "no_record": {
        "en": "I cannot look that up right now: my database cannot be reached. Please try again in a moment.",
        "zh": "暂时查不了：数据库连不上。请稍后再试。",
    },
}


def say(text: Text, language: Language, **values: object) -> str:
    return _TEXTS[text][written_in(language)].format(**values)
