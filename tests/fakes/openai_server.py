"""A scripted OpenAI-compatible server on loopback, so that tests go through the real client.

    async with ScriptedModel() as server:
        server.reply_with("Hello!", Status(500), Text("Half an ans", finish=None))   # one a request; the last repeats
        server.on_extraction(lambda request: {"memories": []})                       # requests that ask for JSON
        settings = ModelSettings(api_key=SecretStr("k"), base_url=server.base_url)
        ...
        assert server.chats[0].system.startswith("You are")

Without a script it answers by quoting the memories of the prompt. `python -m tests.fakes.openai_server --port 8080`
runs it for a person: set OPENAI_BASE_URL=http://127.0.0.1:8080/v1 and start the bot.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from aiohttp import web

EMBEDDING_DIMENSIONS = 64
END = "stop"


@dataclass(frozen=True)
class Request:
    """One request as it arrived. `path` is without the `/v1`."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def messages(self) -> list[tuple[str, str]]:
        return [(message["role"], message["content"]) for message in self.body.get("messages", ())]

    @property
    def system(self) -> str:
        return "\n".join(text for role, text in self.messages if role == "system")

    @property
    def user(self) -> str:
        """The last thing that a user said."""
        return next((text for role, text in reversed(self.messages) if role == "user"), "")

    @property
    def text(self) -> str:
        """All messages."""
        return "\n".join(text for _, text in self.messages)

    @property
    def wants_json(self) -> bool:
        return "response_format" in self.body or "JSON schema" in self.system


@dataclass(frozen=True)
class Usage:
    """Tokens as the server reports them."""

    prompt: int
    completion: int = 0
    cached: int = 0


@dataclass(frozen=True)
class Text:
    """An answer. `pieces` is how it is streamed (default: by words); a `finish` of None breaks the connection after the
    text instead of ending the answer. `hold` is waited for before the text, `pause` after its first piece."""

    text: str
    pieces: Sequence[str] | None = None
    finish: str | None = END
    usage: Usage | Literal["counted"] | None = "counted"
    hold: asyncio.Event | None = None
    pause: asyncio.Event | None = None
    quiet_end: bool = False
    """With a `finish` of None: end the response properly, but without the protocol's end."""


@dataclass(frozen=True)
class Status:
    """An error response."""

    status: int
    message: str = "scripted"
    code: str | None = None
    param: str | None = None
    retry_after: str | None = None


