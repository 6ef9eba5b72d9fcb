"""Vectors that were asked for lately."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence

from memory.ports import Floats


class VectorCache:
    """The vectors of the `capacity` texts asked for last. It keeps digests instead of texts, so that a wipe need not
    search it for anyone's words."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Floats] = OrderedDict()

    async def through(
        self, texts: Sequence[str], embed: Callable[[list[str]], Awaitable[Iterable[Floats]]]
    ) -> list[Floats]:
        """The vectors of `texts`; those that are not kept come from one call of `embed`."""
        found = {text: self._vectors.get(_digest(text)) for text in texts}
        vectors = {text: vector for text, vector in found.items() if vector is not None}
        if missing := [text for text in found if text not in vectors]:
            vectors |= zip(missing, await embed(missing), strict=True)
        for text, vector in vectors.items():
            self._keep(text, vector)
        return [vectors[text] for text in texts]

    def _keep(self, text: str, vector: Floats) -> None:
        key = _digest(text)
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
