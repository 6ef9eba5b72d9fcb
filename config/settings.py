"""All settings of Kith: typed, frozen, built once at start by `load_settings`.

Order of precedence, highest first: explicit overrides (command line), environment, `kith.toml`, the defaults below.
Environment names are `KITH_` plus the path with `__` between levels (`KITH_MODEL__CHAT=gpt-4.1`). The names that other
software already uses (`OPENAI_API_KEY`, `DATABASE_URL`, …) are understood as they are; see `WELL_KNOWN`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

PREFIX = "KITH_"

WELL_KNOWN: Mapping[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": ("model", "api_key"),
    "OPENAI_BASE_URL": ("model", "base_url"),
    "DISCORD_TOKEN": ("discord", "token"),
    "TELEGRAM_TOKEN": ("telegram", "token"),
    "DATABASE_URL": ("database", "url"),
    "QDRANT_URL": ("qdrant", "url"),
    "QDRANT_API_KEY": ("qdrant", "api_key"),
}
"""Environment variables without our prefix, and the setting that each one sets."""

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0)]


class SettingsError(Exception):
    """A setting is unknown or has a wrong value. The message names every such setting and what it takes."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class DatabaseSettings(Section):
    """PostgreSQL. Without `url` an embedded server runs in the data folder."""

    url: SecretStr | None = None
    pool_size: Positive = 8
    connect_timeout_s: Seconds = 10.0
    command_timeout_s: Seconds = 15.0


class QdrantSettings(Section):
    """The search index. Without `url` Qdrant's engine runs embedded in the data folder."""

    url: str | None = None
    api_key: SecretStr | None = None
    collection: str = "kith_memories"
    timeout_s: Seconds = 5.0


class ModelSettings(Section):
    """An OpenAI-compatible endpoint. Without a key and a base URL, Kith quotes its memories instead of answering."""

    api_key: SecretStr | None = None
    base_url: str | None = None
    chat: str = "gpt-4.1"
    chat_fallbacks: tuple[str, ...] = ()
    small: str = "gpt-4.1-mini"
    small_fallbacks: tuple[str, ...] = ()
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.4
    max_reply_tokens: Positive = 1_000
    connect_timeout_s: Seconds = 5.0
    first_token_timeout_s: Seconds = 20.0
    stall_timeout_s: Seconds = 15.0
    small_timeout_s: Seconds = 30.0
    retries: Annotated[int, Field(ge=0, le=10)] = 2

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None


class EmbeddingSettings(Section):
    """What turns text into vectors. `local` needs nothing; `openai` uses the endpoint of the `model` section
    unless it has its own."""

    provider: Literal["local", "openai"] = "local"
    model: str = "text-embedding-3-small"
    dimensions: Positive | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_s: Seconds = 10.0
    batch_size: Positive = 64


class WorkingMemorySettings(Section):
    budget_tokens: Annotated[int, Field(ge=1_000)] = 8_000
    compress_at: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.75
    keep_rounds: Positive = 3
    pinned_budget_tokens: Positive = 1_200
    summary_words: Positive = 200
    idle_timeout_s: Seconds = 6 * 3600.0


class LongTermMemorySettings(Section):
    recall_limit: Positive = 8
    recall_budget_tokens: Positive = 1_500
    min_relevance: Share = 0.5
    half_life_days: Annotated[float, Field(gt=0)] = 180.0
    search_timeout_s: Seconds = 2.0


class EpisodicMemorySettings(Section):
    profile_update: Literal["before_reply", "after_reply"] = "before_reply"
    extraction_deadline_s: Seconds = 1.5
    profile_budget_tokens: Positive = 400


class ExtractionSettings(Section):
    idle_s: Seconds = 20.0
    batch_turns: Positive = 8
    batch_tokens: Positive = 2_000
    max_attempts: Positive = 2
    member_writes_per_hour: Positive = 120


