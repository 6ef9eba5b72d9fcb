"""Invented statements of a bilingual community, to see what recall does in a large store. Same seed, same text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from memory.audience import Scope
from memory.language import language_of
from memory.model import Kind, Memory, Source, Speaker, derived_id

_YEAR: Final = timedelta(days=365)
_THINGS: Final = (
    ("the laptop", "笔记本电脑"),
    ("the old camera", "旧相机"),
    ("my bike", "我的自行车"),
    ("the router", "路由器"),
    ("the coffee machine", "咖啡机"),
    ("the guitar", "吉他"),
    ("the balcony plants", "阳台上的花"),
    ("the tent", "帐篷"),
    ("the printer", "打印机"),
    ("the new desk", "新书桌"),
    ("the fish tank", "鱼缸"),
    ("the winter coat", "冬天的外套"),
    ("the server rack", "服务器机柜"),
    ("the chess set", "国际象棋"),
    ("the sewing machine", "缝纫机"),
    ("the recipe book", "菜谱"),
    ("the car", "汽车"),
    ("the backup drive", "备份硬盘"),
    ("the telescope", "望远镜"),
    ("the piano", "钢琴"),
)
_PLACES: Final = (
    ("in Hamburg", "在汉堡"),
    ("at the library", "在图书馆"),
    ("near the station", "在车站附近"),
    ("in Chengdu", "在成都"),
    ("at my parents' house", "在我父母家"),
    ("in the park", "在公园里"),
    ("at work", "在公司"),
    ("in Toronto", "在多伦多"),
    ("at the night market", "在夜市"),
    ("by the lake", "在湖边"),
    ("in the gym", "在健身房"),
    ("at school", "在学校"),
    ("in the hospital", "在医院"),
    ("at the airport", "在机场"),
    ("in Hangzhou", "在杭州"),
)
_PEOPLE: Final = (
    ("my sister", "我妹妹"), ("a colleague", "一个同事"), ("our neighbour", "邻居"), ("my grandfather", "我爷爷"),
    ("the teacher", "老师"), ("an old friend", "一个老朋友"), ("my daughter", "我女儿"), ("the landlord", "房东"),
    ("my cousin", "我表哥"), ("the doctor", "医生"), ("the new intern", "新来的实习生"), ("my partner", "我对象"),
)  # fmt: skip
_DEEDS: Final = (
    ("fixed {thing} {place}", "{place}修好了{thing}"),
    ("sold {thing} for {n} euros", "以{n}元卖掉了{thing}"),
    ("left {thing} {place}", "把{thing}忘{place}了"),
    ("wants to see {thing} {place}", "想{place}看看{thing}"),
    ("broke {thing} {place}, which cost {n}", "{place}弄坏了{thing}，赔了{n}元"),
    ("spent {n} minutes on {thing} {place}", "{place}为{thing}花了{n}分钟"),
    ("never liked {thing} {place}", "一直不喜欢{place}的{thing}"),
    ("is saving {n} a month for {thing}", "每月存{n}元买{thing}"),
    ("learnt how {thing} works {place}", "{place}学会了怎么用{thing}"),
    ("painted {thing} {place}", "{place}给{thing}上了漆"),
    ("took {n} pictures of {thing} {place}", "{place}给{thing}拍了{n}张照片"),
    ("lent {thing} to {other}", "把{thing}借给了{other}"),
    ("argued with {other} about {thing}", "和{other}为{thing}吵了一架"),
    ("met {other} {place}", "{place}碰到了{other}"),
)
_FRAMES: Final = (
    ("Last week {who} {deed}.", "上周{who}{deed}。"),
    ("Number {n}: {who} {deed}, and we talked about it all evening.", "编号{n}：{who}{deed}，我们聊了一晚上。"),
    ("I was surprised that {who} {deed}!", "没想到{who}{deed}！"),
    ("On day {n} of the trip {who} {deed}.", "旅行第{n}天，{who}{deed}。"),
    ("{who} {deed}, so now I have to plan anew.", "{who}{deed}，我得重新安排了。"),
    ("In the end {who} {deed}, and that made my day.", "最后{who}{deed}，我高兴了一整天。"),
)
_SPEAKERS: Final = (
    "Ahmed",
    "Bianca",
    "Chidi",
    "Dora",
    "Emil",
    "Freya",
    "Goran",
    "Hanna",
    "阿强",
    "小雨",
    "老周",
    "思思",
    "大鹏",
    "晓梅",
)


def filler(count: int, scope: Scope, until: datetime, *, seed: int = 1) -> Iterator[Memory]:
    """`count` memories of the year before `until`, about half of them in each language."""
    draw = random.Random(seed)  # noqa: S311 - invented text, no secret
    for number in range(count):
        text = _statement(draw)
        at = until - _YEAR * draw.random()
        name = draw.choice(_SPEAKERS)
        yield Memory(
            id=derived_id("filler", str(seed), str(number)),
            scope=scope,
            text=text,
            kind=Kind.FACT,
            language=language_of(text),
            sources=(Source(None, Speaker(f"filler:{name}", name), at),),
            created_at=at,
            last_seen_at=at,
            valid_from=at,
        )


def _statement(draw: random.Random) -> str:
    language = draw.randrange(2)
    words = {
        "thing": draw.choice(_THINGS)[language],
        "place": draw.choice(_PLACES)[language],
        "other": draw.choice(_PEOPLE)[language],
        "n": str(draw.randrange(2, 9_000)),
    }
    deed = draw.choice(_DEEDS)[language].format(**words)
    frame = draw.choice(_FRAMES)[language]
    text = frame.format(who=draw.choice(_PEOPLE)[language], deed=deed, n=draw.randrange(2, 9_000))
    return text[0].upper() + text[1:]
