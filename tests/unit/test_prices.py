"""What calls cost: shipped prices, dates, overrides, unknown models."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from config.prices import PricesUnreadable, load_prices

TODAY = date(2026, 12, 1)


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-4.1-2025-04-14", "openai/gpt-4.1"])
def test_cached_tokens_cost_less(model: str) -> None:
    cost = load_prices().cost_usd(model, prompt_tokens=1_000, cached_tokens=600, completion_tokens=100, on=TODAY)
    assert cost == pytest.approx((400 * 2.0 + 600 * 0.5 + 100 * 8.0) / 1e6)


@pytest.mark.parametrize(
    "model",
    ["gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o", "gpt-4o-mini", "text-embedding-3-small", "text-embedding-3-large"],
)
def test_the_default_models_have_prices(model: str) -> None:
    assert load_prices().cost_usd(model, prompt_tokens=1_000, on=TODAY) > 0


def test_an_unknown_model_is_free_and_warned_of_once() -> None:
    prices = load_prices()
    with capture_logs() as logs:
        costs = [prices.cost_usd("my-llama", prompt_tokens=1_000, on=TODAY) for _ in range(3)]
    assert costs == [0.0] * 3
    assert [entry["model"] for entry in logs] == ["my-llama"]


def test_a_file_overrides_and_its_prices_hold_from_their_dates(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        '[[models."gpt-4.1"]]\nsince = 2027-01-01\ninput = 1.0\n[[models."gpt-4.1"]]\nsince = 2026-01-01\ninput = 3.0\n'
        "[[models.my-llama]]\nsince = 2026-01-01\ninput = 5.0\n"
    )
    prices = load_prices(file)
    days = [date(2025, 1, 1), date(2026, 12, 31), date(2027, 1, 1)]
    assert [prices.cost_usd("gpt-4.1", prompt_tokens=1_000_000, on=day) for day in days] == [3.0, 3.0, 1.0]
    assert prices.cost_usd("my-llama", prompt_tokens=1_000_000, cached_tokens=500_000, on=TODAY) == 5.0
    assert prices.cost_usd("gpt-4o", prompt_tokens=1_000_000, on=TODAY) == 2.5


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[models.x]]\nsince = 2026-01-01\ninput = -1\n", "models.x.0.input"),
        ("[", "prices.toml"),
        (None, "prices.toml"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str | None, named: str) -> None:
    file = tmp_path / "prices.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(PricesUnreadable, match=named):
        load_prices(file)
