"""Who the bot is to the model: the system prompt, from the shipped persona or the community's own file."""

from __future__ import annotations

from importlib.resources import files

from bot.errors import PersonaUnreadable
from config.settings import AgentSettings

VERSION = "answer-1"


def system_prompt(settings: AgentSettings) -> str:
    """The persona with the bot's name filled in: the same text for every reply, so that providers can cache it.

    Raises PersonaUnreadable.
    """
    if settings.persona is None:
        text = (files("config") / "personas" / "default.md").read_text(encoding="utf-8")
    else:
        try:
            text = settings.persona.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PersonaUnreadable(f"the persona file {settings.persona} cannot be read: {_why(error)}") from error
    return text.replace("{name}", settings.name).strip()


def _why(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror)
