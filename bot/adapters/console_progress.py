"""A line in the terminal for whatever takes longer than a second."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

PATIENCE_S = 1.0


class TerminalProgress:
    """Call it with what is being waited for; a spinner shows once a second has gone by, and leaves no trace."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", visible=False)

    def __call__(self, what: str) -> None:
        elapsed = self._progress.tasks[0].elapsed or 0.0
        self._progress.update(self._task, description=what, visible=elapsed >= PATIENCE_S)

    def __enter__(self) -> Self:
        self._progress.start()
        self._progress.start_task(self._task)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.update(self._task, visible=False)
        self._progress.stop()
