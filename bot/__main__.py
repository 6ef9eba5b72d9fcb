"""`python -m bot`."""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main() -> None:
    try:
        from bot.cli import app  # takes a second, in which someone may already press Ctrl-C

        gc.freeze()  # what the imports made stays: going through it would hold the event loop for 50 ms now and then
        app(prog_name="kith")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
