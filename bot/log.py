"""Logging: one line for each entry on standard error, for people or for machines.

No entry holds what members wrote, or a secret. Three things see to it, for our own entries and those of libraries:
values under a name such as `text` or `token` are withheld, anything that looks like a credential is masked, and of an
exception only its type and the places it passed are written, since its message may quote either. An exception of our
own, whose messages are fixed sentences, is written with its message.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Mapping, MutableMapping, Sequence
from types import TracebackType
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from bot.errors import BotFailure
from config.settings import LogSettings
from memory.errors import MemoryFailure

WITHHELD = "[withheld]"
MASKED = "[masked]"

_CHATTY = ("apscheduler", "asyncio", "discord", "grpc", "httpcore", "httpx", "httpx2", "openai", "telegram", "urllib3")
"""Libraries that tell every step (and httpx every address, with the bot's token in it): only their warnings matter."""

_PRIVATE = frozenset(
    "answer authorization body content contents cookie message password prompt quoted reply secret statement summary "
    "text texts token".split()
)
"""A value is withheld if the last word of its name is one of these: `reply_text`, but not `text_chars` or `tokens`."""

_PRIVATE_NAMES = frozenset({"api_key", "dsn", "database_url"})

_CREDENTIAL = re.compile(
    r"""
    (?<=://)[^/\s@]+(?=@)                             # user and password of an address
    | \d{6,}:[A-Za-z0-9_-]{30,}                       # Telegram, also as /bot123456:...
    | \b[A-Za-z0-9_-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}  # Discord
    | \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}               # OpenAI and the like
    | (?<=Bearer\s)\S+
    """,
    re.VERBOSE,
)


def configure_logging(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Send everything that is logged in this process to `stream` (standard error). A later call replaces this one."""
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                describe_exception,
                withhold,
                mask,
                *(_for_machines() if settings.format == "json" else _for_people()),
            ],
            use_get_message=True,
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


def _for_machines() -> list[Processor]:
    return [_name_fields, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]


def _for_people() -> list[Processor]:
    return [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, sort_keys=False)]


def _name_fields(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
    """The sentence becomes `message`; `_event`, the name that machines look for, becomes `event`."""
    message = entry.pop("event", "")
    name = entry.pop("_event", None)
    return {"message": message, **({"event": name} if name else {}), **entry}


def describe_exception(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
    """Replace `exc_info` by `exception`: types and places, outermost cause last."""
    given = cast(ExcInfo | BaseException | bool | None, entry.pop("exc_info", None))
    if given is True:
        given = cast(ExcInfo | None, sys.exc_info())
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else None
    if error is not None:
        entry["exception"] = "\n".join(_chain(error))
    return entry


def _chain(error: BaseException) -> list[str]:
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        lines += [f"{'caused by ' if lines else ''}{_name(current)}", *_places(current.__traceback__)]
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return lines


def _name(error: BaseException) -> str:
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{kind}: {error}" if isinstance(error, (MemoryFailure, BotFailure)) else kind


def _places(trace: TracebackType | None) -> list[str]:
    return [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(trace)]


def withhold(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
    """Replace values whose name says that they are private, however deep. Numbers are no text and stay."""
    return {name: _open_value(name, value) for name, value in entry.items()}


def _open_value(name: str, value: object) -> object:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if name in _PRIVATE_NAMES or name.lower().rpartition("_")[2] in _PRIVATE:
        return WITHHELD
    if isinstance(value, Mapping):
        return {str(key): _open_value(str(key), below) for key, below in cast(Mapping[object, object], value).items()}
    return value


def mask(_logger: WrappedLogger, _method: str, entry: EventDict) -> MutableMapping[str, object]:
    """Mask what looks like a credential in any text of an entry."""
    return {name: _masked(value) for name, value in entry.items()}


def _masked(value: object) -> object:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _masked(below) for key, below in cast(Mapping[object, object], value).items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_masked(item) for item in cast(Sequence[object], value)]
    return _CREDENTIAL.sub(MASKED, str(value))
