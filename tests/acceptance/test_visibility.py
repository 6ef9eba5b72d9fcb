"""Nothing is used before people who could not see it where it was said."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory.audience import Audience, Scope, Visibility, VisibilityKind
from memory.model import MemoryChanges
from memory.ports import IndexQuery, IndexSchema
from memory.storage.index import InMemoryIndex
from memory.storage.postgres import Record
from tests.acceptance.kith_process import environment, run_script
from tests.contract.index_points import PointFactory
from tests.factories import a_fact, a_memory, an_id
from tests.fakes.openai_server import ScriptedModel

AUDIENCES = 10_000
AT_ONCE = 200
NAMES = ("home", "away", "a/dm:b", "a%2Fdm", "b:c", "社区")
"""Communities, channels and members share these, so that nothing is kept apart by luck."""
SCHEMA = IndexSchema(dense=("text",), sparse=("words",), dimensions=8)


def every_scope() -> list[Scope]:
    kinds: tuple[VisibilityKind, ...] = ("dm", "channel", "community")
    return [Scope(here, Visibility(kind, name)) for here in NAMES for kind in kinds for name in NAMES]


def an_audience(chance: random.Random) -> tuple[Audience, set[Scope]]:
    """A reply's audience, and by the rules alone what everyone in it may see."""
    here, name = chance.choice(NAMES), chance.choice(NAMES)
    public = Scope(here, Visibility("community", here))
    match chance.randrange(3):
        case 0:
            return Audience.public(here), {public}
        case 1:
            return Audience.private_channel(here, name), {public, Scope(here, Visibility("channel", name))}
        case _:
            communities = chance.sample(NAMES, chance.randrange(3))
            channels = [(chance.choice(NAMES), chance.choice(NAMES)) for _ in range(chance.randrange(3))]
            audience = Audience.direct_message(here, name, member_of=communities, readable_channels=channels)
            seen = {Scope(other, Visibility("community", other)) for other in communities}
            seen |= {Scope(other, Visibility("channel", channel)) for other, channel in channels}
            return audience, {Scope(here, Visibility("dm", name)), *seen}


async def test_no_audience_finds_more_or_less_than_it_may_see(record: Record) -> None:
    scopes, points = every_scope(), PointFactory(SCHEMA)
    memories = [a_memory(id=an_id(), scope=scope) for scope in scopes]
    facts = [a_fact(id=an_id(), scope=scope, member_id="someone") for scope in scopes]
    await record.memories.apply(MemoryChanges(add=tuple(memories), facts=tuple(facts)))
    index = await InMemoryIndex.open(SCHEMA)
    await index.upsert([points.point(memory.scope, id_=memory.id) for memory in memories])
    where, ids = {memory.id: memory.scope for memory in memories}, [memory.id for memory in memories]
    query: IndexQuery = replace(points.query(), limit=len(memories))

    async def check(audience: Audience, seen: set[Scope]) -> None:
        found = await index.search(query, audience)
        by_ids = await record.memories.by_ids(ids, audience)
        newest = await record.memories.newest(audience, limit=len(ids))
        known = await record.profiles.facts("someone", audience)

        for shown in (
            [where[id_] for id_ in found.ids],
            *([row.scope for row in rows] for rows in (by_ids, newest, known)),
        ):
            assert len(shown) == len(seen) and set(shown) == seen, audience

    chance = random.Random(5)  # noqa: S311 - test data
    cases: dict[Audience, set[Scope]] = {}
    while len(cases) < AUDIENCES:
        audience, seen = an_audience(chance)
        cases[audience] = seen
    waiting = list(cases.items())
    for start in range(0, len(waiting), AT_ONCE):
        await asyncio.gather(*(check(*case) for case in waiting[start : start + AT_ONCE]))


PLACES: dict[str, dict[str, Any]] = {
    "public": {"user": "alice", "channel": "general"},
    "staff": {"user": "alice", "channel": "staff", "visibility": "channel"},
    "board": {"user": "alice", "channel": "board", "visibility": "channel"},
    "alice": {"user": "alice", "visibility": "dm"},
    "bob": {"user": "bob", "visibility": "dm"},
    "away": {"user": "alice", "channel": "general", "community": "away"},
    "away staff": {"user": "alice", "channel": "staff", "visibility": "channel", "community": "away"},
    "away alice": {"user": "alice", "visibility": "dm", "community": "away"},
    "open staff": {"user": "alice", "channel": "staff"},
}
SAID = {
    "public": "Quillon",
    "staff": "Brambor",
    "board": "Zephrine",
    "alice": "Mortlake",
    "bob": "Vantrell",
    "away": "Ostrava",
    "away staff": "Kelbrook",
    "away alice": "Tindaro",
}
SEEN = {
    "public": {"public"},
    "open staff": {"public"},
    "staff": {"public", "staff"},
    "board": {"public", "board"},
    "alice": {"public", "alice"},
    "bob": {"public", "bob"},
    "away": {"away"},
    "away staff": {"away", "away staff"},
    "away alice": {"away", "away alice"},
}


async def test_what_is_said_in_one_place_never_shows_in_another(tmp_path: Path, model: ScriptedModel) -> None:
    told = await run_script([{**PLACES[place], "text": f"I live in {city}"} for place, city in SAID.items()], tmp_path)
    assert told.status == 0, told.stderr
    questions = [
        {**who, "text": text}
        for place in PLACES.values()
        for who in (place, {**place, "user": "bob" if place["user"] == "alice" else "alice"})
        if place.get("visibility") != "dm" or who is place
        for text in ("Where does alice live, and where does bob live?", "/why", "/profile", "/memory show")
    ]
    served = [next(name for name, place in PLACES.items() if _same_place(place, line)) for line in questions]

    asked = await run_script(
        questions, tmp_path, env=environment(OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY="test")
    )

    assert asked.status == 0, asked.stderr
    for place, line, answer in zip(served, questions, asked.lines, strict=True):
        shown = {name for name, city in SAID.items() if city in json.dumps(answer, ensure_ascii=False)}
        assert shown <= SEEN[place], (place, line)
        if line["text"] == "/memory show":
            assert shown == SEEN[place], (place, line)
    questions_asked = [place for place, line in zip(served, questions, strict=True) if not line["text"].startswith("/")]
    for place, request in zip(questions_asked, model.chats, strict=True):
        assert {name for name, city in SAID.items() if city in request.text} <= SEEN[place], place


def _same_place(place: dict[str, Any], line: dict[str, Any]) -> bool:
    if place.get("visibility") == "dm" and place["user"] != line["user"]:
        return False
    return all(place.get(name) == line.get(name) for name in ("channel", "visibility", "community"))
