"""However a conversation ends: in order, with nothing left running and the terminal as it was."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.kith_process import ROOT, environment, processes_on, start

PROMPT = "›"
PATIENCE_S = 60.0
CURSOR_ASKED, CURSOR_TOLD = b"\x1b[6n", b"\x1b[1;1R"


class Terminal:
    """Kith at a terminal of its own."""

    def __init__(self, data: Path) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
        self._before = termios.tcgetattr(theirs)
        self._theirs = theirs
        self._shown = ""
        self.pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "bot", "chat", "--data", str(data)],
            environment(TERM="xterm-256color", PYTHONPATH=str(ROOT)),
            file_actions=[(os.POSIX_SPAWN_DUP2, theirs, number) for number in (0, 1, 2)],
            setsid=True,
        )
        os.set_blocking(self._ours, False)

    def close(self) -> None:
        os.close(self._ours)
        os.close(self._theirs)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    async def wait_for(self, text: str) -> str:
        """What was shown until `text` was."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self._shown:
                await self._read()
        shown, _, self._shown = self._shown.partition(text)
        return shown + text

    async def status(self) -> int:
        """The exit status, once it has ended."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                pid, status = os.waitpid(self.pid, os.WNOHANG)  # noqa: ASYNC222 - it does not wait
                if pid:
                    return os.waitstatus_to_exitcode(status)
                await self._read()

    @property
    def is_restored(self) -> bool:
        return termios.tcgetattr(self._theirs) == self._before

    async def _read(self) -> None:
        try:
            piece = os.read(self._ours, 65536)
        except BlockingIOError:
            await asyncio.sleep(0.02)
            return
        if CURSOR_ASKED in piece:
            os.write(self._ours, CURSOR_TOLD)
        self._shown += piece.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """One folder for all, which therefore also has to be free each time."""
    with tempfile.TemporaryDirectory(prefix="kith-test-") as root:
        yield Path(root) / "data"


@pytest.fixture
def terminal(data: Path) -> Iterator[Terminal]:
    terminal = Terminal(data)
    yield terminal
    terminal.close()


@pytest.mark.parametrize("how", ["/quit\r", "\x04", "\x03", signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_conversation_ends_in_order(how: str | signal.Signals, terminal: Terminal, data: Path) -> None:
    greeting = await terminal.wait_for(PROMPT)
    expected = 0
    if isinstance(how, str):
        terminal.type(how)
    else:
        os.kill(terminal.pid, how)
        expected = 0 if how is signal.SIGINT else 128 + how

    status = await terminal.status()

    assert str(data) in greeting and "/help" in greeting and "直接说话" in greeting
    assert status == expected
    assert terminal.is_restored
    assert processes_on(data) == []


async def test_commands_in_the_terminal_answer_in_the_language_last_written(terminal: Terminal) -> None:
    await terminal.wait_for(PROMPT)
    terminal.type("/help\r")
    assert "/quit" in await terminal.wait_for("Ctrl-D does too")
    terminal.type("我叫周明，住在柏林\r")
    await terminal.wait_for("记下了")
    terminal.type("/profile\r")
    await terminal.wait_for("柏林")
    terminal.type("/help\r")
    await terminal.wait_for("查看所有命令")
    terminal.type("\x04")
    assert await terminal.status() == 0


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_script_that_waits_for_its_input_ends_at_a_signal(
    number: signal.Signals, status: int, data: Path
) -> None:
    process = await start("chat", "--script", "-", "--json", "--data", str(data))
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b'{"user": "alice", "text": "I live in Berlin"}\n')
    await process.stdout.readline()

    told = time.monotonic()
    process.send_signal(number)
    _, stderr = await process.communicate()

    assert (process.returncode, stderr) == (status, b"")
    assert time.monotonic() - told < PATIENCE_S
    assert processes_on(data) == []
