"""Everything that the bot raises beside memory's own errors.

BotFailure
├── PersonaUnreadable
├── ScriptUnreadable
├── InputUnusable
├── OutputUnusable
└── ChatFailed                 also a memory.errors.ModelFailed
    └── ChatInterrupted        after the first words had been delivered

A docstring is the default message. What a member reads is chosen by `code`, never by the message.
"""

from __future__ import annotations

import inspect

from memory.errors import ModelFailed


class BotFailure(Exception):
    """The bot could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.getdoc(type(self)) or type(self).__name__)


class PersonaUnreadable(BotFailure):
    """The persona file cannot be read."""


class ScriptUnreadable(BotFailure):
    """The script cannot be read."""


class InputUnusable(BotFailure):
    """The input file cannot be used."""


class OutputUnusable(BotFailure):
    """The output file cannot be written."""


class ChatFailed(BotFailure, ModelFailed):
    """The chat model gave no answer.

    `code` is one of bot.llm.failures.Code; the message tells an admin what to do.
    """

    def __init__(self, message: str | None = None, *, code: str = "unavailable") -> None:
        super().__init__(message)
        self.code = code


class ChatInterrupted(ChatFailed):
    """The chat model stopped in the middle of its answer. `partial` is what had arrived."""

    def __init__(self, message: str | None = None, *, code: str = "interrupted", partial: str = "") -> None:
        super().__init__(message, code=code)
        self.partial = partial
