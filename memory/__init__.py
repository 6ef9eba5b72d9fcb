"""Memory for a community: working, long-term and episodic. Usable without any bot; start at `AgentMemorySystem`."""

from memory.audience import Audience, Scope, Visibility
from memory.model import Memory, Message, Recalled, Speaker, UserProfile
from memory.system import AgentMemorySystem, Context

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
