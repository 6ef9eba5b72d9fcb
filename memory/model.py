"""The values that memory passes around. All frozen; all times are aware UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID, uuid5

from memory.audience import Scope

Language = Literal["zh", "en", "other"]
Role = Literal["member", "admin"]

_NAMESPACE = UUID("6f0d3f0e-7f0c-4f5e-9a57-2f9e3c1b8a10")


def turn_id(conversation_id: str, seq: int) -> UUID:
    """The id of a conversation's `seq`-th turn: the same for the same record, so that a replay is recognised."""
    return uuid5(_NAMESPACE, f"turn\x1f{conversation_id}\x1f{seq}")


def derived_id(*parts: str) -> UUID:
    """A stable id for a memory or fact made from `parts` (its source turn, its place in it, its text)."""
    return uuid5(_NAMESPACE, "\x1f".join(("derived", *parts)))


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who said something. `member_id` is stable across names; None is the bot itself."""

    member_id: str | None
    name: str

    @property
    def is_bot(self) -> bool:
        return self.member_id is None


# --- working memory -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """A member's message as memory takes it. `text` has been cleaned by `privacy.clean_text`."""

    conversation_id: str
    scope: Scope
    speaker: Speaker
    text: str
    at: datetime
    channel_name: str = ""
    role: Role = "member"
    event_id: str | None = None
    quoted: str | None = None
    """The text of the message that this one replies to, as context only."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, as recorded. `seq` counts from 1 within the conversation."""

    id: UUID
    conversation_id: str
    seq: int
    scope: Scope
    speaker: Speaker
    text: str
    at: datetime
    degraded: bool = False
    """A bot turn that was no real answer (quoting, refusal, failure)."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Text with hard details, kept verbatim through compressions."""

    turn_seq: int
    speaker: Speaker
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ConversationState:
    """What working memory needs to go on: everything after `summarised_seq` is in `turns`, oldest first, of the
    session that began after `session_start_seq`. `version` grows with each stored summary (optimistic locking)."""

    conversation_id: str
    last_seq: int
    session_start_seq: int
    summarised_seq: int
    summary: str
    pins: tuple[Pin, ...]
    turns: tuple[Turn, ...]
    version: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Compression:
    """The result of one compression, stored in one step: turns up to `summarised_seq` leave the window."""

    conversation_id: str
    based_on_version: int
    summarised_seq: int
    summary: str
    pins: tuple[Pin, ...]


# --- long-term memory -----------------------------------------------------------------------------------------------


class Kind(StrEnum):
    ANSWER = "answer"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"
    PREFERENCE = "preference"
    KNOWLEDGE = "knowledge"


