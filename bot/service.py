"""What every platform talks to: messages and commands in, replies out."""

from __future__ import annotations

from bot.agent.agent import Agent, OnText
from bot.commands.registry import Registry
from bot.commands.spoken import SpokenLanguages
from bot.message import Incoming, Reply
from memory.model import Memory, UserProfile
from memory.system import AgentMemorySystem


class Service:
    """The agent, its memory and the commands, behind one door for the adapters."""

    def __init__(self, memory: AgentMemorySystem, agent: Agent, commands: Registry) -> None:
        self._memory = memory
        self._agent = agent
        self._commands = commands
        self._spoken = SpokenLanguages(memory)

    @property
    def command_calls(self) -> tuple[str, ...]:
        """Each command as it is typed, for completion."""
        return tuple(f"/{command.name}" for command in self._commands.commands)

    async def respond(self, incoming: Incoming, *, on_text: OnText | None = None) -> Reply:
        """The reply to a message or command. `on_text` gets the pieces of an answer as they are written."""
        if self._commands.is_call(incoming.text):
            return await self._commands.dispatch(incoming, usual=await self._spoken.of(incoming))
        self._spoken.hear(incoming)
        return await self._agent.answer(incoming, on_text=on_text)

    async def profile_of(self, incoming: Incoming) -> UserProfile:
        """The sender as the message's audience may know them. Raises RecordUnavailable."""
        return await self._memory.profile(incoming.actor.id, incoming.actor.name, incoming.audience)

    async def settle(self) -> tuple[Memory, ...]:
        """Finish the background work; returns the memories stored since the last call."""
        return await self._memory.settle()
