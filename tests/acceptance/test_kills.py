"""What was acknowledged survives kill -9 of Kith, of its index's process and of its PostgreSQL, at any moment."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.killing import run_round, script, storm


async def test_nothing_acknowledged_is_lost_or_kept_twice_whatever_is_killed(folder_path: Path) -> None:
    rounds, verdict = await storm(folder_path, length=24, rounds=3, seed=11, most=5)

    assert verdict.sound, verdict
    assert verdict.memories == 24
    assert [one.left_over for one in rounds] == [[]] * len(rounds)
    assert rounds[-1].status == 0, rounds[-1].stderr
    assert not any("Traceback" in one.stderr for one in rounds)


async def test_a_script_goes_on_when_its_index_or_database_is_killed_under_it(folder_path: Path) -> None:
    lines = script(12)
    index = await run_round(lines[:6], folder_path, "index", 1, 0.0)
    postgres = await run_round(lines[6:], folder_path, "postgres", 1, 0.0)

    assert (index.status, postgres.status) == (0, 0), index.stderr + postgres.stderr
    assert len(index.acknowledged) == 6
    assert not index.left_over and not postgres.left_over
