"""A `SmallModel` that answers from a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from memory.model import Completion, Prompt

Answer = str | Exception | Callable[[Prompt], str]


class ScriptedModel:
    """Answers every prompt with `answer`: a text, a function of the prompt, or an error to raise. While `gate` is not
    set, calls wait. `prompts` are those it was asked."""

    def __init__(self, answer: Answer = "", *, available: bool = True) -> None:
        self.answer = answer
        self.available = available
        self.gate = asyncio.Event()
        self.gate.set()
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        text = self.answer if isinstance(self.answer, str) else self.answer(prompt)
        return Completion(text=text, model="scripted", prompt_tokens=0, completion_tokens=0)
