"""All settings of Kith: typed, frozen, built once at start by `load_settings`.

Order of precedence, highest first: explicit overrides (command line), environment, `kith.toml`, the defaults below.
Environment names are `KITH_` plus the path with `__` between levels (`KITH_MODEL__CHAT=gpt-4.1`). The names that other
software already uses (`OPENAI_API_KEY`, `DATABASE_URL`, …) are understood as they are; see `WELL_KNOWN`. An empty
variable counts as unset.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_origin
from zoneinfo import ZoneInfo

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from config import sources

WELL_KNOWN: Mapping[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": ("model", "api_key"),
    "OPENAI_BASE_URL": ("model", "base_url"),
    "DISCORD_TOKEN": ("discord", "token"),
    "TELEGRAM_TOKEN": ("telegram", "token"),
    "DATABASE_URL": ("database", "url"),
    "QDRANT_URL": ("qdrant", "url"),
    "QDRANT_API_KEY": ("qdrant", "api_key"),
    "KITH_DATA": ("data_dir",),
}
"""Environment variables with a name of their own, and the setting that each one sets. The setting's regular name
(`KITH_MODEL__API_KEY`) wins over it."""

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0)]


class SettingsError(Exception):
    """A setting is unknown or has a wrong value. The message names every such setting and what it takes."""


class Section(BaseModel):
    """A group of settings. Frozen; a string given for a list is split at commas or read as JSON."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _split_list(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[str(info.field_name)]
        if isinstance(value, str) and get_origin(field.annotation) is tuple:
            return sources.split_list(value)
        return value


class DatabaseSettings(Section):
    """PostgreSQL. Without `url` an embedded server runs in the data folder."""

    url: SecretStr | None = None
    """PostgreSQL to connect to, as `postgresql://user:password@host/database`."""
    pool_size: Positive = 8
    """Connections kept open."""
    connect_timeout_s: Seconds = 10.0
    """Seconds to wait for a connection."""
    command_timeout_s: Seconds = 15.0
    """Seconds that one query may take."""
    statement_cache: bool = True
    """Keep prepared statements on a connection. Set to false behind PgBouncer."""


class QdrantSettings(Section):
    """The search index. Without `url` Qdrant's engine runs embedded in the data folder."""

    url: str | None = None
    """Qdrant server, as `http://host:6333`."""
    api_key: SecretStr | None = None
    """Key of the Qdrant server, where it asks for one."""
    collection: str = "kith_memories"
    """Name of the collection that holds the index."""
    timeout_s: Seconds = 5.0
    """Seconds that one request may take."""


class ModelSettings(Section):
    """An OpenAI-compatible endpoint. Without a key and a base URL, Kith quotes its memories instead of answering."""

    api_key: SecretStr | None = None
    """Key of the endpoint."""
    base_url: str | None = None
    """Address of the endpoint; without it OpenAI's own."""
    chat: str = "gpt-4.1"
    """Model that writes the replies."""
    chat_fallbacks: tuple[str, ...] = ()
    """Models tried in this order when `chat` fails."""
    small: str = "gpt-4.1-mini"
    """Model for memory's own work: extraction, summaries, compaction."""
    small_fallbacks: tuple[str, ...] = ()
    """Models tried in this order when `small` fails."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.4
    """Sampling temperature of the replies."""
    max_reply_tokens: Positive = 1_000
    """Longest reply, in tokens."""
    connect_timeout_s: Seconds = 5.0
    """Seconds to wait for a connection."""
    first_token_timeout_s: Seconds = 20.0
    """Seconds to wait for the first piece of a reply."""
    stall_timeout_s: Seconds = 15.0
    """Seconds without a new piece after which a reply is given up."""
    small_timeout_s: Seconds = 30.0
    """Seconds that a call to the small model may take."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Attempts after a first one that failed in passing."""

    @property
    def configured(self) -> bool:
        return self.api_key is not None or self.base_url is not None


class EmbeddingSettings(Section):
    """What turns text into vectors. `local` needs nothing; `openai` uses the endpoint of the `model` section
    unless it has its own."""

    provider: Literal["local", "openai"] = "local"
    """`local` runs a model in the process; `openai` calls an endpoint."""
    model: str = "text-embedding-3-small"
    """Model asked for at the endpoint."""
    dimensions: Positive | None = None
    """Length of the vectors; without it the model's own."""
    base_url: str | None = None
    """Address of the endpoint, when it is not the `model` section's."""
    api_key: SecretStr | None = None
    """Key of that endpoint, when it is not the `model` section's."""
    timeout_s: Seconds = 10.0
    """Seconds that one request may take."""
    batch_size: Positive = 64
    """Texts in one request."""


