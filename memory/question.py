"""What is asked of long-term memory: the words, who asks whom about whom, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property

from memory import dates
from memory.language import HAN, language_of
from memory.lexical import terms
from memory.model import Language

_QUESTION = re.compile(
    r"[?？]|吗|呢\W*$|什么|怎么|怎样|如何|为何|为啥|哪|谁|几|多少|多久|是否|是不是|有没有|能不能|可不可以|请问"
    r"|^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|has|have|will|should)\b",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|this|that|these|those|there|then|too|also|again|else|instead)\b"
    r"|^\W*(?:and|but|so|or|if|because|well|yes|yeah|yep|no|nope|ok|okay|really|sure|oh|right|what if|how about)\b"
    r"|^\W*what about\b|[他她它这那]|^\W*(?:但|可是|所以|因为|如果|然后|或者|而且|不过|对|嗯|好|是|真的|哦|噢|哇|还)"
    r"|怎么办|该怎|呢[?？]*$|我应该|你觉得",
    re.IGNORECASE,
)
"""What a sentence says by pointing at what was said before."""
_SENTENCE_END = re.compile(r"[.!?。！？…~～]+(?=\s*\S)")
_CAPITALISED = re.compile(r"(?<=[a-z0-9,;:'’] )[A-Z][\w'’-]*")
_LATIN_IN_CHINESE = re.compile(r"[A-Za-z][A-Za-z0-9.+#-]*[A-Za-z0-9+#]")
_CAPITALISED_ANYWAY = frozenset(
    """i i'm i've i'd i'll january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday english chinese""".split()
)
_ENDS_ASKING = re.compile(r"[?？][\s\"'”’)）!！~～]*(?:\[[^\]]*\]\s*)?$")
_SELF_CONTAINED_TERMS = 3
_GREETING = re.compile(
    r"(?:hi+|hey+|hello+|yo|sup|howdy|good (?:morning|evening|afternoon|night)|gm|gn|bye+|goodbye|see (?:you|ya)|cya"
    r"|thanks?(?: you| a lot| so much)?|thx|ty|tysm|cheers|welcome|no (?:problem|worries)|np|ok(?:ay)?|k+|yes|yep|yeah"
    r"|no|nope|sure|cool|nice|great|awesome|lol|lmao|rofl|ha(?:ha)*h?|wow|gg|all|there|everyone|guys|folks"
    r"|how are you(?: doing)?|what'?s up|wassup"
    r"|你好|您好|嗨+|哈[喽啰罗]|大家好|早(?:上好|安)?|晚(?:上好|安)|下午好|中午好|再见|拜拜|谢+谢*(?:你|您|大家|啦|了)?|多谢|感谢"
    r"|好+的?|嗯+|哦+|噢+|行|可以|是的?|不是|没事|不客气|哈+|呵+|嘿+|嘻+|牛|赞|厉害|收到|明白|了解|在吗|在不在|最近怎么样|6+"
    r"|[呀啊吧啦呢哈哟]|各位|大家|们)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class QueryFacts:
    """A question to long-term memory.

    `previous` are the last turns before it as lines "Name: text", oldest first; `asker` is the name of who asks and
    `members` the names of others that the question may speak of. `zone` is where "yesterday" is meant.
    """

    text: str
    now: datetime
    zone: tzinfo = UTC
    previous: tuple[str, ...] = ()
    asker: str = ""
    members: tuple[str, ...] = ()

    @cached_property
    def wording(self) -> str:
        """The text to embed: a question that stands on its own as it is, anything else after what was said before."""
        if not self.continues:
            return self.text
        return "\n".join((*self.previous, f"{self.asker}: {self.text}" if self.asker else self.text))

    @cached_property
    def continues(self) -> bool:
        """Whether the message is understood only together with the turns before it."""
        if not self.previous:
            return False
        return not stands_alone(self.text)

    @cached_property
    def language(self) -> Language:
        return language_of(self.text)

    @cached_property
    def named(self) -> frozenset[str]:
        """The members whom the question names; in a conversation that names nobody, the asker."""
        found = frozenset(name for name in self.members if mentions(self.text, name))
        if not found and self.asker and self.continues:
            return frozenset({self.asker})
        return found

    @cached_property
    def proper_names(self) -> frozenset[str]:
        """What the question calls by name, as far as its letters show: capitals within an English sentence, Latin words
        within Chinese, and known members."""
        pattern = _LATIN_IN_CHINESE if self.language == "zh" else _CAPITALISED
        found = {match.group().removesuffix("'s").removesuffix("’s") for match in pattern.finditer(self.text)}
        known = {name for name in self.members if name != name.lower() and mentions(self.text, name)}
        return frozenset(name for name in found if name.casefold() not in _CAPITALISED_ANYWAY and len(name) > 1) | known

    @cached_property
    def asks_when(self) -> bool:
        return dates.asks_when(self.text)

    @cached_property
    def period(self) -> dates.Period | None:
        """The time that the question asks about, if it names one."""
        periods = dates.find(self.text, self.now, self.zone)
        return periods[0] if periods else None


def is_only_question(text: str) -> bool:
    """Whether a text ends by asking."""
    return _ENDS_ASKING.search(text) is not None


def stands_alone(text: str) -> bool:
    """Whether a message is one whole question that does not point at anything said before."""
    text = text.strip()
    return (
        _QUESTION.search(text) is not None
        and _SENTENCE_END.search(text) is None
        and _LEANING.search(text) is None
        and len(set(terms(text))) >= _SELF_CONTAINED_TERMS
    )


def worth_recalling(text: str) -> bool:
    """Whether a message can have anything to recall: not for greetings, thanks, emoji, commands or nothing at all."""
    words = text.strip()
    if words.startswith("/"):
        return False
    return bool(_LETTERS.search(_GREETING.sub(" ", words) if len(words) <= 40 else words)) and (
        bool(terms(words)) or bool(_QUESTION.search(words))
    )


def mentions(text: str, name: str) -> bool:
    """Whether `text` names `name`, as a word in Latin script, anywhere in Chinese."""
    if len(name) < 2 or name.casefold() not in (folded := text.casefold()):
        return False
    if re.search(f"[{HAN}]", name):
        return True
    return re.search(rf"(?<![a-z0-9]){re.escape(name.casefold())}(?![a-z0-9])", folded) is not None


def mentions_any(text: str, names: Iterable[str]) -> bool:
    return any(mentions(text, name) for name in names)
