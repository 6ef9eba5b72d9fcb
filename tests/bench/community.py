"""An invented bilingual community: what its members told the bot, and what they ask. The same for the same seed.

A statement is made of a template and a topic, which give it its meaning (its `base`), and of names, places, numbers and
days, which barely change it. So a hundred thousand statements have a few hundred meanings, and only those need the
embedding model: see `filling`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Literal

from memory.audience import Scope, Visibility
from memory.model import Kind, Language, Memory, Neighbours, Source, Speaker, derived_id

NAME = "home"
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
AGE_DAYS = 300
Sort = Literal["question", "statement", "small talk"]
MIX: dict[Sort, float] = {"question": 0.40, "statement": 0.35, "small talk": 0.25}
"""Of what is said in a channel where the bot answers everything."""

_TOPICS = (
    ("offline meetup", "线下聚会"), ("newsletter", "社区周刊"), ("hackathon", "黑客松"), ("reading club", "读书会"),
    ("game night", "桌游之夜"), ("photo contest", "摄影比赛"), ("mentoring programme", "导师计划"),
    ("hiking trip", "徒步活动"), ("Python workshop", "Python 工作坊"), ("server migration", "服务器迁移"),
    ("membership fee", "会员费"), ("charity run", "公益跑"), ("language exchange", "语言交换"),
    ("robotics group", "机器人小组"), ("film evening", "观影之夜"), ("badminton league", "羽毛球联赛"),
    ("job fair", "招聘会"), ("translation team", "翻译小组"), ("moderator election", "管理员选举"),
    ("board game library", "桌游图书馆"), ("cooking class", "烹饪课"), ("chess ladder", "象棋天梯"),
    ("VPN access", "VPN 权限"), ("podcast", "播客"), ("garden project", "菜园项目"), ("tax seminar", "报税讲座"),
)  # fmt: skip
_PLACES = (
    ("the city library", "市图书馆"), ("the harbour cafe", "港口咖啡馆"), ("room B12", "B12 会议室"),
    ("the university", "大学"), ("the online hall", "线上大厅"),
)  # fmt: skip
_STATEMENTS = (
    ("The {topic} moves to {place} on {day}, at {n} o'clock.", "{topic}改到{place}，{day}{n}点开始。", Kind.EVENT),
    ("{who} organises the {topic} at {place}; write to them by {day}.",
     "{topic}由{who}在{place}负责，{day}之前联系。", Kind.FACT),
    ("We decided that the {topic} at {place} costs {n} euros per person from {day} on.",
     "我们决定{place}的{topic}从{day}起每人收费{n}元。", Kind.DECISION),
    ("You sign up for the {topic} with the form at {place}, seat {n} was the last one on {day}.",
     "{topic}在{place}填表报名，{day}已经排到{n}号。", Kind.KNOWLEDGE),
    ("I prefer the {topic} at {place} on {day}, ideally with {n} people.",
     "我更喜欢{day}在{place}参加{topic}，最好{n}个人。", Kind.PREFERENCE),
    ("The key for the {topic} is kept at {place}, ask {who}, code {n}.",
     "{topic}的钥匙放在{place}，找{who}拿，编号{n}。", Kind.KNOWLEDGE),
    ("{n} people came to the {topic} at {place} on {day}, {who} wrote the report.",
     "{day}有{n}人参加了{place}的{topic}，{who}写了总结。", Kind.EVENT),
    ("My laptop broke during the {topic} at {place}, {who} lent me one until {day}.",
     "我在{place}参加{topic}时电脑坏了，{who}借我一台到{day}。", Kind.FACT),
)  # fmt: skip
_QUESTIONS = (
    ("How do I sign up for the {topic}?", "{topic}怎么报名？"),
    ("Where does the {topic} take place on {day}?", "{day}的{topic}在哪里举行？"),
    ("Who organises the {topic} at {place}?", "{place}的{topic}是谁负责的？"),
    ("How much does the {topic} cost?", "{topic}要多少钱？"),
    ("When did {who} last come to the {topic}?", "{who}上次参加{topic}是什么时候？"),
    ("How many people came to the {topic} at {place}?", "{place}的{topic}来了多少人？"),
    ("Which code does the key for the {topic} have?", "{topic}的钥匙编号是多少？"),
)
_SMALL_TALK = (
    "haha", "thanks!", "谢谢", "好的", "good morning everyone", "早上好", "ok", "lol that is great", "哈哈哈哈", "👍👍",
    "see you later", "没问题", "nice one", "嗯嗯", "brb", "same here", "真的吗", "wow", "太好了", "yes please",
)  # fmt: skip
_NAMES = (
    "Alice", "Ben", "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hugo", "Iris", "Jonas", "小波", "李娜", "王强",
    "陈晨", "刘洋", "赵敏", "孙磊", "周杰", "吴婷", "郑爽",
)  # fmt: skip
_DAYS = (
    ("Monday", "周一"), ("Tuesday", "周二"), ("Wednesday", "周三"), ("Thursday", "周四"), ("Friday", "周五"),
    ("Saturday", "周六"), ("3 March", "3月3日"), ("17 May", "5月17日"), ("9 October", "10月9日"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory, its meaning by number, and that of what was said before it."""

    memory: Memory
    base: int
    base_before: int | None


