"""Everything that memory raises.

MemoryFailure
├── StoreUnavailable
│   ├── RecordUnavailable      PostgreSQL
│   └── IndexUnavailable       Qdrant
├── StoreRefused
│   ├── DataFolderInUse
│   ├── DataFolderUnusable
│   ├── DiskFull
│   └── EmbedderChanged
├── EmbeddingFailed
├── ModelFailed
│   ├── ModelUnavailable
│   └── ModelOutputInvalid
└── InvalidText

A docstring is the default message.
"""

from __future__ import annotations

import inspect


class MemoryFailure(Exception):
    """The memory could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.getdoc(type(self)) or type(self).__name__)


class StoreUnavailable(MemoryFailure):
    """A store cannot be reached right now; the work can be tried again."""


class RecordUnavailable(StoreUnavailable):
    """PostgreSQL cannot be reached right now."""


class IndexUnavailable(StoreUnavailable):
    """The search index cannot be reached right now."""


class StoreRefused(MemoryFailure):
    """A store cannot be used as it is; someone has to act."""


class DataFolderInUse(StoreRefused):
    """Another Kith process is using this data folder. Stop it first, or choose another folder with --data."""


class DataFolderUnusable(StoreRefused):
    """The data folder cannot be used. Choose another one with --data."""


class DiskFull(StoreRefused):
    """The disk is full. Free some space; what was acknowledged is safe."""


class EmbedderChanged(StoreRefused):
    """The vectors in this store were made by another embedding model. Run: python -m bot memory reindex"""


class EmbeddingFailed(MemoryFailure):
    """The text could not be embedded."""


class ModelFailed(MemoryFailure):
    """The language model gave no usable answer."""


class ModelUnavailable(ModelFailed):
    """The language model is not configured or cannot be reached."""


class ModelOutputInvalid(ModelFailed):
    """The language model's output was refused."""


class InvalidText(MemoryFailure):
    """The message holds nothing that can be read."""
