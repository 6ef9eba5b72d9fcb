"""What a model made of a batch, checked against the batch. One bad item is refused by itself, with a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from memory.dates import find
from memory.errors import ModelOutputInvalid
from memory.extraction_items import ItemRefused, grounded, jobs_of, narrowest_scope, source_of, words_of
from memory.extraction_prompt import KINDS, Batch
from memory.language import language_of
from memory.model import (
    ExtractionJob,
    Kind,
    Memory,
    MemoryChanges,
    Neighbours,
    ProfileFact,
    ProfileField,
    Source,
    Supersession,
    derived_id,
)
from memory.privacy import clean_text, mask_secrets
from memory.profile import folded
from memory.safety import inspect
from memory.sentences import statements

MAX_OUTPUT_CHARS = 200_000
MAX_TEXT_CHARS = 600
MAX_GIST_CHARS = 200
MAX_VALUE_CHARS = 200
MAX_ITEMS_PER_TURN = 6
TRUST = {"member": 0.5, "admin": 0.8}
HEARSAY_TRUST = 0.6
"""Hearsay is trusted this much less."""

_KEY = re.compile(r"[^\w: +#.-]+")
_RELATIVE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last night|this morning)\b|昨天|昨晚|今天|今晚|今早|明天|明晚|后天|前天",
    re.IGNORECASE,
)
_DATED = re.compile(r"\d{4}|\d{1,2}\s*月|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_LANGUAGES = {
    "english": "en",
    "英文": "en",
    "英语": "en",
    "chinese": "zh",
    "中文": "zh",
    "汉语": "zh",
    "mandarin": "zh",
}
_LEVELS = frozenset(("beginner", "intermediate", "expert"))


@dataclass(frozen=True, slots=True)
class Reading:
    changes: MemoryChanges
    refused: tuple[str, ...]


def read(text: str, batch: Batch) -> Reading:
    """The changes that the model's output asks for, and why some of its items were refused.

    Raises ModelOutputInvalid when the output as a whole cannot be read.
    """
    output = _parsed(text)
    changes, refused = MemoryChanges(), list[str]()
    limit = MAX_ITEMS_PER_TURN * len(batch.turns)
    for name, take in (("memories", _take_memory), ("profile", _take_fact)):
        items = output[name]
        if len(items) > limit:
            refused.append(f"{name}: {len(items) - limit} items too many")
        for place, item in enumerate(items[:limit], 1):
            try:
                changes = take(_as_object(item), batch, changes)
            except ItemRefused as reason:
                refused.append(f"{name} {place}: {reason}")
    return Reading(changes, tuple(refused))


def _parsed(text: str) -> dict[str, list[Any]]:
    if len(text) > MAX_OUTPUT_CHARS:
        raise ModelOutputInvalid(f"the output is {len(text)} characters long; at most {MAX_OUTPUT_CHARS} are read")
    body = re.sub(r"^\s*```(?:json)?\s*|\s*```\s*$", "", text)
    try:
        output = json.loads(body)
    except (ValueError, RecursionError):
        raise ModelOutputInvalid("the output is not JSON") from None
    if not isinstance(output, dict):
        raise ModelOutputInvalid("the output is not a JSON object")
    fields = cast("dict[str, Any]", output)
    for name in ("memories", "profile"):
        if not isinstance(fields.get(name), list):
            raise ModelOutputInvalid(f"the output has no list “{name}”")
    return fields


def _as_object(item: object) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise ItemRefused("not an object")
    return cast("dict[str, Any]", item)


# --- memories -------------------------------------------------------------------------------------------------------


def _take_memory(item: dict[str, Any], batch: Batch, changes: MemoryChanges) -> MemoryChanges:
    op = item.get("op")
    if op not in ("add", "update", "supersede", "nothing"):
        raise ItemRefused("an unknown operation")
    jobs = jobs_of(item, batch)
    target = None if op == "add" else _target(item, batch)
    if op != "add" and target is None:
        raise ItemRefused("no target")
    if op == "nothing" and target is not None:
        return replace(changes, refresh=(*changes.refresh, _refreshed(target, jobs)))
    memory = _memory(item, jobs, batch, target.text if target else "")
    return _applied(str(op), memory, target, jobs, changes)


def _target(item: dict[str, Any], batch: Batch) -> Memory | None:
    short = item.get("target")
    if short is None:
        return None
    if not isinstance(short, str) or short not in batch.memories:
        raise ItemRefused("a target that was not offered")
    return batch.memories[short]


def _refreshed(target: Memory, jobs: Sequence[ExtractionJob]) -> tuple[Any, datetime, tuple[Source, ...]]:
    return target.id, max(job.turn.at for job in jobs), tuple(source_of(job) for job in jobs)


def _applied(
    op: str, memory: Memory, target: Memory | None, jobs: Sequence[ExtractionJob], changes: MemoryChanges
) -> MemoryChanges:
    if any(folded(added.text) == folded(memory.text) for added in changes.add):
        raise ItemRefused("said twice in the same output")
    if op == "update" and target is not None and _may_change(target, jobs) and _same_figures(target.text, memory.text):
        return replace(
            changes,
            update=(*changes.update, (target.id, memory.text)),
            refresh=(*changes.refresh, _refreshed(target, jobs)),
        )
    added = replace(changes, add=(*changes.add, memory))
    both_happened = target is not None and target.kind is Kind.EVENT and memory.kind is Kind.EVENT
    if op == "add" or target is None or both_happened or not _may_change(target, jobs):
        return added
    return replace(added, supersede=(*added.supersede, Supersession(target.id, memory.id, memory.sources[-1].at)))


def _may_change(target: Memory, jobs: Sequence[ExtractionJob]) -> bool:
    """What is held about a member, only they or an admin can change; a later word wins over an earlier one only."""
    if max(job.turn.at for job in jobs) < target.valid_from and target.kind is not Kind.EVENT:
        return False
    if target.subject is None or target.hearsay:
        return True
    return any(job.turn.speaker.member_id == target.subject or job.speaker_role == "admin" for job in jobs)


def _same_figures(old: str, new: str) -> bool:
    return set(re.findall(r"\d+", old)) <= set(re.findall(r"\d+", new))


def _memory(item: dict[str, Any], jobs: Sequence[ExtractionJob], batch: Batch, target_text: str) -> Memory:
    kind = item.get("kind")
    if kind not in [known.value for known in KINDS]:
        raise ItemRefused("an unknown kind")
    text = grounded(words_of(item, "text", MAX_TEXT_CHARS), jobs, batch, target=target_text)
    text = _with_dates(text, jobs, batch)
    subject = _subject(item, batch)
    hearsay = subject is not None and all(job.turn.speaker.member_id != subject for job in jobs)
    trust = max(TRUST[job.speaker_role] for job in jobs)
    last = max(job.turn.at for job in jobs)
    return Memory(
        id=derived_id("memory", str(jobs[0].turn.id), folded(text)),
        scope=narrowest_scope(jobs),
        text=text,
        kind=Kind(kind),
        language=language_of(text),
        sources=tuple(source_of(job) for job in jobs),
        created_at=last,
        last_seen_at=last,
        valid_from=_valid_from(item, jobs, batch),
        importance=_importance(item),
        trust=trust * HEARSAY_TRUST if hearsay else trust,
        subject=subject,
        hearsay=hearsay,
        neighbours=_neighbours(jobs, batch),
        gist=_gist(item),
    )


def _subject(item: dict[str, Any], batch: Batch) -> str | None:
    short = item.get("subject")
    if short is None:
        return None
    if not isinstance(short, str) or short not in batch.people:
        raise ItemRefused("a subject that was not offered")
    return batch.people[short]


def _importance(item: dict[str, Any]) -> float:
    value = item.get("importance")
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ItemRefused("an importance that is no number")
    return min(1.0, max(0.0, float(value)))


def _gist(item: dict[str, Any]) -> str:
    value = item.get("gist")
    if not isinstance(value, str):
        return ""
    gist = mask_secrets(" ".join(clean_text(value).split()))
    return "" if len(gist) > MAX_GIST_CHARS or inspect(gist) is not None else gist


def _valid_from(item: dict[str, Any], jobs: Sequence[ExtractionJob], batch: Batch) -> datetime:
    said_at = jobs[0].turn.at
    value = item.get("valid_from")
    if value is None or value == "":
        return said_at
    try:
        stated = datetime.fromisoformat(str(value))
    except ValueError:
        raise ItemRefused("a date that is no date") from None
    if stated.tzinfo is None:
        stated = stated.replace(tzinfo=batch.zone)
    try:
        stated = stated.astimezone(UTC)
    except OverflowError:
        raise ItemRefused("an impossible date") from None
    if not said_at - timedelta(days=36_525) < stated < said_at + timedelta(days=3_653):
        raise ItemRefused("an impossible date")
    return _relative_day(jobs, batch) or stated


def _relative_day(jobs: Sequence[ExtractionJob], batch: Batch) -> datetime | None:
    """The day that the sources mean by "tomorrow" and the like, if that is the only time they name."""
    periods = [period for job in jobs for period in find(job.turn.text, job.turn.at, batch.zone)]
    relative = any(_RELATIVE.search(job.turn.text) for job in jobs)
    return periods[0].start if relative and len(periods) == 1 else None


def _with_dates(text: str, jobs: Sequence[ExtractionJob], batch: Batch) -> str:
    """`text` with the calendar date beside a relative day that the model left as it was."""
    if _DATED.search(text):
        return text
    at = jobs[0].turn.at

    def dated(word: re.Match[str]) -> str:
        periods = find(word[0], at, batch.zone)
        if not periods:
            return word[0]
        day = periods[0].start.astimezone(batch.zone).date().isoformat()
        return f"{word[0]}（{day}）" if language_of(text) == "zh" else f"{word[0]} ({day})"

    return _RELATIVE.sub(dated, text)


def _neighbours(jobs: Sequence[ExtractionJob], batch: Batch) -> Neighbours:
    """What was said right before and after in the same batch, for the index only."""
    turns = [job.turn for job in batch.turns.values()]
    first, last = jobs[0].turn, jobs[-1].turn
    before = next((turn for turn in reversed(turns) if turn.seq < first.seq and turn.scope == first.scope), None)
    after = next((turn for turn in turns if turn.seq > last.seq and turn.scope == last.scope), None)
    near = [turn for turn in (before, after) if turn is not None]
    return Neighbours(
        before=mask_secrets(before.text)[:MAX_TEXT_CHARS] if before else "",
        after=mask_secrets(after.text)[:MAX_TEXT_CHARS] if after else "",
        speakers=tuple(dict.fromkeys(str(t.speaker.member_id) for t in near if not t.speaker.is_bot)),
    )


# --- profile --------------------------------------------------------------------------------------------------------


def _take_fact(item: dict[str, Any], batch: Batch, changes: MemoryChanges) -> MemoryChanges:
    op = item.get("op")
    if op not in ("add", "retire"):
        raise ItemRefused("an unknown operation")
    member = item.get("member")
    if not isinstance(member, str) or member not in batch.people:
        raise ItemRefused("a member that was not offered")
    member_id = batch.people[member]
    jobs = jobs_of(item, batch)
    if any(job.turn.speaker.member_id != member_id for job in jobs):
        raise ItemRefused("hearsay: not from the member's own words")
    if not any(statements(job.turn.text) for job in jobs):
        raise ItemRefused("asked, quoted or supposed, not stated")
    retired = _retired(item, member_id, batch, required=op == "retire")
    at = max(job.turn.at for job in jobs)
    endings = tuple((fact.id, at) for fact in retired)
    facts = () if op == "retire" else (_fact(item, jobs, batch, member_id),)
    return replace(
        changes,
        facts=(*changes.facts, *facts),
        retire_facts=(*changes.retire_facts, *(ending for ending in endings if ending not in changes.retire_facts)),
    )


def _retired(item: dict[str, Any], member_id: str, batch: Batch, *, required: bool) -> list[ProfileFact]:
    short = item.get("target")
    if short is None and not required:
        return []
    if not isinstance(short, str) or short not in batch.facts:
        raise ItemRefused("a target that was not offered")
    if batch.facts[short].member_id != member_id:
        raise ItemRefused("another member's fact as target")
    return [batch.facts[short]]


def _fact(item: dict[str, Any], jobs: Sequence[ExtractionJob], batch: Batch, member_id: str) -> ProfileFact:
    field = item.get("field")
    if field not in [known.value for known in ProfileField]:
        raise ItemRefused("an unknown field")
    value = _value(ProfileField(field), words_of(item, "value", MAX_VALUE_CHARS), jobs, batch)
    key = item.get("key")
    key = " ".join(_KEY.sub(" ", clean_text(key)).casefold().split())[:60] if isinstance(key, str) else ""
    return ProfileFact(
        id=derived_id("fact", str(jobs[0].turn.id), str(field), key, folded(value)),
        member_id=member_id,
        scope=narrowest_scope(jobs),
        field=ProfileField(field),
        value=value,
        stated_at=max(job.turn.at for job in jobs),
        sources=tuple(source_of(job) for job in jobs),
        key=key,
    )


def _value(field: ProfileField, value: str, jobs: Sequence[ExtractionJob], batch: Batch) -> str:
    if field is ProfileField.EXPERTISE:
        if value.casefold() not in _LEVELS:
            raise ItemRefused("an unknown level")
        return value.casefold()
    if field is ProfileField.LANGUAGE:
        return _LANGUAGES.get(value.casefold(), value)
    if field is ProfileField.NAME:
        if not any(folded(value) in folded(job.turn.text) for job in jobs):
            raise ItemRefused("a name that the member did not give")
        return value
    return grounded(value, jobs, batch)
