"""Whom the embedded PostgreSQL runs as. It refuses root, so root has to lend it another account."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.errors import DataFolderUnusable

_OWN_NAME = "pgserver"
_FALLBACK_NAME = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """A system account other than our own; only root can act as one."""

    uid: int
    gid: int

    @property
    def spawn_options(self) -> dict[str, Any]:
        """What makes a child process run under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid)

    def own_all(self, root: Path) -> None:
        """Take over everything below `root` too, such as files that root restored from a backup."""
        for folder, _, names in os.walk(root):
            self.own(Path(folder))
            for name in names:
                os.chown(Path(folder, name), self.uid, self.gid, follow_symlinks=False)

    def open_way(self, path: Path) -> None:
        """Let the account pass through the folders above `path`: pass, not list, and only where it cannot yet.

        Raises DataFolderUnusable when a folder's mode cannot be changed."""
        for folder in reversed(path.resolve().parents):
            status = folder.stat()
            if not status.st_mode & self._pass_bit(status):
                self._grant(folder, status)

    def _grant(self, folder: Path, status: os.stat_result) -> None:
        try:
            folder.chmod(stat.S_IMODE(status.st_mode) | self._pass_bit(status))
        except OSError as error:
            raise DataFolderUnusable(
                f"PostgreSQL does not run as root, and the account lent to it cannot pass through {folder}. "
                "Choose a folder that other accounts can reach with --data, or run Kith as an ordinary user."
            ) from error

    def _pass_bit(self, status: os.stat_result) -> int:
        if status.st_uid == self.uid:
            return stat.S_IXUSR
        return stat.S_IXGRP if status.st_gid == self.gid else stat.S_IXOTH


def account_for(data: Path) -> Account | None:
    """None when PostgreSQL can run as ourselves; for root the owner of the existing `data`, else an account of its
    own, which is made if the system lets us."""
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    entry = _find(_OWN_NAME) or _create(_OWN_NAME) or _find(_FALLBACK_NAME)
    if entry is None:
        raise DataFolderUnusable(
            "PostgreSQL does not run as root, and no other account could be made for it. "
            "Run Kith as an ordinary user, or set DATABASE_URL to a PostgreSQL server."
        )
    return Account(entry.pw_uid, entry.pw_gid)


def _find(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create(name: str) -> pwd.struct_passwd | None:
    useradd = shutil.which("useradd")
    if useradd is not None:
        command = [useradd, "--system", "--no-create-home", "--user-group", "--shell", "/usr/sbin/nologin", name]
        subprocess.run(command, capture_output=True, check=False, timeout=10)  # noqa: S603 - fixed arguments
    return _find(name)
