import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.details import LOOKED_AT, hard_details, pin_text


def found(text: str) -> list[tuple[str, str]]:
    return [(detail.kind, text[detail.start : detail.end]) for detail in hard_details(text)]


@pytest.mark.parametrize(
    ("text", "kind", "detail"),
    [
        ("年费是 99 元", "amount", "99 元"),
        ("只要¥99", "amount", "¥99"),
        ("It was $1,299.50 in total", "amount", "$1,299.50"),
        ("大概三百块吧", "amount", "三百块"),
        ("一杯三块五", "amount", "三块五"),
        ("that is 20 USD", "amount", "20 USD"),
        ("they raised 5k for it", "amount", "5k"),
        ("预算５０００元", "amount", "５０００元"),
        ("a ticket costs 25", "amount", "costs 25"),
        ("3月15号见面", "time", "3月15号"),
        ("三月十五号见面", "time", "三月十五号"),
        ("deadline 2026-03-15", "time", "2026-03-15"),
        ("on March 3rd we meet", "time", "March 3rd"),
        ("on 3 March 2026", "time", "3 March 2026"),
        ("doors open 7:30pm", "time", "7:30pm"),
        ("let's say 8 p.m. then", "time", "8 p.m."),
        ("每周五例会", "time", "每周五"),
        ("the call is on Friday", "time", "Friday"),
        ("due on the 15th", "time", "on the 15th"),
        ("call me at 13812345678", "phone", "13812345678"),
        ("call +1 (555) 123-4567", "phone", "+1 (555) 123-4567"),
        ("住在8号楼302室", "address", "302室"),
        ("地址：中山路12号", "address", "山路12号"),
        ("meet at 221B Baker Street", "address", "221B Baker Street"),
        ("it is in room 302", "address", "room 302"),
        ("Seat 12A is yours", "address", "Seat 12A"),
        ("三楼会议室见", "address", "三楼"),
        ("write to foo.bar@example.com.", "email", "foo.bar@example.com"),
        ("链接是https://example.com/a?b=c，谢谢", "url", "https://example.com/a?b=c"),
        ("(see https://example.com/a).", "url", "https://example.com/a"),
        ("报名在example.com/join这里", "url", "example.com/join"),
        ("order ABC-1234 has shipped", "code", "ABC-1234"),
        ("use K8X2P to join", "code", "K8X2P"),
        ("the invite code is SUMMER", "code", "SUMMER"),
        ("邀请码是 x9k2", "code", "x9k2"),
        ("上次那个 v1.2.3 有问题", "version", "v1.2.3"),
        ("needs Python 3.12", "version", "3.12"),
        ("takes 3.5 GB of memory", "measure", "3.5 GB"),
        ("买了 5 公斤", "measure", "5 公斤"),
        ("买了五公斤", "measure", "五公斤"),
        ("限25人", "measure", "25人"),
        ("20% off", "percentage", "20%"),
        ("打八折", "percentage", "八折"),
        ("百分之二十的人", "percentage", "百分之二十"),
        ("人均150左右", "amount", "人均150"),
        ("满200减30", "amount", "满200减30"),
        ("it was twenty dollars", "amount", "twenty dollars"),
        ("显存24G", "measure", "24G"),
        ("第3期", "measure", "第3期"),
        ("back in two weeks", "measure", "two weeks"),
        ("call 911", "phone", "911"),
        ("at half past seven", "time", "half past seven"),
        ("postcode SW1A 1AA", "address", "SW1A 1AA"),
        ("it is in issue 88", "code", "88"),
        ("Friday, then", "time", "Friday"),
        ("at 19:56:42", "time", "19:56:42"),
        ("ping 2001:db8::1", "network", "2001:db8::1"),
        ("ssh to 192.168.1.10:2222", "network", "192.168.1.10:2222"),
        ("it listens on localhost:5432", "network", "localhost:5432"),
    ],
)
def test_hard_detail_is_found_with_its_kind_and_span(text: str, kind: str, detail: str) -> None:
    assert (kind, detail) in found(text)


@pytest.mark.parametrize(
    "text", ["下周二下午三点", "tomorrow at noon", "每月15号", "8点见", "下午三点半", "十二点开始", "明天下午"]
)
def test_times_of_speech_are_found_whole_or_in_parts(text: str) -> None:
    assert {kind for kind, _ in found(text)} == {"time"}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "one of us",
            "in a second",
            "3D",
            "4K video",
            "24/7",
            "GPT-4 and UTF-8",
            "H2O",
            "top 10",
            "lol 666",
            "no way...",
        ),
        *(
            "see you tomorrow",
            "I may go",
            "the second one",
            "i.e. that",
            "I have 2 cats",
            ":D",
            "ok.so what",
            "wait a min",
        ),
        *(
            "thanks a million",
            "well-known",
            "a lot of people",
            "sat down",
            "he may march on",
            "me too :)",
            "last week",
            "ann1999: hello",
            "Zealot12, thanks",
            "5G is fast",
        ),
        *(
            "一起",
            "一下",
            "二话不说",
            "一点都不累",
            "快一点",
            "有一天",
            "半天",
            "一个人",
            "三心二意",
            "乱七八糟",
            "两点建议",
        ),
        *(
            "一周一次",
            "十分感谢",
            "今天天气不错",
            "早上好",
            "千万不要",
            "万一呢",
            "一块去吧",
            "两块蛋糕",
            "明天见",
            "一会儿",
        ),
        *("几点了", "一元二次方程", "楼上说得对", "一路走好", "第一次", "百度一下", "谢谢大家", "哈哈哈"),
        *("<@123456789012345678> hi", "<:smile:123456789012345678>", "<#123456789012345678>"),
    ],
)
def test_plain_chatter_has_no_hard_details(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "第17轮：我们继续",
            "第十七轮",
            "第3条",
            "第 42 次",
            "第12/60轮",
            "消息 42",
            "消息编号 1042",
            "第三步",
            "话题12：随便聊",
        ),
        *("round 17: so", "Round 1234", "message #4242", "turn 3", "step 2 of 5", "msg-0017", "the 17th round", "#12"),
        *("[17/60] go on", "1. first", "2) second", "3、第三", "filler 2048", "Message no. 1042", "on the 17th day"),
    ],
)
def test_what_counts_the_talk_is_no_hard_detail(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("第17轮：一共 1299.50 元", "1299.50 元"),
        ("round 17: it is $49", "$49"),
        ("话题3月5日再说", "3月5日"),
        ("问题35元能解决", "35元"),
        ("message: call 13812345678", "13812345678"),
        ("order #12", "12"),
        ("the test takes 40 minutes, try 5 euros", "5 euros"),
        ("we start week 10 May", "10 May"),
    ],
)
def test_details_beside_a_count_are_found(text: str, detail: str) -> None:
    assert detail in [said for _, said in found(text)]


