"""`python -m bot`."""

from __future__ import annotations

from bot.cli import app


def main() -> None:
    app(prog_name="kith")


if __name__ == "__main__":
    main()
