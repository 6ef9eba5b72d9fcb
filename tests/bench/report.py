"""What the benchmarks share: percentiles, a table for people, and a word on the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import numpy as np

Cell = str | float | int


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of `values` lies; not a number without values."""
    return float(np.quantile(values, share)) if len(values) else float("nan")


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print rows below their column names: the first column to the left, numbers to the right."""
    texts = [list(columns), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in texts) for place in range(len(columns))]
    for line in texts:
        first, *rest = (
            text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in _placed(line, widths)
        )
        say("  ".join((first, *rest)).rstrip())


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def progress(line: str) -> None:
    """A word on how far it is, which is no part of the result."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def machine() -> str:
    """How much machine there is and how busy others keep it: figures taken at a high load are too high."""
    return f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}"


def _placed(line: Sequence[str], widths: Sequence[int]) -> list[tuple[int, tuple[str, int]]]:
    return list(enumerate(zip(line, widths, strict=True)))


def _text(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
