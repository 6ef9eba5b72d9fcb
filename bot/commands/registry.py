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

_COMMAND = re.compile(r"/([^\W\d_][\w-]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
SHOWN_CHARS = 40


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

    def is_call(self, text: str) -> bool:
        """Whether a text calls a command (`/halp` does, an unknown one; `/etc/fstab` does not)."""
        return _COMMAND.fullmatch(text.strip()) is not None

    async def dispatch(self, incoming: Incoming, *, usual: Language = "other") -> Reply:
        """The reply to a text that calls a command, in the language of its argument, else in the member's `usual`
        one."""
        called = _COMMAND.fullmatch(incoming.text.strip())
        name, rest = (called[1].lower(), (called[2] or "").strip()) if called is not None else ("help", "")
        command, argument = self._find(name, rest)
        spoken = language_of(argument if command is not None else f"{'' if name.isascii() else name} {rest}")
        language = spoken if spoken != "other" else usual
        if command is None:
            return Reply(self._unknown(name, language), language)
        try:
            return Reply(await command.run(Invocation(incoming, language, argument)), language)
        except RecordUnavailable:
            return Reply(say("no_record", language), language, degraded="no_record")

    def help_text(self, language: Language) -> str:
        return self._listing(self.commands, language)

    def _unknown(self, name: str, language: Language) -> str:
        """What a first word alone could have been, else how to find out."""
        family = [command for command in self.commands if command.name.startswith(f"{name} ")]
        if family:
            return self._listing(family, language)
        name = name if len(name) <= SHOWN_CHARS else name[:SHOWN_CHARS] + "…"
        return say("unknown_command", language, name=name)

    def _listing(self, commands: Sequence[Command], language: Language) -> str:
        words = written_in(language)
        width = max(len(_call(command)) for command in commands)
        return "\n".join(f"{_call(command):<{width}}  {command.summary[words]}" for command in commands)

    def _find(self, name: str, rest: str) -> tuple[Command | None, str]:
        first, *after = rest.split(maxsplit=1) or [""]
        if command := self._commands.get(f"{name} {first.lower()}"):
            return command, "".join(after)
        return self._commands.get(name), rest


def _call(command: Command) -> str:
    return f"/{command.name} {command.usage}".strip()
