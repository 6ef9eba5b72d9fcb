"""docs/configuration.md, written from the settings themselves: `python -m config.reference docs/configuration.md`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from config import sources
from config.settings import WELL_KNOWN, Settings

_HEAD = """\
# Configuration

Kith starts without any of this. Settings come from, the later ones winning:

1. the defaults below;
2. `kith.toml` in the working folder, or the file named by `--config`;
3. environment variables: `KITH_` and the setting's path in capitals, with two underscores between levels, or the
   well-known name where the table has one (the `KITH_` name wins over it). An empty variable counts as unset;
4. the command line (`--data`).

A list in the environment is separated by commas (`KITH_MODEL__CHAT_FALLBACKS=gpt-4o,gpt-4o-mini`) or a JSON array. An
unknown or wrong setting ends the start with a message that names it, where it came from and what it takes, and shows
no value.

```toml
# kith.toml
[community]
name = "kith-friends"
time_zone = "Asia/Shanghai"

[memory.working]
keep_rounds = 4
```

Keep secrets (keys, tokens, addresses with a password) in the environment.
"""


def markdown() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_section(Settings, ())])


def _section(model: type[BaseModel], name: sources.Name) -> Iterator[str]:
    nested = {key: info for key, info in model.model_fields.items() if _is_section(info)}
    plain = {key: info for key, info in model.model_fields.items() if key not in nested}
    if plain:
        yield from (f"## `{sources.dotted(name)}`" if name else "## At the top level", "")
        if name:
            yield from (" ".join((model.__doc__ or "").split()), "")
        yield from ("| setting | variable | takes | default | |", "|---|---|---|---|---|")
        yield from (_row((*name, key), info) for key, info in plain.items())
        yield ""
    for key, info in nested.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _section(kind, (*name, key))


def _is_section(info: FieldInfo) -> bool:
    return isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel)


def _row(name: sources.Name, info: FieldInfo) -> str:
    variables = [known for known, target in WELL_KNOWN.items() if target == name]
    variables.append("KITH_" + "__".join(name).upper())
    cells = [
        f"`{name[-1]}`",
        ", ".join(f"`{variable}`" for variable in variables),
        sources.takes(info),
        _default(info),
        " ".join((info.description or "").split()),
    ]
    return f"| {' | '.join(cells)} |"


def _default(info: FieldInfo) -> str:
    """A default as it would stand in the file; one that is made at start depends on the machine and is left out."""
    value: object = info.default
    if info.default_factory is not None or value is None:
        return ""
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(markdown(), encoding="utf-8")
