"""The relevance floor, with the real local embedder: what is recalled from a store of one memory, and what is not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.llm.local_embedder import LocalEmbedder
from memory.language import language_of
from memory.model import Memory
from memory.ports import Candidates, Embedder, Fingerprint, Floats
from memory.question import QueryFacts
from memory.ranking import Search, passages, sparse_vectors
from memory.relevance import LANGUAGES, Calibration, Evidence, UsualQuery, cohort
from tests.factories import NOON, a_memory

FLOOR = 0.5


def _pairs(name: str) -> list[dict[str, Any]]:
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


PAIRS = _pairs("relevance_pairs.json")
"""What the weights were set with."""
UNSEEN = _pairs("relevance_pairs_unseen.json")
"""Written after the weights were set."""


@pytest.fixture(scope="module")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    try:
        yield embedder
    finally:
        await embedder.close()


@pytest.fixture(scope="module")
async def calibration(embedder: LocalEmbedder) -> Calibration:
    return await Calibration.load(embedder)


async def relevance(embedder: Embedder, calibration: Calibration, question: str, memories: Sequence[Memory]) -> float:
    """The best relevance that `question` finds in a store of `memories`."""
    facts = QueryFacts(text=question, now=NOON)
    search = Search.plan(
        facts, (await embedder.embed_queries([facts.wording]))[0], calibration, store_size=len(memories)
    )
    candidates = await _candidates(embedder, search, memories)
    return max(item.relevance for item in search.rank(candidates, memories))


async def _candidates(embedder: Embedder, search: Search, memories: Sequence[Memory]) -> Candidates:
    query = search.index_query
    scores: dict[str, Floats] = {}
    for name, vector in query.dense.items():
        scores[name] = await embedder.embed_passages([passages(memory)[name] for memory in memories]) @ vector
    for name, wanted in query.sparse.items():
        weights = dict(zip(wanted.indices, wanted.values, strict=True))
        held = [sparse_vectors(memory)[name] for memory in memories]
        scores[name] = np.array(
            [sum(weights.get(i, 0.0) * v for i, v in zip(one.indices, one.values, strict=True)) for one in held],
            dtype=np.float32,
        )
    return Candidates(tuple(m.id for m in memories), tuple(m.language for m in memories), scores)


async def test_the_meetup_is_recalled_when_asked_for_and_only_then(
    embedder: LocalEmbedder, calibration: Calibration
) -> None:
    for pair in PAIRS[:2]:
        memories = [a_memory(pair["memory"], language=language_of(pair["memory"]))]
        for question in pair["related"]:
            assert await relevance(embedder, calibration, question, memories) >= FLOOR, question
        for question in pair["unrelated"]:
            assert await relevance(embedder, calibration, question, memories) < FLOOR, question


@pytest.mark.parametrize(("pairs", "least"), [(PAIRS, 0.97), (UNSEEN, 0.9)], ids=["seen", "unseen"])
async def test_few_questions_are_misjudged_in_either_direction_or_language(
    embedder: LocalEmbedder, calibration: Calibration, pairs: list[dict[str, Any]], least: float
) -> None:
    verdicts: dict[str, list[bool]] = {"related": [], "unrelated": []}
    for pair in pairs:
        memories = [a_memory(pair["memory"], language=language_of(pair["memory"]))]
        for kind, recalled in verdicts.items():
            for question in pair[kind]:
                recalled.append(await relevance(embedder, calibration, question, memories) >= FLOOR)
    hits, false_hits = sum(verdicts["related"]), sum(verdicts["unrelated"])
    assert hits / len(verdicts["related"]) >= least
    assert hits / (hits + false_hits) >= least


async def test_the_right_memory_stands_out_in_a_store_of_many(
    embedder: LocalEmbedder, calibration: Calibration
) -> None:
    memories = [a_memory(pair["memory"], language=language_of(pair["memory"])) for pair in PAIRS]
    assert await relevance(embedder, calibration, "Lena 是做什么工作的？", memories) >= FLOOR
    assert await relevance(embedder, calibration, "what do pandas eat?", memories) < FLOOR


async def test_the_shipped_calibration_is_what_the_embedder_measures(embedder: LocalEmbedder) -> None:
    shipped = Calibration.shipped(embedder.fingerprint)
    assert shipped is not None
    for language in LANGUAGES:
        lines = cohort(f"passages_{language}")
        assert shipped.passages[language].shape == (len(lines), embedder.fingerprint.dimensions)
        sample = await embedder.embed_passages(lines[-3:])
        assert np.allclose(shipped.passages[language][-3:], sample, atol=0.02)


class _Unknown:
    """An embedder that Kith has never seen: letters counted into a few buckets."""

    fingerprint = Fingerprint("openai", "someone/elses", 16)

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Floats:
        vectors = np.ones((len(texts), 16), dtype=np.float32)
        for row, text in enumerate(texts):
            for char in text:
                vectors[row, ord(char) % 16] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def test_an_unknown_embedder_is_measured_on_the_cohort() -> None:
    embedder = _Unknown()
    assert Calibration.shipped(embedder.fingerprint) is None
    calibration = await Calibration.load(embedder)
    assert calibration.fingerprint == embedder.fingerprint
    sharp = calibration.sharpen((await embedder.embed_queries(["hello there"]))[0], "en")
    assert np.linalg.norm(sharp) == pytest.approx(1.0, abs=1e-5)
    assert all(spread.deviation > 0 for spread in calibration.spread(sharp).values())


def _evidence(standing: float, crowd: int = 1, covered: float = 0.0, missing: float = 0.0) -> Evidence:
    one = [np.array([value], dtype=np.float32) for value in (standing, covered, covered, missing)]
    return Evidence(one[0], one[1], one[2], one[3], crowd=crowd)


async def test_evidence_moves_relevance_the_right_way(calibration: Calibration) -> None:
    def of(**fields: float) -> float:
        return float(calibration.relevance(_evidence(3.0, **fields))[0])  # type: ignore[arg-type]

    assert of(covered=0.5) > of() > of(missing=1.0)
    assert of(crowd=1) > of(crowd=1_000) > of(crowd=100_000)


async def test_company_of_a_sure_hit_raises_the_others_but_never_over_it(calibration: Calibration) -> None:
    alone = float(calibration.relevance(_evidence(2.0))[0])
    zeros = np.zeros(2, dtype=np.float32)
    sure, beside = calibration.relevance(Evidence(np.array([8.0, 2.0], np.float32), zeros, zeros, zeros, crowd=1))
    assert alone < beside < sure


async def test_no_evidence_is_no_relevance(calibration: Calibration) -> None:
    nothing = np.zeros(0, dtype=np.float32)
    assert calibration.relevance(Evidence(nothing, nothing, nothing, nothing, crowd=0)).size == 0


def test_the_usual_question_follows_what_is_asked() -> None:
    usual = UsualQuery({"zh": np.zeros(2, np.float32), "en": np.zeros(2, np.float32)})
    for _ in range(200):
        usual.learn(np.array([1.0, 0.0], np.float32), "en")
    assert usual.mean("en")[0] > 0.9
    assert usual.mean("zh")[0] == 0.0
    assert usual.mean("other")[0] == usual.mean("en")[0]


async def test_what_one_community_asks_moves_no_other(calibration: Calibration) -> None:
    one, other = calibration.for_community(), calibration.for_community()
    before = other.usual.mean("en")

    for _ in range(50):
        one.usual.learn(np.ones(before.shape, np.float32), "en")

    assert not np.allclose(one.usual.mean("en"), before)
    assert np.array_equal(other.usual.mean("en"), before)
    assert np.array_equal(calibration.usual.mean("en"), before)
