"""Profile facts without a model: what a member plainly says about themselves, in English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from memory.language import language_of
from memory.model import Message, ProfileFact, ProfileField, Source, derived_id
from memory.privacy import mask_secrets
from memory.profile import NO_LONGER, folded
from memory.profile_rules_en import RULES as ENGLISH
from memory.profile_rules_zh import RULES as CHINESE
from memory.profile_words import TOOLS, Rule
from memory.sentences import statements

MAX_VALUE_CHARS = 80
MAX_FACTS = 12

_LANGUAGES = {
    "english": "en",
    "英文": "en",
    "英语": "en",
    "chinese": "zh",
    "mandarin": "zh",
    "中文": "zh",
    "简体中文": "zh",
    "繁体中文": "zh",
    "汉语": "zh",
    "普通话": "zh",
}
_LIST = re.compile(
    r"\s*(?:,|、|，|;|&)\s*(?:and\s+)?|\s+and\s+|\s+or\s+|(?<=[\u4e00-\u9fff\w])(?:和|跟|以及|还有|"
    r"与)(?=[\u4e00-\u9fffA-Za-z])"
)
_OWN_CLAUSE = re.compile(
    r"^(?:i|i'm|i've|my|we|it|he|she|they|you|the|this|that|is|am|are|have|work|live|don't|not|so|but)\b", re.IGNORECASE
)
_REPORTED = re.compile(
    r"(?:\b(?!i\b)\w+\s+(?:said|says|say|told (?:me|us|him|her|them)|thinks?|claims?|claimed|wrote|"
    r"asked|heard|believes?|guess(?:es|ed)?|assumes?|joked|"
    r"pretends?)(?:\s+that)?[,:]?\s*|\baccording to [^,]+,\s*|\b(?:like|as if|saying|quote:?)\s+)$"
    r"|(?:(?:说|觉得|以为|认为|问|猜|听说|骗|假装|写道|提到|当)(?:的)?(?:是)?[：:，,]?|(?:以为|假装|"
    r"要是|如果|除非).{0,6})$",
    re.IGNORECASE,
)
_NOT_A_PLACE = TOOLS | frozenset(
    "fear pain hope peace a an the this that another it my your here there new version line home next prod "
    "production trouble debt love denial bed stable testing beta scratch memory danger charge office work "
    "school".split()
)
_FILLER = re.compile(r"^(?:the |a |an |some |actually |really |mostly |mainly |to )+|[\s.,'’-]+$", re.IGNORECASE)


def facts_from(message: Message, turn_id: UUID) -> list[ProfileFact]:
    """The facts that the message states about its speaker, at most MAX_FACTS, with the message's scope and `turn_id` as
    their source. Questions, quotes, suppositions and statements about others give none.

    A fact whose key begins with `profile.NO_LONGER` says that something ended.
    """
    if message.speaker.member_id is None:
        return []
    facts: dict[tuple[ProfileField, str], ProfileFact] = {}
    for statement in statements(message.text):
        for rule, value, position in _found(statement):
            if not _REPORTED.search(statement[:position]):
                fact = _fact(rule, value, message, turn_id)
                facts[fact.field, fact.key] = fact
    return list(facts.values())[:MAX_FACTS]


def _found(statement: str) -> Iterator[tuple[Rule, str, int]]:
    """(rule, value, where its match begins), one claim on each stretch of text per field and kind of key."""
    for rule in (*ENGLISH, *CHINESE):
        for match in rule.pattern.finditer(statement):
            raw = next((group for group in match.groups() if group), "") if match.re.groups else ""
            if not raw:
                raw = match[0]
            for value in _values(rule, raw):
                yield rule, value, match.start()


def _values(rule: Rule, raw: str) -> Iterator[str]:
    for item in _LIST.split(raw) if rule.many else [raw]:
        if _OWN_CLAUSE.match(item):
            return
        value = _FILLER.sub("", item.strip())
        if not value or len(value) > MAX_VALUE_CHARS:
            continue
        if rule.place and folded(value.split()[0]) in _NOT_A_PLACE:
            continue
        yield value


def _fact(rule: Rule, value: str, message: Message, turn_id: UUID) -> ProfileFact:
    if rule.field is ProfileField.LANGUAGE:
        value = _LANGUAGES.get(folded(value), value)
    elif rule.place and language_of(value) == "en" and value.islower():
        value = value.title()
    key = rule.key.format(v=value, k=folded(value))
    text = mask_secrets(rule.value.format(v=value))
    return ProfileFact(
        id=derived_id("fact", str(turn_id), rule.field.value, key, text),
        member_id=str(message.speaker.member_id),
        scope=message.scope,
        field=rule.field,
        value=_article(text),
        stated_at=message.at,
        sources=(Source(turn_id, message.speaker, message.at, message.channel_name),),
        key=key,
    )


def _article(text: str) -> str:
    return re.sub(r"^((?:works as|has) a)(?= [aeio]\w)", r"\1n", text)


def says_it_ended(fact: ProfileFact) -> bool:
    """Whether the fact ends another one."""
    return fact.key.startswith(NO_LONGER)