class MemorySettings(Section):
    working: WorkingMemorySettings = WorkingMemorySettings()
    longterm: LongTermMemorySettings = LongTermMemorySettings()
    episodic: EpisodicMemorySettings = EpisodicMemorySettings()
    extraction: ExtractionSettings = ExtractionSettings()


class CommunitySettings(Section):
    name: str = "home"
    time_zone: str = "UTC"
    languages: tuple[str, ...] = ("zh", "en")

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ValueError, OSError):
            raise ValueError("not a time zone; use a name such as Asia/Shanghai or Europe/Berlin") from None
        return value


class AgentSettings(Section):
    name: str = "Kith"
    persona: Path | None = None
    max_message_chars: Positive = 20_000


class PlatformSettings(Section):
    token: SecretStr | None = None


class LogSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = "warning"
    format: Literal["console", "json"] = "console"


class Settings(Section):
    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("kith", appauthor=False)))
    database: DatabaseSettings = DatabaseSettings()
    qdrant: QdrantSettings = QdrantSettings()
    model: ModelSettings = ModelSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    memory: MemorySettings = MemorySettings()
    community: CommunitySettings = CommunitySettings()
    agent: AgentSettings = AgentSettings()
    discord: PlatformSettings = PlatformSettings()
    telegram: PlatformSettings = PlatformSettings()
    log: LogSettings = LogSettings()


def load_settings(
    *,
    config_file: Path | None = None,
    data_dir: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read `kith.toml`, the environment and the command line's overrides into one `Settings`.

    `config_file` must exist when given; without it `kith.toml` of the working folder is read if there is one.
    `environ` defaults to the process environment. Raises `SettingsError`.
    """
    environ = os.environ if environ is None else environ
    tree = _read_toml(config_file)
    _overlay(tree, _from_environment(environ))
    if data_dir is not None:
        tree["data_dir"] = str(data_dir)
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None
    return settings.model_copy(update={"data_dir": settings.data_dir.expanduser().absolute()})


def _read_toml(config_file: Path | None) -> dict[str, Any]:
    path = config_file or Path("kith.toml")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if config_file is None:
            return {}
        raise SettingsError(f"there is no settings file {path}; check the path given to --config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, path in WELL_KNOWN.items():
        if environ.get(name):
            _set(tree, path, environ[name])
    for name, value in environ.items():
        if not name.startswith(PREFIX):
            continue
        path = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
        if path == ("data",):
            path = ("data_dir",)
        if not _is_setting(path):
            raise SettingsError(f"{name}: there is no such setting")
        _set(tree, path, _split_list(path, value))
    return tree


def _is_setting(path: tuple[str, ...]) -> bool:
    section: type[BaseModel] = Settings
    for depth, part in enumerate(path):
        field = section.model_fields.get(part)
        if field is None:
            return False
        nested = field.annotation
        if not (isinstance(nested, type) and issubclass(nested, BaseModel)):
            return depth == len(path) - 1
        section = nested
    return False


def _split_list(path: tuple[str, ...], value: str) -> str | list[str]:
    section: Any = Settings
    for part in path[:-1]:
        section = section.model_fields[part].annotation
    if "tuple" in str(section.model_fields[path[-1]].annotation):
        return [item.strip() for item in value.split(",") if item.strip()]
    return value


def _set(tree: dict[str, Any], path: tuple[str, ...], value: Any) -> None:  # noqa: ANN401 - TOML holds any type
    for part in path[:-1]:
        tree = tree.setdefault(part, {})
    tree[path[-1]] = value


def _overlay(tree: dict[str, Any], top: Mapping[str, Any]) -> None:
    for key, value in top.items():
        below = tree.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            _overlay(below, value)
        else:
            tree[key] = value


def _explain(error: ValidationError) -> str:
    lines: list[str] = []
    for problem in error.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in problem["loc"])
        reason = "there is no such setting" if problem["type"] == "extra_forbidden" else problem["msg"]
        lines.append(f"{name}: {reason}")
    return "\n".join(lines)