class Status(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a memory or fact rests on, and who said it when."""

    turn_id: UUID | None
    speaker: Speaker
    at: datetime
    channel_name: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The turns said right before and after a memory's source, as search context only; never quoted to anyone."""

    before: str = ""
    after: str = ""
    speakers: tuple[str, ...] = ()
    """Member ids whose words the two hold, so that a wipe can find them."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A statement worth keeping. `subject` is the member it is about, if any; a superseded memory has `valid_to` and
    `superseded_by`. `importance` and `trust` are in 0..1."""

    id: UUID
    scope: Scope
    text: str
    kind: Kind
    language: Language
    sources: tuple[Source, ...]
    created_at: datetime
    last_seen_at: datetime
    valid_from: datetime
    importance: float = 0.5
    trust: float = 0.5
    subject: str | None = None
    hearsay: bool = False
    """Said about a member by someone else."""
    valid_to: datetime | None = None
    superseded_by: UUID | None = None
    access_count: int = 0
    last_access_at: datetime | None = None
    status: Status = Status.ACTIVE
    pinned: bool = False
    neighbours: Neighbours = Neighbours()
    gist: str = ""
    """One line in the community's other language; indexed, never shown."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that a recall brought back. `relevance` is calibrated to 0..1 (see `ranking`)."""

    memory: Memory
    relevance: float


# --- episodic memory ------------------------------------------------------------------------------------------------

Expertise = Literal["beginner", "intermediate", "expert"]


class ProfileField(StrEnum):
    NAME = "name"
    INTEREST = "interest"
    EXPERTISE = "expertise_level"
    LANGUAGE = "preferred_language"
    PREFERENCE = "preference"
    KEY_FACT = "key_fact"
    TOPIC = "topic"


SINGLE_VALUED = frozenset({ProfileField.NAME, ProfileField.EXPERTISE, ProfileField.LANGUAGE})


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """One thing a member said about themselves. `key` names what it is about, so that a newer fact with the same key
    replaces it ("city" for "lives in Berlin"); empty means that it stands on its own."""

    id: UUID
    member_id: str
    scope: Scope
    field: ProfileField
    value: str
    stated_at: datetime
    sources: tuple[Source, ...]
    key: str = ""
    valid_to: datetime | None = None
    corrected: bool = False
    """Set by the member on purpose; wins over anything inferred."""


@dataclass(frozen=True, slots=True)
class MemberActivity:
    """What is counted per member and community."""

    member_id: str
    name: str
    interaction_count: int
    first_seen: datetime
    last_seen: datetime
    opted_out: bool = False
    language: Language | None = None
    """Chosen by the member."""
    written: Language | None = None
    """What most of their messages are written in."""


@dataclass(frozen=True, slots=True)
class UserProfile:
    """A member as one audience may know them: the fold of the facts that this audience may see."""

    user_id: str
    name: str
    interests: tuple[str, ...] = ()
    expertise_level: Expertise | None = None
    preferred_language: str | None = None
    interaction_count: int = 0
    last_topics: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    key_facts: tuple[str, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None


# --- one reply ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one reply leaves behind; recorded in one transaction."""

    message: Message
    reply_text: str | None
    """What was delivered, or None when nothing was (an overheard message)."""
    replied_at: datetime | None
    degraded: bool
    recalled_ids: tuple[UUID, ...]
    extract: Literal["no", "batch", "now"]
    """Whether the exchange is queued for extraction, and how urgently."""
    agent_name: str = "Kith"


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """`duplicate` means that the message's event id was already recorded and nothing was written."""

    member_turn: Turn | None
    bot_turn: Turn | None
    duplicate: bool = False


# --- writing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Supersession:
    old_id: UUID
    new_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """Everything that one step of the write path changes; applied in one transaction with its outbox rows, and with the
    extraction jobs that it settles. Applying the same changes twice changes nothing the second time."""

    add: tuple[Memory, ...] = ()
    refresh: tuple[tuple[UUID, datetime, tuple[Source, ...]], ...] = ()
    """Memories seen again: (id, when, sources to append)."""
    update: tuple[tuple[UUID, str], ...] = ()
    """Memories whose text is replaced by a better wording of the same thing."""
    supersede: tuple[Supersession, ...] = ()
    facts: tuple[ProfileFact, ...] = ()
    retire_facts: tuple[tuple[UUID, datetime], ...] = ()
    settled_jobs: tuple[UUID, ...] = ()
    """Turn ids whose extraction is done."""


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """A recorded turn that waits for extraction."""

    turn: Turn
    channel_name: str
    speaker_role: Role
    urgent: bool
    attempts: int
    queued_at: datetime
    reply_text: str | None
    """The bot's answer to this turn when it was a real one, for the Q/A unit; never a source of facts."""


# --- index ----------------------------------------------------------------------------------------------------------

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexCounts:
    points: int


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    seq: int
    memory_id: UUID
    delete: bool


# --- model calls ----------------------------------------------------------------------------------------------------

Purpose = Literal["answer", "compression", "extraction", "embedding", "evaluation"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model or embedding endpoint, for the ledger. Tokens are the API's own figures."""

    purpose: Purpose
    model: str
    prompt_version: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float
    latency_ms: float
    at: datetime
    ok: bool
    conversation_id: str | None = None
    member_id: str | None = None
    community: str | None = None
    estimated: bool = False
    """The endpoint gave no usage figures, so the tokens are counted here."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to a model. `messages` are (role, content) pairs with role `system`, `user` or `assistant`; `version`
    names the prompt in the ledger; `schema` asks for JSON of that shape."""

    purpose: Purpose
    version: str
    messages: tuple[tuple[Literal["system", "user", "assistant"], str], ...]
    max_tokens: int
    schema: Mapping[str, object] | None = None
    conversation_id: str | None = None
    member_id: str | None = None
    community: str | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    truncated: bool = field(default=False)
    """The model ran into `max_tokens`."""
