"""A picture of Kith in a real terminal (tmux): `python -m tests.terminal_picture docs/images/chat.svg`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.acceptance.kith_process import ROOT, environment

WIDTH, HEIGHT = 100, 40
PROMPT = "›"
SAID = (
    "Offline meetup: 15 March, 7pm, 8 Yunqi Road. Sign up here: https://kith.example/meetup",
    "线下聚会怎么报名？",
    "/why",
    "I'm a backend developer and I like climbing.",
    "/profile",
)
PAUSE_S = 2.0
"""How long a person takes to read an answer and type, at least."""
PATIENCE_S = 60.0


class Terminal:
    """A tmux server of its own."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout

    def type(self, text: str) -> None:
        time.sleep(PAUSE_S)
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def wait_for_prompt(self, number: int) -> None:
        """Until the screen shows its `number`th prompt with nothing behind it."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            prompts = [line for line in self.tmux("capture-pane", "-p").splitlines() if line.startswith(PROMPT)]
            if len(prompts) == number and prompts[-1].strip() == PROMPT:
                return
            time.sleep(0.2)
        raise TimeoutError(self.tmux("capture-pane", "-p"))

    def wait_for_end(self) -> None:
        """Until the session is over, with which its server ends."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                self.tmux("has-session")
            except subprocess.CalledProcessError:
                return
            time.sleep(0.2)
        raise TimeoutError("the session has not ended")


def photograph() -> str:
    """The screen after a short conversation, with its colours as escape codes."""
    with tempfile.TemporaryDirectory(prefix="kith-picture-") as folder:
        data = Path(folder) / "kith"
        terminal = Terminal(Path(folder) / "tmux")
        chat = shlex.join([sys.executable, "-m", "bot", "chat", "--user", "alice", "--data", str(data)])
        terminal.tmux("new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(ROOT), chat)
        try:
            terminal.wait_for_prompt(1)
            for number, text in enumerate(SAID, start=1):
                terminal.type(text)
                terminal.wait_for_prompt(number + 1)
            screen = terminal.tmux("capture-pane", "-e", "-p")
            terminal.type("/quit")
            terminal.wait_for_end()
        except BaseException:
            terminal.tmux("kill-server")
            raise
        return screen.replace(str(data), "~/.local/share/kith").rstrip()


def picture(screen: str) -> str:
    """The screen as SVG, without fonts from the network."""
    console = Console(record=True, width=WIDTH, file=StringIO())
    console.print(Text.from_ansi(screen))
    drawn = console.export_svg(title="make chat", unique_id="kith")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    drawn = drawn.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, Noto Sans Mono, monospace")
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(photograph()), encoding="utf-8")
