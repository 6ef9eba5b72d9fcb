"""Kith in this process: the whole pipeline, with a scripted model where a test wants one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.app import App, open_app
from config.settings import Settings
from tests.factories import FixedClock
from tests.fakes.openai_server import ScriptedModel

Opener = Callable[..., AbstractAsyncContextManager[App]]


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


@pytest.fixture
def open_kith(database_dsn: str, folder_path: Path, clock: FixedClock) -> Opener:
    """`open_kith(model, memory={...})` opens the app over one database and data folder, so that it can be opened again.
    Its background work is done by `service.settle()`."""

    def opener(model: ScriptedModel | None = None, **sections: Mapping[str, Any]) -> AbstractAsyncContextManager[App]:
        endpoint = {"api_key": SecretStr("test"), "base_url": model.base_url, "retries": 0} if model else {}
        settings = Settings.model_validate(
            {"data_dir": folder_path, "database": {"url": database_dsn}, "model": endpoint, **sections}
        )
        return open_app(settings, clock=clock, background=False)

    return opener
