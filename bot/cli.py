"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console

from bot.adapters.console_chat import ChatOptions, TerminalChat
from bot.adapters.console_script import Script, ScriptClock, read_lines, run_script
from bot.app import utc_now
from bot.command_line import Config, Data, opened, run, settings_from
from bot.errors import ScriptUnreadable
from bot.evaluation.cli import eval_app
from bot.progress_bar import ProgressBar
from bot.transfer.cli import add_commands as add_transfer_commands
from config.settings import Settings

app = typer.Typer(
    name="kith",
    help="A community bot that remembers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
memory_app = typer.Typer(help="Look after what is remembered.", no_args_is_help=True)
app.add_typer(memory_app, name="memory")
app.add_typer(eval_app, name="eval")
add_transfer_commands(memory_app)


@app.command()
def chat(
    data: Data = None,
    config: Config = None,
    script: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Run JSON lines from FILE (- for standard input) instead of talking."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --script: answer with JSON lines.")] = False,
    user: Annotated[str, typer.Option(help="Your name in the conversation.")] = "me",
    channel: Annotated[str, typer.Option(help="The channel that you talk in.")] = "general",
    direct: Annotated[
        bool, typer.Option("--dm", help="Talk in a direct message: what is said stays between you and the bot.")
    ] = False,
) -> None:
    """Talk in the terminal, with the whole pipeline on embedded stores."""
    settings = settings_from(config, data)
    if script is not None:
        raise typer.Exit(run(_chat_script(settings, script, as_json=as_json)))
    options = ChatOptions(user, channel, direct, settings.community.name)
    raise typer.Exit(run(_chat(settings, options)))


@memory_app.command()
def reindex(data: Data = None, config: Config = None) -> None:
    """Build the search index anew from the record, with the embeddings that the settings name."""
    raise typer.Exit(run(_reindex(settings_from(config, data))))


@memory_app.command()
def stats(data: Data = None, config: Config = None) -> None:
    """Count what is stored."""
    raise typer.Exit(run(_stats(settings_from(config, data))))


async def _chat(settings: Settings, options: ChatOptions) -> int:
    console = Console(highlight=False)
    async with opened(settings, console, clock=utc_now) as app:
        terminal = TerminalChat(app.service, options, utc_now, console)
        if sys.stdin.isatty():
            console.print("\n".join(app.description), style="dim")
            await terminal.talk(settings.data_dir / "history", app.service.command_calls)
        else:
            await terminal.listen(read_lines(sys.stdin.buffer))
    return 0


async def _chat_script(settings: Settings, path: str, *, as_json: bool) -> int:
    clock = ScriptClock(utc_now)
    with _script_stream(path) as stream:
        async with opened(settings, Console(stderr=True), clock=clock, background=False) as app:
            script = Script(app.service, clock, settings.community.name, folder=settings.data_dir)
            well_formed = await run_script(script, read_lines(stream), _write_line, as_json=as_json)
    return 0 if well_formed else 1


async def _reindex(settings: Settings) -> int:
    console = Console(stderr=True)
    async with opened(settings, console, clock=utc_now, background=False, rebuild=True) as app:
        with ProgressBar(console) as bar:
            count = await app.memory.rebuild_index(partial(bar, "indexing"))
    typer.echo(f"{count} memories indexed")
    return 0


async def _stats(settings: Settings) -> int:
    async with opened(settings, Console(stderr=True), clock=utc_now, background=False) as app:
        for name, count in (await app.memory.counts()).items():
            typer.echo(f"{name:<12} {count:>10,}")
    return 0


@contextmanager
def _script_stream(path: str) -> Generator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(path).open("rb")
    except OSError as error:
        raise ScriptUnreadable(f"the script {path} cannot be read: {error.strerror}") from error
    with stream:
        yield stream


def _write_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
