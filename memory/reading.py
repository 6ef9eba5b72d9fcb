"""What the rules read of a message: enough of any real one, and little enough that no text makes them slow."""

from __future__ import annotations

import re

READ_CHARS = 2_500

_RUN = re.compile(
    r"(?P<blank>\s{8,})"
    r"|(?P<signs>\W{16,})"
    r"|(?P<letter>[^\W\d])(?P=letter){15,}"
    r"|(?P<token>(?<![!-~])[!-~]{129,})"
)
_PIECE = re.compile(r".{1,64}")


def as_read(text: str) -> str:
    """The beginning of `text` with long runs shortened."""
    return without_runs(text)[:READ_CHARS]


def without_runs(text: str) -> str:
    """`text` with its long runs broken: blank space, signs and one letter over and over are shortened, tokens of more
    than 128 characters fall into pieces. Many patterns need a time that grows with the square of such a run."""
    return _RUN.sub(_shortened, text)


def _shortened(run: re.Match[str]) -> str:
    if run["blank"]:
        return "\n\n" if "\n" in run[0] else " "
    if run["token"]:
        return " ".join(_PIECE.findall(run["token"]))
    return run[0][:8]
