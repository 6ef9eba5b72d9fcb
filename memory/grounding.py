"""Is a statement that a model wrote borne out by what was said? Its language, names and wording are checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.language import HAN, language_of

_LATIN_NAME = re.compile(r"(?<![\w'’@/.-])[A-Z][a-z\u00e0-\u024f]+(?:[A-Z][a-z]+)*(?![\w/])")
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？:：]\s*|\n)$")
_ACTS = re.compile(
    r"^(?:'s\b|’s\b|,? (?:and [A-Z]\w+ )?(?:is|was|are|were|has|had|lives?|lived|moved?|works?|worked|"
    r"likes?|liked|loves?|hates?|prefers?|said|says|told|wants?|wanted|uses?|used|"
    r"plans?|planned|will|can|owns?|runs?|writes?|wrote|speaks?|decided|recommends?|recommended|"
    r"suggested|joined|left|bought|organi[sz]es|studies|teaches|knows|needs|asked|thinks)\b)"
)
_EVERYDAY = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december english chinese mandarin utc gmt discord telegram i the a an this that "
    "these those there it its he she they we you his her their our my your member members user users speaker "
    "everyone everybody someone anyone nobody people team group community server channel meetup meeting event "
    "events admin admins moderators moderator registration tickets entry venue deadline release new all both most "
    "some no not if when where what who how why after before since from in on at for to and or but as by with "
    "without once every each one two three attendees participants payment price cost access use using".split()
)
_SURNAMES = (
    "李王张刘陈杨赵黄吴徐孙胡朱郭罗梁宋郑谢韩唐冯董萧曹袁邓傅沈彭吕苏卢蒋蔡贾丁魏薛叶阎潘杜戴姜范姚谭"
    "廖邹熊陆郝孔邱秦顾侯邵孟龚"
)
_HAN_NAME = re.compile(
    rf"(?<![{HAN}])((?:[{_SURNAMES}][{HAN}]{{1,2}}?)|(?:[小老阿][{HAN}]))(?=说|住|搬|喜欢|讨厌|负责|"
    rf"在[{HAN}]|是[{HAN}]|会[{HAN}]|要[{HAN}]|来自|认为|决定|的|叫|养|换|和)"
)
_SHORT_ID = re.compile(r"(?<![\w#-])[tpmf]\d{1,2}(?![\w.-])")
_HAN_CHARS = re.compile(f"[{HAN}]")
_LATIN_WORDS = re.compile(r"[A-Za-z]{2,}")
_ECHO_CHARS = 40
_ECHO_HAN = 14


def in_language_of(text: str, sources: Sequence[str]) -> bool:
    """Whether `text` is in the language of one of its sources; a source that mixes both allows both."""
    language = language_of(text)
    allowed = {language_of(source) for source in sources}
    if language in allowed or "other" in (language, *allowed):
        return True
    return any(len(_HAN_CHARS.findall(source)) >= 4 and len(_LATIN_WORDS.findall(source)) >= 3 for source in sources)


def invented_name(text: str, said: str) -> str | None:
    """A name in `text` that occurs nowhere in `said`, or None."""
    known = said.casefold()
    for match in _LATIN_NAME.finditer(text):
        name = match[0]
        if name.casefold() in _EVERYDAY or name.casefold() in known:
            continue
        if _SENTENCE_START.search(text[: match.start()]) and not _ACTS.match(text[match.end() :]):
            continue
        return name
    for match in _HAN_NAME.finditer(text):
        if match[1] not in said:
            return match[1]
    return None


def echoes(text: str, instructions: str, said: str) -> bool:
    """Whether `text` repeats the instructions rather than what was said, or speaks in the call's short ids."""
    if any(short not in said for short in _SHORT_ID.findall(text)):
        return True
    packed, rules, spoken = _packed(text), _packed(instructions), _packed(said)
    width = _ECHO_HAN if language_of(text) == "zh" else _ECHO_CHARS
    windows = {packed[start : start + width] for start in range(0, max(1, len(packed) - width + 1), 4)}
    return any(len(window) == width and window in rules and window not in spoken for window in windows)


def _packed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
