"""What the rule set understands: first-person statements in English and Chinese, as patterns with their meaning.

A pattern's group `v` is the value, or a list of values. Patterns see one statement at a time, without quotes.
"""

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
_EN_LIST_END = EN_END.replace("|please|pls|actually|and)", "|please|pls|actually)").replace("[,.;", "[.;")
PLACE = (
    rf"(?P<v>[A-Za-z\u00c0-\u024f][\w'’.-]*(?:[ ,]{{1,2}}[A-Z\u00c0-\u024f][\w'’.-]*|"
    rf"(?: [a-z]{{2,12}}){{0,1}})??(?: [A-Z][\w'’.-]*){{0,2}}?){EN_END}"
)
_PHRASE = rf"(?P<v>[\w+#'’./&-]+(?: [\w+#'’./&-]+){{0,6}}?){EN_END}"
_LIST = rf"(?P<v>[\w+#'’./&-]+(?:,? [\w+#'’./&-]+){{0,9}}?){_EN_LIST_END}"
_ADVERB = (
    r"(?:(?:just|recently|actually|currently|now|also|still|really|mostly|mainly|usually|always|"
    r"already|finally|absolutely|totally|both|only|sure do|do|have)\s+)*"
)
_I = rf"(?<![\w'’])i(?:'ve|’ve)?\s+{_ADVERB}"
_I_AM = rf"(?<![\w'’])(?:i'm|i’m|i am|im|i've been|i have been)\s+{_ADVERB}"
_NO_MORE = r"(?=[^.!?]*\b(?:any ?more|any longer)\b)"

