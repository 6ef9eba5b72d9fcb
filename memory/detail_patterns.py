"""How hard details are written in Chinese and English: the patterns that `memory.details` looks for.

Every pattern is bounded in how far it looks and anchored to where a detail can begin, so that a text costs time in
proportion to its length, whatever it holds. They are matched against text whose full-width digits and letters have been
made plain by `FULL_WIDTH`.
"""

from __future__ import annotations

import re
from typing import Literal

from memory.language import HAN

DetailKind = Literal[
    "url", "email", "network", "time", "amount", "percentage", "measure", "address", "version", "phone", "code"
]

# --- building blocks ------------------------------------------------------------------------------------------------

_ALONE = r"(?<![A-Za-z0-9_.])(?<!\d,)"
"""Not inside a longer word or number; Chinese characters may touch."""
_NUM = r"\d{1,15}(?:[.,]\d{1,15}){0,4}"
_ZH_DIGIT = "一二两三四五六七八九"
_ZH_NUM = f"[零〇{_ZH_DIGIT}十百千万亿]{{1,12}}"
_ZH_LARGE = f"(?<![{_ZH_DIGIT}十百千万亿])[{_ZH_DIGIT}]十?[百千万亿][零〇{_ZH_DIGIT}十百千万亿]{{0,10}}"
_ZH_DAY = "(?:[一二]十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九])"
_ZH_HOUR = "(?:十[一二]?|[三四五六七八九])"
_ZH_MINUTE = "(?:[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分?"
_DAY_PART = "(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|半夜|今晚|明晚|今早|明早)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_CURRENCY_BEFORE = (
    r"(?:(?:US|HK|NT|[ACRS])?\$|[¥￥€£₹₩₽฿₫]|\b(?:USD|CNY|RMB|EUR|GBP|JPY|HKD|TWD|KRW|INR|SGD|AUD|CAD|CHF))"
)
_CURRENCY_AFTER = (
    "(?:元(?![素旦])|块|毛钱|角钱|分钱|圆|人民币|美元|美金|美分|欧元|英镑|日元|日币|韩元|港币|港元|台币|新台币|刀(?!片|子|具)"
    r"|[¥￥€£$]|(?:USD|CNY|RMB|EUR|GBP|JPY|HKD|TWD|KRW|INR|SGD|AUD|CAD|CHF|USDT|BTC|ETH"
    r"|dollars?|bucks?|euros?|pounds?|cents?|yuan|quid|yen|rupees?|won)\b)"
)
_PRICE_WORD = (
    r"(?:costs?|price[ds]?|pay|paid|fee|priced at|人均|每人|售价|价格|票价|费用|价钱"
    r"|原价|现价|单价|总价|报价|押金|定金|卖|收)"
)
_UNIT = (
    r"(?:[KMGT]i?B|[KMG]bps|[KMG]bit/s|[kcm]?m|km/h|mph|kg|mg|lbs?|oz|ml|[KMG]?Hz|k?Wh?|mAh|ms|px|fps|dpi|°[CF]|℃|℉"
    r"|inch(?:es)?|feet|foot|ft|miles?|met(?:er|re)s?|kilomet(?:er|re)s?|lit(?:er|re)s?|grams?|kilos?|tons?|degrees?"
    r"|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?|people|persons?|seats?|spots?|tickets?"
    r"|attendees|participants|members|guests|pages?|tokens?)\b"
)
_ZH_UNIT = (
    "(?:公斤|千克|毫克|克(?!服|隆|制)|斤|吨|公里|千米|厘米|毫米|英寸|英尺|英里|米(?!饭|线|粉)|平米|平方米|平方|毫升|升(?!级|职)"
    "|摄氏度|度(?!假)|兆|小时|个小时|分钟|秒钟?|天|个?星期|周(?!围|边|到)|个月|年|岁|人|个人|名额|个名额|位|张票|张|页|层|排)"
)
_ZH_NUMERAL_UNIT = "(?:公斤|千克|斤|吨|公里|千米|厘米|毫米|英寸|英里|平米|平方米|毫升|摄氏度|个?小时|分钟|个月|个名额)"
_EN_NUMERAL = (
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty"
    r"|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)"
)
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Way|Square|Sq|Court|Ct|Place|Pl|Terrace|Highway"
    r"|Hwy|Parkway|Platz|Plaza)"
)
_HOST = r"(?<![A-Za-z0-9._@-])[A-Za-z0-9][A-Za-z0-9-]{0,40}(?:\.[A-Za-z0-9-]{1,40}){0,5}"
_URL_CHARS = r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]"
_TOP_LEVEL = r"(?:com|org|net|io|cn|gg|dev|app|co|ai|edu|gov|info|xyz|tv|cc|uk|de|fr|jp|tw|hk|eu|ly|sh|site)"
_TOP_LEVEL_OR_WORD = r"(?:me|so|to|us|im|is|top|it|at|be|no)"
"""Top-level domains that a missing space after a full stop makes too; they need a path behind them."""
_CODE_WORD = (
    r"(?:(?:code|password|passcode|passphrase|pin|coupon|voucher|invite|order|ticket|booking|reservation|tracking|serial"
    r"|meeting id|wi-?fi|issue|pr|bug)(?![a-z])|微信号?|QQ号?|验证码"
    r"|邀请码|优惠码|兑换码|激活码|提取码|取件码|密码|口令|暗号"
    r"|订单号?|单号|编号|会议号|房间号|群号|账号|卡号|航班|车次)"
)

