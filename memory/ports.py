"""The small protocols that memory needs from the outside. Implementations live in `memory/storage` and `bot/llm`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.audience import Audience, Scope
from memory.model import (
    Completion,
    Compression,
    ConversationState,
    Exchange,
    ExtractionJob,
    Language,
    MemberActivity,
    Memory,
    MemoryChanges,
    ModelCall,
    OutboxEntry,
    ProfileFact,
    Prompt,
    RecordedExchange,
    Turn,
)

Floats = NDArray[np.float32]
Clock = Callable[[], datetime]
"""The current time, aware UTC."""


# --- models ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What made a store's vectors. Two stores may be mixed only if their fingerprints are equal."""

    provider: str
    model: str
    dimensions: int


class Embedder(Protocol):
    """Text to unit vectors of shape (n, dimensions). Raises EmbeddingFailed. Long texts are embedded by their start."""

    @property
    def fingerprint(self) -> Fingerprint: ...

    async def embed_queries(self, texts: Sequence[str]) -> Floats: ...

    async def embed_passages(self, texts: Sequence[str]) -> Floats: ...


class SmallModel(Protocol):
    """The model for memory's own work. Raises ModelUnavailable or ModelOutputInvalid."""

    @property
    def available(self) -> bool: ...

    async def complete(self, prompt: Prompt) -> Completion: ...


class TokenCounter(Protocol):
    def count(self, text: str) -> int: ...


# --- the record (PostgreSQL). Every method raises RecordUnavailable when it cannot be reached -----------------------


class ConversationStore(Protocol):
    async def load(self, conversation_id: str, *, now: datetime, idle_timeout_s: float) -> ConversationState:
        """The conversation as it stands; a session idle for longer than the time-out comes back empty. Unknown
        conversations come back empty too. At most 400 turns, the newest."""
        ...

    async def record(self, exchange: Exchange) -> RecordedExchange:
        """Turns, access counts, member counts, the extraction job and the inbox mark, in one transaction."""
        ...

    async def compress(self, compression: Compression) -> bool:
        """Store a compression; False, and nothing changed, if another was stored since `based_on_version`."""
        ...

    async def end_session(self, conversation_id: str) -> None: ...

    async def turn_before(self, turn: Turn) -> Turn | None:
        """The last member's turn before `turn` in its session, if there is one."""
        ...

    async def seen(self, event_id: str) -> bool:
        """Whether a message with this event id has been recorded."""
        ...


class MemoryStore(Protocol):
    async def by_ids(self, ids: Sequence[UUID], audience: Audience) -> list[Memory]:
        """The active memories among `ids` that the audience may see, in the order of `ids`."""
        ...

    async def newest(
        self, audience: Audience, *, limit: int, offset: int = 0, subject: str | None = None
    ) -> list[Memory]:
        """Active memories that the audience may see, newest first."""
        ...

    async def by_turns(self, turn_ids: Collection[UUID], member_id: str, scope: Scope) -> list[Memory]:
        """The active memories of `scope` about `member_id` that rest on one of these turns and on no other."""
        ...

    async def count_visible(self, audience: Audience) -> int:
        """How many memories `newest` would page through."""
        ...

    async def same_text(self, memory: Memory) -> Memory | None:
        """The active memory of the same scope and subject with the same normalised text, if there is one."""
        ...

    async def apply(self, changes: MemoryChanges) -> None: ...

    async def counts(self) -> Mapping[str, int]:
        """Rows per status, plus `turns`, `outbox`, `jobs` and `facts`."""
        ...


class ProfileStore(Protocol):
    async def facts(self, member_id: str, audience: Audience) -> list[ProfileFact]:
        """The member's valid facts that the audience may see, oldest first."""
        ...

    async def activity(self, community: str, member_id: str) -> MemberActivity | None: ...

    async def unextracted(self, member_id: str, audience: Audience, *, limit: int) -> list[Turn]:
        """The member's own turns that the audience may see and whose extraction is not settled, newest first."""
        ...