ZH_END = (
    r"(?=$|[\s，。,.！!？?；;、~～：:（(]|了(?:$|[\s，。,.！!；;])|(?:工作|上班|生活|这边|那边|读书|"
    r"上学|的(?:时候|$|[，。])|已经|好几|快|有?\d+年|一段时间|多年|吧|啊|呀|哦|呢|就行|就好|就可以|"
    r"好了|即可|哈|啦|而且|但是|但|因为|所以|不过|然后))"
)
_ZH_ADVERB = (
    r"(?:现在|目前|已经|刚刚|刚|最近|其实|也|一直|还|就|平时|都|早就|主要|一般|真的|特别|非常|很|最|"
    r"比较|更|超级?|从小|从来|今年|去年|上个?月|上周|挺|蛮|终于|又|确实|经常|常|通常|，)*"
)
_WO = rf"(?<![和跟给对把被让帮替问找陪说道])(?:我|本人|俺)(?:自己)?{_ZH_ADVERB}"
_ZH_START = rf"(?:{_WO}|(?:^|(?<=[，。,、 ]))(?:其实|现在|目前|最近|刚)*)"
_ZH_VALUE = r"[^\s，。,.！!？?；;、~～：:（(了吗么的]"

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
_EN_JOB_NOUN = (
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
_ZH_JOB_NOUN = (
    r"(?:工程师|程序员|开发者?|码农|老师|教师|医生|护士|学生|本科生|研究生|博士生?|硕士|设计师|律师|"
    r"会计师?|经理|产品经理|记者|编辑|摄影师|厨师|司机|公务员|翻译|研究员|科学家|教授|讲师|顾问|销售|"
    r"运营|测试|前端|后端|全栈|算法|架构师|运维|分析师|药剂师|牙医|兽医|警察|军人|消防员|作家|画家|"
    r"音乐人|自由职业者?|创业者|"
    r"店长|咖啡师|程序媛|数据分析师|产品|店主|农民|电工|飞行员|空乘|导游|主播|博主|插画师|建筑师|"
    r"心理咨询师|教练|裁缝|木匠)"
)
_EN_LANGUAGE = (
    r"(?P<v>english|chinese|mandarin|cantonese|german|french|spanish|japanese|korean|russian|"
    r"portuguese|italian)"
)
_ZH_LANGUAGE = r"(?P<v>简体中文|繁体中文|中文|汉语|普通话|英文|英语|日文|日语|粤语|德语|法语|韩语)"


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


def _rule(field: ProfileField, key: str, value: str, source: str, *, many: bool = False, place: bool = False) -> Rule:
    return Rule(field, re.compile(source, re.IGNORECASE), key, value, many, place)


_F = ProfileField
_SKILL_EN = r"(?:write|code in|program in|develop in|use|know|work with|work in)"

RULES: tuple[Rule, ...] = (
    # names
    _rule(
        _F.NAME,
        "name",
        "{v}",
        r"\bmy (?:(?:real|first|full|nick) ?)?name(?:'s| is|"
        rf":)\s+(?!not\b)(?P<v>[\w'’-]+(?: [A-Z][\w'’-]+){{0,2}}?){EN_END}",
    ),
    _rule(
        _F.NAME,
        "name",
        "{v}",
        r"(?<!n't )(?<!not )(?<!never )(?<!to )(?<!stop )(?<!people )(?<!they )(?<!friends )\b(?:(?:please"
        r" |just |can |you |could )*call me|i go by|i'm called|i am called)\s+"
        r"(?!back|later|when|if|on\b|at\b|asap|tomorrow|tonight|crazy|names?\b|an?\b|the\b|old|out\b|in\b|"
        r"for\b|by\b|instead|it\b|that\b|to\b|again|now\b|paranoid|stupid|"
        rf"lazy)(?P<v>[\w'’-]+(?: [A-Z][\w'’-]+){{0,2}}?)(?: instead)?{EN_END}",
    ),
    _rule(
        _F.NAME,
        "name",
        "{v}",
        r"^(?:hi|hello|hey)(?: all| everyone| there| folks)?[,!.]?\s+(?:i'm|i am|"
        r"this is)\s+(?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))(?=\s*(?:$|[,.!]| from\b| and\b))",
    ),
    _rule(
        _F.NAME,
        "name",
        "{v}",
        rf"{_WO}叫(?!了|他|她|你|它|车|外卖|人|大家|什么|啥|我|做|不|过|醒|出|"
        rf"停)(?P<v>[^\s，。,.！!？?；;、~～：:（(吗了]{{1,16}}?){ZH_END}",
    ),
    _rule(
        _F.NAME,
        "name",
        "{v}",
        r"我的?(?:名字|昵称|网名)(?:是|叫|改成了?|：|:|为)\s*(?!什么|"
        rf"啥)(?P<v>{_ZH_VALUE}{{1,16}}?){ZH_END}",
    ),
    _rule(
        _F.NAME,
        "name",
        "{v}",
        r"(?<!别)(?<!别再)(?<!不要)(?<!不要再)(?<!不用)(?<!再)(?<!他们)(?<!都)叫我(?!去|来|回|起|吃|过|帮|"
        r"做|怎么|们|看|改|等|别|不|的|什么|啥|一声|干)(?P<v>[^\s，。,.！!？?；;、~～：:（(吗了]{1,16}?)" + ZH_END,
    ),
    # home and origin
    _rule(
        _F.KEY_FACT, "city", "lives in {v}", rf"{_I}(?:live|reside) (?:in|near|outside)(?: the)? {PLACE}", place=True
    ),
    _rule(
        _F.KEY_FACT,
        "city",
        "lives in {v}",
        rf"{_I}(?:moved|relocated)(?: back| over| here)?(?: from [A-Z][\w .'-]{{1,30}}?)? to {PLACE}",
        place=True,
    ),
    _rule(_F.KEY_FACT, "city", "lives in {v}", rf"{_I_AM}(?:living|based|located|settled) in {PLACE}", place=True),
    _rule(
        _F.KEY_FACT, "city", "lives in {v}", rf"{_I_AM}in (?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)) now\b", place=True
    ),
    _rule(
        _F.KEY_FACT,
        "origin",
        "from {v}",
        rf"{_I_AM}(?:originally )?from (?!the (?:internet|future))(?:the )?{PLACE}",
        place=True,
    ),
    _rule(_F.KEY_FACT, "origin", "from {v}", rf"{_I}(?:was born|grew up)(?: and raised)? in {PLACE}", place=True),
    _rule(
        _F.KEY_FACT,
        "no:city:{k}",
        "no longer lives in {v}",
        rf"{_I}no longer live in {PLACE}|{_I}{_NO_MORE}(?:don't|do not|"
        rf"dont) live in {PLACE.replace('(?P<v>', '(?P<w>')}",
        place=True,
    ),
    _rule(
        _F.KEY_FACT,
        "city",
        "住在{v}",
        rf"{_ZH_START}(?:一个人)?(?:住在|住|定居在?|搬到了?|搬去了?|搬来了?|搬回了?|常住|生活在|"
        r"移居到?)(?!一起|的|不|过|校|院|得|哪|在|这|那|口|手|家里|隔壁|新|"
        rf"楼)(?P<v>{_ZH_VALUE}{{2,12}}?){ZH_END}",
    ),
    _rule(_F.KEY_FACT, "city", "住在{v}", rf"^(?:坐标|base在?|人在|我?人在|我在|我base在?)[：:]?\s*(?P<v>{ZH_PLACES})"),
    _rule(
        _F.KEY_FACT,
        "city",
        "住在{v}",
        rf"{_WO}在(?P<v>{ZH_PLACES})(?:这边|市区|郊区)?(?:工作|上班|生活|住|定居|读书|上学|$|[，。,\s])",
    ),
    _rule(_F.KEY_FACT, "city", "住在{v}", rf"^坐标[：:]?\s*(?P<v>[^\s，。,]{{2,8}}?){ZH_END}"),
    _rule(
        _F.KEY_FACT,
        "origin",
        "来自{v}",
        rf"{_WO}(?:来自|老家在?|家乡在?|出生在|出生于)(?:是)?(?P<v>{_ZH_VALUE}{{2,10}}?){ZH_END}",
    ),
    _rule(_F.KEY_FACT, "origin", "来自{v}", rf"我(?:的)?(?:老家|家乡)(?:是|在)(?P<v>{_ZH_VALUE}{{2,10}}?){ZH_END}"),
    _rule(_F.KEY_FACT, "origin", "来自{v}", rf"{_WO}是(?P<v>{ZH_PLACES}|[^\s，。,.的个]{{2,4}}?)人(?=$|[，。,.！\s])"),
    _rule(
        _F.KEY_FACT,
        "no:city:{k}",
        "不再住在{v}",
        rf"{_WO}(?:已经)?(?:不再?|没再?|不)(?:住在|住|在)(?P<v>{_ZH_VALUE}{{2,10}}?)(?:住|生活|工作|"
        r"上班)?(?:了|$)",
    ),
    # work
    _rule(
        _F.KEY_FACT,
        "job",
        "works as a {v}",
        rf"{_I}(?:work|worked my way up) as (?:an?|the) {_PHRASE}|{_I_AM}(?:working as|employed as) (?:an?|"
        rf"the) {_PHRASE.replace('(?P<v>', '(?P<w>')}",
    ),
    _rule(
        _F.KEY_FACT,
        "job",
        "works as a {v}",
        rf"{_I_AM}(?:an?|the) (?!(?:aspiring|former|ex|retired|failed|wannabe|bad|terrible|big|"
        rf"huge)\b)(?P<v>(?:[\w/+#.-]+ ){{0,4}}?{_EN_JOB_NOUN})\b(?! (?:of|who|for|on|too)\b.{{0,6}}$)",
    ),
    _rule(
        _F.KEY_FACT,
        "job",
        "works as a {v}",
        r"\bmy (?:new |current |day )?(?:job|profession|occupation) is (?:an? |being an? |"
        rf"as an? )?{_PHRASE}",
    ),
    _rule(_F.KEY_FACT, "job", "works as a {v}", rf"^(?P<v>(?:[\w/+#.-]+ ){{0,2}}?{_EN_JOB_NOUN}) here\b"),
    _rule(
        _F.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{_I}(?:work (?:at|for)|joined|got (?:a job|hired) (?:at|by)|started (?:working )?at) (?!home\b|"
        r"night|the moment|a\b|an\b|it\b|myself|the (?:channel|server|group|call|meeting|discord)|this\b|"
        rf"in\b|us\b|fun\b|free\b|me\b){_PHRASE}",
    ),
    _rule(
        _F.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{_I_AM}(?:working|employed|interning) (?:at|for|by) (?!home\b|it\b|the moment|a\b|an\b){_PHRASE}",
    ),
    _rule(
        _F.KEY_FACT,
        "employer",
        "works at {v}",
        rf"(?:{_I_AM}|{_I}work as )(?:an?|the) (?:[\w/+#.-]+ ){{0,4}}?{_EN_JOB_NOUN} (?:at|for|"
        rf"with) (?!home\b|the moment|a\b|an\b|work\b|night\b){_PHRASE}",
    ),
    _rule(
        _F.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{_I}(?:live|am|study)[^.!?]{{0,40}}? and work (?:at|for) (?!home\b|night|a\b|an\b|"
        rf"myself){_PHRASE}",
    ),
    _rule(
        _F.KEY_FACT,
        "no:employer:{k}",
        "no longer works at {v}",
        rf"{_I}no longer work (?:at|for) {_PHRASE}|{_I}(?:quit|left|resigned from) (?!my\b|the\b|a\b|it\b|"
        r"that\b|because|for\b|home|work\b|early|smoking)(?-i:(?P<w>[A-Z]\w+(?: [A-Z]\w+)?))|"
        rf"{_I}{_NO_MORE}(?:don't|do not|dont) work (?:at|for) {_PHRASE.replace('(?P<v>', '(?P<x>')}",
    ),
    _rule(
        _F.KEY_FACT,
        "job",
        "职业：{v}",
        rf"{_ZH_START}(?:是|当|做)(?:一?[名个位枚]|的是)?(?!不|否)(?P<v>[^\s，。,.！!？?；;、的了]{{0,8}}?"
        rf"{_ZH_JOB_NOUN})(?=$|[\s，。,.！!；;、]|了|的$|，|，)",
    ),
    _rule(
        _F.KEY_FACT,
        "job",
        "职业：{v}",
        r"我(?:的)?(?:职业|工作|本职|主业)(?:是|为|：|:)(?!什么|"
        rf"啥)(?:一?[名个位])?(?P<v>{_ZH_VALUE}{{2,12}}?){ZH_END}",
    ),
    _rule(
        _F.KEY_FACT,
        "job",
        "职业：{v}",
        rf"{_WO}(?:做|从事|在做)(?P<v>[^\s，。,.的了]{{1,8}}(?:开发|设计|运营|销售|研究|翻译|算法|测试|"
        r"教育|外贸|前端|后端|产品|数据分析))(?:工作|的|$|[，。\s])",
    ),
    _rule(
        _F.KEY_FACT,
        "employer",
        "在{v}工作",
        rf"{_WO}(?:在(?!家|外|夜|白|哪|这|那|公司|单位|一家|一个|"
        rf"{ZH_PLACES})(?P<v>[^\s，。,.的了]{{2,14}}?)(?:工作|上班|任职|实习|当|做)|(?:入职|加入|跳槽到|"
        rf"跳槽去|去了)了?(?!群|这|那|本|新|一|你|我|讨论|频道|会)(?P<w>{_ZH_VALUE}{{2,12}}?){ZH_END})",
    ),
    _rule(
        _F.KEY_FACT,
        "no:employer:{k}",
        "已离开{v}",
        rf"{_WO}(?:已经)?(?:从(?P<v>[^\s，。,.]{{2,12}}?)(?:离职|辞职|跳槽|走)|"
        rf"不在(?P<w>[^\s，。,.]{{2,12}}?)(?:干|做|工作|上班|任职)了|"
        rf"离开了?(?P<x>{_ZH_VALUE}{{2,10}}?)(?:公司)?(?:了|$|[，。]))",
    ),
    # level
    _rule(
        _F.EXPERTISE,
        "expertise",
        "beginner",
        rf"{_I_AM}(?:(?:still|just|only|a|an|bit|total|complete|absolute|relative|very|pretty|quite|kinda|"
        r"fairly|much|totally|completely|still)\s+)*(?P<v>beginners?|newbie|noob|newcomer to|novice|n00b|"
        r"starter|new to (?!here|this (?:channel|server|group)|the (?:area|city|channel|server|group|"
        r"team))\w+|learning to (?:code|program))",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "beginner",
        r"\b(?:(?P<v>total|complete|absolute) )?(?:beginner|newbie|noob) here\b|\bi have (?:no|zero|"
        r"little|very little) (?:coding |programming |\w+ )?(?:experience|background)\b|\bi(?:'ve|"
        r" have) never (?:programmed|coded)\b",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "intermediate",
        rf"{_I_AM}(?:(?:at|an?|about|roughly|around)\s+)*(?P<v>intermediate|mid-level)\b",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "expert",
        rf"{_I_AM}(?:an?|the)\s+(?:[\w-]+ ){{0,2}}?(?P<v>expert|veteran|senior|staff engineer|principal|"
        r"principal engineer|lead engineer)\b(?! (?:citizen|year|in (?:high school|college)))",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "expert",
        r"\bi(?:'ve| have)(?: been| over| more than| about| around|"
        r" \w+ing)* (?:[\w/+#.-]+ ){0,4}?(?:for )?(?:over |more than |about |around |"
        r"almost )?(?P<v>(?:[6-9]|[1-4]\d|ten|fifteen|twenty|thirty)\+? years)\b(?= (?:of|as|in|now|"
        r"experience|with|professionally)|[.,!]|$)(?=.*\b(?:experience|engineer\w*|develop\w*|program\w*|"
        r"cod(?:e|ing)|professional\w*|admin\w*|industry|writ\w+|design\w*)\b|(?<=years))",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "beginner",
        rf"(?:{_WO}|^)(?:是|算是?|还是?|只是|属于)?(?:个|一个|一名|一枚|纯|完全的?|绝对的?)*(?P<v>新手|"
        r"小白|初学者|萌新|菜鸟|零基础|入门级|刚入门|刚接触|刚开始学|门外汉)",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "intermediate",
        rf"{_WO}(?:是|算是?|属于)?(?:个|一个)?(?P<v>中级|中等水平|有一定(?:基础|经验)|有一些(?:基础|经验)|"
        r"进阶)",
    ),
    _rule(
        _F.EXPERTISE,
        "expertise",
        "expert",
        rf"{_WO}(?:(?:是|算是?)(?:个|一个|一名|位)?(?P<v>资深|专家|老手|老司机|高级|首席|大牛)|(?:有|做了|"
        r"写了|干了|从业)(?P<w>(?:[6-9]|[1-4]\d|十几?|二十|十多|多|好几)年)|(?P<x>精通))",
    ),
    # language wishes
    _rule(
        _F.LANGUAGE,
        "language",
        "{v}",
        r"\b(?:please |pls |always |just |can you |could you |from now on |you can |only )*(?:reply|"
        r"answer|respond|speak|talk|write)(?: to me| back| me| with me)?(?: only|"
        rf" always)? in (?:simplified |traditional |plain |simple )?{_EN_LANGUAGE}\b(?! (?:class|exam|"
        r"essay|homework))",
    ),
    _rule(
        _F.LANGUAGE,
        "language",
        "{v}",
        rf"{_I}prefer (?:to (?:chat|talk|speak|read|write|be answered) in |talking in |replies in |"
        rf"answers in |chatting in )?(?:simplified |traditional )?{_EN_LANGUAGE}\b|"
        rf"\bmy preferred language is {_EN_LANGUAGE.replace('(?P<v>', '(?P<w>')}\b",
    ),
    _rule(
        _F.LANGUAGE,
        "language",
        "{v}",
        r"(?:请|麻烦|以后|可以|都|尽量|最好|希望|直接|你|能不能|就|今后)*(?:用|说|讲|"
        rf"改用){_ZH_LANGUAGE}(?:来)?(?:回复|回答|跟我|和我|交流|聊天|聊|给我|回我|就行|就好|吧|说|沟通)",
    ),
    _rule(
        _F.LANGUAGE,
        "language",
        "{v}",
        r"(?:回复|回答|跟我说话|和我说话|跟我聊|和我聊)(?:我)?(?:请|时请?|的时候请?|尽量|都)*(?:用|"
        rf"说){_ZH_LANGUAGE}|请(?:说|讲|用){_ZH_LANGUAGE.replace('(?P<v>', '(?P<w>')}(?:$|[，。！,!])",
    ),
    # skills and tools
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_I}(?:write|code in|program in|develop in|work with|work mostly in|code mostly in) (?!it\b|"
        r"this\b|that\b|to\b|in\b|about\b|the\b|a\b|an\b|my\b|code\b|people|them|you\b|him\b|her\b|down\b|"
        rf"for\b|some\b|everything|all\b|here\b){_LIST}",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_I}(?:use|know) (?P<v>(?:(?:"
        rf"{'|'.join(re.escape(tool) for tool in sorted(TOOLS, key=len, reverse=True) if len(tool) > 1)})(?"
        r"![\w+#])(?:,? and |, | & )?)+)(?=\s*(?:$|[.;!,]|for\b|at\b|mostly|mainly|daily|every|btw|atm|"
        r"now|these days))",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_I_AM}(?:learning|studying|teaching myself|getting into) (?!to\b|about\b|how\b|it\b|that\b|"
        rf"this\b|the\b|for\b|a\b|at\b|in\b|abroad){_LIST}",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "speaks:{k}",
        "speaks {v}",
        rf"{_I}speak (?!to\b|with\b|for\b|up\b|about\b|from\b|at\b|only\b|a\b|no\b|as\b|of\b)(?:fluent |"
        rf"some |a little |native )?{_LIST}",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "no:skill:{k}",
        "no longer uses {v}",
        rf"{_I}(?:no longer|stopped|quit|gave up) (?:write|writing|use|using|code in|coding in|program in|"
        rf"programming in|work with|working with) {_PHRASE}|{_I}{_NO_MORE}(?:don't|do not|dont) (?:write|"
        rf"use|code in|program in|work with) {_PHRASE.replace('(?P<v>', '(?P<w>')}",
    ),
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_WO}(?:主要|平时|日常)?(?:写|开发用|编程用)(?!了|的|完|错|到|在|下|好|个|一|这|那|不|过|得|给|"
        rf"作业|论文|邮件|字|信|代码|报告|文档|日记)(?P<v>[A-Za-z][\w+#./ -]{{0,20}}?|"
        rf"[^\s，。,.！!的了]{{1,10}}?)(?:代码|程序|语言)?(?=$|[\s，。,.！!；;、]|的|为主|多一?些?|比较多|"
        r"和|跟|\d|已经|好)",
    ),
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_WO}(?:在|正在|开始)?(?:学习|自学|学)(?!到|会了|校|生|了|的|完|得|不|过|费|历|期|分|姐|长|弟|"
        rf"妹|院|位)(?P<v>{_ZH_VALUE}{{1,14}}?){ZH_END}",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{_WO}(?<!不)(?:会(?:用|写|弹|打|做|拉)?|擅长|精通|熟悉|擅于)(?!说|不|有|是|去|来|再|在|被|出|这|"
        r"那|一|很|员|议|计|让|先|看|想|给|想|把|尽|继|回|死|怎|觉|员|没|好|变|自|尽|更|注|按|考|员|"
        rf"后)(?P<v>(?-i:[A-Z][\w+#.]*)|[^\s，。,.！!的了吗]{{2,10}}?){ZH_END}",
        many=True,
    ),
    _rule(_F.KEY_FACT, "speaks:{k}", "会说{v}", rf"{_WO}会(?:说|讲)(?P<v>{_ZH_VALUE}{{2,12}}?){ZH_END}", many=True),
    _rule(
        _F.KEY_FACT,
        "no:skill:{k}",
        "不再用{v}",
        rf"{_WO}(?:已经)?(?:不再|不|早就不|没再|不怎么)(?:写|用|学|做|玩|"
        rf"碰)(?P<v>[A-Za-z][\w+#. -]{{0,20}}?|[^\s，。,.！!的了]{{1,10}}?)(?:代码|开发)?了",
    ),
    _rule(
        _F.KEY_FACT,
        "no:skill:{k}",
        "不再用{v}",
        rf"{_WO}(?:已经)?不再(?:写|用|学|做|玩|碰)(?P<v>{_ZH_VALUE}{{1,16}}?){ZH_END}",
    ),
    # likes and dislikes
    _rule(
        _F.INTEREST,
        "like:{k}",
        "{v}",
        rf"{_I}(?:like|love|enjoy|adore|am into|am fond of) (?:to )?(?!it\b|this\b|that\b|you\b|how\b|"
        r"when\b|the (?:idea|way|look|new|fact)|what\b|your\b|these\b|those\b|him\b|her\b|them\b|my\b|"
        r"to\b|if\b|both\b|everything|all\b|be\b|see\b|know\b|have\b|get\b|think\b|hear\b|a\b|an\b|some\b|"
        rf"more\b|one\b){_LIST}",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "like:{k}",
        "{v}",
        rf"{_I_AM}(?:really |very |super |big |also )*(?:into|interested in|a (?:big |huge )?fan of|"
        r"fond of|passionate about|obsessed with) (?!it\b|this\b|that\b|you\b|how\b|what\b|your\b|"
        rf"the (?:idea|way)|these\b|a\b|an\b|some\b|them\b|joining|knowing|hearing|buying|seeing){_LIST}",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "like:{k}",
        "{v}",
        rf"\bmy (?:main |biggest |new )?(?:hobby|hobbies|interests?) (?:is|are|include) {_LIST}",
        many=True,
    ),
    _rule(
        _F.PREFERENCE,
        "like:{k}",
        "dislikes {v}",
        rf"{_I}(?:hate|dislike|can't stand|cant stand|cannot stand|despise|don't like|dont like|"
        r"do not like|don't enjoy|don't care for) (?!it\b|this\b|that\b|you\b|how\b|when\b|the (?:idea|"
        r"way|look|new|fact)|what\b|your\b|these\b|those\b|him\b|her\b|them\b|my\b|to\b|being\b|"
        rf"if\b){_LIST}",
        many=True,
    ),
    _rule(
        _F.PREFERENCE,
        "prefer:{k}",
        "prefers {v}",
        rf"{_I}(?:strongly |much |always |usually )*prefer (?!it\b|this\b|that\b|you\b|not\b|if\b|when\b|"
        r"the (?:idea|way|first|second|former|latter|other)|to (?:be answered|chat|talk|speak)\b|"
        r"(?:replies|answers|talking|chatting) in\b|(?:english|"
        rf"chinese)\b)(?P<v>[\w+#'’./& -]{{2,60}}?)(?=\s*(?:$|[,.;!?()]|because|since|but|as\b|though))",
    ),
    _rule(
        _F.PREFERENCE,
        "favourite:{k}",
        "favourite {v}",
        r"\bmy (?:all[- ]time )?favou?rite (?P<v>[a-z][\w ]{1,24}? (?:is|"
        r"are) [\w+#'’./& -]{2,40}?)(?=\s*(?:$|[,.;!?()]|because|since|but))",
    ),
    _rule(
        _F.INTEREST,
        "like:{k}",
        "{v}",
        rf"{_WO}(?<!不)(?<!更)(?<!比较)(?:喜欢|热爱|爱好是?|爱(?=[吃喝看玩打听跑爬游画写弹唱摄])|迷上了?|"
        rf"痴迷于?|对(?=[^，。]{{1,12}}(?:很|非常|特别|比较)?感?有?兴趣))(?!你|他|她|它|这|那|的|了|上|不|"
        rf"过|用(?:这|那)|一|吗)(?P<v>[^\s，。,.！!？?；;~～：:（(了吗的]{{1,20}}?)(?:很|非常|特别|"
        rf"比较)?(?:感兴趣|有兴趣)?{ZH_END.replace('、', '')}",
        many=True,
    ),
    _rule(
        _F.INTEREST,
        "like:{k}",
        "{v}",
        rf"我(?:的)?(?:爱好|兴趣)(?:是|有|包括|：|:)(?P<v>[^\s，。,.！!？?；;了吗]{{1,20}}?)"
        rf"{ZH_END.replace('、', '')}",
        many=True,
    ),
    _rule(
        _F.PREFERENCE,
        "like:{k}",
        "不喜欢{v}",
        rf"{_WO}(?:不喜欢|讨厌|受不了|不爱|恨|不太喜欢|最讨厌|烦)(?!你|他|她|它|这|那|的|了|上|一|被|"
        rf"别人)(?P<v>{_ZH_VALUE}{{1,16}}?){ZH_END}",
        many=True,
    ),
    _rule(
        _F.PREFERENCE,
        "prefer:{k}",
        "更喜欢{v}",
        rf"{_WO}(?:更喜欢|偏好|偏爱|更爱|比较喜欢|宁愿|习惯用?|更习惯用?|倾向于?)(?!你|他|她|这|那|的|了|"
        rf"一)(?P<v>{_ZH_VALUE}{{1,20}}?){ZH_END}",
    ),
    # body, table and home
    _rule(
        _F.KEY_FACT,
        "allergy:{k}",
        "allergic to {v}",
        rf"{_I_AM}(?:very |severely |mildly |deathly |also |actually )*allergic to {_LIST}|"
        rf"\ballergic to {_LIST.replace('(?P<v>', '(?P<w>')} here\b|"
        rf"{_I}have an? {_PHRASE.replace('(?P<v>', '(?P<x>')} allergy",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "no:allergy:{k}",
        "not allergic to {v}",
        rf"{_I_AM}(?:not|no longer) (?:actually )?allergic to {_LIST}",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "diet",
        "{v}",
        rf"{_I_AM}(?:an? |strictly |mostly |now |going |a strict |also )*(?P<v>vegetarian|vegan|"
        rf"pescatarian|lactose[- ]intolerant|gluten[- ]free|celiac|coeliac|on a \w+ diet)\b|{_I}(?:eat|"
        r"keep|only eat) (?P<w>kosher|halal|vegan|vegetarian|gluten[- ]free)\b|\b(?P<x>vegan|"
        r"vegetarian) here\b",
    ),
    _rule(
        _F.KEY_FACT,
        "no:diet:{k}",
        "no longer {v}",
        rf"{_I_AM}(?:no longer|not) (?:an? )?(?P<v>vegetarian|vegan|pescatarian|gluten[- ]free)\b",
    ),
    _rule(
        _F.PREFERENCE,
        "eats:{k}",
        "doesn't eat {v}",
        rf"{_I}(?:don't|do not|dont|can't|cannot|never) (?:eat|drink) (?!it\b|this\b|that\b|much\b|"
        rf"enough\b|at\b|before\b|after\b|anything|out\b|breakfast|here){_LIST}",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "birthday",
        "birthday: {v}",
        r"\bmy (?:birthday|bday|b-day)(?:'s| is)(?: on)? (?:the )?(?!today|tomorrow|soon|next|coming|over|"
        r"this|in\b)(?P<v>[\w ,/.-]{3,30}?)(?=\s*(?:$|[.;!?()]|and\b|but\b|so\b|, i\b))",
    ),
    _rule(
        _F.KEY_FACT,
        "age",
        "{v} years old",
        rf"{_I_AM}(?P<v>[1-9]\d) (?:years old|y/?o\b|yrs old)|{_I}(?:turned|am turning) (?P<w>[1-9]\d)\b",
    ),
    _rule(
        _F.KEY_FACT,
        "time zone",
        "time zone: {v}",
        r"\bmy time ?zone is (?P<v>[\w+/:-]+(?: time)?)|我(?:的)?时区(?:是|为|在)?\s*(?P<w>[\w+/:-]{2,20})",
    ),
    _rule(_F.KEY_FACT, "pronouns", "pronouns: {v}", r"\bmy pronouns are (?P<v>\w+(?:/\w+){1,2}|they|he|she)"),
    _rule(
        _F.KEY_FACT,
        "pet:{k}",
        "has a {v}",
        rf"{_I}(?:have|own|got|adopted) an? (?:\w+ )??(?P<v>dog|cat|puppy|kitten|parrot|rabbit|hamster|"
        r"turtle|horse|snake|guinea pig|gecko|ferret|budgie|golden retriever|corgi|poodle|labrador)\b",
    ),
    _rule(
        _F.KEY_FACT,
        "pet name:{k}",
        "{v}",
        r"\bmy (?P<v>(?:dog|cat|puppy|kitten|parrot|rabbit|hamster|turtle|horse)(?:'s name is| is called|"
        r" is named) [\w'’-]+)",
    ),
    _rule(
        _F.KEY_FACT,
        "allergy:{k}",
        "对{v}过敏",
        rf"{_ZH_START}(?<!不)对(?P<v>[^\s，。,.不]{{1,12}}?)(?:严重|有点|也|都|会|有)*过敏",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "no:allergy:{k}",
        "对{v}不过敏",
        rf"{_WO}对(?P<v>[^\s，。,.]{{1,12}}?)(?:已经)?(?:不再?|没有?)过敏",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "diet",
        "{v}",
        rf"(?:{_WO}|^)(?<!不)(?:是|只|长期|开始)?(?:个|一个)?(?P<v>吃素|吃全素|素食主义者?|素食者|吃清真|"
        r"清真饮食|乳糖不耐受?|麸质过敏|无麸质饮食)(?!了吗)",
    ),
    _rule(_F.KEY_FACT, "no:diet:素", "不再吃素", rf"{_WO}(?:已经)?不(?:再)?(?P<v>吃素)了?"),
    _rule(
        _F.PREFERENCE,
        "eats:{k}",
        "不吃{v}",
        rf"(?:{_WO}|^)(?:从来|都|基本)?不(?:吃|能吃|爱吃)(?!了|这|那|饭|早饭|晚饭|午饭|亏|香(?!菜)|素|力|"
        rf"准|透|惯|完|的|不|$)(?P<v>{_ZH_VALUE}{{1,10}}?){ZH_END}",
        many=True,
    ),
    _rule(
        _F.KEY_FACT,
        "birthday",
        "生日：{v}",
        r"我(?:的)?生日(?:是|在|：|:)?(?!快乐|今天|明天|那天|蛋糕|什么|哪|快|要|派对)\s*(?:农历|"
        r"阴历)?(?P<v>[\d一二三四五六七八九十]{1,4}\s*[月./-年][^\s，。,！!]{1,12}?)(?=$|[\s，。,！!])",
    ),
    _rule(_F.KEY_FACT, "age", "{v}岁", rf"{_WO}(?:满|快)?(?P<v>[1-9]\d|[二三四五六七八]?十[一二三四五六七八九]?)岁"),
    _rule(
        _F.KEY_FACT,
        "pet:{k}",
        "养了{v}",
        rf"{_WO}(?:家)?(?:养了|养着|养|有)[一两二三四\d]?[只条个头匹](?P<v>[^\s，。,.叫的]{{0,4}}?(?:猫|狗|"
        r"兔子|仓鼠|鹦鹉|乌龟|金毛|柯基|柴犬|布偶|橘猫|英短|泰迪))",
    ),
    _rule(
        _F.KEY_FACT,
        "pet name:{k}",
        "{v}",
        r"我(?:家|的)?的?(?P<v>(?:猫|狗|狗狗|猫咪|兔子|仓鼠|鹦鹉|金毛|柯基|柴犬|布偶|"
        r"橘猫)(?:的名字)?(?:叫|名叫|是叫)[^\s，。,！!？?的]{1,8})",
    ),
)
