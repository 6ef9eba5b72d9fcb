"""The search index: Qdrant embedded, Qdrant on a server, and one in plain memory for tests.

All three give the same scores: dense vectors by dot product of unit vectors, sparse ones by BM25-style weights times
the inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)). N counts the points of the whole index that have the
sparse vector with at least one term (not only those that the audience may see: that would cost several times the sparse
search itself), df those of them that hold the term. A server may go on counting a deleted point for a while.

The names are resolved on first use, because the engine's child process imports this package too and must not load
what only the server store needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.storage.index.edge import EdgeIndex
    from memory.storage.index.in_memory import InMemoryIndex
    from memory.storage.index.server import ServerIndex

__all__ = ["EdgeIndex", "InMemoryIndex", "ServerIndex"]

_HOMES = {"EdgeIndex": "edge", "InMemoryIndex": "in_memory", "ServerIndex": "server"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
