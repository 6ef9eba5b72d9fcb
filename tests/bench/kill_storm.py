"""Kill -9 at random: Kith, its index's process or its PostgreSQL, in the middle of a long script, again and again.

`python -m tests.bench.kill_storm --rounds 50 --seed 1` prints a line for each round and ends with what was lost, twice,
or different between the record and the index: all of that must be none.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.acceptance.killing import Round, Verdict, storm
from tests.bench.report import machine, progress, quantile, say, table


async def measure(rounds: int, messages: int, seed: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="kith-storm-") as folder:
        done, verdict = await storm(Path(folder), length=messages, rounds=rounds, seed=seed, tell=_progress)
    _tell(done, verdict)
    return verdict.sound and not any(one.left_over for one in done)


def _progress(one: Round) -> None:
    progress(f"killed {one.victim}; first answer {one.first_answer_s:.1f} s, {len(one.acknowledged)} acknowledged")


def _tell(done: list[Round], verdict: Verdict) -> None:
    rows = [
        (
            str(number),
            one.victim or "nothing",
            round(one.first_answer_s, 2),
            len(one.acknowledged),
            str(one.status),
            len(one.left_over),
        )
        for number, one in enumerate(done, start=1)
    ]
    table(("round", "killed", "first answer s", "acknowledged", "status", "left over"), rows)
    say()
    starts = [one.first_answer_s for one in done if one.first_answer_s]
    say(f"{machine()}; start to first answer p50 {quantile(starts, 0.5):.1f} s, p95 {quantile(starts, 0.95):.1f} s")
    say(f"{verdict.turns} members' turns, {verdict.memories} memories")
    say(f"lost {len(verdict.lost)}, kept twice {len(verdict.twice)}, gaps {verdict.gaps}, waiting {verdict.waiting}")
    say(f"in the index only {verdict.not_in_record}, in the record only {verdict.not_in_index}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    sys.exit(0 if asyncio.run(measure(chosen.rounds, chosen.messages, chosen.seed)) else 1)


if __name__ == "__main__":
    main()
