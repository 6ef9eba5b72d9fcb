"""Which messages tell something about their speaker."""

import pytest

from memory.disclosure import discloses


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Berlin",
        "call me Lin",
        "I'm vegetarian",
        "I write Rust",
        "my cat is called Miso",
        "I no longer live in Paris",
        "I'm from Chile, any tips?",
        "please answer in English",
        "As a nurse, I work nights",
        "我搬到柏林了",
        "其实我是后端",
        "别再叫我小明",
        "我对花生过敏",
        "请用中文回复我",
        "我不再写Java了",
        "坐标上海",
        "我是新手，怎么安装？",
    ],
)
def test_self_disclosure_is_seen(text: str) -> None:
    assert discloses(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not sure",
        "I'm getting this error",
        "I think so",
        "I like it",
        "I have a problem",
        "I'm trying to install it",
        "if I were rich I'd live in Paris",
        "My friend lives in Rome",
        "“I live in Rome”",
        "我觉得可以",
        "我是说明天",
        "我看看",
        "我不知道",
        "大家我有个问题",
    ],
)
def test_other_first_person_talk_is_not(text: str) -> None:
    assert not discloses(text)
