"""`python -m bot`."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main() -> None:
    try:
        from bot.cli import app  # takes a second, in which someone may already press Ctrl-C

        app(prog_name="kith")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
