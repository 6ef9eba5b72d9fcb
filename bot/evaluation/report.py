"""The figures of an evaluation, as one JSON object or as tables for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table

from bot.evaluation.recall import DEPTHS, FLOOR_DEPTH, Asked, Measured

Figures = Mapping[str, Any]


def figures(measured: Measured) -> Figures:
    """The contract of `eval recall --json`. Latency is that of one recall with the question's embedding; tokens are
    those of the block of memories in the prompt."""
    asked = measured.asked
    groups: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        groups[one.category].append(one)
    return {
        "recall": _recall(asked),
        "by_category": {name: {**_recall(group), "questions": len(group)} for name, group in sorted(groups.items())},
        "questions": len(asked),
        "latency_ms": _percentiles([one.latency_ms for one in asked]),
        "tokens": {**_percentiles([one.tokens for one in asked]), "mean": _mean([one.tokens for one in asked])},
        "floor": _floor(measured),
        "recalled_per_question": _mean([one.told for one in asked]),
        "dataset": measured.dataset,
        "memories": measured.memories,
    }


def tables(found: Figures) -> RenderableType:
    return Group(_recall_table(found), _other_table(found))


def _recall(asked: Sequence[Asked]) -> dict[str, float]:
    return {str(depth): _mean([one.recall[depth] for one in asked], digits=4) for depth in DEPTHS}


def _floor(measured: Measured) -> dict[str, Any]:
    return {
        "min_relevance": measured.floor,
        "recall_without": _mean([one.recall[FLOOR_DEPTH] for one in measured.asked], digits=4),
        "recall_with": _mean([one.floored for one in measured.asked], digits=4),
        "own_recalled": _mean([one.told > 0 for one in measured.asked], digits=4),
        "foreign_rejected": _mean(measured.rejected, digits=4) if measured.rejected else None,
    }


def _recall_table(found: Figures) -> Table:
    table = Table(title=f"Recall, {found['dataset']}: {found['memories']:,} memories", title_justify="left")
    table.add_column("questions")
    table.add_column("count", justify="right")
    for depth in DEPTHS:
        table.add_column(f"recall@{depth}", justify="right")
    for name, row in found["by_category"].items():
        table.add_row(name, str(row["questions"]), *(f"{row[str(depth)]:.3f}" for depth in DEPTHS))
    table.add_section()
    table.add_row("all", str(found["questions"]), *(f"{found['recall'][str(depth)]:.3f}" for depth in DEPTHS))
    return table


def _other_table(found: Figures) -> Table:
    table = Table(show_header=False, box=None)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for name, value in _other_rows(found):
        table.add_row(name, value)
    return table


def _other_rows(found: Figures) -> Iterator[tuple[str, str]]:
    floor, latency, tokens = found["floor"], found["latency_ms"], found["tokens"]
    yield "latency of a recall, p50 / p95", f"{latency['p50']:.1f} / {latency['p95']:.1f} ms"
    yield "tokens in the prompt, p50 / p95", f"{tokens['p50']:.0f} / {tokens['p95']:.0f}"
    yield "memories in the prompt", f"{found['recalled_per_question']:.1f}"
    yield (
        f"recall@{FLOOR_DEPTH} without / with the floor of {floor['min_relevance']}",
        f"{floor['recall_without']:.3f} / {floor['recall_with']:.3f}",
    )
    yield "questions that recall something", f"{floor['own_recalled']:.1%}"
    if floor["foreign_rejected"] is not None:
        yield "questions to another dialogue's memories that recall nothing", f"{floor['foreign_rejected']:.1%}"


def _mean(values: Sequence[float], *, digits: int = 2) -> float:
    return round(float(np.mean(values)), digits)


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(float(np.percentile(values, share)), 2) for share in (50, 95)}
