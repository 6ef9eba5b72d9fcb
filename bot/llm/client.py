"""Calls to the configured endpoint: retries, fallback models, dialects, and the ledger entry that each call makes."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

import structlog

from bot.llm.dialect import Dialect
from bot.llm.failures import EndpointFailure
from bot.llm.ledger import BufferedLedger
from config.prices import PriceTable, load_prices
from config.settings import ModelSettings
from memory.model import ModelCall, Prompt
from memory.ports import Clock, TokenCounter
from memory.tokens import EstimatedTokens, message_tokens

if TYPE_CHECKING:
    from bot.llm.endpoint import Endpoint, Usage

log = structlog.get_logger(__name__)

T = TypeVar("T")

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
LONGEST_RETRY_AFTER_S = 10.0
"""An endpoint that asks to wait longer than this is not waited for."""


class ModelClient:
    """The endpoint of the `model` section, shared by chat, small model and embeddings.

    `sleep` and `jitter` (a number in 0..1) are injected for tests. Close it when done.
    """

    def __init__(
        self,
        settings: ModelSettings,
        ledger: BufferedLedger,
        counter: TokenCounter,
        *,
        clock: Clock,
        prices: PriceTable | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.counter = counter
        self._ledger = ledger
        self._prices = prices or load_prices()
        self._sleep = sleep
        self._jitter = jitter
        self._dialects: dict[str, Dialect] = {}
        self._endpoint: asyncio.Task[Endpoint] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def with_endpoint(self, settings: ModelSettings) -> ModelClient:
        """A client of another endpoint that shares everything else. Close it too."""
        return ModelClient(
            settings,
            self._ledger,
            self.counter,
            clock=self.clock,
            prices=self._prices,
            sleep=self._sleep,
            jitter=self._jitter,
        )

    async def close(self) -> None:
        opened, self._endpoint = self._endpoint, None
        if opened is not None:
            with suppress(EndpointFailure):
                await (await opened).close()

    async def endpoint(self) -> Endpoint:
        """The endpoint, opened at the first call. Nothing is sent by opening it."""
        if self._endpoint is None:
            self._endpoint = asyncio.create_task(asyncio.to_thread(_open, self.settings))
        return await asyncio.shield(self._endpoint)

    async def first_success(self, models: Sequence[str], attempt: Callable[[str], Awaitable[T]]) -> T:
        """The result of `attempt` with the first of `models` that works; each is tried again for failures that pass.

        Raises the last EndpointFailure.
        """
        for model in models[:-1]:
            try:
                return await self._retried(model, attempt)
            except EndpointFailure as failure:
                if failure.concerns_every_model:
                    raise
                log.warning("falling back to another model", _event="model_fallback", model=model, code=failure.code)
        return await self._retried(models[-1], attempt)

    async def in_dialect(self, model: str, prompt: Prompt, attempt: Callable[[Dialect], Awaitable[T]]) -> T:
        """The result of `attempt` in the dialect that the model is known or found to take."""
        dialect = self._dialects.get(model, Dialect())
        while True:
            try:
                result = await attempt(dialect)
            except EndpointFailure as failure:
                simpler = dialect.after(failure, prompt)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                self._dialects[model] = dialect
                return result

    def begin(self, model: str, prompt: Prompt) -> Call:
        """A chat call to be measured from now on."""
        return Call(self, model, prompt)

    async def _retried(self, model: str, attempt: Callable[[str], Awaitable[T]]) -> T:
        for tried in range(self.settings.retries):
            try:
                return await attempt(model)
            except EndpointFailure as failure:
                asked_s = failure.retry_after_s or 0.0
                if not failure.passing or asked_s > LONGEST_RETRY_AFTER_S:
                    raise
                pause_s = min(FIRST_PAUSE_S * 2**tried, LONGEST_PAUSE_S) * (0.5 + self._jitter() / 2)
                log.info("asking the model again", _event="model_retry", model=model, code=failure.code)
                await self._sleep(max(pause_s, asked_s))
        return await attempt(model)

    def note(self, call: Call, usage: Usage | None, *, ok: bool) -> None:
        """Make the call's ledger entry. For `Call` only."""
        at, prompt = self.clock(), call.prompt
        prompt_tokens = usage.prompt_tokens if usage else 0
        cached_tokens = usage.cached_tokens if usage else 0
        completion_tokens = usage.completion_tokens if usage else 0
        self._ledger.note(
            ModelCall(
                purpose=prompt.purpose,
                model=call.model,
                prompt_version=prompt.version,
                prompt_tokens=prompt_tokens,
                cached_tokens=cached_tokens,
                completion_tokens=completion_tokens,
                cost_usd=self._prices.cost_usd(
                    call.model,
                    prompt_tokens=prompt_tokens,
                    cached_tokens=cached_tokens,
                    completion_tokens=completion_tokens,
                    on=at.date(),
                ),
                latency_ms=call.elapsed_ms(),
                at=at,
                ok=ok,
                estimated=usage is not None and usage.estimated,
                conversation_id=prompt.conversation_id,
                member_id=prompt.member_id,
                community=prompt.community,
            )
        )


class Call:
    """One call, measured. Invariant: it makes exactly one ledger entry, by the first of `succeeded` and `failed`."""

    def __init__(self, client: ModelClient, model: str, prompt: Prompt) -> None:
        self.model = model
        self.prompt = prompt
        self._client = client
        self._started = time.perf_counter()
        self._noted = False

    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def succeeded(self, text: str, usage: Usage | None) -> Usage:
        """Returns the tokens used: the endpoint's figures, or an estimate where it gave none."""
        used = usage or self._estimate(text)
        if usage is not None:
            self._calibrate(usage)
        self._note(used, ok=True)
        return used

    def failed(self, text: str = "", usage: Usage | None = None) -> None:
        """`text` is what had arrived: it was paid for, so it is counted."""
        if not self._noted:
            self._note(usage or (self._estimate(text) if text else None), ok=False)

    def _note(self, usage: Usage | None, *, ok: bool) -> None:
        if not self._noted:
            self._noted = True
            self._client.note(self, usage, ok=ok)

    def _estimate(self, text: str) -> Usage:
        from bot.llm.endpoint import Usage  # a slow import, already done by the call itself

        counter = self._client.counter
        return Usage(message_tokens(self.prompt.messages, counter), counter.count(text), estimated=True)

    def _calibrate(self, usage: Usage) -> None:
        counter = self._client.counter
        if isinstance(counter, EstimatedTokens) and self.prompt.schema is None and self.prompt.purpose != "embedding":
            counter.calibrate(message_tokens(self.prompt.messages, counter), usage.prompt_tokens)


def _open(settings: ModelSettings) -> Endpoint:
    from bot.llm.endpoint import Endpoint  # a slow import: see there

    key: Any = settings.api_key
    return Endpoint(
        base_url=settings.base_url,
        api_key=None if key is None else key.get_secret_value(),
        connect_timeout_s=settings.connect_timeout_s,
    )