class Community:
    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a benchmark's inputs
        self._bases = list(product(range(len(_STATEMENTS)), range(len(_TOPICS)), (0, 1)))
        self.members = [Speaker(f"console:member{n}", f"{name}{n}") for n in range(15) for name in _NAMES]

    def bases(self) -> list[str]:
        """A text for each meaning, in the order of their numbers."""
        return [self._statement_text(base, who="Alice", place=0, number=20, day=0) for base in range(len(self._bases))]

    def statements(self, count: int) -> Iterator[Statement]:
        """`count` memories, oldest first."""
        before: tuple[int, str] | None = None
        for number in range(count):
            base = self._random.randrange(len(self._bases))
            speaker = self._random.choice(self.members)
            at = NOW - timedelta(days=AGE_DAYS) * (1 - number / count)
            told = before if self._random.random() < 0.7 else None
            memory = self._memory(number, base, speaker, at, told[1] if told else "")
            yield Statement(memory, base, told[0] if told else None)
            before = (base, f"{speaker.name}: {memory.text}")

    def message(self, sort: Sort | None = None) -> tuple[Sort, str]:
        """Something that a member says; of any sort, mixed as in `MIX`."""
        sort = sort or self._random.choices(list(MIX), weights=list(MIX.values()))[0]
        if sort == "small talk":
            return sort, self._random.choice(_SMALL_TALK)
        if sort == "statement":
            return sort, self._varied(self._random.randrange(len(self._bases)))
        return sort, self._filled(self._random.choice(_QUESTIONS), language=self._random.randrange(2))

    def _memory(self, number: int, base: int, speaker: Speaker, at: datetime, before: str) -> Memory:
        template, _, language = self._bases[base]
        said = Source(derived_id("turn", str(number)), speaker, at, "general")
        return Memory(
            id=derived_id("bench", str(number)),
            scope=Scope(NAME, self._visibility(speaker)),
            text=self._varied(base),
            kind=_STATEMENTS[template][2],
            language=_LANGUAGES[language],
            sources=(said,),
            created_at=at,
            last_seen_at=at,
            valid_from=at,
            importance=round(self._random.uniform(0.3, 0.9), 2),
            neighbours=Neighbours(before=before, speakers=(str(speaker.member_id),) if before else ()),
        )

    def _visibility(self, speaker: Speaker) -> Visibility:
        drawn = self._random.random()
        if drawn < 0.05:
            return Visibility.dm(str(speaker.member_id))
        return Visibility.channel("staff") if drawn < 0.12 else Visibility.community(NAME)

    def _varied(self, base: int) -> str:
        return self._statement_text(
            base,
            who=self._random.choice(self.members).name,
            place=self._random.randrange(len(_PLACES)),
            number=self._random.randrange(5, 5_000),
            day=self._random.randrange(len(_DAYS)),
        )

    def _statement_text(self, base: int, *, who: str, place: int, number: int, day: int) -> str:
        template, topic, language = self._bases[base]
        return str(_STATEMENTS[template][language]).format(
            topic=_TOPICS[topic][language], place=_PLACES[place][language], day=_DAYS[day][language], who=who, n=number
        )

    def _filled(self, template: tuple[str, str], *, language: int) -> str:
        return template[language].format(
            topic=self._random.choice(_TOPICS)[language],
            place=self._random.choice(_PLACES)[language],
            day=self._random.choice(_DAYS)[language],
            who=self._random.choice(self.members).name,
        )


_LANGUAGES: tuple[Language, Language] = ("en", "zh")