class ExtractionQueue(Protocol):
    async def pending(self, *, conversation_id: str | None = None) -> list[ExtractionJob]:
        """Jobs that wait, oldest first, at most 500; parked ones are not among them."""
        ...

    async def failed(self, turn_ids: Sequence[UUID], *, reason: str, park: bool) -> None:
        """Count an attempt; with `park` the jobs wait for an admin."""
        ...

    async def settle(self, turn_ids: Sequence[UUID]) -> None: ...


class OutboxStore(Protocol):
    async def take(self, limit: int) -> list[tuple[OutboxEntry, Memory | None]]:
        """The oldest entries with the memory as it stands now (None when its row is gone or no longer active). They
        stay until `done`."""
        ...

    async def done(self, seqs: Sequence[int]) -> None: ...

    async def embedder(self) -> Fingerprint | None:
        """Which embedder made the index's vectors; None before the first."""
        ...

    async def set_embedder(self, fingerprint: Fingerprint) -> None: ...

    async def reconcile(self, indexed: Collection[UUID]) -> int:
        """Queue each active memory that is not `indexed` and each indexed one that is not active; returns how many."""
        ...

    async def enqueue_all(self) -> int:
        """Queue every active memory for indexing again; returns how many."""
        ...


@dataclass(frozen=True, slots=True)
class Filed:
    """A memory as it is kept, with the time since when it has its status."""

    memory: Memory
    status_since: datetime


class Holdings(Protocol):
    """Everything that is held, of every community and visibility. For whoever runs the bot; never for a reply."""

    async def memories(self, after: UUID | None, *, limit: int) -> list[Filed]:
        """The next memories of any status by id, after that one."""
        ...

    async def facts(self, after: UUID | None, *, limit: int) -> list[ProfileFact]:
        """The next profile facts by id, valid or not."""
        ...

    async def restore(self, memories: Sequence[Filed], facts: Sequence[ProfileFact]) -> None:
        """Put back what is not there, exactly as it was. What is there stays, what was erased stays erased."""
        ...

    async def present(self, ids: Collection[UUID]) -> set[UUID]:
        """Which of these memories and facts are there."""
        ...

    async def opted_out(self, member_ids: Collection[str]) -> set[tuple[str, str]]:
        """The (community, member) pairs of those who want nothing kept."""
        ...

    async def turns(self, community: str, *, limit: int) -> list[Turn]:
        """The members' latest turns, newest first."""
        ...


class Ledger(Protocol):
    async def record(self, call: ModelCall) -> None: ...


# --- the index (Qdrant). Every method raises IndexUnavailable when it cannot be reached ------------------------------


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Parallel arrays: term ids (unsigned 32 bits, ascending, unique) and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexSchema:
    """Names of the vectors that every point has. The index scores sparse ones with inverse document frequency."""

    dense: tuple[str, ...]
    sparse: tuple[str, ...]
    dimensions: int


@dataclass(frozen=True, slots=True)
class IndexPoint:
    id: UUID
    scope_key: str
    language: Language
    created_at: datetime
    dense: Mapping[str, Floats]
    sparse: Mapping[str, SparseVector]


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """`dense` and `sparse` map vector names of the schema to query vectors; each makes one list of `limit` candidates,
    of which the union is returned."""

    dense: Mapping[str, Floats]
    sparse: Mapping[str, SparseVector]
    limit: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of a query's lists. `scores[name]` is parallel to `ids` and complete: each candidate is scored under
    each vector of the query, also where it was not in that vector's own list (no common term: 0.0)."""

    ids: tuple[UUID, ...]
    languages: tuple[Language, ...]
    scores: Mapping[str, Floats]


class VectorIndex(Protocol):
    """The search index. `search` returns only points whose scope the audience may see."""

    async def upsert(self, points: Sequence[IndexPoint]) -> None: ...

    async def delete(self, ids: Sequence[UUID]) -> None: ...

    async def search(self, query: IndexQuery, audience: Audience) -> Candidates: ...

    async def ids(self) -> set[UUID]:
        """Every point's id; for checking the index against the record."""
        ...

    async def clear(self) -> None: ...
