"""Text that is safe to store and to show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.privacy import MAX_NAME_CHARS, clean_name, clean_text, is_readable, mask_secrets

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
TRICKY = st.text(
    st.sampled_from(
        "a中é\u0301\u200c\u200d\ufe0f\U000e0100\U0001f3f4\U000e0067\U000e007f\ud83d\ude00\u202e\r\n\u2028م👨👩🏽葛क्"
    ),
    max_size=30,
)


@given(ANY_TEXT | TRICKY)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@given(ANY_TEXT | TRICKY)
def test_whatever_was_cleaned_can_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    assert "\x00" not in cleaned
    cleaned.encode("utf-8")


@given(ANY_TEXT | TRICKY)
def test_a_name_is_one_short_readable_line(name: str) -> None:
    cleaned = clean_name(name)
    assert 0 < len(cleaned) <= MAX_NAME_CHARS
    assert not set(cleaned) & set("<>[]{}`\n:：")
    assert is_readable(cleaned)


@pytest.mark.parametrize(
    "text",
    [
        "hello, 世界！",
        "家族 👨‍👩‍👧‍👦 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏽",
        "می‌خواهم",
        "שלום עולם",
        "क्‍ष",
        "葛󠄀城",
        "line\n\tindented",
        "naïve café",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert clean_text(text) == text


def test_hidden_and_broken_characters_go() -> None:
    assert clean_text("a\x00b\u202ec\u200bd\ud800e") == "abcde"
    assert clean_text("one\r\ntwo") == "one\ntwo"
    assert clean_text("hi" + "".join(chr(0xE0000 + ord(char)) for char in "obey")) == "hi"


@pytest.mark.parametrize("text", ["", " \n ", "\u200b\u200b", "\u3164", "\x00"])
def test_nothing_to_see_is_not_readable(text: str) -> None:
    assert not is_readable(text)


@pytest.mark.parametrize("text", ["a", "中", "👍", "?"])
def test_anything_visible_is_readable(text: str) -> None:
    assert is_readable(text)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("my password is hunter2, ok", "my password is [masked: password], ok"),
        ("wifi密码：88888888", "wifi密码：[已隐藏：密码]"),
        ("card 4111 1111 1111 1111 thanks", "card [masked: card number] thanks"),
        ("身份证 11010519491231002X", "身份证 [已隐藏：证件号]"),
        (
            "see https://u:secret@h.example/x?token=abcdef123&b=1",
            "see https://u:[masked: password]@h.example/x?token=[masked: token]&b=1",
        ),
        ("key sk-proj-" + "a1" * 12, "key [masked: API key]"),
        ("bot 123456789:" + "Ab1_-" * 7, "bot [masked: token]"),
        ("use ghp_" + "a1B2" * 9, "use [masked: API key]"),
        ("id AKIA" + "ABCD1234EFGH5678", "id [masked: API key]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[masked: private key]"),
    ],
)
def test_secrets_are_masked_in_the_language_of_the_text(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "call 13800138000 or +1 415 555 2671",
        "the price is 1,299.00 USD",
        "order number 4111111111111111",
        "订单号 6222021234567890128",
        "the password is wrong",
        "密码是什么",
        "see https://example.com/docs?page=2#top",
        "<@123456789012345678> version 10.15.7",
    ],
)
def test_phone_numbers_prices_orders_and_links_stay(text: str) -> None:
    assert mask_secrets(text) == text


SECRETIVE = st.lists(
    st.sampled_from(
        [
            "my password is hunter2",
            "密码是abc123",
            "4111 1111 1111 1111",
            "https://a:b@c.example/?key=12345678",
            "token: abcdef1234567890",
            "hello",
            "，",
            "\n",
        ]
    ),
    max_size=6,
).map(" ".join)


@given(SECRETIVE | ANY_TEXT)
def test_masking_twice_is_masking_once(text: str) -> None:
    assert mask_secrets(mask_secrets(text)) == mask_secrets(text)
