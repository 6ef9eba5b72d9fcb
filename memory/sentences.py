"""Cutting a message into sentences, and telling which of them are questions, quotes or suppositions (zh and en)."""

from __future__ import annotations

import re

from memory.reading import as_read

_END = re.compile(r"(?<=[。！？!?；;])\s*|(?<=\w[.…])\s+|(?<=[)\]…])\s*(?=[A-Z])|\n+")
_URL = re.compile(r"https?://\S+")
_QUOTED = re.compile(
    r"“[^”\n]*”?|‘[^’\n]{3,}’|「[^」\n]*」?|『[^』\n]*』?|\"[^\"\n]*(?:\"|$)|```.*?(?:```|\Z)|"
    r"^\s*[>＞].*$|(?<!\w)'[^'\n]{3,}'(?!\w)",
    re.DOTALL | re.MULTILINE,
)

_ADDRESSEE = r"(?:@\S+\s+|[\w|\[\]^`{}-]{1,24}[:,，：]\s+)?"
_LEAD = (
    r"(?:(?:hi|hey|hello|yo|ok|okay|so|and|but|well|um+|hm+|ah+|oh|also|btw|then|please|pls|sorry|"
    r"quick question|question|"
    r"guys|folks|all|everyone|now|or|anyway|just|wait|maybe|hmm+)\b[\s,.:!…-]*)*"
)
_EN_QUESTION = re.compile(
    rf"^{_ADDRESSEE}{_LEAD}(?:"
    r"(?:when|where)(?:'s|s|’s)?\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|have|"
    r"has|to|exactly|abouts?|in|else)\b|when(?:'s|s|’s)\b|(?:what|why|how|who|whom|whose|which)(?:'s|"
    r"s|'re|'d|’s)?\b(?!ever\b)(?! i (?:mean|meant|did|do|use|used|have|want|like|love|"
    r"need|usually)\b)(?!, )|"
    r"(?:any(?:one|body|thing)|some(?:one|body))\b.{0,24}?\b(?:know|knows|here|tried|try|have|has|got|"
    r"using|used|use|seen|had|help|"
    r"tell|explain|want|up|else|running|going|able|familiar|interested)\b|any (?:idea|ideas|clue|"
    r"tips?|hints?|suggestions?|chance|way|news|luck|recommendations?)\b|"
    r"(?!do (?:it|this|that|the|one|all)\b)(?:is|are|was|were|am|do|does|did|can|could|will|would|"
    r"should|shall|may|might|has|have|had|isn't|isnt|aren't|doesn't|doesnt|"
    r"don't|dont|didn't|can't|cant|couldn't|won't|wouldn't|shouldn't|haven't|hasn't)\s+(?:i|you|u|we|"
    r"they|he|she|it|this|that|there|"
    r"these|those|the|a|an|my|your|our|their|any|anyone|anybody|someone|somebody|everyone|ya|one|all|"
    r"[A-Z]?[\w.-]+\s+(?:a|an|the|any|"
    r"still|really|supposed|supported|available|able|good|better|worth|going|work|have|need|get|run|support|use))\b|"
    r"(?:wondering|i wonder|i was wondering) (?:if|how|why|what|whether|where|when)\b|"
    r"(?:can|could) (?:someone|anyone|somebody|anybody)\b|i(?:'d| would)? (?:need|want|"
    r"like) to know (?:if|how|why|what|where)\b"
    r"|(?:how|what) about\b)",
    re.IGNORECASE,
)
_EN_TAG = re.compile(
    r"(?:, (?:right|no|huh|yes|eh|correct)|\b(?:isn't|aren't|doesn't|don't|didn't) (?:it|they|you|he|she))\s*[?]*$",
    re.IGNORECASE,
)
_ZH_PARTICLE = re.compile(r"吗[~～。.!！\s]*$")
_ZH_QUESTION = re.compile(
    r"(?:吗|[^什这那多要怎]么|(?:是|好|可以|对|行|有)嘛|[了有]没|[行好在去来能是要]不)[~～。!！\s]*$|"
    r"^(?!.*[还正在才]).*呢[~～。!！\s]*$|(?:怎么(?:办|弄|搞|样|用|装|去|走|做|设|配|写|改|回事|解决|"
    r"处理|报名|还|又|没|不|这么|才|"
    r"会|安装|设置|配置|联系|申请|下载|查|看|选|买|样才)|如何|为什么|為什麼|为啥|为何|咋|啥时候|"
    r"什么时候|什么地方|哪里|哪儿|哪个|哪些|哪位|哪种|哪天|哪家|几点|几号|"
    r"多少钱|多少|多久|多大|谁(?:知道|有|能|会|用|去|在|来|懂|是|可以|试)|有没有|是不是|能不能|"
    r"可不可以|可否|能否|要不要|会不会|行不行|好不好|对不对|"
    r"是否|请问|求助|求问|想问|问一下|问下|请教|有谁|有人(?:知道|会|能|用过|遇到|试过|去|在|懂)|"
    r"什么(?:是|意思|情况|原因|区别|东西|样的)|是什么|啥意思|干嘛|干啥)"
)
_ZH_NO_QUESTION = re.compile(
    r"(?:查(?:看|询|一下)?|显示|列出|判断|不管|无论|不论|不知道|才知道|知道了|明白了|告诉|取决于|看你|"
    r"随便|都|记得|说明了?|教程|终于|写了|介绍了?|解释了?|研究了?|总结了?|这就是|忘了).{0,12}"
    r"(?:怎么|如何|为什么|为啥|什么|哪|谁|多少|几点|是否|是不是|有没有|会不会|能不能|要不要)|"
    r"(?:没什么|有什么[说就]|什么都|怎么都|谁都|哪里都|多少有点|不怎么|没怎么|多少都)"
)
_QUESTION_MARK = re.compile(r"[?？][\s?？!！~～)）.。…]*(?:[\U0001f300-\U0001faff\ufe0f\s]|[:;]-?[()DPp])*$")

