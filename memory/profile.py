"""A member's profile: the fold of dated facts, and how it is told to the model."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from memory.model import Expertise, Language, MemberActivity, ProfileFact, ProfileField, UserProfile
from memory.ports import TokenCounter
from memory.privacy import clean_text

MAX_INTERESTS = 20
MAX_PREFERENCES = 20
MAX_KEY_FACTS = 30
MAX_TOPICS = 8
MAX_VALUE_CHARS = 200

NO_LONGER = "no:"
"""Begins the key of a fact that ends another one: `no:city:paris` ends what `city` said about Paris, and
`no:skill:java` ends `skill:java`."""

_LEVELS: dict[str, Expertise] = {"beginner": "beginner", "intermediate": "intermediate", "expert": "expert"}


def fold(
    member_id: str, activity: MemberActivity | None, facts: Iterable[ProfileFact], *, now: datetime | None = None
) -> UserProfile:
    """The profile that `facts` amount to, whatever their order: per key and for single-valued fields what the member
    corrected wins, then what is newest. Facts that have ended (by `now`, or at all without it) do not count.

    `name` is empty when neither the facts nor `activity` hold one. Lists are newest first and bounded.
    """
    own = [fact for fact in facts if fact.member_id == member_id and _holds(fact, now)]
    valid = _settled(sorted(own, key=_precedence, reverse=True))

    def values(field: ProfileField, limit: int) -> tuple[str, ...]:
        return _distinct((fact.value for fact in valid if fact.field is field), limit)

    def first(field: ProfileField) -> str | None:
        return next(iter(values(field, 1)), None)

    return UserProfile(
        user_id=member_id,
        name=first(ProfileField.NAME) or (activity.name if activity else ""),
        interests=values(ProfileField.INTEREST, MAX_INTERESTS),
        expertise_level=_LEVELS.get((first(ProfileField.EXPERTISE) or "").casefold()),
        preferred_language=first(ProfileField.LANGUAGE) or _language_of(activity),
        interaction_count=activity.interaction_count if activity else 0,
        last_topics=values(ProfileField.TOPIC, MAX_TOPICS),
        preferences=values(ProfileField.PREFERENCE, MAX_PREFERENCES),
        key_facts=values(ProfileField.KEY_FACT, MAX_KEY_FACTS),
        first_seen=activity.first_seen if activity else None,
        last_seen=activity.last_seen if activity else None,
    )


def _language_of(activity: MemberActivity | None) -> str | None:
    return (activity.language or activity.written) if activity else None


def same_value(left: str, right: str) -> bool:
    """Whether two values differ only in case, width or blank space."""
    return folded(left) == folded(right)


def folded(value: str) -> str:
    """A value as it is compared."""
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def ends(ending: ProfileFact, fact: ProfileFact) -> bool:
    """Whether `ending` says that `fact` no longer holds (see NO_LONGER); their dates are not looked at."""
    if not ending.key.startswith(NO_LONGER) or not fact.key or fact.key.startswith(NO_LONGER):
        return False
    target = ending.key.removeprefix(NO_LONGER)
    if target == fact.key:
        return True
    key, _, about = target.partition(":")
    return key == fact.key and folded(about) in folded(fact.value)


def _holds(fact: ProfileFact, now: datetime | None) -> bool:
    if not fact.value.strip():
        return False
    return fact.valid_to is None or (now is not None and fact.valid_to > now)


def _precedence(fact: ProfileFact) -> tuple[bool, datetime, str]:
    return fact.corrected, fact.stated_at, str(fact.id)


def _settled(facts: Sequence[ProfileFact]) -> list[ProfileFact]:
    """`facts`, strongest first, without those that a stronger one replaces or ends."""
    settled: list[ProfileFact] = []
    keys: set[str] = set()
    for fact in facts:
        if fact.key and folded(fact.key) in keys:
            continue
        if any(ends(stronger, fact) or ends(fact, stronger) for stronger in settled):
            continue
        keys.add(folded(fact.key))
        settled.append(fact)
    return settled


def _distinct(values: Iterable[str], limit: int) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for value in values:
        if len(kept) == limit:
            break
        kept.setdefault(folded(value), value.strip()[:MAX_VALUE_CHARS])
    return tuple(kept.values())


# --- as text --------------------------------------------------------------------------------------------------------

_LABELS = {
    "en": {
        "name": "Name",
        "language": "Wants to be answered in",
        "expertise": "Level",
        "facts": "About them",
        "preferences": "Preferences",
        "interests": "Interests",
        "topics": "Recent topics",
        "count": "Messages so far",
    },
    "zh": {
        "name": "名字",
        "language": "希望的回复语言",
        "expertise": "水平",
        "facts": "基本情况",
        "preferences": "偏好",
        "interests": "兴趣",
        "topics": "最近话题",
        "count": "累计消息数",
    },
}
_NAMES = {
    "en": {"zh": "Chinese", "en": "English"},
    "zh": {"zh": "中文", "en": "英文", "beginner": "新手", "intermediate": "中级", "expert": "专家"},
}


def profile_text(profile: UserProfile, language: Language, budget_tokens: int, counter: TokenCounter) -> str:
    """The profile as lines of data for the model, in Chinese for `zh`, else in English, within `budget_tokens`; the
    most useful lines come first and the newest items of a list survive. Empty when nothing is known."""
    told = "zh" if language == "zh" else "en"
    labels, names = _LABELS[told], _NAMES[told]
    separator = "；" if told == "zh" else "; "
    colon = "：" if told == "zh" else ": "
    rows: list[tuple[str, Sequence[str]]] = [
        ("name", [profile.name] if profile.name else []),
        ("language", [names.get(profile.preferred_language or "", profile.preferred_language or "")]),
        ("expertise", [names.get(profile.expertise_level or "", profile.expertise_level or "")]),
        ("facts", profile.key_facts),
        ("preferences", profile.preferences),
        ("interests", profile.interests),
        ("topics", profile.last_topics),
        ("count", [str(profile.interaction_count)] if profile.interaction_count else []),
    ]
    lines: list[str] = []

    def fits(line: str) -> bool:
        return counter.count("\n".join((*lines, line))) <= budget_tokens

    for label, items in rows:
        shown = [inert for item in items if (inert := _one_line(item))]
        line = _longest_fitting(f"{labels[label]}{colon}", shown, separator, fits)
        if line:
            lines.append(line)
    return "\n".join(lines)


def _longest_fitting(label: str, items: Sequence[str], separator: str, fits: Callable[[str], bool]) -> str:
    for count in range(len(items), 0, -1):
        line = label + separator.join(items[:count])
        if fits(line):
            return line
    return ""


def _one_line(value: str) -> str:
    return " ".join(clean_text(value).replace("<", "‹").replace(">", "›").split())