_TALK = (
    r"(?:round|turn|step|message|msg|question|answer|reply|note|entry|comment|post|item|point|topic|chapter|part|attempt"
    r"|try|test|filler|iteration|loop|exchange|sample|example|episode|level|lap|day|week|chat)"
)
_ZH_TALK = "(?:消息|信息|回合|轮次|轮数|序号|步骤|问题|话题|议题|题目|要点|选项|测试|填充|闲聊|对话|发言|留言|楼层)"

MENTION = re.compile(r"<(?:@[!&]?|#|a?:\w{1,32}:)\d{1,20}>", re.ASCII)
FULL_WIDTH = {0xFEE0 + code: code for code in (*b"0123456789%#:+-/@()", *range(65, 91), *range(97, 123))}


def _any_of(*patterns: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.ASCII | flags)


COUNTER = _any_of(
    rf"第\s?(?:\d{{1,6}}(?:\s?/\s?\d{{1,6}})?|{_ZH_NUM})\s?[轮条次个步点句段回遍题问项组批关天周件种份名位局则]",
    rf"{_ZH_TALK}\s?(?:编号|号)?\s?#?\d{{1,6}}+(?![.:/-]\d)(?!\s?(?:[%折年月日号点楼室]|{_ZH_UNIT}|{_CURRENCY_AFTER}))",
    rf"(?<![a-z]){_TALK}s?(?:\s(?:number|no\.?))?[\s#_-]{{0,3}}\d{{1,6}}+(?:\s?/\s?\d{{1,4}}|\sof\s\d{{1,4}})?+"
    rf"(?![.:/,-]\d|[\w%$€])(?!\s?(?:{_UNIT}|{_CURRENCY_AFTER}|{_MONTH}\b|percent|[ap]\.m))",
    rf"(?<![\w.])\d{{1,4}}(?:st|nd|rd|th)\s{_TALK}\b",
    r"[\[(]\d{1,4}\s?/\s?\d{1,4}[\])]",
)
"""Counts of the talk itself (第17轮, "round 17", "step 2 of 5"): they look like details, and nobody asks for them."""

