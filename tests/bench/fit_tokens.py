"""Fits the weights of memory.tokens to the real o200k vocabulary and prints them with their errors.

    python -m tests.bench.fit_tokens FILE...     (.json or .jsonl: messages, and other strings of some length)

Needs the package `quicktok-v1`, which holds the vocabulary; it is no dependency of the project. Half of the texts are
fitted, the errors are those of the other half.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.tokens import WEIGHTS, features

SAMPLE_CHARS = 400
TEXTS_PER_FILE = 400
PULL = 3e-5
"""How strongly the fit is pulled to the present weights; decides only what the texts do not show."""
OTHER_SCRIPTS = (
    "来週の土曜日に東京で勉強会を開催します。参加したい人は今週中に申し込んでください。",
    "ありがとうございました。よろしくお願いします！スケジュールはこちらのリンクを見てください。",
    "다음 주 토요일에 서울에서 모임이 있습니다. 참가하고 싶은 사람은 신청해 주세요.",
    "В следующую субботу мы встречаемся в Берлине. Напишите мне до пятницы, пожалуйста.",
    "سنلتقي يوم السبت القادم في المدينة، من يريد المشاركة فليكتب لي قبل يوم الجمعة",
    "เราจะพบกันวันเสาร์หน้าที่กรุงเทพ ถ้าใครอยากเข้าร่วมกรุณาเขียนมาก่อนวันศุกร์",
    "Nächsten Samstag treffen wir uns in Berlin, wer mitkommen möchte, schreibt mir bis Freitag",
    "報名線下聚會需要先填寫表格，然後等待管理員確認",
    "😀😂🎉👍❤️🔥🙏😭🤣✨🥺👀💯🎂🚀",
    "def reply(self, text: str) -> None:\n    return self._client.send(text, retry=3)\n",
    "https://example.com/events/march-meetup?id=48213&ref=abc 3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str) and len(value) > 8:
        yield value
    elif isinstance(value, dict) and "text" in value:
        yield f"{value.get('user') or value.get('speaker')}: {value['text']}"  # pyright: ignore[reportUnknownMemberType]
    elif isinstance(value, dict):
        for part in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            yield from strings(part)


def samples(path: Path) -> list[str]:
    """The file's texts, joined to pieces of about SAMPLE_CHARS characters."""
    text = path.read_text(encoding="utf-8")
    values: list[Any] = (
        [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    )
    pieces, piece = [], ""
    for string in strings(values):
        piece += string + "\n"
        if len(piece) > SAMPLE_CHARS:
            pieces.append(piece.strip())
            piece = ""
    return pieces


def fit(texts: list[str], count: Callable[[str], int]) -> NDArray[np.float64]:
    """Least squares of the relative error by coordinate descent; weights stay within 0.4 to 1.8 of the present ones."""
    present = np.array(tuple(WEIGHTS.values()))
    rows = np.array([features(text) / count(text) for text in texts])
    gram, target = rows.T @ rows / len(rows), rows.mean(axis=0)
    pull = PULL / present**2
    weights = present.copy()
    for _ in range(4_000):
        for j in range(len(weights)):
            best = target[j] - gram[j] @ weights + gram[j, j] * weights[j] + pull[j] * present[j]
            weights[j] = np.clip(best / (gram[j, j] + pull[j]), 0.4 * present[j], 1.8 * present[j])
    return weights


def main() -> None:
    count: Callable[[str], int] = importlib.import_module("quicktok").get_encoding("o200k_base").count
    files = {Path(name).name: samples(Path(name)) for name in sys.argv[1:]}
    fitted = [text for texts in files.values() for text in texts[::2] * max(1, round(TEXTS_PER_FILE * 2 / len(texts)))]
    weights = fit([*fitted, *OTHER_SCRIPTS * 12], count)
    for name, weight in zip(WEIGHTS, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    present = np.array(tuple(WEIGHTS.values()))
    print(f"{'file':28} texts   bias   mean    p95   (of the weights in memory.tokens)")
    for name, texts in files.items():
        errors = np.array([features(text) @ present / count(text) - 1 for text in texts[1::2]])
        sizes = np.abs(errors)
        print(f"{name:28} {len(errors):5} {errors.mean():+6.3f} {sizes.mean():6.3f} {np.quantile(sizes, 0.95):6.3f}")


if __name__ == "__main__":
    main()
