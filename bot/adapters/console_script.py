"""Script mode: one JSON object a line in, one line out, the background work of a line finished before the next."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bot.adapters.console_place import incoming_from
from bot.llm.ledger import usage_scope
from bot.message import Incoming, Reply
from bot.service import Service
from memory.errors import DiskFull, RecordUnavailable
from memory.model import Memory, Role, UserProfile
from memory.ports import Clock

CHUNK_BYTES = 1 << 16
ROOM_TO_RECORD_BYTES = 32 * 1024**2
"""What PostgreSQL needs to go on: it writes its log in files of 16 MB."""
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""Which times a line may have, so that dates reckoned from them stay dates."""


class ScriptClock:
    """The clock of a script: stands at the last line's time, or runs with `real` when a line has none."""

    def __init__(self, real: Clock) -> None:
        self._real = real
        self._at: datetime | None = None

    def __call__(self) -> datetime:
        return self._at or self._real()

    def set(self, at: datetime | None) -> datetime:
        self._at = at
        return self()


class ScriptLine(BaseModel):
    """One line in. `reply_to` is the number of the line that this one answers, counted from 1, or that text."""

    model_config = ConfigDict(strict=True, frozen=True)

    user: str = Field(min_length=1, max_length=200)
    text: str
    channel: str = Field(default="general", min_length=1, max_length=200)
    visibility: Literal["community", "channel", "dm"] = "community"
    role: Role = "member"
    at: AwareDatetime | None = None
    community: str | None = Field(default=None, min_length=1, max_length=200)
    reply_to: int | str | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_slips(cls, line: object) -> object:
        """A field that is nearly one of ours is a slip: a misspelt `visibility` must not make a line public."""
        if isinstance(line, dict):
            for name in cast(dict[str, object], line).keys() - cls.model_fields.keys():
                if near := get_close_matches(name, cls.model_fields, n=1, cutoff=0.75):
                    raise ValueError(f"there is no field {name[:40]!r}; did you mean {near[0]!r}?")
        return cast(object, line)

    @field_validator("at", mode="before")
    @classmethod
    def _iso(cls, at: object) -> object:
        if not isinstance(at, str):
            return at
        try:
            return datetime.fromisoformat(at)
        except ValueError:
            raise ValueError("not a time as ISO 8601, such as 2026-03-01T18:30:00+08:00") from None

    @field_validator("at")
    @classmethod
    def _within_reach(cls, at: datetime | None) -> datetime | None:
        if at is not None and not EARLIEST <= at.replace(tzinfo=UTC) <= LATEST:
            raise ValueError(f"not between {EARLIEST:%Y} and {LATEST:%Y}")
        return at


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one line went; `error` is set when the line was malformed, and then nothing else is."""

    line: ScriptLine | None
    reply: Reply | None
    payload: Mapping[str, object]
    error: str = ""


class Script:
    """Runs script lines against the service, in order. `folder` is where the embedded stores live.

    `run` raises DiskFull when that is why nothing can be recorded: the lines that follow would fare no better.
    """

    def __init__(self, service: Service, clock: ScriptClock, community: str, *, folder: Path | None = None) -> None:
        self._service = service
        self._clock = clock
        self._community = community
        self._folder = folder
        self._texts: list[str] = []

    async def run(self, lines: AsyncIterator[bytes]) -> AsyncIterator[Outcome]:
        async for raw in lines:
            if raw.strip():
                yield await self._line(raw)

    async def _line(self, raw: bytes) -> Outcome:
        number = len(self._texts) + 1
        try:
            line = ScriptLine.model_validate(_json(raw))
            incoming = self._incoming(line)
        except (ValueError, ValidationError) as error:
            self._texts.append("")
            reason = f"line {number}: {_explain(error)}"
            return Outcome(None, None, {"error": reason, "line": number}, reason)
        self._texts.append(line.text)
        started = time.perf_counter()
        with usage_scope() as usage:
            reply = await self._service.respond(incoming)
            if reply.degraded == "no_record" and self._folder is not None:
                await asyncio.to_thread(_check_disk, self._folder)
            answered_ms = (time.perf_counter() - started) * 1000
            stored = await self._service.settle()
        profile = await self._profile(incoming, reply)
        timings = {name: round(ms, 3) for name, ms in reply.timings_ms.items()}
        timings |= {
            "reply": round(answered_ms, 3),
            "total": round((time.perf_counter() - started) * 1000, 3),
        }
        payload: dict[str, object] = {
            "reply": reply.text,
            "recalled": [
                {"id": str(item.memory.id), "text": item.memory.text, "relevance": round(item.relevance, 4)}
                for item in reply.recalled
            ],
            "profile": _profile_json(profile),
            "stored": [_stored_json(memory) for memory in stored],
            "degraded": reply.degraded or None,
            "usage": {
                "calls": usage.calls,
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "cost_usd": round(usage.cost_usd, 8),
            },
            "timings_ms": timings,
        }
        return Outcome(line, reply, payload)

    async def _profile(self, incoming: Incoming, reply: Reply) -> UserProfile:
        """The sender's profile as it is once the line's work is done."""
        try:
            return await self._service.profile_of(incoming)
        except RecordUnavailable:
            return reply.profile or UserProfile(user_id=incoming.actor.id, name=incoming.actor.name)

    def _incoming(self, line: ScriptLine) -> Incoming:
        at = self._clock.set(line.at.astimezone(UTC) if line.at is not None else None)
        return incoming_from(
            user=line.user,
            text=line.text,
            channel=line.channel,
            visibility=line.visibility,
            community=line.community or self._community,
            role=line.role,
            at=at,
            quoted=self._quoted(line.reply_to),
        )

    def _quoted(self, reply_to: int | str | None) -> str | None:
        if not isinstance(reply_to, int):
            return reply_to
        if not 1 <= reply_to <= len(self._texts):
            raise ValueError(f"reply_to: there is no earlier line {reply_to}")
        return self._texts[reply_to - 1]


def _check_disk(folder: Path) -> None:
    if shutil.disk_usage(folder).free < ROOM_TO_RECORD_BYTES:
        raise DiskFull


async def read_lines(stream: IO[bytes]) -> AsyncIterator[bytes]:
    """The lines of `stream`, of which nothing has been read yet, without their ends."""
    rest = b""
    while chunk := await _read(stream.fileno()):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line
    if rest:
        yield rest


async def _read(descriptor: int) -> bytes:
    """The next bytes, read by a thread that nobody waits for: a terminal or pipe that stays silent must not keep the
    process from ending. It reads past the stream's buffer, whose lock it would hold as the process ends."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes] = loop.create_future()

    def settle(result: bytes | OSError) -> None:
        if read.done():
            return
        if isinstance(result, OSError):
            read.set_exception(result)
        else:
            read.set_result(result)

    def wait() -> None:
        try:
            result: bytes | OSError = os.read(descriptor, CHUNK_BYTES)
        except OSError as error:
            result = error
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=wait, name="lines", daemon=True).start()
    return await read


