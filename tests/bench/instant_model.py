"""An OpenAI-compatible endpoint that answers at once, in a process of its own: `python -m tests.bench.instant_model`.

It costs as little as it can, so that the cores are the bot's: no parsing, the same few bytes for every request.
Requests for JSON get an extraction that finds nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.bench.bot_process import ROOT

_USAGE = {"prompt_tokens": 600, "completion_tokens": 12, "total_tokens": 612}
_HEAD = {"id": "c", "created": 0, "model": "instant"}


def _chunk(delta: dict[str, str], finish: str | None, usage: object = None) -> bytes:
    choices = [] if usage else [{"index": 0, "delta": delta, "finish_reason": finish}]
    chunk = {**_HEAD, "object": "chat.completion.chunk", "choices": choices, "usage": usage}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _response(content_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


_STREAMED = _response(
    "text/event-stream",
    _chunk({"content": "As was said before, "}, None)
    + _chunk({"content": "it is at the library."}, None)
    + _chunk({}, "stop")
    + _chunk({}, None, _USAGE)
    + b"data: [DONE]\n\n",
)
_NOTHING_FOUND = _response(
    "application/json",
    json.dumps(
        {
            **_HEAD,
            "object": "chat.completion",
            "usage": _USAGE,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": '{"memories": [], "profile": []}'},
                }
            ],
        }
    ).encode(),
)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            body = await reader.readexactly(size)
            writer.write(_STREAMED if b'"stream":true' in body or b'"stream": true' in body else _NOTHING_FOUND)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def instant_model() -> AsyncGenerator[tuple[str, int]]:
    """The base URL and the process id of a running one."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, cwd=ROOT, stdout=PIPE)
    try:
        if process.stdout is None:
            raise RuntimeError("the instant model was started without a pipe")
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}/v1", process.pid
    finally:
        process.terminate()
        await process.wait()


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
