"""The composition root: the only place where the parts are made and joined."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.agent.agent import Agent
from bot.agent.persona import system_prompt
from bot.commands.member import MemberCommands
from bot.llm.chat import ChatModel
from bot.llm.client import ModelClient
from bot.llm.embeddings import open_embedder
from bot.llm.ledger import BufferedLedger
from bot.llm.small import NoSmallModel, OpenAISmallModel
from bot.service import Service
from config.settings import Settings
from memory.episodic import EpisodicMemory
from memory.extraction import Extractor
from memory.indexing import Indexer
from memory.longterm import LongTermMemory, RecallPolicy
from memory.ports import Clock, Embedder, Holdings, SmallModel, TokenCounter
from memory.ranking import index_schema
from memory.relevance import Calibration
from memory.storage.open import Progress, Stores, open_stores
from memory.system import AgentMemorySystem, Policy
from memory.tokens import open_counter
from memory.working import WorkingMemory
from memory.writing import BatchPolicy, WritePath


def utc_now() -> datetime:
    return datetime.now(UTC)


def unseen(_: str) -> None:
    """Progress that nobody looks at."""


@dataclass(frozen=True, slots=True)
class App:
    """Kith, running. `description` says in three lines what it is made of; `holdings` is for administration."""

    service: Service
    memory: AgentMemorySystem
    holdings: Holdings
    description: tuple[str, str, str]


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    clock: Clock = utc_now,
    progress: Progress = unseen,
    background: bool = True,
    rebuild: bool = False,
) -> AsyncGenerator[App]:
    """Kith as the settings describe it; everything that was started is stopped at the end.

    Without `background`, indexing and extraction happen only in `memory.settle()`. With `rebuild` nothing is started,
    and the index may have been made by other embeddings: call `memory.rebuild_index()`. Raises
    memory.errors.StoreRefused and StoreUnavailable for stores that cannot be used.
    """
    zone = ZoneInfo(settings.community.time_zone)
    persona = system_prompt(settings.agent)
    async with _opened(settings, clock, progress, rebuild=rebuild) as parts:
        if not rebuild:
            await parts.memory.start(background=background, index_is_new=parts.stores.index_is_new)
        agent = Agent(
            parts.memory,
            ChatModel(parts.client) if settings.model.configured else None,
            name=settings.agent.name,
            persona=persona,
            zone=zone,
            max_message_chars=settings.agent.max_message_chars,
            max_reply_tokens=settings.model.max_reply_tokens,
        )
        commands = MemberCommands(parts.memory, agent, zone).registry()
        service = Service(parts.memory, agent, commands)
        yield App(service, parts.memory, parts.stores.record.holdings, _description(settings, parts))


@asynccontextmanager
async def open_memory(
    settings: Settings, *, clock: Clock = utc_now, progress: Progress = unseen
) -> AsyncGenerator[AgentMemorySystem]:
    """The memory alone, for a bot of your own. Raises what `open_app` raises."""
    async with _opened(settings, clock, progress, rebuild=False) as parts:
        await parts.memory.start(index_is_new=parts.stores.index_is_new)
        yield parts.memory


@dataclass(frozen=True, slots=True)
class _Parts:
    memory: AgentMemorySystem
    client: ModelClient
    stores: Stores
    embedder: Embedder


@asynccontextmanager
async def _opened(settings: Settings, clock: Clock, progress: Progress, *, rebuild: bool) -> AsyncGenerator[_Parts]:
    async with AsyncExitStack() as stack:
        counter = open_counter()
        ledger = BufferedLedger(clock=clock)
        client = await stack.enter_async_context(ModelClient(settings.model, ledger, counter, clock=clock))
        embedder = await open_embedder(settings, client)
        stack.push_async_callback(embedder.close)
        schema = index_schema(embedder.fingerprint.dimensions)
        opening = open_stores(settings, schema, embedder.fingerprint, progress, rebuild=rebuild)
        stores = await stack.enter_async_context(opening)
        await stack.enter_async_context(ledger.writing_to(stores.record.ledger))
        progress("loading the embeddings")
        calibration = await Calibration.load(embedder)
        small = OpenAISmallModel(client) if settings.model.configured else NoSmallModel()
        memory = _memory(settings, stores, embedder, calibration, small, counter, clock)
        stack.push_async_callback(memory.close)
        yield _Parts(memory, client, stores, embedder)


def _memory(
    settings: Settings,
    stores: Stores,
    embedder: Embedder,
    calibration: Calibration,
    small: SmallModel,
    counter: TokenCounter,
    clock: Clock,
) -> AgentMemorySystem:
    record, kept = stores.record, settings.memory
    zone = ZoneInfo(settings.community.time_zone)
    indexer = Indexer(record.outbox, stores.index, embedder)
    longterm = LongTermMemory(
        record.memories,
        stores.index,
        embedder,
        calibration,
        counter,
        RecallPolicy(
            min_relevance=kept.longterm.min_relevance,
            limit=kept.longterm.recall_limit,
            budget_tokens=kept.longterm.recall_budget_tokens,
            search_timeout_s=kept.longterm.search_timeout_s,
            half_life_days=kept.longterm.half_life_days,
        ),
    )
    writing = WritePath(
        conversations=record.conversations,
        queue=record.queue,
        memories=record.memories,
        profiles=record.profiles,
        longterm=longterm,
        extractor=Extractor(small),
        model=small,
        indexer=indexer,
        counter=counter,
        batches=BatchPolicy(
            idle_s=kept.extraction.idle_s, turns=kept.extraction.batch_turns, tokens=kept.extraction.batch_tokens
        ),
        zone=zone,
        clock=clock,
    )
    return AgentMemorySystem(
        conversations=record.conversations,
        queue=record.queue,
        working=WorkingMemory(
            record.conversations,
            small,
            counter,
            kept.working,
            clock,
            time_zone=zone,
            model_timeout_s=settings.model.small_timeout_s,
        ),
        longterm=longterm,
        episodic=EpisodicMemory(record.profiles, counter, kept.episodic.profile_budget_tokens),
        writing=writing,
        indexer=indexer,
        counter=counter,
        policy=Policy(
            profile_update=kept.episodic.profile_update,
            extraction_deadline_s=kept.episodic.extraction_deadline_s,
            budget_tokens=kept.working.budget_tokens,
            zone=zone,
        ),
    )


def _description(settings: Settings, parts: _Parts) -> tuple[str, str, str]:
    made_by, stores = parts.embedder.fingerprint, parts.stores
    model = settings.model.chat if settings.model.configured else "none: answers quote memories (set OPENAI_API_KEY)"
    return (
        f"stores      {stores.record_place} and {stores.index_place}, in {settings.data_dir}",
        f"embeddings  {made_by.model} ({made_by.provider})",
        f"model       {model}",
    )