async def run_script(
    script: Script, lines: AsyncIterator[bytes], write: Callable[[str], None], *, as_json: bool
) -> bool:
    """Write one line (or, for people, a short passage) per line of the script; False if any line was malformed."""
    well_formed = True
    async for outcome in script.run(lines):
        well_formed = well_formed and not outcome.error
        if as_json:
            write(json.dumps(outcome.payload, ensure_ascii=False))
        elif outcome.line is None or outcome.reply is None:
            write(f"! {outcome.error}")
        else:
            write(f"{outcome.line.user} #{outcome.line.channel}: {outcome.line.text}\n  → {outcome.reply.text}")
    return well_formed


def _json(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except RecursionError:
        raise ValueError("not a JSON object: nested too deeply") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number has too many digits"
        raise ValueError(f"not a JSON object: {reason}") from None


def _explain(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'line'}: {problem['msg'].removeprefix('Value error, ')}"
        for problem in error.errors(include_url=False, include_input=False)
    )


def _profile_json(profile: UserProfile) -> dict[str, object]:
    return {
        "user_id": profile.user_id,
        "name": profile.name,
        "interests": list(profile.interests),
        "expertise_level": profile.expertise_level,
        "preferred_language": profile.preferred_language,
        "interaction_count": profile.interaction_count,
        "last_topics": list(profile.last_topics),
        "preferences": list(profile.preferences),
        "key_facts": list(profile.key_facts),
        "first_seen": profile.first_seen.isoformat() if profile.first_seen else None,
        "last_seen": profile.last_seen.isoformat() if profile.last_seen else None,
    }


def _stored_json(memory: Memory) -> dict[str, str]:
    return {"id": str(memory.id), "text": memory.text, "kind": memory.kind.value}
