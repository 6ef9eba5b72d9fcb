"""The model that answers members, streamed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from bot.errors import ChatFailed, ChatInterrupted
from bot.llm.client import Call, ModelClient
from bot.llm.dialect import Dialect
from bot.llm.failures import Code, EndpointFailure
from memory.model import Completion, Prompt

if TYPE_CHECKING:
    from bot.llm.endpoint import Piece, Usage

AFTER_END_S = 2.0
"""How long a finished answer waits for its usage figures."""


class ChatModel:
    """Answers prompts with the models `chat` and `chat_fallbacks` of the settings."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    def stream(self, prompt: Prompt) -> ChatStream:
        """The answer, to be iterated once."""
        return ChatStream(self._client, prompt)


class ChatStream:
    """An answer as it is written: an async iterable of non-empty texts, with `completion` set after its end.

    Until the first text, failures are retried and other models are tried; then ChatFailed. After it, any end that the
    model did not announce is ChatInterrupted, with what had arrived.
    """

    def __init__(self, client: ModelClient, prompt: Prompt) -> None:
        self._client = client
        self._prompt = prompt
        self.completion: Completion | None = None

    async def __aiter__(self) -> AsyncIterator[str]:
        settings = self._client.settings
        try:
            answer = await self._client.first_success((settings.chat, *settings.chat_fallbacks), self._begin)
        except EndpointFailure as failure:
            raise ChatFailed(str(failure), code=failure.code) from failure
        try:
            while answer.text:
                yield answer.text
                await answer.advance(settings.stall_timeout_s)
        except EndpointFailure as failure:
            raise ChatInterrupted(str(failure), code=failure.code, partial=answer.whole) from failure
        finally:
            await answer.close()
        self.completion = answer.completion()

    async def _begin(self, model: str) -> _Answer:
        return await self._client.in_dialect(model, self._prompt, lambda dialect: self._first(model, dialect))

    async def _first(self, model: str, dialect: Dialect) -> _Answer:
        """An answer whose first text has arrived."""
        settings = self._client.settings
        endpoint = await self._client.endpoint()
        request = dialect.request(self._prompt, model, temperature=settings.temperature, stream=True)
        longest_s = max(settings.first_token_timeout_s, settings.stall_timeout_s)
        answer = _Answer(self._client.begin(model, self._prompt), endpoint.stream(request, stall_timeout_s=longest_s))
        try:
            await answer.advance(settings.first_token_timeout_s)
        except BaseException:
            await answer.close()
            raise
        return answer


class _Answer:
    """One model's answer under way. `text` is the newest piece, empty after the end; `whole` all of them."""

    def __init__(self, call: Call, pieces: AsyncGenerator[Piece]) -> None:
        self.text = ""
        self._call = call
        self._pieces = pieces
        self._texts: list[str] = []
        self._any_piece = False
        self._finish = ""
        self._usage: Usage | None = None
        self._used: Usage | None = None

    @property
    def whole(self) -> str:
        return "".join(self._texts)

    async def advance(self, timeout_s: float) -> None:
        """Wait for the next text or the end. Pieces without text are no progress, so they do not extend the time."""
        self.text = ""
        try:
            async with asyncio.timeout(timeout_s):
                async for piece in self._pieces:
                    self._take(piece)
                    if self.text or self._finish:
                        break
        except TimeoutError:
            raise EndpointFailure("timeout" if not self._texts else "interrupted", self._call.model) from None
        if self._finish:
            await self._take_usage()
        if not self.text:
            self._end()

    def completion(self) -> Completion:
        used = self._used
        return Completion(
            text=self.whole,
            model=self._call.model,
            prompt_tokens=used.prompt_tokens if used else 0,
            completion_tokens=used.completion_tokens if used else 0,
            truncated=self._finish == "length",
        )

    async def close(self) -> None:
        """Give up what is still to come, if anything is."""
        self._call.failed(self.whole, self._usage)
        await self._pieces.aclose()

    def _take(self, piece: Piece) -> None:
        self._any_piece = True
        self._usage = piece.usage or self._usage
        self._finish = piece.finish or self._finish
        text = piece.text if self._texts else piece.text.lstrip()
        if text:
            self.text = text
            self._texts.append(text)

    async def _take_usage(self) -> None:
        """The answer is whole; what its stream does after that is not worth failing for."""
        try:
            async with asyncio.timeout(AFTER_END_S), aclosing(self._pieces):
                async for piece in self._pieces:
                    self._usage = piece.usage or self._usage
        except (TimeoutError, EndpointFailure):
            return

    def _end(self) -> None:
        code = self._end_code()
        if code is not None:
            raise EndpointFailure(code, self._call.model)
        self._used = self._call.succeeded(self.whole, self._usage)

    def _end_code(self) -> Code | None:
        if self._finish == "content_filter":
            return "filtered"
        if not self._finish:
            return "interrupted" if self._any_piece else "garbled"
        if self._texts:
            return None
        return "truncated" if self._finish == "length" else "empty"