class WorkingMemorySettings(Section):
    """The current conversation."""

    budget_tokens: Annotated[int, Field(ge=1_000)] = 8_000
    """Tokens that a conversation may take up in the prompt."""
    compress_at: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.75
    """Share of the budget at which older turns are summarised."""
    keep_rounds: Positive = 3
    """Latest rounds (a message and its reply) that stay verbatim."""
    pinned_budget_tokens: Positive = 1_600
    """Tokens for pinned turns, those with hard details."""
    summary_words: Positive = 200
    """Longest summary, in words or Chinese characters."""
    idle_timeout_s: Seconds = 6 * 3600.0
    """Seconds of silence that end a session."""


class LongTermMemorySettings(Section):
    """What is recalled across conversations."""

    recall_limit: Positive = 8
    """Memories that a reply may use."""
    recall_budget_tokens: Positive = 1_500
    """Tokens that recalled memories may take up in the prompt."""
    min_relevance: Share = 0.5
    """Calibrated relevance below which nothing is recalled."""
    half_life_days: Annotated[float, Field(gt=0)] = 180.0
    """Days after which a memory's recency counts half."""
    search_timeout_s: Seconds = 2.0
    """Seconds after which a reply goes out without recall."""


class EpisodicMemorySettings(Section):
    """What is known about each member."""

    profile_update: Literal["before_reply", "after_reply"] = "before_reply"
    """`before_reply` lets a reply wait for what its message discloses."""
    extraction_deadline_s: Seconds = 1.5
    """Seconds that it waits at most."""
    profile_budget_tokens: Positive = 400
    """Tokens that a profile may take up in the prompt."""


class ExtractionSettings(Section):
    """How memories are taken from what was said."""

    idle_s: Seconds = 20.0
    """Seconds of silence after which waiting turns are extracted."""
    batch_turns: Positive = 8
    """Turns that make a batch full."""
    batch_tokens: Positive = 2_000
    """Tokens that make a batch full."""


class MemorySettings(Section):
    """The three layers of memory."""

    working: WorkingMemorySettings = WorkingMemorySettings()
    longterm: LongTermMemorySettings = LongTermMemorySettings()
    episodic: EpisodicMemorySettings = EpisodicMemorySettings()
    extraction: ExtractionSettings = ExtractionSettings()


class CommunitySettings(Section):
    """The community at home."""

    name: str = "home"
    """Community that `chat` and scripts talk in unless a line names another."""
    time_zone: str = "UTC"
    """Where "tomorrow" and nightly jobs are reckoned."""

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("not a time zone; use a name such as Asia/Shanghai or Europe/Berlin") from None
        return value


class AgentSettings(Section):
    """Who answers."""

    name: str = "Kith"
    """What the bot calls itself."""
    persona: Path | None = None
    """File with the bot's character; without it the built-in one."""
    max_message_chars: Positive = 20_000
    """Longest message that is taken in."""


class PlatformSettings(Section):
    """A chat platform."""

    token: SecretStr | None = None
    """The bot's token; without it the platform stays off."""


class LogSettings(Section):
    """What the bot writes about its own work, to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "warning"
    """Least severe level that is written."""
    format: Literal["console", "json"] = "console"
    """`console` for people, `json` for machines."""


class Settings(Section):
    """Everything that can be set. Build it with `load_settings`; its parts take the section that they need."""

    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("kith", appauthor=False)))
    """Folder of the embedded stores; by default the platform's folder for user data."""
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


class _Reader(BaseSettings, Settings):  # pyright: ignore[reportIncompatibleVariableOverride] - pydantic merges them
    """How pydantic-settings finds `Settings` in the environment and the file. Lists reach the validators as text."""

    model_config = SettingsConfigDict(env_prefix="KITH_", env_nested_delimiter="__", enable_decoding=False)


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
    read = [
        sources.from_toml(_Reader, config_file or Path("kith.toml"), required=config_file is not None),
        sources.from_environment(_Reader, os.environ if environ is None else environ, WELL_KNOWN),
    ]
    if data_dir is not None:
        read.append(sources.Reading(values={("data_dir",): str(data_dir)}, origins={("data_dir",): "--data"}))
    found = sources.merge(read)
    problems = list(found.problems)
    try:
        settings = Settings.model_validate(found.tree())
    except ValidationError as error:
        problems += sources.explain(Settings, error, found.origins)
    else:
        if not problems:
            return settings.model_copy(update={"data_dir": settings.data_dir.expanduser().absolute()})
    raise SettingsError("\n".join(problems))
