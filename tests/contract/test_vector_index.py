"""What every search index promises, whichever store is behind it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.audience import Audience, Scope, Visibility
from memory.ports import IndexPoint, IndexQuery, SparseVector, VectorIndex
from tests.contract.conftest import INDEX_SCHEMA
from tests.contract.index_points import GUILD, PUBLIC, PointFactory, assert_complete


@pytest.fixture
def make() -> PointFactory:
    return PointFactory(INDEX_SCHEMA)


async def test_every_candidate_is_scored_under_every_vector(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(150)
    await index.upsert(points)
    for _ in range(5):
        query = make.query(limit=12)
        assert_complete(await index.search(query, PUBLIC), query, points, points)


async def test_term_statistics_are_those_of_the_whole_index(index: VectorIndex, make: PointFactory) -> None:
    mine, others = make.points(40), make.points(60, Scope("other", Visibility.community("other")))
    await index.upsert([*mine, *others])
    query = make.query(limit=8)
    assert_complete(await index.search(query, PUBLIC), query, mine, [*mine, *others])


async def test_scores_stay_right_after_points_were_replaced_and_deleted(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(80)
    await index.upsert(points)
    await index.delete([point.id for point in points[:30]])
    renewed = [make.point(id_=point.id) for point in points[30:50]]
    await index.upsert(renewed)
    living = [*renewed, *points[50:]]
    query = make.query(limit=10)
    assert_complete(await index.search(query, PUBLIC), query, living, living)


async def test_a_point_without_terms_is_no_document_of_the_statistics(index: VectorIndex, make: PointFactory) -> None:
    empty = SparseVector((), ())
    points = [
        *make.points(20),
        *(replace(point, sparse=dict.fromkeys(INDEX_SCHEMA.sparse, empty)) for point in make.points(20)),
    ]
    await index.upsert(points)
    query = make.query(limit=40)
    assert_complete(await index.search(query, PUBLIC), query, points, points)


async def test_a_point_that_loses_its_terms_is_not_found_by_them(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(20)
    await index.upsert(points)
    points[0] = replace(points[0], sparse=dict.fromkeys(INDEX_SCHEMA.sparse, SparseVector((), ())))
    await index.upsert(points[:1])
    query = make.query(limit=20)
    assert_complete(await index.search(query, PUBLIC), query, points, points)


async def test_upserting_twice_changes_nothing(index: VectorIndex, make: PointFactory) -> None:
    points, query = make.points(30), make.query()
    await index.upsert(points)
    before = await index.search(query, PUBLIC)
    await index.upsert(points)
    after = await index.search(query, PUBLIC)
    assert await index.ids() == {point.id for point in points}
    assert after.ids == before.ids
    for name, column in before.scores.items():
        np.testing.assert_allclose(after.scores[name], column, atol=1e-5)


async def test_an_upsert_replaces_scope_and_vectors(index: VectorIndex, make: PointFactory) -> None:
    point = make.point()
    await index.upsert([point])
    hidden = replace(make.point(Scope("guild", Visibility.dm("ann"))), id=point.id)
    await index.upsert([hidden])
    query = make.query()
    assert (await index.search(query, PUBLIC)).ids == ()
    direct = Audience.direct_message("guild", "ann")
    assert_complete(await index.search(query, direct), query, [hidden], [hidden])


async def test_deleted_points_are_gone_and_deleting_again_is_harmless(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(10)
    await index.upsert(points)
    for _ in range(2):
        await index.delete([points[0].id, points[1].id, UUID(int=5)])
    left = {point.id for point in points[2:]}
    assert await index.ids() == left
    assert set((await index.search(make.query(20), PUBLIC)).ids) == left


async def test_clear_leaves_an_empty_and_usable_index(index: VectorIndex, make: PointFactory) -> None:
    await index.upsert(make.points(10))
    await index.clear()
    assert await index.ids() == set()
    assert (await index.search(make.query(), PUBLIC)).ids == ()
    point = make.point()
    await index.upsert([point])
    assert await index.ids() == {point.id}


async def test_an_empty_index_answers_with_nothing(index: VectorIndex, make: PointFactory) -> None:
    query = make.query()
    found = await index.search(query, PUBLIC)
    assert found.ids == () and found.languages == ()
    assert {name: column.shape for name, column in found.scores.items()} == {
        name: (0,) for name in (*query.dense, *query.sparse)
    }
    await index.delete([UUID(int=1)])
    await index.upsert([])
    await index.delete([])
    assert await index.ids() == set()


async def test_an_empty_audience_sees_nothing(index: VectorIndex, make: PointFactory) -> None:
    await index.upsert(make.points(5))
    found = await index.search(make.query(), Audience("guild", frozenset()))
    assert found.ids == ()
    assert all(column.shape == (0,) for column in found.scores.values())


async def test_a_sparse_query_without_terms_scores_zero(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(20)
    await index.upsert(points)
    query = IndexQuery(make.query().dense, dict.fromkeys(INDEX_SCHEMA.sparse, SparseVector((), ())), 5)
    found = await index.search(query, PUBLIC)
    assert_complete(found, query, points, points)
    assert not found.scores["words"].any()


async def test_unknown_terms_find_nothing(index: VectorIndex, make: PointFactory) -> None:
    await index.upsert(make.points(20))
    rare = IndexQuery({}, {"words": SparseVector((4_000_000_000,), (1.0,))}, 5)
    assert (await index.search(rare, PUBLIC)).ids == ()


async def test_terms_span_32_bits(index: VectorIndex, make: PointFactory) -> None:
    vector = SparseVector((0, 4_294_967_295), (1.0, 1.5))
    point = replace(make.point(), sparse={"words": vector, "gist": vector})
    await index.upsert([point])
    query = IndexQuery({}, {"words": vector}, 5)
    assert_complete(await index.search(query, PUBLIC), query, [point], [point])


async def test_a_query_may_use_some_of_the_vectors(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(30)
    await index.upsert(points)
    query = IndexQuery({"context": make.unit()}, {"gist": make.sparse()}, 4)
    assert_complete(await index.search(query, PUBLIC), query, points, points)


async def test_the_limit_counts_per_vector(index: VectorIndex, make: PointFactory) -> None:
    await index.upsert(make.points(50))
    one = IndexQuery({"text": make.unit()}, {}, 7)
    assert len((await index.search(one, PUBLIC)).ids) == 7
    assert 7 <= len((await index.search(make.query(7), PUBLIC)).ids) <= 28


async def test_the_same_search_gives_the_same_answer(index: VectorIndex, make: PointFactory) -> None:
    same = make.point()
    twins = [replace(same, id=UUID(int=number)) for number in range(9, 0, -1)]
    await index.upsert([*make.points(40), *twins])
    query = IndexQuery(same.dense, same.sparse, 20)
    first = await index.search(query, PUBLIC)
    again = await index.search(query, PUBLIC)
    assert first.ids == again.ids and list(first.ids) == sorted(first.ids)
    assert {twin.id for twin in twins} <= set(first.ids)
    for name, column in first.scores.items():
        np.testing.assert_array_equal(column, again.scores[name])


async def test_points_and_queries_of_another_shape_are_refused(index: VectorIndex, make: PointFactory) -> None:
    point = make.point()
    with pytest.raises(ValueError, match="dimensions"):
        await index.upsert([replace(point, dense={name: np.ones(3, np.float32) for name in INDEX_SCHEMA.dense})])
    with pytest.raises(ValueError, match="schema"):
        await index.upsert([replace(point, dense={"text": point.dense["text"]})])
    with pytest.raises(ValueError, match="dimensions"):
        await index.search(IndexQuery({"text": np.ones(3, np.float32)}, {}, 5), PUBLIC)
    with pytest.raises(ValueError, match="limit"):
        await index.search(make.query(0), PUBLIC)
    assert await index.ids() == set()


async def test_a_large_batch_arrives_whole(index: VectorIndex, make: PointFactory) -> None:
    points = make.points(3_000)
    await index.upsert(points)
    assert await index.ids() == {point.id for point in points}
    await index.delete([point.id for point in points[:2_900]])
    query = make.query(limit=100)
    assert_complete(await index.search(query, PUBLIC), query, points[2_900:], points[2_900:])


async def test_a_dm_memory_never_reaches_a_channel(index: VectorIndex, make: PointFactory) -> None:
    direct = make.points(10, Scope("guild", Visibility.dm("ann")))
    private = make.points(10, Scope("guild", Visibility.channel("staff")))
    public = make.points(10, GUILD)
    await index.upsert([*direct, *private, *public])

    async def seen(audience: Audience) -> set[UUID]:
        return set((await index.search(make.query(30), audience)).ids)

    def ids(*groups: list[IndexPoint]) -> set[UUID]:
        return {point.id for group in groups for point in group}

    assert await seen(PUBLIC) == ids(public)
    assert await seen(Audience.private_channel("guild", "staff")) == ids(private, public)
    assert await seen(Audience.direct_message("guild", "ann", member_of=["guild"])) == ids(direct, public)
    assert await seen(Audience.direct_message("guild", "bob")) == set()
    assert await seen(Audience.public("other")) == set()


ODD_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=0, max_size=6) | st.sampled_from(
    [
        "g",
        "G",
        "g/",
        "g:",
        "%",
        "%2F",
        "*",
        "?",
        "\x00",
        "''",
        '"',
        "群",
        "群组",
        "é",
        "e\u0301",
        " ",
        "\n",
        "\u200b",
        "🙂",
    ]
)
SCOPES = st.builds(
    lambda community, kind, id_: Scope(community, Visibility(kind, id_)),
    ODD_TEXT,
    st.sampled_from(["dm", "channel", "community"]),
    ODD_TEXT,
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(scopes=st.lists(SCOPES, min_size=1, max_size=8, unique=True), chosen=st.data())
async def test_a_point_outside_the_audience_is_never_returned(
    opened_index: VectorIndex, scopes: list[Scope], chosen: st.DataObject
) -> None:
    make = PointFactory(INDEX_SCHEMA, seed=len(scopes))
    audience = Audience("g", frozenset(chosen.draw(st.lists(st.sampled_from(scopes) | SCOPES, max_size=16))))
    await opened_index.delete(list(await opened_index.ids()))
    points = {scope: make.point(scope) for scope in scopes}
    await opened_index.upsert(list(points.values()))
    found = await opened_index.search(make.query(limit=50), audience)
    assert set(found.ids) == {point.id for scope, point in points.items() if audience.may_see(scope)}
