"""`python -m bot eval`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bot.app import utc_now
from bot.command_line import Config, opened, recall_policy, run, settings_from
from bot.evaluation.dataset import Dataset, joined
from bot.evaluation.locomo import load_locomo
from bot.evaluation.madial import load_madial
from bot.evaluation.recall import Evaluation, Measured
from bot.evaluation.report import figures, tables
from bot.progress_bar import ProgressBar
from config.settings import DatabaseSettings, QdrantSettings, Settings
from memory.tokens import open_counter

eval_app = typer.Typer(help="Measure how good Kith is.", no_args_is_help=True)


class DatasetName(StrEnum):
    LOCOMO = "locomo"
    MADIAL = "madial"


@eval_app.callback()
def evaluations() -> None:
    """Measure how good Kith is."""


@eval_app.command()
def recall(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The data set's file.")],
    dataset: Annotated[DatasetName, typer.Option(help="What the file is.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    memories: Annotated[
        Path | None,
        typer.Option(metavar="FILE2", help="madial: ask the dialogues of FILE against the memories of FILE2."),
    ] = None,
    mixed: Annotated[
        int | None,
        typer.Option(metavar="SEED", help="With --memories: hold each memory in one of the two languages, at random."),
    ] = None,
    filler: Annotated[int, typer.Option(metavar="N", min=0, help="Add N invented memories.")] = 0,
    config: Config = None,
) -> None:
    """Fill a temporary store with a data set and measure what comes back for its questions."""
    if memories is not None and dataset is not DatasetName.MADIAL:
        raise typer.BadParameter("goes with --dataset madial only", param_hint="--memories")
    if mixed is not None and memories is None:
        raise typer.BadParameter("needs the other language's file: --memories FILE2", param_hint="--mixed")
    settings = settings_from(config, None)

    def load() -> tuple[Dataset, ...]:
        return load_locomo(file) if dataset is DatasetName.LOCOMO else load_madial(file, memories=memories, mixed=mixed)

    raise typer.Exit(run(_recall(load, settings, as_json=as_json, fillers=filler)))


async def _recall(load: Callable[[], tuple[Dataset, ...]], settings: Settings, *, as_json: bool, fillers: int) -> int:
    found = figures(await _measured(load(), settings, fillers))
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        Console(highlight=False).print(tables(found))
    return 0


async def _measured(parts: Sequence[Dataset], settings: Settings, fillers: int) -> Measured:
    """Each part in a store of its own, as one community has it; with fillers, which take long to make, all in one."""
    first, *others = [joined(parts)] if fillers else parts
    measured = await _measured_part(first, settings, fillers)
    for part in others:
        measured += await _measured_part(part, settings, fillers)
    return measured


async def _measured_part(part: Dataset, settings: Settings, fillers: int) -> Measured:
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="kith-eval-") as folder:
        async with opened(_embedded(settings, Path(folder) / "data"), console, clock=utc_now, background=False) as app:
            with ProgressBar(console) as bar:
                evaluation = Evaluation(app.memory, open_counter(), recall_policy(settings), bar)
                return await evaluation.run(part, fillers=fillers)


def _embedded(settings: Settings, folder: Path) -> Settings:
    """The same settings, with stores of their own in `folder`."""
    return settings.model_copy(update={"data_dir": folder, "database": DatabaseSettings(), "qdrant": QdrantSettings()})
