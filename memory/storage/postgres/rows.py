"""Rows to values and back. The only place that knows the columns' names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memory.audience import Scope
from memory.model import (
    ExtractionJob,
    Kind,
    Language,
    MemberActivity,
    Memory,
    Neighbours,
    Pin,
    ProfileFact,
    ProfileField,
    Source,
    Speaker,
    Status,
    Turn,
)
from memory.storage.postgres.digest import text_digest

Row = Mapping[str, Any]
Json = dict[str, Any]


def turn_from(row: Row) -> Turn:
    return Turn(
        id=row["id"],
        conversation_id=row["conversation_id"],
        seq=row["seq"],
        scope=Scope.from_key(row["scope_key"]),
        speaker=Speaker(row["speaker_id"], row["speaker_name"]),
        text=row["text"],
        at=row["at"],
        degraded=row["degraded"],
    )


def job_from(row: Row) -> ExtractionJob:
    return ExtractionJob(
        turn=turn_from(row),
        channel_name=row["channel_name"],
        speaker_role=row["speaker_role"],
        urgent=row["urgent"],
        attempts=row["attempts"],
        queued_at=row["queued_at"],
        reply_text=row["reply_text"],
    )


def memory_from(row: Row) -> Memory:
    return Memory(
        id=row["id"],
        scope=Scope.from_key(row["scope_key"]),
        text=row["text"],
        kind=Kind(row["kind"]),
        language=row["language"],
        sources=sources_from(row["sources"]),
        created_at=row["created_at"],
        last_seen_at=row["last_seen_at"],
        valid_from=row["valid_from"],
        importance=row["importance"],
        trust=row["trust"],
        subject=row["subject"],
        hearsay=row["hearsay"],
        valid_to=row["valid_to"],
        superseded_by=row["superseded_by"],
        access_count=row["access_count"],
        last_access_at=row["last_access_at"],
        status=Status(row["status"]),
        pinned=row["pinned"],
        neighbours=Neighbours(row["before"], row["after"], tuple(row["near_speakers"])),
        gist=row["gist"],
    )


def memory_to(memory: Memory) -> Json:
    return {
        "id": str(memory.id),
        "community": memory.scope.community,
        "scope_key": memory.scope.key,
        "kind": memory.kind.value,
        "status": memory.status.value,
        "status_since": time_to(memory.created_at),
        "language": memory.language,
        "text": memory.text,
        "digest": str(text_digest(memory.text)),
        "gist": memory.gist,
        "subject": memory.subject,
        "hearsay": memory.hearsay,
        "importance": memory.importance,
        "trust": memory.trust,
        "pinned": memory.pinned,
        "created_at": time_to(memory.created_at),
        "last_seen_at": time_to(memory.last_seen_at),
        "valid_from": time_to(memory.valid_from),
        "valid_to": memory.valid_to and time_to(memory.valid_to),
        "superseded_by": memory.superseded_by and str(memory.superseded_by),
        "access_count": memory.access_count,
        "last_access_at": memory.last_access_at and time_to(memory.last_access_at),
        "sources": sources_to(memory.sources),
        "before": memory.neighbours.before,
        "after": memory.neighbours.after,
        "near_speakers": list(memory.neighbours.speakers),
        "speakers": sorted(speakers_of(memory.sources) | set(memory.neighbours.speakers)),
    }


def fact_from(row: Row) -> ProfileFact:
    return ProfileFact(
        id=row["id"],
        member_id=row["member_id"],
        scope=Scope.from_key(row["scope_key"]),
        field=ProfileField(row["field"]),
        value=row["value"],
        stated_at=row["stated_at"],
        sources=sources_from(row["sources"]),
        key=row["key"],
        valid_to=row["valid_to"],
        corrected=row["corrected"],
    )


def fact_to(fact: ProfileFact) -> Json:
    return {
        "id": str(fact.id),
        "member_id": fact.member_id,
        "community": fact.scope.community,
        "scope_key": fact.scope.key,
        "field": fact.field.value,
        "key": fact.key,
        "value": fact.value,
        "stated_at": time_to(fact.stated_at),
        "valid_to": fact.valid_to and time_to(fact.valid_to),
        "corrected": fact.corrected,
        "sources": sources_to(fact.sources),
    }


def activity_from(row: Row) -> MemberActivity:
    return MemberActivity(
        member_id=row["member_id"],
        name=row["name"],
        interaction_count=row["interaction_count"],
        first_seen=row["first_seen"],
        last_seen=row["last_seen"],
        opted_out=row["opted_out"],
        language=row["language"],
        written=_most_written(row["written_zh"], row["written_en"]),
    )


def _most_written(zh: int, en: int) -> Language | None:
    if zh == en == 0:
        return None
    return "zh" if zh > en else "en"


def pin_from(pin: Json) -> Pin:
    return Pin(pin["turn_seq"], Speaker(pin["member_id"], pin["name"]), pin["text"], time_from(pin["at"]))


def pin_to(pin: Pin) -> Json:
    return {
        "turn_seq": pin.turn_seq,
        "member_id": pin.speaker.member_id,
        "name": pin.speaker.name,
        "text": pin.text,
        "at": time_to(pin.at),
    }


def sources_from(sources: Iterable[Json]) -> tuple[Source, ...]:
    return tuple(
        Source(
            turn_id=UUID(source["turn_id"]) if source["turn_id"] else None,
            speaker=Speaker(source["member_id"], source["name"]),
            at=time_from(source["at"]),
            channel_name=source["channel"],
        )
        for source in sources
    )


def sources_to(sources: Iterable[Source]) -> list[Json]:
    return [
        {
            "turn_id": source.turn_id and str(source.turn_id),
            "member_id": source.speaker.member_id,
            "name": source.speaker.name,
            "at": time_to(source.at),
            "channel": source.channel_name,
        }
        for source in sources
    ]


def speakers_of(sources: Iterable[Source]) -> set[str]:
    return {source.speaker.member_id for source in sources if source.speaker.member_id is not None}


def time_to(time: datetime) -> str:
    return time.astimezone(UTC).isoformat()


def time_from(text: str) -> datetime:
    return datetime.fromisoformat(text)
