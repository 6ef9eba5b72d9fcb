"""The small model, for memory's own work: whole answers, often JSON."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.llm.client import ModelClient
from bot.llm.dialect import Dialect
from bot.llm.failures import Code, EndpointFailure
from memory.errors import ModelOutputInvalid, ModelUnavailable
from memory.model import Completion, Prompt

if TYPE_CHECKING:
    from bot.llm.endpoint import Piece

MAX_CHARS = 1_000_000
"""No answer of a small model is longer in earnest."""

TEMPERATURE = 0.0

REST_S: dict[Code, float] = {"auth": 60.0, "forbidden": 60.0, "not_found": 60.0, "quota": 60.0, "unreachable": 10.0}
"""Seconds for which the endpoint is left alone after a failure that will most likely repeat."""

_BAD_OUTPUT: frozenset[Code] = frozenset({"empty", "truncated", "filtered", "garbled", "bad_request", "too_long"})


class NoSmallModel:
    """Stands where no model is configured."""

    @property
    def available(self) -> bool:
        return False

    async def complete(self, prompt: Prompt) -> Completion:
        raise ModelUnavailable("no model is configured; set OPENAI_API_KEY")


class OpenAISmallModel:
    """A memory.ports.SmallModel over the models `small` and `small_fallbacks` of the settings.

    `available` says whether a model is configured. A dead endpoint is not asked again for a while: then `complete`
    raises ModelUnavailable at once.
    """

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self._resting_until: datetime | None = None
        self._reason = ""

    @property
    def available(self) -> bool:
        return self._client.settings.configured

    async def complete(self, prompt: Prompt) -> Completion:
        """The model's answer. With `prompt.schema`, JSON was asked for in the strictest way that the model takes; the
        caller still validates it. Raises ModelUnavailable or ModelOutputInvalid."""
        self._check_rest()
        settings = self._client.settings
        try:
            completion = await self._client.first_success(
                (settings.small, *settings.small_fallbacks), lambda model: self._answer(model, prompt)
            )
        except EndpointFailure as failure:
            self._rest_after(failure)
            kind = ModelOutputInvalid if failure.code in _BAD_OUTPUT else ModelUnavailable
            raise kind(str(failure)) from failure
        self._resting_until = None
        return completion

    async def _answer(self, model: str, prompt: Prompt) -> Completion:
        return await self._client.in_dialect(model, prompt, lambda dialect: self._ask(model, prompt, dialect))

    async def _ask(self, model: str, prompt: Prompt, dialect: Dialect) -> Completion:
        endpoint = await self._client.endpoint()
        timeout_s = self._client.settings.small_timeout_s
        call = self._client.begin(model, prompt)
        try:
            request = dialect.request(prompt, model, temperature=TEMPERATURE, stream=False)
            async with asyncio.timeout(timeout_s):
                piece = await endpoint.complete(request, timeout_s=timeout_s)
        except TimeoutError:
            raise EndpointFailure("timeout", model) from None
        else:
            used = call.succeeded(piece.text, piece.usage)
        finally:
            call.failed()
        _check(piece, model, prompt)
        return Completion(
            piece.text, model, used.prompt_tokens, used.completion_tokens, truncated=piece.finish == "length"
        )

    def _check_rest(self) -> None:
        if not self.available:
            raise ModelUnavailable("no model is configured; set OPENAI_API_KEY")
        if self._resting_until is not None and self._client.clock() < self._resting_until:
            raise ModelUnavailable(self._reason)

    def _rest_after(self, failure: EndpointFailure) -> None:
        rest_s = REST_S.get(failure.code)
        if rest_s is not None:
            self._resting_until = self._client.clock() + timedelta(seconds=rest_s)
            self._reason = str(failure)


def _check(piece: Piece, model: str, prompt: Prompt) -> None:
    if piece.finish == "content_filter":
        raise EndpointFailure("filtered", model)
    if len(piece.text) > MAX_CHARS:
        raise EndpointFailure("garbled", model, detail="more than a million characters")
    if piece.finish == "length" and (prompt.schema is not None or not piece.text.strip()):
        raise EndpointFailure("truncated", model)
    if not piece.text.strip():
        raise EndpointFailure("empty", model)