@dataclass(frozen=True)
class Raw:
    """A response of status 200 with this body."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Vectors:
    vectors: Sequence[Sequence[float]]
    usage: Usage | None = None


@dataclass(frozen=True)
class Drop:
    """Break the connection without a word."""


Answer = Text | Status | Raw | Vectors | Drop | str | Mapping[str, Any]
"""A str is a Text; a mapping is a Text of its JSON."""
Handler = Callable[[Request], Answer]
Predicate = Callable[[Request], bool]


@dataclass
class ScriptedModel:
    """The server. Rules are asked newest first; a rule whose predicate fits decides."""

    port: int = 0
    requests: list[Request] = field(default_factory=list[Request])
    _rules: list[tuple[Predicate, Handler]] = field(default_factory=list[tuple[Predicate, Handler]])

    async def __aenter__(self) -> Self:
        self._closing = asyncio.Event()
        self._arrival = asyncio.Condition()
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v1/{path:.*}", self._handle)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[Request]:
        """Requests for text: replies and summaries."""
        return [request for request in self.requests if _is_chat(request)]

    @property
    def extractions(self) -> list[Request]:
        """Requests for JSON."""
        return [request for request in self.requests if _is_extraction(request)]

    @property
    def embeddings(self) -> list[Request]:
        return [request for request in self.requests if _is_embedding(request)]

    def on(self, predicate: Predicate, handler: Handler) -> None:
        self._rules.insert(0, (predicate, handler))

    def reply_with(self, *answers: Answer) -> None:
        """Answer requests for text with these in turn; the last one repeats."""
        self.on(_is_chat, _in_turn(answers))

    def on_reply(self, handler: Handler) -> None:
        self.on(_is_chat, handler)

    def on_extraction(self, handler: Handler) -> None:
        self.on(_is_extraction, handler)

    def on_embeddings(self, handler: Handler) -> None:
        self.on(_is_embedding, handler)

    def for_model(self, model: str, *answers: Answer) -> None:
        """Answer whatever is asked of one model with these in turn; the last one repeats."""
        self.on(lambda request: request.model == model, _in_turn(answers))

    async def wait_for_requests(self, count: int) -> None:
        """Until this many have arrived in all."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: len(self.requests) >= count)

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def _handle(self, incoming: web.Request) -> web.StreamResponse:
        request = Request(incoming.match_info["path"], await incoming.json(), dict(incoming.headers))
        async with self._arrival:
            self.requests.append(request)
            self._arrival.notify_all()
        answer = self._answer(request)
        match answer:
            case Status():
                return _error(answer)
            case Raw():
                return web.Response(body=answer.body, content_type=answer.content_type)
            case Vectors():
                return _vectors(request, answer)
            case Drop():
                return self._drop(incoming)
            case Text():
                await self._wait(answer.hold)
                send = self._stream if request.streamed else self._whole
                return await send(incoming, request, answer)

    def _answer(self, request: Request) -> Text | Status | Raw | Vectors | Drop:
        answer = next((handler(request) for fits, handler in self._rules if fits(request)), None)
        if answer is None:
            answer = _unscripted(request)
        if isinstance(answer, str):
            return Text(answer)
        if isinstance(answer, Mapping):
            return Text(json.dumps(answer, ensure_ascii=False))
        return answer

    async def _wait(self, event: asyncio.Event | None) -> None:
        """Until the event, or until the server is closed."""
        if event is None:
            return
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._closing.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _drop(self, incoming: web.Request) -> web.Response:
        if incoming.transport is not None:
            incoming.transport.abort()
        return web.Response()

    async def _whole(self, incoming: web.Request, request: Request, answer: Text) -> web.StreamResponse:
        if answer.finish is None:
            return self._drop(incoming)
        choice = {
            "index": 0,
            "finish_reason": answer.finish,
            "message": {"role": "assistant", "content": answer.text},
        }
        body: dict[str, Any] = {"id": "c", "object": "chat.completion", "created": 0, "model": request.model}
        body["choices"] = [choice]
        if usage := _usage(request, answer):
            body["usage"] = usage
        return web.json_response(body)

    async def _stream(self, incoming: web.Request, request: Request, answer: Text) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(incoming)
        pieces = re.findall(r"\S+\s*|\s+", answer.text) if answer.pieces is None else answer.pieces
        for number, piece in enumerate(pieces):
            await response.write(_event(request, [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]))
            if number == 0:
                await self._wait(answer.pause)
        if answer.finish is None:
            if not answer.quiet_end:
                self._drop(incoming)
            return response
        await response.write(_event(request, [{"index": 0, "delta": {}, "finish_reason": answer.finish}]))
        wanted = (request.body.get("stream_options") or {}).get("include_usage")
        if wanted and (usage := _usage(request, answer)):
            await response.write(_event(request, [], usage))
        await response.write(b"data: [DONE]\n\n")
        return response


def _is_embedding(request: Request) -> bool:
    return request.path == "embeddings"


def _is_extraction(request: Request) -> bool:
    return not _is_embedding(request) and request.wants_json


def _is_chat(request: Request) -> bool:
    return not _is_embedding(request) and not request.wants_json


def _in_turn(answers: Sequence[Answer]) -> Handler:
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def _event(request: Request, choices: list[dict[str, Any]], usage: dict[str, Any] | None = None) -> bytes:
    chunk: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": request.model}
    chunk |= {"choices": choices, "usage": usage}
    return f"data: {json.dumps(chunk)}\n\n".encode()


