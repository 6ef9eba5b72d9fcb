"""Small data sets of our own making, in the shapes of LoCoMo's and MADial-Bench's files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def locomo_turn(id_: str, speaker: str, text: str, **extra: str) -> dict[str, Any]:
    return {"dia_id": id_, "speaker": speaker, "text": text, **extra}


def a_question(question: str, *evidence: str, category: int = 4) -> dict[str, Any]:
    return {"question": question, "answer": "-", "evidence": list(evidence), "category": category}


BAKERY = {
    "sample_id": "bakery",
    "conversation": {
        "speaker_a": "Nora",
        "speaker_b": "Viktor",
        "session_1_date_time": "9:05 am on 3 May, 2024",
        "session_1": [
            locomo_turn("D1:1", "Nora", "I opened a bakery in Lisbon last month."),
            locomo_turn("D1:2", "Viktor", "Congratulations! I just adopted a greyhound called Comet."),
            locomo_turn("D1:3", "Nora", "Look at this!", blip_caption="a tray of almond croissants"),
        ],
        "session_2_date_time": "7:40 pm on 21 June, 2024",
        "session_2": [
            locomo_turn("D2:1", "Viktor", "I failed my driving test because of the parallel parking."),
            locomo_turn("D2:2", "Nora", "My oven broke, the repair cost four hundred euros."),
        ],
    },
    "qa": [
        a_question("Which breed of dog did Viktor adopt?", "D1:2"),
        a_question("When did Nora open her bakery?", "D1:1", category=2),
        a_question("What went wrong for Nora and Viktor in June?", "D2:1", "D2:2", category=1),
        a_question("What did Nora say about the moon?", "D1:1", category=5),
        a_question("What does Viktor collect?", "D9:9"),
    ],
}
CLIMBING = {
    "sample_id": "climbing",
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Tomas",
        "session_1_date_time": "12:00 pm on 1 February, 2024",
        "session_1": [
            locomo_turn("D1:1", "Ines", "My climbing gym raised its monthly fee to sixty euros."),
            locomo_turn("D1:2", "Tomas", "I am learning the cello with Mrs Okafor."),
        ],
    },
    "qa": [a_question("Which instrument is Tomas learning?", "D1:2")],
}


def write_locomo(path: Path, *dialogues: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(dialogues), "utf-8")
    return path


_EVENTS = {
    "zh": {
        "1": "小杰上个月在游泳比赛里得了第二名，很自豪。",
        "2": "小杰的金鱼死了，他哭了一整晚。",
        "3": "小杰和奶奶一起包了韭菜饺子。",
    },
    "en": {
        "1": "Jie came second in a swimming race last month and was proud.",
        "2": "Jie's goldfish died and he cried all evening.",
        "3": "Jie made chive dumplings together with grandmother.",
    },
}
_TALKS = {
    "zh": [
        ["<BOD>\n", '<小杰>: "学校又要办游泳比赛了。"\n', '<Assistant>: "你想参加吗？"\n',
         '<小杰>: "想，可是我怕游泳比赛输掉。"\n', '<Assistant>: "上次你得了第二名呢。"\n', "<EOD>\n"],
        ["<BOD>\n", '<小杰>: "我想养金鱼。"\n', '<Assistant>: "还记得上一条吗？"\n', "<EOD>\n"],
    ],
    "en": [
        ["<BOD>\n", '<Jie>: "School holds another swimming race."\n', '<Assistant>: "Will you take part?"\n',
         '<Jie>: "Yes, but I am afraid to lose the swimming race."\n', '"You came second last time."\n', "<EOD>\n"],
        ["<BOD>\n", '<Jie>: "I would like a goldfish."\n', '<Assistant>: "Remember the last one?"\n', "<EOD>\n"],
    ],
}  # fmt: skip


def madial(language: str) -> dict[str, Any]:
    """Two talks about three events; the same events in "zh" and "en"."""
    return {
        "memories": {
            id_: {"time": f"2024-03-0{id_}", "scene": "day", "emotion": "-", "event": text}
            for id_, text in _EVENTS[language].items()
        },
        "dialogues": [
            {"dialogue": lines, "test-turn": turns, "relevant-id": relevant}
            for lines, turns, relevant in zip(_TALKS[language], ([2, 4], [2]), ([1], [2]), strict=True)
        ],
    }


def write_madial(path: Path, language: str) -> Path:
    path.write_text(json.dumps(madial(language), ensure_ascii=False), "utf-8")
    return path


def texts(memories: Sequence[Any]) -> list[str]:
    return [memory.text for memory in memories]