PATTERNS: tuple[tuple[DetailKind, re.Pattern[str]], ...] = (
    (
        "url",
        _any_of(
            rf"(?<![a-z])(?:https?|ftp|tg|discord)://{_URL_CHARS}++",
            rf"{_HOST}\.{_TOP_LEVEL_OR_WORD}/{_URL_CHARS}++",
            rf"{_HOST}\.{_TOP_LEVEL}(?![a-z0-9-])(?!\.[a-z0-9])(?::\d{{2,5}}\b)?(?:/{_URL_CHARS}*+)?",
        ),
    ),
    ("email", _any_of(r"(?<![a-z0-9._%+-])[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}")),
    (
        "network",
        _any_of(
            r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]\d)(?::\d{1,5}|/\d{1,2})?(?!\d)",
            r"(?<![\w:])[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7}(?<=[0-9a-f])(?![\w:])",
            rf"{_HOST}(?<=[a-z]):\d{{2,5}}(?![\w:])",
            r"(?:\bports?|端口)\s{0,3}(?:is|是|为|[:#])?\s{0,3}\d{2,5}(?!\d)",
        ),
    ),
    (
        "time",
        _any_of(
            r"<t:\d{1,12}(?::[a-z])?>",
            rf"{_ALONE}\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}(?:[T ]\d{{1,2}}:\d{{2}}(?::\d{{2}})?Z?)?(?!\d)",
            rf"{_ALONE}\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}})(?![\d/])",
            rf"{_ALONE}(?!1/[2-9]\b|2/3\b|3/4\b|24/7|50/50)(?:0?[1-9]|1[0-2])/(?:[12]\d|3[01]|0?[1-9])(?![\d/.%])",
            r"(?<!\d)\d{2,4}\s?年(?:\s?\d{1,2}\s?月(?:份|\s?\d{1,2}\s?[日号])?)?",
            rf"(?:\d{{1,2}}|{_ZH_DAY})\s?月(?:份|底|初|中旬|上旬|下旬|\s?(?:\d{{1,2}}|{_ZH_DAY})\s?[日号]?)",
            rf"(?<![\d.A-Za-z{_ZH_DIGIT}十第路街道巷弄])(?:\d{{1,2}}|{_ZH_DAY})\s?号(?![楼院线门店口厅桌馆床柜机码称召出])(?!\d)",
            r"(?:(?:下下|下|上|这|本|每)个?|(?<![一两三四五六七八九十几\d整]))(?:周|星期|礼拜)"
            r"(?:[二三四五六](?!次|个|遍|趟|天)|一(?!次|个|遍|趟|起|样|直|定|般|下|些|点)|[日天](?!次|天))",
            r"(?:下下|下)个?(?:周末?|星期|礼拜|月)|每月[初底末]?|(?:这个?|本)月[初底末]|年底|(?<!不如)(?:明天|后天|大后天|明晚|明早)(?!见|会更好)",
            rf"{_DAY_PART}\s?(?:\d{{1,2}}|{_ZH_HOUR}|[一二两])\s?点(?:半|钟|整|一刻|三刻|\s?\d{{1,2}}\s?分?|{_ZH_MINUTE})?"
            r"(?![儿都也不没])",
            rf"(?<![\d.{_ZH_DIGIT}十])(?:\d{{1,2}}|十?[一二两]|{_ZH_HOUR})\s?点(?:半|钟|整|一刻|三刻|\s?\d{{1,2}}\s?分"
            rf"|{_ZH_MINUTE})",
            rf"(?<![\d.{_ZH_DIGIT}十])(?:\d{{1,2}}|{_ZH_HOUR})\s?点(?![{_ZH_DIGIT}\d])"
            "(?!建议|意见|原因|理由|要求|内容|看法|想法|好处|不足|注意|疑问|思考|启示|感受|问题|心得|总结|体会|区别)",
            rf"{_ALONE}(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b\.?)?(?!\d|:\d)",
            rf"{_ALONE}(?:[01]?\d|2[0-4])(?:h[0-5]\d\b|\.[0-5]\d\s?[ap]\.?m\b\.?)",
            r"\b(?:half past|quarter (?:past|to))\s{1,3}(?:\d{1,2}\b|[a-z]{3,6}\b)",
            rf"{_ALONE}(?:1[0-2]|0?[1-9])\s?(?:[ap]m\b|[ap]\.m\.|o['’]clock)",
            rf"\b{_MONTH}\b\.?\s{{0,3}}\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s{{1,3}}\d{{4}}\b)?",
            rf"\b{_MONTH}\b\.?,?\s{{1,3}}(?:19|20)\d\d\b",
            rf"{_ALONE}\d{{1,2}}(?:st|nd|rd|th)?\s{{1,3}}(?:of\s)?{_MONTH}\b(?:,?\s{{1,3}}\d{{4}}\b)?",
            rf"\b{_WEEKDAY}s?\b",
            r"\b(?:next|this|every|last)\s{1,3}(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b",
            r"\b(?:next|every)\s{1,3}(?:week(?:end)?|month)\b",
            r"\b(?:on|by|until|till|before|after|every|from|since)\s{1,3}the\s{1,3}\d{1,2}(?:st|nd|rd|th)\b",
            r"(?<!see you )(?<!see ya )(?<!until )\b(?:the day after )?tomorrow\b",
            r"\bat\s{1,3}(?:noon|midnight)\b",
            r"\bat\s{1,3}(?:[1-9]|1[0-2])\b(?![:%$\d]|\.\d)(?=\s{0,3}(?:[,.!?;)]|$|on\b|in the\b))",
            rf"{_ALONE}(?:19|20)\d\d(?![\w.,]?\d)(?![a-z])",
        ),
    ),
    (
        "amount",
        _any_of(
            rf"{_CURRENCY_BEFORE}\s?{_NUM}(?:\s?(?:[km]\b|bn\b|million\b|万|千|亿))?",
            rf"{_ALONE}{_NUM}\s?(?:[km]|万|千|百|亿)?\s?[多来几余]?\s?{_CURRENCY_AFTER}(?:\d{{1,2}}|[{_ZH_DIGIT}](?!个))?",
            rf"{_ZH_LARGE}(?:多|来)?(?:{_CURRENCY_AFTER})?",
            rf"{_ZH_NUM}(?:块钱|毛钱|分钱|元(?![素旦次月]|二次|宵节)|美元|美金|欧元|英镑|日元|港币|台币|人民币)",
            f"[{_ZH_DIGIT}十]{{1,3}}块[{_ZH_DIGIT}](?!个)|[{_ZH_DIGIT}]?十[{_ZH_DIGIT}多来几]?块|[{_ZH_DIGIT}]毛",
            rf"{_EN_NUMERAL}(?:[ -][a-z]{{3,8}})?\s{{1,3}}(?:dollars?|bucks?|euros?|pounds?|cents?|yuan|quid)\b",
            f"满{_NUM}(?:减|送|返){_NUM}|(?:{_NUM}|[{_ZH_DIGIT}十百千万]{{1,8}})(?:元|块)?(?:左右|上下|出头|以内|以上|以下|起步)",
            rf"{_ALONE}(?!4k\b|8k\b){_NUM}\s?(?:k\b(?!m)|万|亿)(?![a-z])",
            rf"(?<![a-z]){_PRICE_WORD}(?:\s{{1,3}}(?:is|was|of|about|only|just))?[^\w\n]{{0,3}}(?:是|为|了|你)?\s{{0,3}}"
            rf"{_NUM}(?![\w:/-])",
        ),
    ),
    (
        "percentage",
        _any_of(
            rf"{_ALONE}{_NUM}\s?(?:[%‰]|percent\b|per cent\b|个百分点)",
            f"百分之(?:{_NUM}|[{_ZH_DIGIT}十]{{1,5}})",
            f"(?:\\d(?:\\.\\d)?|[{_ZH_DIGIT}]{{1,2}})折(?![叠腾磨扣返])",
        ),
    ),
    (
        "address",
        _any_of(
            rf"\b\d{{1,5}}[A-Z]?\s{{1,3}}(?:[A-Z0-9][\w'’.]{{1,20}}\s{{1,3}}){{1,4}}{_STREET}\b",
            rf"\b\d{{1,3}}(?:st|nd|rd|th)\s{{1,3}}{_STREET}\b",
            r"\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b",
            r"\b(?:Room|Rm|Seat|Gate|Apt|Apartment|Suite|Unit|Floor|Table|Platform|Hall|Booth|Flight|Row|Building|Block)"
            r"\.?\s{1,3}#?[A-Z]?\d{1,5}[A-Z]?\b",
            flags=0,
        ),
    ),
    (
        "address",
        _any_of(
            r"\b(?:room|rm|seat|gate|apt|suite|floor|table)\.?\s{1,3}#?[a-z]?\d{1,5}[a-z]?\b",
            r"\b\d{1,3}(?:st|nd|rd|th)\s{1,3}floor\b",
            rf"[{HAN}](?:路|街|大道|巷|弄|胡同|里)\s?(?:\d{{1,5}}(?:-\d{{1,4}})?|{_ZH_NUM})\s?[号弄]",
            rf"(?:\d{{1,4}}|{_ZH_NUM}|[a-z])\s?(?:号(?:楼|院|线|门|厅|桌|馆|店|出?口)|栋|幢|单元)",
            rf"(?:[a-z]?-?\d{{1,5}}|{_ZH_NUM})\s?(?:室(?!内|外)|教室|会议室|房间|包间|包厢|号房)",
            rf"(?:\d{{1,3}}|(?<![一二三四五六七八九十]){_ZH_DAY}|(?<![a-z])[a-z]\d?)\s?(?:楼(?!上|下|主)|座(?![椅谈])|出口)",
            r"\d{1,3}\s?排\s?\d{1,3}\s?[座号]|座位号?\s?[是为:]?\s?[a-z]?\d{1,3}[a-z]?",
        ),
    ),
    (
        "measure",
        _any_of(
            rf"{_ALONE}{_NUM}\s?(?:{_UNIT}|{_ZH_UNIT})",
            rf"{_ALONE}\d{{1,5}}\s?[x×*]\s?\d{{1,5}}\b",
            f"(?<![{_ZH_DIGIT}十百第])(?:[三四五六七八九十]|[{_ZH_DIGIT}十百千]{{2,6}})\\s?{_ZH_NUMERAL_UNIT}",
            f"[{_ZH_DIGIT}]?十[{_ZH_DIGIT}]?个?[人名位]|第\\s?\\d{{1,4}}\\s?[期届排章页场]",
            rf"{_ALONE}(?![2-5]g){_NUM}(?-i:[GT])(?![A-Za-z])",
            rf"{_EN_NUMERAL}\s{{1,3}}(?:minutes|hours|days|weeks|months|percent|people|seats|tickets)\b",
            f"[{_ZH_DIGIT}半]\\s?(?:公斤|千克|公里|厘米|毫米|英寸|平方?米|毫升)",
        ),
    ),
    (
        "version",
        _any_of(
            r"(?<![a-z0-9])v\d{1,6}(?:\.\d{1,8}){0,4}(?:-?(?:alpha|beta|rc|dev|post)[.-]?\d{0,4})?(?![a-z0-9])",
            rf"{_ALONE}\d{{1,6}}(?:\.\d{{1,8}}){{2,4}}(?:-?(?:alpha|beta|rc|dev|post)[.-]?\d{{0,4}})?(?![\w.]\d)",
            r"(?:\bversion|版本号?)\s{0,3}(?:is|是|为|:)?\s{0,3}\d{1,6}(?:\.\d{1,8}){0,4}",
            rf"{_ALONE}\d{{1,9}}\.\d{{1,9}}(?![\w.]\d)(?!\d)",
        ),
    ),
)

