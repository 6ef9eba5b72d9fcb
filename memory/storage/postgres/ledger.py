"""What model calls cost."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model import ModelCall
from memory.storage.postgres.database import Database
from memory.storage.postgres.queries import load_queries

_SQL = load_queries("ledger")


@dataclass(frozen=True, slots=True)
class PostgresLedger:
    """One row for each call; nothing of what was said."""

    database: Database

    async def record(self, call: ModelCall) -> None:
        await self.database.execute(
            _SQL["record"],
            call.at,
            call.purpose,
            call.model,
            call.prompt_version,
            call.prompt_tokens,
            call.cached_tokens,
            call.completion_tokens,
            call.cost_usd,
            call.latency_ms,
            call.ok,
            call.conversation_id,
            call.member_id,
            call.community,
        )
