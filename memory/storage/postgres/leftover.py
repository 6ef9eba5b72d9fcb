"""A postmaster that outlived the process that started it (kill -9). All of this blocks; call it in a thread."""

from __future__ import annotations

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

SOCKET_PREFIX = "kith-"
_STOP_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What a postmaster says about itself in `postmaster.pid`."""

    pid: int
    socket_folder: Path | None
    ready: bool

    @classmethod
    def read(cls, data: Path) -> Self | None:
        try:
            lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except FileNotFoundError:
            return None
        if not lines or not lines[0].strip().isdigit():
            return None
        folder = lines[4].strip() if len(lines) > 4 else ""
        return cls(
            pid=int(lines[0]),
            socket_folder=Path(folder) if folder else None,
            ready=len(lines) > 7 and lines[7].strip() == "ready",
        )


def stop_leftover(data: Path) -> bool:
    """Stop a postmaster that still runs on `data` and remove what it leaves; whether there was one.

    The caller holds the data folder's lock, so nobody is using it."""
    left = Postmaster.read(data)
    if left is None:
        return False
    process = _process_on(data, left.pid)
    if process is not None:
        _stop(process)
    elif psutil.pid_exists(left.pid):
        # The number belongs to a stranger by now (a reboot, say). PostgreSQL would take it for a running server.
        (data / "postmaster.pid").unlink(missing_ok=True)
    if left.socket_folder is not None and left.socket_folder.name.startswith(SOCKET_PREFIX):
        shutil.rmtree(left.socket_folder, ignore_errors=True)
    return process is not None


def _process_on(data: Path, pid: int) -> psutil.Process | None:
    """The process if it is a server on `data`: it works in that folder, whatever the folder was called at its start.
    What we may not look at belongs to another account, so it is none of ours."""
    try:
        process = psutil.Process(pid)
        return process if process.name() == "postgres" and Path(process.cwd()) == data else None
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None


def _stop(process: psutil.Process) -> None:
    """Fast first, then at once: the data is safe in either case, the second only recovers at the next start."""
    for sign in (signal.SIGINT, signal.SIGQUIT):
        try:
            process.send_signal(sign)
            process.wait(_STOP_TIMEOUT_S)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            continue
        return
