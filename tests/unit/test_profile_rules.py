"""Facts that members plainly state about themselves."""

import pytest

from memory.model import ProfileField, Speaker
from memory.profile import fold
from memory.profile_rules import facts_from
from tests.factories import a_message, an_id, dm_scope


def facts_of(text: str) -> set[tuple[str, str]]:
    return {(fact.field.value, fact.value) for fact in facts_from(a_message(text), an_id())}


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("I moved to Berlin", "key_fact", "lives in Berlin"),
        ("i live in paris", "key_fact", "lives in Paris"),
        ("call me Lin", "name", "Lin"),
        ("I'm a nurse and I work nights", "key_fact", "works as a nurse"),
        ("I work as a data analyst for Acme Corp", "key_fact", "works at Acme Corp"),
        ("I write Rust and Go", "interest", "Go"),
        ("I'm allergic to peanuts and shellfish", "key_fact", "allergic to shellfish"),
        ("I'm vegetarian", "key_fact", "vegetarian"),
        ("my birthday is March 3", "key_fact", "birthday: March 3"),
        ("I like hiking, chess and jazz", "interest", "chess"),
        ("I hate cilantro", "preference", "dislikes cilantro"),
        ("I prefer dark roast", "preference", "prefers dark roast"),
        ("I'm new to Linux", "expertise_level", "beginner"),
        ("please answer in English", "preferred_language", "en"),
        ("I'm from Chile, any tips?", "key_fact", "from Chile"),
        ("I no longer live in Paris", "key_fact", "no longer lives in Paris"),
        ("我搬到柏林了", "key_fact", "住在柏林"),
        ("我搬到柏林了，对花生过敏", "key_fact", "对花生过敏"),
        ("别再叫我小明，叫我阿明", "name", "阿明"),
        ("其实我是前端工程师", "key_fact", "职业：前端工程师"),
        ("我在腾讯上班", "key_fact", "在腾讯工作"),
        ("我不再写Java了", "key_fact", "不再用Java"),
        ("我喜欢爬山和摄影", "interest", "摄影"),
        ("我不吃香菜", "preference", "不吃香菜"),
        ("我的生日是3月5号", "key_fact", "生日：3月5号"),
        ("我是新手", "expertise_level", "beginner"),
        ("请用中文回复我", "preferred_language", "zh"),
    ],
)
def test_plain_statements_make_facts(text: str, field: str, value: str) -> None:
    assert (field, value) in facts_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "if I were rich I'd live in Paris",
        "I wish I lived in Tokyo",
        "my friend lives in Rome",
        "Alice said 'I live in Rome'",
        "Alice said I live in Rome",
        "Bob thinks I'm a nurse",
        "Do I live in Berlin?",
        "I used to live in Oslo",
        "I moved to neovim last week",
        "I'm not sure",
        "I love it",
        "我朋友住在巴黎",
        "如果我住在巴黎就好了",
        "小明说我住在巴黎",
        "我爸是医生",
        "我是说明天",
        "我会看看",
        "我们住在北京",
    ],
)
def test_hearsay_suppositions_and_questions_make_none(text: str) -> None:
    assert facts_of(text) == set()


def test_moving_replaces_the_old_home() -> None:
    facts = [
        *facts_from(a_message("I live in Paris"), an_id()),
        *facts_from(a_message("I moved to Berlin", at=a_message().at.replace(day=2)), an_id()),
    ]
    assert fold("alice", None, facts).key_facts == ("lives in Berlin",)


def test_a_fact_keeps_the_scope_and_source_of_its_message() -> None:
    source = an_id()
    (fact,) = facts_from(a_message("I'm vegetarian", scope=dm_scope("alice")), source)
    assert fact.scope == dm_scope("alice")
    assert fact.sources[0].turn_id == source
    assert fact.field is ProfileField.KEY_FACT
    assert facts_from(a_message("I'm vegetarian", scope=dm_scope("alice")), source) == [fact]


def test_the_bot_has_no_profile() -> None:
    assert facts_from(a_message("I live in Berlin", speaker=Speaker(None, "Kith")), an_id()) == []
