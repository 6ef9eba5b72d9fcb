"""Opens the stores that the settings name, embedded or on a server: the only place that chooses."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

from config.settings import Settings
from memory.errors import IndexUnavailable, RecordUnavailable, StoreUnavailable
from memory.indexing import claim_index
from memory.ports import Fingerprint, IndexSchema, VectorIndex
from memory.storage.folder import DataFolder
from memory.storage.index import EdgeIndex
from memory.storage.postgres import EmbeddedPostgres, Record

Progress = Callable[[str], None]
"""Told what is being waited for."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The record and its index, and a word on each for people."""

    record: Record
    index: VectorIndex
    record_place: str
    index_place: str
    index_is_new: bool
    """The index was found empty or unusable and has to be filled from the record."""


@asynccontextmanager
async def open_stores(
    settings: Settings, schema: IndexSchema, embedder: Fingerprint, progress: Progress, *, rebuild: bool = False
) -> AsyncGenerator[Stores]:
    """Open both stores and close them at the end. An index that another embedder made is not touched, unless it is
    there to `rebuild`.

    Raises DataFolderInUse, DataFolderUnusable, DiskFull, EmbedderChanged, RecordUnavailable or IndexUnavailable.
    """
    async with AsyncExitStack() as stack:
        folder = await stack.enter_async_context(await DataFolder.open(settings.data_dir))
        if settings.database.url is not None:
            dsn, record_place = settings.database.url.get_secret_value(), "PostgreSQL server"
        else:
            progress("starting PostgreSQL")
            server = await EmbeddedPostgres.start(folder)
            stack.push_async_callback(server.stop)
            dsn, record_place = server.dsn, "embedded PostgreSQL"
        with _naming("DATABASE_URL", RecordUnavailable):
            record = await Record.open(dsn, settings.database, idle_timeout_s=settings.memory.working.idle_timeout_s)
        stack.push_async_callback(record.close)
        if not rebuild:
            await claim_index(record.outbox, embedder)
        if settings.qdrant.url is not None:
            from memory.storage.index import ServerIndex  # a third of the start-up's imports: only who needs it pays

            progress("connecting to Qdrant")
            with _naming("QDRANT_URL", IndexUnavailable):
                index = await ServerIndex.open(settings.qdrant, schema, recreate=rebuild)
            stack.push_async_callback(index.close)
            yield Stores(record, index, record_place, "Qdrant server", index_is_new=index.created)
        else:
            progress("opening the search index")
            index = await EdgeIndex.open(folder.index, schema, timeout_s=settings.qdrant.timeout_s)
            stack.push_async_callback(index.close)
            yield Stores(record, index, record_place, "embedded Qdrant", index_is_new=index.created)


@contextmanager
def _naming(setting: str, failure: type[StoreUnavailable]) -> Generator[None]:
    """Say of a server that is away at the start which setting names it: the setting may be wrong."""
    try:
        yield
    except failure as error:
        raise failure(f"{error} Is the server of {setting} running, and is its address right?") from error
