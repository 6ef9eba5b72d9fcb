"""Who may see what: origin visibilities of what is remembered, and the audience of what is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import quote, unquote

VisibilityKind = Literal["dm", "channel", "community"]


@dataclass(frozen=True, slots=True)
class Visibility:
    """Where something was said: `dm:<member>`, `channel:<channel>` (not everyone in the community can read it)
    or `community:<community>` (everyone can)."""

    kind: VisibilityKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def dm(cls, member_id: str) -> Self:
        return cls("dm", member_id)

    @classmethod
    def channel(cls, channel_id: str) -> Self:
        return cls("channel", channel_id)

    @classmethod
    def community(cls, community_id: str) -> Self:
        return cls("community", community_id)


@dataclass(frozen=True, slots=True)
class Scope:
    """A visibility inside one community. Every memory and profile fact has exactly one.

    Invariant: two scopes are equal if and only if their `key`s are, whatever characters the ids hold; the key is what
    the index filters on.
    """

    community: str
    visibility: Visibility

    @property
    def key(self) -> str:
        kind, id_ = self.visibility.kind, self.visibility.id
        return f"{quote(self.community, safe='')}/{kind}:{quote(id_, safe='')}"

    @classmethod
    def from_key(cls, key: str) -> Self:
        community, _, rest = key.partition("/")
        kind, _, id_ = rest.partition(":")
        if kind not in ("dm", "channel", "community"):
            raise ValueError("not a scope key")
        return cls(unquote(community), Visibility(kind, unquote(id_)))


@dataclass(frozen=True, slots=True)
class Audience:
    """Everyone who can read one reply, as the scopes that all of them may see.

    Built by an adapter from live permissions, and a required argument of every search. A memory may be used if and
    only if its scope is in `scopes`; what is not known to be readable by all is left out.
    """

    community: str
    scopes: frozenset[Scope]

    def may_see(self, scope: Scope) -> bool:
        return scope in self.scopes

    @property
    def keys(self) -> list[str]:
        """The scopes' index keys, sorted."""
        return sorted(scope.key for scope in self.scopes)

    @classmethod
    def public(cls, community: str) -> Self:
        """A channel that everyone in `community` can read."""
        return cls(community, frozenset({Scope(community, Visibility.community(community))}))

    @classmethod
    def private_channel(cls, community: str, channel_id: str) -> Self:
        """A channel that only some of `community` can read."""
        return cls(
            community,
            frozenset(
                {
                    Scope(community, Visibility.channel(channel_id)),
                    Scope(community, Visibility.community(community)),
                }
            ),
        )

    @classmethod
    def direct_message(
        cls,
        community: str,
        member_id: str,
        *,
        member_of: Iterable[str] = (),
        readable_channels: Iterable[tuple[str, str]] = (),
    ) -> Self:
        """A DM with one member. `member_of` are the communities that the member is in now, `readable_channels` the
        (community, channel) pairs of private channels that the member can read now."""
        scopes = {Scope(community, Visibility.dm(member_id))}
        scopes |= {Scope(other, Visibility.community(other)) for other in member_of}
        scopes |= {Scope(other, Visibility.channel(channel)) for other, channel in readable_channels}
        return cls(community, frozenset(scopes))
