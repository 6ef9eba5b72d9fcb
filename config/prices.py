"""What model calls cost, from `prices.toml` or a community's own file of the same shape."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.resources import files
from pathlib import Path

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

log = structlog.get_logger(__name__)

_DATED = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


class PricesUnreadable(Exception):
    """The price file cannot be read. The message says what is wrong with it."""


class Price(BaseModel):
    """US dollars per 1,000,000 tokens, from the day `since` on. Without its own price, cached input costs as any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: date
    input: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    output: float = Field(default=0.0, ge=0)

    def of(self, prompt_tokens: int, cached_tokens: int, completion_tokens: int) -> float:
        cached = self.input if self.cached_input is None else self.cached_input
        fresh_tokens = prompt_tokens - cached_tokens
        return (fresh_tokens * self.input + cached_tokens * cached + completion_tokens * self.output) / 1_000_000


class PriceFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    models: dict[str, tuple[Price, ...]]


class PriceTable:
    """Prices by model and day. A model without a price costs nothing, and is warned of once."""

    def __init__(self, models: Mapping[str, Sequence[Price]]) -> None:
        self._models = {name: sorted(prices, key=lambda price: price.since) for name, prices in models.items()}
        self._warned: set[str] = set()

    def cost_usd(
        self, model: str, *, prompt_tokens: int, cached_tokens: int = 0, completion_tokens: int = 0, on: date
    ) -> float:
        price = self.price(model, on)
        if price is None:
            self._warn(model)
            return 0.0
        return price.of(prompt_tokens, min(cached_tokens, prompt_tokens), completion_tokens)

    def price(self, model: str, on: date) -> Price | None:
        """The price of that day; before the first known day, the first."""
        for name in (model, _DATED.sub("", model), _DATED.sub("", model.rpartition("/")[2])):
            if prices := self._models.get(name):
                return next((price for price in reversed(prices) if price.since <= on), prices[0])
        return None

    def _warn(self, model: str) -> None:
        if model not in self._warned:
            self._warned.add(model)
            log.info("a model has no price, so its calls count as free", _event="price_unknown", model=model)


def load_prices(path: Path | None = None) -> PriceTable:
    """The shipped prices, with those of `path` in place of the same models'. Raises PricesUnreadable."""
    models = _read(files("config").joinpath("prices.toml").read_text(encoding="utf-8"))
    if path is not None:
        try:
            models |= _read(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PricesUnreadable(f"{path}: {error}") from error
    return PriceTable(models)


def _read(text: str) -> dict[str, tuple[Price, ...]]:
    try:
        return PriceFile.model_validate(tomllib.loads(text)).models
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None