def _usage(request: Request, answer: Text) -> dict[str, Any] | None:
    usage = answer.usage
    if usage is None:
        return None
    if not isinstance(usage, Usage):
        usage = Usage(counted(request.text), counted(answer.text))
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def counted(text: str) -> int:
    """Tokens by this server's count: four characters each."""
    return math.ceil(len(text) / 4)


def _error(answer: Status) -> web.Response:
    headers = {} if answer.retry_after is None else {"Retry-After": answer.retry_after}
    error = {"message": answer.message, "type": "scripted", "code": answer.code, "param": answer.param}
    return web.json_response({"error": error}, status=answer.status, headers=headers)


def _vectors(request: Request, answer: Vectors) -> web.Response:
    rows = [
        {"object": "embedding", "index": index, "embedding": list(vector)}
        for index, vector in enumerate(answer.vectors)
    ]
    usage = answer.usage or Usage(sum(counted(text) for text in _inputs(request)))
    body = {"object": "list", "data": rows, "model": request.model}
    body["usage"] = {"prompt_tokens": usage.prompt, "total_tokens": usage.prompt}
    return web.json_response(body)


def _inputs(request: Request) -> list[str]:
    given = request.body.get("input", [])
    return [given] if isinstance(given, str) else list(given)


def embedding_of(text: str, dimensions: int = EMBEDDING_DIMENSIONS) -> list[float]:
    """A vector that is like another one when the texts share letters pairs. The same on every run."""
    vector = [0.0] * dimensions
    lowered = f" {text.lower()} "
    for pair in itertools.pairwise(lowered):
        vector[zlib.crc32("".join(pair).encode("utf-8", "replace")) % dimensions] += 1.0
    return vector


def _unscripted(request: Request) -> Answer:
    if _is_embedding(request):
        dimensions = int(request.body.get("dimensions") or EMBEDDING_DIMENSIONS)
        return Vectors([embedding_of(text, dimensions) for text in _inputs(request)])
    if request.wants_json:
        wanted = (request.body.get("response_format") or {}).get("json_schema") or {}
        return json.dumps(_emptiest(wanted.get("schema") or {"type": "object"}))
    quotes = re.findall(r"<memories>\n(.*?)\n</memories>", request.text, re.DOTALL)
    said = " ".join(request.user.split())[:200]
    if not quotes:
        return f"You said: {said}"
    return f"You said: {said}\nWhat I remember:\n" + "\n".join(quotes)


def _emptiest(schema: Mapping[str, Any]) -> object:
    """The value with the least in it that a schema without references allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    if kind == "object":
        return {name: _emptiest(of) for name, of in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "number": 0, "integer": 0, "boolean": False}.get(str(kind))


# --- for a person ---------------------------------------------------------------------------------------------------


def _script_rules(server: ScriptedModel, path: Path) -> None:
    """One JSON object a line: {"when": "part of the last message", "reply": "…"} or {"when": …, "json": {…}}."""
    for line in reversed(path.read_text(encoding="utf-8").splitlines()):
        if not line.strip():
            continue
        rule = json.loads(line)
        wants_json, answer = "json" in rule, rule.get("json", rule.get("reply"))
        part = rule.get("when", "")
        server.on(
            lambda request, part=part, wants_json=wants_json: (
                not _is_embedding(request) and request.wants_json == wants_json and part in request.user
            ),
            lambda _, answer=answer: answer,
        )


async def _serve(port: int, script: Path | None) -> None:
    async with ScriptedModel(port=port) as server:
        if script is not None:
            _script_rules(server, script)
        print(f"OPENAI_BASE_URL={server.base_url}", flush=True)  # noqa: T201 - this is its output
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    arguments = parser.parse_args()
    try:
        asyncio.run(_serve(arguments.port, arguments.script))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
