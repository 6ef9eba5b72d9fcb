"""One lane a conversation: its messages are answered one after the other, in order; conversations run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Lanes:
    """First come, first served within a conversation. Idle lanes cost nothing."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, conversation_id: str) -> AsyncGenerator[None]:
        lock, waiting = self._locks.get(conversation_id, (asyncio.Lock(), 0))
        self._locks[conversation_id] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[conversation_id]
            if waiting == 1:
                del self._locks[conversation_id]
            else:
                self._locks[conversation_id] = (lock, waiting - 1)
