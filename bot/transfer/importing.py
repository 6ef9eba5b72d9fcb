"""Takes lines in, a batch at a time. The same lines again change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import BinaryIO, Final

from bot.transfer.foreign import ForeignLines
from bot.transfer.lines import LineRefused, decode, parsed
from memory.model import Memory, Neighbours, ProfileFact
from memory.ports import Filed, Holdings
from memory.system import AgentMemorySystem

BATCH: Final = 64
MAX_LINE_BYTES: Final = 1_000_000

Report = Callable[[int, str], None]
"""Told the number of a line, from 1, and why it was refused; never what it holds."""
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Imported:
    """How many lines were new, known already, left out (erased on purpose, or about who opted out) and refused."""

    added: int = 0
    known: int = 0
    left_out: int = 0
    refused: int = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            self.added + other.added,
            self.known + other.known,
            self.left_out + other.left_out,
            self.refused + other.refused,
        )


@dataclass(slots=True)
class _Batch:
    """Of Kith's own lines, the memories and facts as they were; of others, the memories that were made of them."""

    memories: list[Filed] = field(default_factory=list[Filed])
    facts: list[ProfileFact] = field(default_factory=list[ProfileFact])
    foreign: list[Memory] = field(default_factory=list[Memory])
    refused: int = 0

    @property
    def everything(self) -> list[Memory | ProfileFact]:
        return [*(filed.memory for filed in self.memories), *self.facts, *self.foreign]


@dataclass(frozen=True, slots=True)
class Importer:
    memory: AgentMemorySystem
    holdings: Holdings
    foreign: ForeignLines
    report: Report
    progress: Progress

    async def run(self, stream: BinaryIO) -> Imported:
        """Raises StoreUnavailable or EmbeddingFailed; what was taken in until then stays, and the rest can be had by
        importing again."""
        total = Imported()
        number = 0
        while lines := await asyncio.to_thread(_next_lines, stream):
            total += await self._take(self._batch(number, lines))
            number += len(lines)
            self.progress("importing", number)
        return total

    def _batch(self, number: int, lines: Sequence[bytes | None]) -> _Batch:
        batch = _Batch()
        for place, raw in enumerate(lines, number + 1):
            try:
                self._sort(raw, batch)
            except LineRefused as error:
                batch.refused += 1
                self.report(place, str(error))
        return batch

    def _sort(self, raw: bytes | None, batch: _Batch) -> None:
        if raw is None:
            raise LineRefused(f"is longer than {MAX_LINE_BYTES:,} bytes")
        if not raw.strip():
            return
        content = parsed(raw)
        if "kith" not in content:
            batch.foreign.append(self.foreign.read(content))
            return
        entry = decode(content)
        if isinstance(entry, Filed):
            batch.memories.append(entry)
        else:
            batch.facts.append(entry)

    async def _take(self, batch: _Batch) -> Imported:
        offered = batch.everything
        await self._respect_choices(batch)
        wanted = batch.everything
        before = await self.holdings.present([entry.id for entry in wanted])
        await self.holdings.restore(batch.memories, batch.facts)
        kept_as = [entry.id for entry in (*(filed.memory for filed in batch.memories), *batch.facts)]
        kept_as += await self.memory.remember(batch.foreign)
        await self.memory.index_now()
        there = await self.holdings.present(kept_as)
        added = {entry.id for entry in wanted} & there - before
        known = sum(id_ in there for id_ in kept_as) - len(added)
        return Imported(len(added), known, len(offered) - len(added) - known, batch.refused)

    async def _respect_choices(self, batch: _Batch) -> None:
        """Take out whatever rests on the words of, or is about, a member who wants nothing kept."""
        people = {member for entry in batch.everything for member in _people(entry)}
        opted_out = await self.holdings.opted_out(people)
        if not opted_out:
            return
        batch.memories = [
            replace(filed, memory=_without(filed.memory, opted_out))
            for filed in batch.memories
            if not _concerns(filed.memory, opted_out)
        ]
        batch.facts = [fact for fact in batch.facts if not _concerns(fact, opted_out)]
        batch.foreign = [memory for memory in batch.foreign if not _concerns(memory, opted_out)]


def _next_lines(stream: BinaryIO) -> list[bytes | None]:
    """The next lines; None for one that is too long. Empty at the end."""
    return list(islice(iter(lambda: _next_line(stream), b""), BATCH))


def _next_line(stream: BinaryIO) -> bytes | None:
    line = stream.readline(MAX_LINE_BYTES + 1)
    if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
        return line
    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
    return None


def _people(entry: Memory | ProfileFact) -> set[str]:
    """The members whose words the entry rests on or holds, or whom it is about."""
    about = entry.member_id if isinstance(entry, ProfileFact) else entry.subject
    near: Iterable[str] = () if isinstance(entry, ProfileFact) else entry.neighbours.speakers
    said = (source.speaker.member_id for source in entry.sources)
    return {member for member in (about, *near, *said) if member is not None}


def _concerns(entry: Memory | ProfileFact, opted_out: set[tuple[str, str]]) -> bool:
    people = _people(entry) if isinstance(entry, ProfileFact) else _people(replace(entry, neighbours=Neighbours()))
    return any((entry.scope.community, member) in opted_out for member in people)


def _without(memory: Memory, opted_out: set[tuple[str, str]]) -> Memory:
    """The memory without its neighbours, if one of them opted out."""
    near = {(memory.scope.community, member) for member in memory.neighbours.speakers}
    return replace(memory, neighbours=Neighbours()) if near & opted_out else memory
