"""Memory for a community: working, long-term and episodic. Usable without any bot; start at `AgentMemorySystem`.

The names are resolved on first use, because the index's child process imports this package too and must not load all
of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.audience import Audience, Scope, Visibility
    from memory.context import Context
    from memory.model import Memory, Message, Recalled, Speaker, UserProfile
    from memory.system import AgentMemorySystem

__all__ = [
    "AgentMemorySystem",
    "Audience",
    "Context",
    "Memory",
    "Message",
    "Recalled",
    "Scope",
    "Speaker",
    "UserProfile",
    "Visibility",
]

_HOMES = {
    "AgentMemorySystem": "memory.system",
    "Audience": "memory.audience",
    "Context": "memory.context",
    "Memory": "memory.model",
    "Message": "memory.model",
    "Recalled": "memory.model",
    "Scope": "memory.audience",
    "Speaker": "memory.model",
    "UserProfile": "memory.model",
    "Visibility": "memory.audience",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
