"""What any item of a model's output must have: sources in the batch, one scope, words that the sources bear out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from memory.audience import Scope
from memory.extraction_prompt import INSTRUCTIONS, Batch
from memory.grounding import echoes, in_language_of, invented_name
from memory.model import ExtractionJob, Source
from memory.privacy import clean_text, mask_secrets
from memory.safety import inspect

_SCOPE_WIDTH = {"dm": 0, "channel": 1, "community": 2}


class ItemRefused(Exception):
    """An item of the model's output cannot be taken over. The message says why, and holds no member's words."""


def jobs_of(item: dict[str, Any], batch: Batch) -> list[ExtractionJob]:
    """The messages that the item rests on, in their order."""
    named: object = item.get("sources")
    if not isinstance(named, list) or not named:
        raise ItemRefused("no source")
    names = cast("list[object]", named)
    if any(not isinstance(name, str) or name not in batch.turns for name in names):
        raise ItemRefused("a source that was not offered")
    jobs = [job for short, job in batch.turns.items() if short in names]
    if any(job.turn.speaker.is_bot for job in jobs):
        raise ItemRefused("the bot's own words as a source")
    return jobs


def narrowest_scope(jobs: Sequence[ExtractionJob]) -> Scope:
    """The narrowest scope of the sources; two private places never mix."""
    scopes = sorted({job.turn.scope for job in jobs}, key=lambda scope: _SCOPE_WIDTH[scope.visibility.kind])
    if len({scope.community for scope in scopes}) > 1 or sum(s.visibility.kind != "community" for s in scopes) > 1:
        raise ItemRefused("sources that different people can see")
    return scopes[0]


def source_of(job: ExtractionJob) -> Source:
    return Source(job.turn.id, job.turn.speaker, job.turn.at, job.channel_name)


def words_of(item: dict[str, Any], name: str, limit: int) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise ItemRefused(f"no {name}")
    text = mask_secrets(" ".join(clean_text(value).split()))
    if not text:
        raise ItemRefused(f"no {name}")
    if len(text) > limit:
        raise ItemRefused(f"{name} of {len(text)} characters; at most {limit} are kept")
    return text


def grounded(text: str, jobs: Sequence[ExtractionJob], batch: Batch, *, target: str = "") -> str:
    said = "\n".join((*_said(batch), target))
    if not in_language_of(text, [job.turn.text for job in jobs]):
        raise ItemRefused("not in the language of its source")
    if echoes(text, INSTRUCTIONS, said):
        raise ItemRefused("repeats the instructions")
    if invented_name(text, said) is not None:
        raise ItemRefused("a name that nobody mentioned")
    if inspect(text) is not None:
        raise ItemRefused("addresses the model")
    return text


def _said(batch: Batch) -> list[str]:
    return [f"{job.turn.speaker.name} {job.channel_name} {job.turn.text}" for job in batch.turns.values()]