_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|assuming|pretend|hypothetically|wish|"
    r"would(?:n't)? (?:be|have|live|love it if)|"
    r"might have|could have|as if|let's say|in a (?:novel|game|dream|story))\b|"
    r"如果|要是|假如|假设|假使|倘若|万一|若是|要不是|但愿|真希望|好像是|梦见|梦到|小说里|游戏里|剧本|"
    r"当初|的话[，,]|本来可以",
    re.IGNORECASE,
)


def without_quotes(text: str) -> str:
    """The text without quoted passages, quoted lines and code blocks: what the speaker says themselves."""
    return _QUOTED.sub(" … ", text)


def sentences(text: str) -> list[str]:
    """The text's sentences, in order, outer blank space removed. Links are never cut."""
    links: list[str] = []

    def hide(link: re.Match[str]) -> str:
        links.append(link[0])
        return f"\x00{len(links) - 1}\x00"

    parts = _END.split(_URL.sub(hide, text))
    shown = (re.sub("\x00(\\d+)\x00", lambda mark: links[int(mark[1])], part) for part in parts)
    return [part.strip() for part in shown if part.strip()]


def is_question(text: str) -> bool:
    """Whether the text asks for something to be told, with or without a question mark."""
    pieces = sentences(as_read(text))
    return any(asks(piece) for piece in pieces)


def asks(sentence: str) -> bool:
    """`is_question` for one sentence."""
    bare = _URL.sub("", sentence).strip()
    if _QUESTION_MARK.search(bare):
        return True
    if _ZH_PARTICLE.search(bare):
        return True
    if _ZH_QUESTION.search(bare):
        return not _ZH_NO_QUESTION.search(bare)
    return bool(_EN_QUESTION.match(bare) or _EN_TAG.search(bare))


def supposes(sentence: str) -> bool:
    """Whether the sentence speaks of something supposed, wished or invented rather than of what is."""
    return bool(_SUPPOSED.search(sentence))


_CLAUSE = re.compile(r"[，,；;—]\s*|\s+(?:but|so|然后|但是|所以)\s*|\s+-+\s+")


def statements(text: str) -> list[str]:
    """What the speaker states themselves: sentences without quotes and suppositions. Of a sentence that asks, the
    clauses that do not."""
    stated: list[str] = []
    for sentence in sentences(without_quotes(as_read(text))):
        if supposes(sentence):
            continue
        if asks(sentence):
            stated += [clause for clause in _CLAUSE.split(sentence)[:-1] if clause.strip() and not asks(clause)]
        else:
            stated.append(sentence)
    return stated
