"""`python -m bot memory export | import | calibrate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO, Final, TextIO

import typer
from rich.console import Console

from bot.app import utc_now
from bot.command_line import Config, Data, complain, opened, recall_policy, run, settings_from
from bot.errors import InputUnusable, OutputUnusable
from bot.evaluation.floor import MIN_MEMORIES, MIN_QUESTIONS, REJECTED, FloorSurvey, Separation, floor_table
from bot.progress_bar import ProgressBar
from bot.transfer.exporting import exported
from bot.transfer.foreign import ForeignLines
from bot.transfer.importing import Importer
from config.settings import Settings

SHOWN_PROBLEMS: Final = 20
STANDARD: Final = "-"

File = Annotated[str, typer.Argument(metavar="[FILE|-]", help="JSON lines (- for standard input or output).")]


def add_commands(app: typer.Typer) -> None:
    app.command("export")(export_memories)
    app.command("import")(import_memories)
    app.command("calibrate")(calibrate)


def export_memories(file: File = STANDARD, data: Data = None, config: Config = None) -> None:
    """Write all memories and profile facts, also private ones, as JSON lines."""
    raise typer.Exit(run(_export(settings_from(config, data), file)))


def import_memories(
    file: File,
    data: Data = None,
    config: Config = None,
    community: Annotated[str | None, typer.Option(help="Community of lines that name none.")] = None,
    platform: Annotated[str, typer.Option(help="Platform of users that are named without one.")] = "console",
    shared: Annotated[
        bool, typer.Option("--shared", help="Show mem0's memories to the whole community, not only to their user.")
    ] = False,
) -> None:
    """Take in JSON lines: Kith's own, mem0's, or plain {"text", "user", "at"}. What is there stays as it is."""
    settings = settings_from(config, data)
    foreign = ForeignLines(community or settings.community.name, platform, shared, utc_now)
    raise typer.Exit(run(_import(settings, file, foreign)))


def calibrate(
    data: Data = None,
    config: Config = None,
    community: Annotated[str | None, typer.Option(help="Community to measure.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample of questions.")] = 1,
    limit_s: Annotated[float, typer.Option("--seconds", min=1, help="How long it may take.")] = 120.0,
) -> None:
    """Measure the relevance floor on the community's own questions and memories, and propose one."""
    settings = settings_from(config, data)
    raise typer.Exit(run(_calibrate(settings, community or settings.community.name, seed, limit_s)))


async def _export(settings: Settings, file: str) -> int:
    console = Console(stderr=True)
    async with opened(settings, console, clock=utc_now, background=False) as app:
        counts = await app.memory.counts()
        total = sum(counts[status] for status in ("active", "superseded", "quarantined", "archived", "facts"))
        written = 0
        with _output(file) as stream, ProgressBar(console) as bar:
            async for line in exported(app.holdings):
                stream.write(line + "\n")
                written += 1
                bar("exporting", written, total)
    complain(f"{written:,} lines written")
    return 0


async def _import(settings: Settings, file: str, foreign: ForeignLines) -> int:
    console = Console(stderr=True)
    problems = 0

    def report(number: int, reason: str) -> None:
        nonlocal problems
        problems += 1
        if problems <= SHOWN_PROBLEMS:
            console.print(f"line {number}: {reason}", markup=False, highlight=False, soft_wrap=True)

    with _input(file) as stream:
        async with opened(settings, console, clock=utc_now, background=False) as app:
            with ProgressBar(console) as bar:
                done = await Importer(app.memory, app.holdings, foreign, report, bar).run(stream)
    if problems > SHOWN_PROBLEMS:
        complain(f"and {problems - SHOWN_PROBLEMS:,} more like these")
    typer.echo(
        f"{done.added:,} added, {done.known:,} known already, {done.left_out:,} left out, {done.refused:,} malformed"
    )
    return 1 if done.refused else 0


async def _calibrate(settings: Settings, community: str, seed: int, limit_s: float) -> int:
    console = Console(stderr=True)
    async with opened(settings, console, clock=utc_now, background=False) as app:
        with ProgressBar(console) as bar:
            survey = FloorSurvey(app.memory, app.holdings, recall_policy(settings), limit_s, bar)
            found = await survey.run(community, now=utc_now(), seed=seed)
    if not found.enough:
        complain(_too_little(found, community))
        return 1
    Console(highlight=False).print(floor_table(found))
    typer.echo(
        f"Lowest floor that turns away {REJECTED:.0%} of foreign questions. For kith.toml:\n\n"
        f"[memory.longterm]\nmin_relevance = {found.proposed:.2f}"
    )
    return 0


def _too_little(found: Separation, community: str) -> str:
    return (
        f"Too little to measure in the community {community}: {found.memories:,} memories that all may see and "
        f"{found.questions:,} questions; {MIN_MEMORIES} and {MIN_QUESTIONS} are needed. Keep the floor as it is."
    )


@contextmanager
def _input(file: str) -> Generator[BinaryIO]:
    if file == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")
        stream.peek()
    except OSError as error:
        raise InputUnusable(f"{file} cannot be read: {error.strerror}") from error
    with stream:
        yield stream


@contextmanager
def _output(file: str) -> Generator[TextIO]:
    """Standard output, or a file that only its owner can read and that appears under its name once it is whole."""
    if file == STANDARD:
        try:
            yield sys.stdout
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or closing it at exit would fail again
            raise OutputUnusable("standard output was closed before everything was written") from None
        return
    path = Path(file)
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            yield stream
        part.replace(path)
    except OSError as error:
        raise OutputUnusable(f"{file} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