@given(st.text())
def test_details_are_in_order_apart_and_inside_the_text(text: str) -> None:
    end = 0
    for detail in hard_details(text):
        assert end <= detail.start < detail.end <= len(text)
        end = detail.end


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "(",
        "a.",
        "1.",
        "a-",
        "a@",
        "1 ",
        "一",
        "千万",
        "1:",
        "1/",
        "$1,",
        "Aa ",
        "aA1-",
        "http://",
        "路1",
        "code is ",
        "+1",
        ".'",
    ],
)
def test_a_hundred_thousand_hostile_characters_cost_no_more_than_a_short_text(unit: str) -> None:
    """Only so much of a text is looked at, whatever it is made of."""

    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        start = time.process_time()
        hard_details(text)
        pin_text(text, 400)
        return time.process_time() - start

    short = max(min(seconds(LOOKED_AT) for _ in range(2)), 0.005)
    assert min(seconds(100_000) for _ in range(2)) < 5 * short


def test_a_detail_in_the_middle_of_a_huge_text_is_found() -> None:
    text = "blah blah. " * 5_000 + "The fee is $49. " + "blah blah. " * 5_000
    assert [text[each.start : each.end] for each in hard_details(text)] == ["fee is $49"]
    assert pin_text(text, 200) == "The fee is $49."


@given(st.integers(0, 4_000))
def test_a_link_in_a_long_text_is_found_whole_or_not_at_all(at: int) -> None:
    link = "https://example.com/" + "a" * 300
    text = "x " * at + link + " x" * (4_000 - at)
    assert [text[each.start : each.end] for each in hard_details(text)] in ([link], [])


CHATTER = "我们继续聊聊社区的事情，大家最近都在忙各自的项目，有人写代码，有人画画，也有人在准备考试，"


def test_of_a_long_turn_without_full_stops_the_clause_with_the_detail_is_pinned() -> None:
    pinned = pin_text(CHATTER * 3 + "会员年费的价格，定为 1299.50 元，" + CHATTER * 3, 400)
    assert "会员年费的价格，定为 1299.50 元" in pinned
    assert len(pinned) < 70
    english = "so we went on about this and that for quite a while, as one does, " * 4
    pinned = pin_text(f"{english}the ticket, as I told you, is $49.50 now, {english}", 400)
    assert "the ticket, as I told you, is $49.50 now" in pinned
    assert len(pinned) < 130


def test_neighbouring_clauses_with_details_stay_together() -> None:
    facts = "年费 1288 元，活动在 2026年5月20日，链接 https://example.com/s，电话 13800138000"
    assert facts in pin_text(CHATTER * 3 + facts + "，" + CHATTER * 3, 400)


def test_when_not_all_fits_the_strongest_detail_is_kept() -> None:
    weak = "".join(f"今天又走了 {n} 公里的山路真的很累。" for n in range(10, 40))
    assert "价格是 88 元" in pin_text(weak + "价格是 88 元。" + weak, 60)


def test_short_text_is_pinned_whole() -> None:
    assert pin_text("hello there", 100) == "hello there"


def test_long_text_is_pinned_by_the_sentences_that_hold_details() -> None:
    chatter = "We talked about this and that for a while. " * 20
    text = f"{chatter}The early bird price is $49. {chatter}我们三楼会议室见。" + chatter
    assert pin_text(text, 200) == "The early bird price is $49. … 我们三楼会议室见。"


def test_long_text_without_details_pins_nothing() -> None:
    assert pin_text("就是随便聊聊天。" * 100, 200) == ""


def test_a_detail_in_an_endless_sentence_keeps_its_surroundings() -> None:
    pinned = pin_text("blah " * 200 + "the price is $49 for members " + "blah " * 200, 120)
    assert "the price is $49 for members" in pinned
    assert len(pinned) <= 120


def test_a_full_stop_inside_a_detail_does_not_cut_it() -> None:
    text = "聊天。" * 100 + "We start at 7 p.m. on Dec. 3 in the hall. " + "聊天。" * 100
    pinned = pin_text(text, 150)
    assert "7 p.m." in pinned
    assert "Dec. 3" in pinned


@given(
    st.lists(
        st.sampled_from(["hello there. ", "价格是99元。", "see https://a.io/b ", "闲聊", "v1.2.3\n", "x" * 50]),
        max_size=40,
    ),
    st.integers(1, 200),
)
def test_pinned_text_is_verbatim_and_within_its_limit(parts: list[str], limit: int) -> None:
    text = "".join(parts)
    pinned = pin_text(text, limit)
    assert len(pinned) <= limit
    assert all(piece.strip() in text for piece in pinned.split(" … "))
