"""The vocabulary of the profile rules: what first-person statements in English and Chinese are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.model import ProfileField

TOOLS = frozenset(
    "linux ubuntu debian arch fedora nixos windows macos vim neovim emacs vscode python rust go golang java "
    "kotlin scala ruby php perl c c++ c# javascript typescript react vue angular svelte node nodejs deno django "
    "flask fastapi rails laravel spring docker kubernetes k8s terraform ansible postgres postgresql mysql sqlite "
    "redis mongodb kafka aws gcp azure git gitlab github swift objective-c haskell ocaml elixir erlang clojure "
    "lua julia r matlab zig nim unity unreal godot blender pytorch tensorflow numpy pandas figma photoshop excel "
    "obsidian notion wayland x11 gnome kde firefox chrome".split()
)
"""Names of tools, which are never places."""

EN_END = (
    r"(?=\s*(?:$|[,.;!?()\[\]:，。！—]|\s-\s|\b(?:and (?:i|my|i'm|we|am|work|live|have|love|like|"
    r"moved|prefer|also|now|it|the|would|can|need|want)\b|but|so|now|with|for|since|because|"
    r"these days|nowadays|atm|where|which|who|right now|currently|anymore|any more|any longer|again|"
    r"as|though|lol|haha|tho|btw|too|already|at the moment|last|this|next|yesterday|"
    r"today|a few|two|three|in (?:19|20)\d\d|until|before|after|when|while|or (?:something|so)|please|"
    r"pls|actually|and)\b))"
)
EN_LIST_END = EN_END.replace("|please|pls|actually|and)", "|please|pls|actually)").replace("[,.;", "[.;")
PLACE = (
    rf"(?P<v>[A-Za-z\u00c0-\u024f][\w'’.-]*(?:[ ,]{{1,2}}[A-Z\u00c0-\u024f][\w'’.-]*|"
    rf"(?: [a-z]{{2,12}}){{0,1}})??(?: [A-Z][\w'’.-]*){{0,2}}?){EN_END}"
)
PHRASE = rf"(?P<v>[\w+#'’./&-]+(?: [\w+#'’./&-]+){{0,6}}?){EN_END}"
LIST = rf"(?P<v>[\w+#'’./&-]+(?:,? [\w+#'’./&-]+){{0,9}}?){EN_LIST_END}"
ADVERB = (
    r"(?:(?:just|recently|actually|currently|now|also|still|really|mostly|mainly|usually|always|"
    r"already|finally|absolutely|totally|both|only|sure do|do|have)\s+)*"
)
I_DO = rf"(?<![\w'’])i(?:'ve|’ve)?\s+{ADVERB}"
I_AM = rf"(?<![\w'’])(?:i'm|i’m|i am|im|i've been|i have been)\s+{ADVERB}"
NO_MORE = r"(?=[^.!?]*\b(?:any ?more|any longer)\b)"

ZH_END = (
    r"(?=$|[\s，。,.！!？?；;、~～：:（(]|了(?:$|[\s，。,.！!；;])|(?:工作|上班|生活|这边|那边|读书|"
    r"上学|的(?:时候|$|[，。])|已经|好几|快|有?\d+年|一段时间|多年|吧|啊|呀|哦|呢|就行|就好|就可以|"
    r"好了|即可|哈|啦|而且|但是|但|因为|所以|不过|然后))"
)
ZH_ADVERB = (
    r"(?:现在|目前|已经|刚刚|刚|最近|其实|也|一直|还|就|平时|都|早就|主要|一般|真的|特别|非常|很|最|"
    r"比较|更|超级?|从小|从来|今年|去年|上个?月|上周|挺|蛮|终于|又|确实|经常|常|通常|，)*"
)
WO = rf"(?<![和跟给对把被让帮替问找陪说道])(?:我|本人|俺)(?:自己)?{ZH_ADVERB}"
ZH_START = rf"(?:{WO}|(?:^|(?<=[，。,、 ]))(?:其实|现在|目前|最近|刚)*)"
ZH_VALUE = r"[^\s，。,.！!？?；;、~～：:（(了吗么的]"

ZH_PLACES = (
    "北京|上海|广州|深圳|杭州|成都|重庆|武汉|西安|南京|苏州|天津|长沙|郑州|青岛|大连|厦门|宁波|无锡|"
    "合肥|福州|济南|沈阳|哈尔滨|长春|昆明|贵阳|南宁|海口|三亚|石家庄|太原|兰州|西宁|银川|乌鲁木齐|"
    "拉萨|呼和浩特|南昌|珠海|佛山|东莞|温州|"
    "香港|澳门|台北|高雄|东京|大阪|京都|首尔|新加坡|曼谷|吉隆坡|伦敦|巴黎|柏林|慕尼黑|汉堡|法兰克福|"
    "阿姆斯特丹|罗马|米兰|马德里|巴塞罗那|里斯本|维也纳|苏黎世|日内瓦|布拉格|华沙|莫斯科|纽约|旧金山|"
    "湾区|硅谷|洛杉矶|西雅图|波士顿|芝加哥|"
    "多伦多|温哥华|蒙特利尔|悉尼|墨尔本|奥克兰|迪拜|德国|法国|英国|美国|加拿大|澳洲|澳大利亚|日本|"
    "韩国|荷兰|瑞士|瑞典|意大利|西班牙|泰国|马来西亚|越南|新西兰|爱尔兰|都柏林|国外|海外"
)
EN_JOB_NOUN = (
    r"(?:engineer|developer|dev|programmer|designer|teacher|nurse|doctor|student|manager|writer|"
    r"artist|musician|scientist|researcher|lawyer|accountant|consultant|analyst|architect|chef|cook|"
    r"driver|"
    r"pilot|farmer|journalist|editor|photographer|electrician|plumber|carpenter|mechanic|pharmacist|"
    r"dentist|vet|veterinarian|translator|interpreter|librarian|professor|lecturer|tutor|freelancer|"
    r"founder|"
    r"entrepreneur|sysadmin|administrator|technician|physicist|chemist|biologist|mathematician|"
    r"psychologist|therapist|paramedic|firefighter|soldier|officer|barista|waiter|waitress|baker|"
    r"salesperson|marketer|recruiter|trader|banker|economist|translator|streamer|gamedev|sre|cto|ceo|"
    r"pm|intern|postdoc|undergrad|"
    r"tester|animator|composer|producer|director|surgeon|midwife|historian|linguist|statistician|"
    r"geologist|gardener|tailor|copywriter)"
)
ZH_JOB_NOUN = (
    r"(?:工程师|程序员|开发者?|码农|老师|教师|医生|护士|学生|本科生|研究生|博士生?|硕士|设计师|律师|"
    r"会计师?|经理|产品经理|记者|编辑|摄影师|厨师|司机|公务员|翻译|研究员|科学家|教授|讲师|顾问|销售|"
    r"运营|测试|前端|后端|全栈|算法|架构师|运维|分析师|药剂师|牙医|兽医|警察|军人|消防员|作家|画家|"
    r"音乐人|自由职业者?|创业者|"
    r"店长|咖啡师|程序媛|数据分析师|产品|店主|农民|电工|飞行员|空乘|导游|主播|博主|插画师|建筑师|"
    r"心理咨询师|教练|裁缝|木匠)"
)
EN_LANGUAGE = (
    r"(?P<v>english|chinese|mandarin|cantonese|german|french|spanish|japanese|korean|russian|"
    r"portuguese|italian)"
)
ZH_LANGUAGE = r"(?P<v>简体中文|繁体中文|中文|汉语|普通话|英文|英语|日文|日语|粤语|德语|法语|韩语)"


@dataclass(frozen=True, slots=True)
class Rule:
    """`key` and `value` are formats over `{v}`, the value found; `{k}` is the value as it is compared. `many` values
    are told apart at commas and "and"."""

    field: ProfileField
    pattern: re.Pattern[str]
    key: str
    value: str = "{v}"
    many: bool = False
    place: bool = False


def rule(field: ProfileField, key: str, value: str, source: str, *, many: bool = False, place: bool = False) -> Rule:
    return Rule(field, re.compile(source, re.IGNORECASE), key, value, many, place)


Field = ProfileField
SKILL_EN = r"(?:write|code in|program in|develop in|use|know|work with|work in)"
