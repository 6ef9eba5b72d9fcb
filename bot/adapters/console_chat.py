"""Talking in the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from bot.adapters.console_place import incoming_from
from bot.message import Incoming
from bot.service import Service
from memory.ports import Clock
from memory.prompts import written_in

QUIT = "/quit"
PROMPT = "› "
_QUIT_HELP = {"en": f"{QUIT:<20}  leave (Ctrl-D does too)", "zh": f"{QUIT:<20}  退出（Ctrl-D 也可以）"}


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Who talks, and where."""

    user: str
    channel: str
    direct: bool
    community: str

    def incoming(self, text: str, clock: Clock) -> Incoming:
        return incoming_from(
            user=self.user,
            text=text,
            channel=self.channel,
            visibility="dm" if self.direct else "community",
            community=self.community,
            role="admin",
            at=clock(),
        )


class TerminalChat:
    """A conversation at a prompt, or over a pipe when standard input is no terminal. Ends at `/quit`, Ctrl-D or
    Ctrl-C."""

    def __init__(self, service: Service, options: ChatOptions, clock: Clock, console: Console) -> None:
        self._service = service
        self._options = options
        self._clock = clock
        self._console = console

    async def talk(self, history_file: Path, commands: Sequence[str]) -> None:
        self._console.print(
            "Say something, /help for commands, /quit to leave · 直接说话，/help 看命令，/quit 退出", style="dim"
        )
        from prompt_toolkit import PromptSession  # a slow import that only a terminal needs
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory
        from prompt_toolkit.patch_stdout import patch_stdout

        await asyncio.to_thread(history_file.touch, 0o600)
        session: PromptSession[str] = PromptSession(
            history=FileHistory(str(history_file)),
            completer=WordCompleter([*commands, QUIT], sentence=True),
            complete_while_typing=False,
        )
        with patch_stdout(raw=True):
            while True:
                try:
                    text = await session.prompt_async(PROMPT)
                except (EOFError, KeyboardInterrupt):
                    return
                if text.strip() == QUIT:
                    return
                if text.strip():
                    await self._show(text)

    async def listen(self, lines: AsyncIterator[bytes]) -> None:
        """Answer each line of a pipe, as plain text."""
        async for raw in lines:
            text = raw.decode("utf-8", errors="replace").strip()
            if text == QUIT:
                return
            if text:
                reply = await self._service.respond(self._options.incoming(text, self._clock))
                self._console.print(Text(reply.text), soft_wrap=True)

    async def _show(self, text: str) -> None:
        written: list[str] = []
        incoming = self._options.incoming(text, self._clock)
        with Live(console=self._console, refresh_per_second=12, vertical_overflow="visible") as live:

            async def on_text(piece: str) -> None:
                written.append(piece)
                live.update(Markdown("".join(written)))

            reply = await self._service.respond(incoming, on_text=on_text)
            if text.strip().lower() == "/help":
                reply = replace(reply, text=f"{reply.text}\n{_QUIT_HELP[written_in(reply.language)]}")
            live.update(Markdown(reply.text) if written and not reply.degraded else Text(reply.text))
        self._console.print()
