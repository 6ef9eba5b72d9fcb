"""The SQL of this package: one file per aggregate in `sql/`, queries named by a line `-- name: xyz`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load_queries(aggregate: str) -> Mapping[str, str]:
    """The named queries of `sql/<aggregate>.sql`."""
    text = files(__package__ or "").joinpath("sql", f"{aggregate}.sql").read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    names, bodies = parts[::2], parts[1::2]
    if len(set(names)) != len(names):
        raise ValueError(f"{aggregate}.sql names a query twice")
    return {name: body.strip() for name, body in zip(names, bodies, strict=True)}