PHONE = re.compile(r"(?<![\w+.-])(?:\+\d{1,3}[ -]?)?\(?\d[\d ()-]{4,20}\d(?![\w-])", re.ASCII)
CUED_PHONE = re.compile(
    r"(?:(?<![a-z])(?:tel|phone|call|dial|ext)\b|电话|手机号?|热线|拨打|分机)[.:\s是为]{0,4}(\d{3,15})(?!\d)",
    re.ASCII | re.IGNORECASE,
)
CUED_CODE = re.compile(
    rf"(?<![a-z]){_CODE_WORD}\s{{0,2}}(?:number|no\.?|id)?\s{{0,2}}(?:is|was|是|为|叫|[:#=])?\s{{0,2}}[\"'“`「]?"
    r"((?-i:[A-Z]{3,20}(?![A-Za-z0-9_-])|(?=[A-Za-z_-]{0,20}\d)[A-Za-z0-9_-]{2,40}))",
    re.ASCII | re.IGNORECASE,
)
TOKEN = re.compile(
    r"(?!^[A-Za-z]?[a-z][A-Za-z0-9_-]*+[:,])(?<![A-Za-z0-9_@-])#?[A-Za-z0-9][A-Za-z0-9_-]*+", re.ASCII | re.MULTILINE
)
"""A word or code, but not the name of whom a line speaks to (`ann1999: hello`)."""
