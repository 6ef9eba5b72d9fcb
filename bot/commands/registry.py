"""The commands, declared once for every platform."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.commands.texts import say
from bot.message import Incoming, Reply
from memory.errors import RecordUnavailable
from memory.language import language_of
from memory.model import Language
from memory.prompts import written_in

_COMMAND = re.compile(r"/([a-z][a-z_-]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command as called: `argument` is what followed its name, stripped."""

    incoming: Incoming
    language: Language
    argument: str


@dataclass(frozen=True, slots=True)
class Command:
    """`name` may have two words (`memory show`). `usage` shows the arguments; `summary` is by language."""

    name: str
    summary: Mapping[str, str]
    run: Callable[[Invocation], Awaitable[str]]
    usage: str = ""


class Registry:
    """Finds the command that a text calls and runs it."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self._commands = {command.name: command for command in commands}

    @property
    def commands(self) -> Sequence[Command]:
        return tuple(self._commands.values())

    async def dispatch(self, incoming: Incoming, *, language: Language | None = None) -> Reply | None:
        """The reply to a command; None when the text is no command (`/etc/fstab` is not one, `/halp` is, and
        unknown)."""
        called = _COMMAND.fullmatch(incoming.text.strip())
        if called is None:
            return None
        name, rest = called[1], (called[2] or "").strip()
        language = language or language_of(rest)
        command, argument = self._find(name, rest)
        if command is None:
            return Reply(say("unknown_command", language, name=name), language)
        try:
            return Reply(await command.run(Invocation(incoming, language, argument)), language)
        except RecordUnavailable:
            return Reply(say("no_record", language), language, degraded="no_record")

    def help_text(self, language: Language) -> str:
        words = written_in(language)
        width = max(len(_call(command)) for command in self.commands)
        return "\n".join(f"{_call(command):<{width}}  {command.summary[words]}" for command in self.commands)

    def _find(self, name: str, rest: str) -> tuple[Command | None, str]:
        first, _, after = rest.partition(" ")
        if command := self._commands.get(f"{name} {first}"):
            return command, after.strip()
        return self._commands.get(name), rest


def _call(command: Command) -> str:
    return f"/{command.name} {command.usage}".strip()
