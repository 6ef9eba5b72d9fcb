"""One OpenAI-compatible endpoint: the only module that knows the openai library.

Nothing is retried here, and every failure leaves as an EndpointFailure. Importing this module takes about a second, so
`client` does it in a thread when the first call is made.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import numpy as np
import openai
from openai.types import CompletionUsage, CreateEmbeddingResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bot.llm.failures import Code, EndpointFailure
from memory.ports import Floats

NO_KEY = "none"
"""Sent where no key is configured: endpoints without keys ignore it, and the library insists on one."""

MAX_DETAIL_CHARS = 200


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the endpoint counted them unless `estimated`."""

    prompt_tokens: int
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """What arrived: a whole answer, or one step of a streamed one. `finish` is set once the answer is complete."""

    text: str = ""
    finish: str = ""
    usage: Usage | None = None


class Endpoint:
    """Raises EndpointFailure, also when its own settings make no sense."""

    def __init__(self, *, base_url: str | None, api_key: str | None, connect_timeout_s: float) -> None:
        self._connect_timeout_s = connect_timeout_s
        if base_url is not None and not _is_web_address(base_url):
            raise EndpointFailure("unreachable", "", detail="the base URL is no http address")
        try:
            self._client = openai.AsyncOpenAI(api_key=api_key or NO_KEY, base_url=base_url, max_retries=0)
        except (openai.OpenAIError, httpx2.InvalidURL, ValueError) as error:
            raise EndpointFailure("unreachable", "", detail=type(error).__name__) from error

    async def close(self) -> None:
        await self._client.close()

    async def complete(self, request: Mapping[str, Any], *, timeout_s: float) -> Piece:
        """One whole answer. `request` holds the API's own fields."""
        model = str(request["model"])
        try:
            answer: object = await self._create(request, timeout_s)
        except (openai.OpenAIError, ValueError) as error:
            raise failure_of(error, model) from error
        if not isinstance(answer, ChatCompletion) or not answer.choices:
            raise EndpointFailure("garbled", model)
        choice = answer.choices[0]
        message: Any = choice.message
        text = getattr(message, "content", None)
        return Piece(_clean(text), choice.finish_reason or "", _usage(answer.usage))

    async def stream(self, request: Mapping[str, Any], *, stall_timeout_s: float) -> AsyncGenerator[Piece]:
        """An answer as it is written. Ends without a piece that has `finish` when the endpoint breaks off quietly."""
        model = str(request["model"])
        try:
            stream: Any = await self._create({**request, "stream": True}, stall_timeout_s)
            async with stream:
                async for chunk in stream:
                    yield _piece(chunk, model)
        except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
            raise failure_of(error, model) from error

    async def embed(
        self, model: str, texts: Sequence[str], *, dimensions: int | None, timeout_s: float
    ) -> tuple[Floats, Usage | None]:
        """Vectors of shape (len(texts), dimensions), as the endpoint made them, in the order of `texts`."""
        wanted: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
        try:
            answer: Any = await self._client.embeddings.create(
                model=model, input=list(texts), encoding_format="float", timeout=self._timeout(timeout_s), **wanted
            )
        except (openai.OpenAIError, ValueError) as error:
            raise failure_of(error, model) from error
        if not isinstance(answer, CreateEmbeddingResponse) or len(answer.data or ()) != len(texts):
            raise EndpointFailure("garbled", model, detail="a wrong number of vectors")
        try:
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EndpointFailure("garbled", model, detail="vectors of different lengths") from error
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise EndpointFailure("garbled", model, detail="not vectors of numbers")
        return vectors, Usage(answer.usage.prompt_tokens) if getattr(answer, "usage", None) else None

    async def _create(self, request: Mapping[str, Any], timeout_s: float) -> object:
        create: Any = self._client.chat.completions.create
        return await create(**request, timeout=self._timeout(timeout_s))

    def _timeout(self, timeout_s: float) -> httpx2.Timeout:
        return httpx2.Timeout(timeout_s, connect=min(self._connect_timeout_s, timeout_s))


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port out of range
        return False


def failure_of(error: Exception, model: str) -> EndpointFailure:
    """The failure that an error of the library (or a ValueError from decoding) stands for."""
    if isinstance(error, openai.APITimeoutError):
        connecting = isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout)
        return EndpointFailure("unreachable" if connecting else "timeout", model)
    if isinstance(error, openai.APIConnectionError):
        reached = isinstance(error.__cause__, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)
        return EndpointFailure("interrupted" if reached else "unreachable", model)
    if isinstance(error, openai.APIStatusError):
        return EndpointFailure(
            _code_of_status(error),
            model,
            detail=_detail(error),
            param=str(error.param or ""),
            retry_after_s=_retry_after(error.response.headers),
        )
    if isinstance(error, openai.APIResponseValidationError):
        return EndpointFailure("garbled", model)
    if isinstance(error, openai.APIError):  # an error event inside a stream
        return EndpointFailure("unavailable", model, detail=_detail(error))
    if isinstance(error, httpx2.HTTPError):
        return EndpointFailure("interrupted", model)
    if isinstance(error, UnicodeEncodeError):  # what is sent can be encoded, so it is the key in the header
        return EndpointFailure("auth", model)
    return EndpointFailure("garbled", model)


_CODES: Mapping[int, Code] = {
    401: "auth",
    403: "forbidden",
    404: "not_found",
    408: "unavailable",
    409: "unavailable",
    413: "too_long",
    429: "rate_limited",
}


def _code_of_status(error: openai.APIStatusError) -> Code:
    if error.code == "insufficient_quota" or error.status_code == 402:
        return "quota"
    if error.code == "context_length_exceeded":
        return "too_long"
    if error.code == "content_filter":
        return "filtered"
    known = _CODES.get(error.status_code)
    return known or ("unavailable" if error.status_code >= 500 else "bad_request")


def _detail(error: openai.APIError) -> str:
    """The endpoint's own words, in one short line. A body that is no API error may hold anything, so it is left out;
    and a key that an endpoint quotes back is masked."""
    body: Any = error.body
    message = body.get("message") if isinstance(error.body, dict) else ""
    words = " ".join(str(message or "").split())[:MAX_DETAIL_CHARS]
    status = f"{error.status_code} " if isinstance(error, openai.APIStatusError) else ""
    return f"{status}{re.sub(r'(sk|key|pk)-[^ .,]+', '…', words)}".strip()


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from the header in any of its three forms."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value)
        at = email.utils.parsedate_to_datetime(value)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _piece(chunk: object, model: str) -> Piece:
    if not isinstance(chunk, ChatCompletionChunk):
        raise EndpointFailure("garbled", model)
    usage = _usage(chunk.usage)
    choices: Sequence[Any] = chunk.choices or ()
    if not choices:
        return Piece(usage=usage)
    delta = choices[0].delta
    return Piece(_clean(getattr(delta, "content", None)), choices[0].finish_reason or "", usage)


def _usage(usage: CompletionUsage | None) -> Usage | None:
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    if usage is None or not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    cached = getattr(usage.prompt_tokens_details, "cached_tokens", None)
    return Usage(prompt, completion, min(cached, prompt) if isinstance(cached, int) else 0)


def _clean(text: object) -> str:
    """A model's text without what no store can hold: NUL and lone surrogates."""
    if not isinstance(text, str):
        return ""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
