"""What every command has in common: its options, its settings, how it opens Kith and how it ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bot.adapters.console_progress import TerminalProgress
from bot.app import App, open_app
from bot.errors import BotFailure, InputUnusable
from bot.log import configure_logging
from config.settings import Settings, SettingsError, load_settings
from memory.errors import MemoryFailure
from memory.longterm import RecallPolicy
from memory.ports import Clock

WRONG_INPUT = 2
"""Exit status for a wrong option, setting or input file."""

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Data folder (default: KITH_DATA, else your user data folder)."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings file (default: kith.toml here, if there is one)."),
]


def settings_from(config: Path | None, data: Path | None) -> Settings:
    """The settings, with logging set up after them. Ends the command when they cannot be used."""
    try:
        settings = load_settings(config_file=config, data_dir=data)
    except SettingsError as error:
        complain(f"The settings cannot be used.\n{error}")
        raise typer.Exit(WRONG_INPUT) from None
    configure_logging(settings.log)
    return settings


def run(work: Coroutine[None, None, int]) -> int:
    """The exit status of `work`; a failure that a person can mend is told in one message."""
    try:
        return asyncio.run(_until_told_to_stop(work))
    except (MemoryFailure, BotFailure) as error:
        complain(str(error))
        return WRONG_INPUT if isinstance(error, InputUnusable) else 1
    except KeyboardInterrupt:
        return 130


async def _until_told_to_stop(work: Coroutine[None, None, int]) -> int:
    """`work`, taken down in order when the process is told to end or its terminal goes away."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    told: list[int] = []

    def stop(number: int) -> None:
        told.append(number)
        if task is not None and len(told) == 1:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    try:
        return await work
    except asyncio.CancelledError:
        if not told:
            raise
        return 128 + told[0]


def complain(message: str) -> None:
    typer.echo(message, err=True)


def recall_policy(settings: Settings) -> RecallPolicy:
    """The limits of the bot's own recall."""
    kept = settings.memory.longterm
    return RecallPolicy(
        min_relevance=kept.min_relevance,
        limit=kept.recall_limit,
        budget_tokens=kept.recall_budget_tokens,
        search_timeout_s=kept.search_timeout_s,
        half_life_days=kept.half_life_days,
    )


@asynccontextmanager
async def opened(
    settings: Settings, console: Console, *, clock: Clock, background: bool = True, rebuild: bool = False
) -> AsyncGenerator[App]:
    """Kith, with a line on `console` while it starts."""
    async with AsyncExitStack() as stack:
        with TerminalProgress(console) as progress:
            app = await stack.enter_async_context(
                open_app(settings, clock=clock, progress=progress, background=background, rebuild=rebuild)
            )
        yield app
