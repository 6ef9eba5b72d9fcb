"""Making a member's text safe to store and to show: unprintable characters go, secrets are masked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory.language import HAN, language_of

MAX_NAME_CHARS = 80
MAX_MARKS = 6
"""Combining marks that one letter may carry; real orthographies need at most four."""

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SUSPECT = re.compile("[^\t\n -~\u00a0-\u02ff\u2010-\u2027\u3000-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_DROPPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0001]"
)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,7}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTORS = re.compile(f"(.?)([{_SELECTOR}]+)", re.DOTALL)
_HAN_CHAR = re.compile(f"[{HAN}]")
_MARKS = re.compile(
    rf"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{{{MAX_MARKS + 1},}}"
)
_JOINED_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
)
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")
_LABEL_BREAKERS = re.compile(r"[<>\[\]{}()`|\\\"*#~@:：＜＞【】「」“”]|\s")


def clean_text(text: str) -> str:
    """The text without characters that cannot be stored or that hide something: control characters (line feed and tab
    stay), lone surrogates, bidirectional overrides, invisible padding, smuggled tags. Ordinary text in any script, and
    emoji sequences, come back as they are, in NFC. Idempotent."""
    while (cleaned := _clean_once(text)) != text:
        text = cleaned
    return text


def _clean_once(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    if not _SUSPECT.search(text):
        return unicodedata.normalize("NFC", text).replace("\u00ad", "")
    text = _PAIR.sub(_join_pair, text)
    text = _DROPPED.sub("", text)
    text = _drop_tags(text)
    text = _SELECTORS.sub(_keep_one_selector, text)
    text = _drop_idle_joiners(text)
    text = unicodedata.normalize("NFC", text)
    return _MARKS.sub(lambda marks: marks[0][:MAX_MARKS], text)


def _join_pair(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _drop_tags(text: str) -> str:
    """Tag characters stay only inside a flag; elsewhere they carry text that nobody sees."""
    kept: list[str] = []
    position = 0
    for flag in _FLAG.finditer(text):
        kept += (_TAG.sub("", text[position : flag.start()]), flag[0])
        position = flag.end()
    return "".join((*kept, _TAG.sub("", text[position:])))


def _keep_one_selector(match: re.Match[str]) -> str:
    base, selectors = match[1], match[2]
    if not base or base.isspace():
        return base
    takes = "\ufe00\ufe01\ufe02\ufe0e\ufe0f" if not _HAN_CHAR.match(base) else None
    first = selectors[0]
    return base + first if takes is None or first in takes else base


def _drop_idle_joiners(text: str) -> str:
    """Joiners stay between emoji and inside the scripts that spell with them."""
    if "\u200c" not in text and "\u200d" not in text:
        return text
    kept: list[str] = []
    for place, char in enumerate(text):
        if char in "\u200c\u200d" and not _joins(char, kept[-1] if kept else "", text[place + 1 : place + 2]):
            continue
        kept.append(char)
    return "".join(kept)


def _joins(joiner: str, before: str, after: str) -> bool:
    if not before:
        return False
    if _JOINED_SCRIPTS.match(before):
        return after not in ("\u200c", "\u200d")
    return joiner == "\u200d" and _is_pictograph(before) and bool(after) and _is_pictograph(after)


def _is_pictograph(char: str) -> bool:
    return char == "\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff" or unicodedata.category(char) == "So"


def is_readable(text: str) -> bool:
    """Whether anything in the text can be seen."""
    return any(char not in _INVISIBLE_LETTERS and unicodedata.category(char)[0] in "LNPS" for char in clean_text(text))


def clean_name(name: str, fallback: str = "member") -> str:
    """A display name as one short line that cannot break out of a label or fence."""
    spaced = _LABEL_BREAKERS.sub(" ", clean_text(name))
    line = " ".join(spaced.split())[:MAX_NAME_CHARS].rstrip(" \u200d\u200c")
    return line if is_readable(line) else fallback


# --- secrets --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Secret:
    """What a match of `pattern` is called. Its group `secret`, or else all of it, is masked if `accepts` agrees."""

    english: str
    chinese: str
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] = lambda _: True


def _luhn(digits: list[int]) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


_CARD_PREFIX = re.compile(r"4|5[1-5]|2[2-7]|3[0-9]|6[0-9]|8[16]|9")
_NOT_A_CARD = re.compile(
    r"(?:order|tracking|invoice|ticket|parcel|订单|单号|运单|快递|编号|流水)[^\d\n]{0,16}$", re.IGNORECASE
)


def _is_card(match: re.Match[str]) -> bool:
    digits = [int(char) for char in match[0] if char.isdigit()]
    plain = "".join(map(str, digits))
    if not (_CARD_PREFIX.match(plain) and _luhn(digits)) or len(set(digits)) == 1:
        return False
    return not _NOT_A_CARD.search(match.string[max(0, match.start() - 32) : match.start()])


_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _is_citizen_number(match: re.Match[str]) -> bool:
    """The check digit of GB 11643-1999."""
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, match[0], strict=False))
    return "10X98765432"[total % 11] == match[0][17].upper()


_NO_PASSWORD = frozenset(
    "wrong incorrect required not too the a an invalid expired correct weak strong same stored hashed in on for "
    "being set reset changed to only never always still just now case what your my his her their our this that "
    "encrypted empty optional asked needed missing based protected safe secure different unknown known lost saved "
    "shared hard easy short long old new no it is was of and or but with from by at manager managers policy field "
    "prompt here there something anything broken ok okay fine good bad working disabled enabled protection "
    "default rejected accepted sent both all very also likely probably supposed going gone blank visible hidden "
    "none null".split()
)


def _is_password(match: re.Match[str]) -> bool:
    return match["secret"].strip(".,!?;:'\"").lower() not in _NO_PASSWORD


def _has_digit(match: re.Match[str]) -> bool:
    return any(char.isdigit() for char in match["secret"])


def _pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(source, flags)


_UNMASKED = r"(?!\[masked: |\[已隐藏：)"
_VALUE = (
    _UNMASKED + r"['\"`“「]?(?P<secret>[!-&(-_a-~]{3,}?)(?=['\"`”」]?(?:[\s，。；、！]|[.,;!?](?:\s|$)|[^\x00-\x7f]|$))"
)
_CREDENTIAL_PARAMETERS = (
    r"access_token|auth_token|refresh_token|id_token|token|api_?key|apikey|key|secret|client_secret|"
    r"password|passwd|pwd|sig|signature|auth"
)

_SECRETS = (
    _Secret(
        "private key",
        "私钥",
        _pattern(
            r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    _Secret("password", "密码", _pattern(rf"(?<=://)[^\s/:@\[]{{1,64}}:(?P<secret>{_UNMASKED}[^\s/@]{{1,128}})(?=@)")),
    _Secret(
        "token",
        "令牌",
        _pattern(rf"(?<=[?&#])(?:{_CREDENTIAL_PARAMETERS})=(?P<secret>{_UNMASKED}[^\s&#\[\]]{{4,}})", re.IGNORECASE),
    ),
    _Secret("token", "令牌", _pattern(r"(?<=/api/webhooks/)\d{15,20}/(?P<secret>[\w-]{20,})")),
    _Secret("token", "令牌", _pattern(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")),
    _Secret(
        "API key",
        "API 密钥",
        _pattern(
            r"(?<![\w-])(?:sk-[\w-]{20,}|[srp]k_(?:live|test)_\w{16,}|AIza[\w-]{35}|xox[abeprs]-[\w-]{10,}|"
            r"hf_[A-Za-z0-9]{30,}"
            r"|npm_[A-Za-z0-9]{36}|pypi-[\w-]{40,}|glpat-[\w-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}"
            r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])|SG\.[\w-]{20,}\.[\w-]{20,})"
        ),
    ),
    _Secret("token", "令牌", _pattern(r"(?<![\w:])\d{8,10}:[\w-]{35}(?![\w-])", re.ASCII)),
    _Secret(
        "token",
        "令牌",
        _pattern(r"(?<![\w.-])(?:[A-Za-z\d_-]{23,28}\.[\w-]{6}\.[\w-]{27,}|mfa\.[\w-]{80,})(?![\w-])", re.ASCII),
    ),
    _Secret("token", "令牌", _pattern(r"\bbearer\s+(?P<secret>[\w.~+/=-]{16,})", re.IGNORECASE)),
    _Secret(
        "API key",
        "API 密钥",
        _pattern(
            r"(?:api[_ -]?keys?|secret(?:[_ -]?access)?[_ -]?keys?|client[_ -]?secret|access[_ -]?tokens?|"
            r"auth[_ -]?tokens?|bot[_ -]?tokens?"
            rf"|\btokens?|密钥|令牌)\s*(?:is|=|:|：|是|为)+\s*{_UNMASKED}['\"`]?(?P<secret>[\w.~+/=-]{{12,}})",
            re.IGNORECASE | re.ASCII,
        ),
        _has_digit,
    ),
    _Secret(
        "password",
        "密码",
        _pattern(
            rf"(?:\bpass(?:word|wd|code|phrase)?s?\b|\bpwd\b|密码|密碼|口令)(?:\s+for\s+[\w.@ -]{{1,30}}?)?\s*"
            rf"(?:\bis\b|\bwas\b|=|:|：|是|为|就是|改成了?|改为)+\s*{_VALUE}",
            re.IGNORECASE,
        ),
        _is_password,
    ),
    _Secret(
        "PIN",
        "PIN 码",
        _pattern(
            r"(?<![A-Za-z])pin(?:\s*(?:code|码))?\s*(?:is|=|:|：|是|为)+\s*(?P<secret>\d{4,8})(?!\d)", re.IGNORECASE
        ),
    ),
    _Secret(
        "id number",
        "证件号",
        _pattern(
            r"(?<![\dA-Za-z])[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|"
            r"3[01])\d{3}[\dXx](?![\dA-Za-z])"
        ),
        _is_citizen_number,
    ),
    _Secret(
        "id number",
        "证件号",
        _pattern(
            r"(?:\bssn\b|social security|passport|护照|通行证)[^\d\n]{0,24}?(?P<secret>\d{3}-\d{2}-\d{4}|"
            r"[A-Z]{1,2}\d{7,8})(?!\w)",
            re.IGNORECASE,
        ),
    ),
    _Secret("card number", "银行卡号", _pattern(r"(?<![\w<@#&!/.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)"), _is_card),
)


def mask_secrets(text: str) -> str:
    """The text with keys, tokens, passwords, card and id numbers replaced by a marker in the text's language. Phone
    numbers, prices, order numbers and ordinary links stay. Idempotent."""
    chinese = language_of(text) == "zh"
    for secret in _SECRETS:
        marker = f"[已隐藏：{secret.chinese}]" if chinese else f"[masked: {secret.english}]"
        text = "".join(_replaced(secret, marker, text))
    return text


def _replaced(secret: _Secret, marker: str, text: str) -> Iterator[str]:
    group = "secret" if "secret" in secret.pattern.groupindex else 0
    position = 0
    for match in secret.pattern.finditer(text):
        if secret.accepts(match):
            start, end = match.span(group)
            yield text[position:start] + marker
            position = end
    yield text[position:]
