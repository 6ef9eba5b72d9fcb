"""First-person statements in Chinese, as patterns with their meaning.

A pattern's group `v` is the value, or a list of values. Patterns see one statement at a time, without quotes.
"""

from __future__ import annotations

from memory.profile_words import WO, ZH_END, ZH_JOB_NOUN, ZH_LANGUAGE, ZH_PLACES, ZH_START, ZH_VALUE, Field, Rule, rule

RULES: tuple[Rule, ...] = (
    rule(
        Field.NAME,
        "name",
        "{v}",
        rf"{WO}叫(?!了|他|她|你|它|车|外卖|人|大家|什么|啥|我|做|不|过|醒|出|"
        rf"停)(?P<v>[^\s，。,.！!？?；;、~～：:（(吗了]{{1,16}}?){ZH_END}",
    ),
    rule(
        Field.NAME,
        "name",
        "{v}",
        r"我的?(?:名字|昵称|网名)(?:是|叫|改成了?|：|:|为)\s*(?!什么|"
        rf"啥)(?P<v>{ZH_VALUE}{{1,16}}?){ZH_END}",
    ),
    rule(
        Field.NAME,
        "name",
        "{v}",
        r"(?<!别)(?<!别再)(?<!不要)(?<!不要再)(?<!不用)(?<!再)(?<!他们)(?<!都)叫我(?!去|来|回|起|吃|过|帮|"
        r"做|怎么|们|看|改|等|别|不|的|什么|啥|一声|干)(?P<v>[^\s，。,.！!？?；;、~～：:（(吗了]{1,16}?)" + ZH_END,
    ),
    rule(
        Field.KEY_FACT,
        "city",
        "住在{v}",
        rf"{ZH_START}(?:一个人)?(?:住在|住|定居在?|搬到了?|搬去了?|搬来了?|搬回了?|常住|生活在|"
        r"移居到?)(?!一起|的|不|过|校|院|得|哪|在|这|那|口|手|家里|隔壁|新|"
        rf"楼)(?P<v>{ZH_VALUE}{{2,12}}?){ZH_END}",
    ),
    rule(
        Field.KEY_FACT, "city", "住在{v}", rf"^(?:坐标|base在?|人在|我?人在|我在|我base在?)[：:]?\s*(?P<v>{ZH_PLACES})"
    ),
    rule(
        Field.KEY_FACT,
        "city",
        "住在{v}",
        rf"{WO}在(?P<v>{ZH_PLACES})(?:这边|市区|郊区)?(?:工作|上班|生活|住|定居|读书|上学|$|[，。,\s])",
    ),
    rule(Field.KEY_FACT, "city", "住在{v}", rf"^坐标[：:]?\s*(?P<v>[^\s，。,]{{2,8}}?){ZH_END}"),
    rule(
        Field.KEY_FACT,
        "origin",
        "来自{v}",
        rf"{WO}(?:来自|老家在?|家乡在?|出生在|出生于)(?:是)?(?P<v>{ZH_VALUE}{{2,10}}?){ZH_END}",
    ),
    rule(Field.KEY_FACT, "origin", "来自{v}", rf"我(?:的)?(?:老家|家乡)(?:是|在)(?P<v>{ZH_VALUE}{{2,10}}?){ZH_END}"),
    rule(Field.KEY_FACT, "origin", "来自{v}", rf"{WO}是(?P<v>{ZH_PLACES}|[^\s，。,.的个]{{2,4}}?)人(?=$|[，。,.！\s])"),
    rule(
        Field.KEY_FACT,
        "no:city:{k}",
        "不再住在{v}",
        rf"{WO}(?:已经)?(?:不再?|没再?|不)(?:住在|住|在)(?P<v>{ZH_VALUE}{{2,10}}?)(?:住|生活|工作|"
        r"上班)?(?:了|$)",
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "职业：{v}",
        rf"{ZH_START}(?:是|当|做)(?:一?[名个位枚]|的是)?(?!不|否)(?P<v>[^\s，。,.！!？?；;、的了]{{0,8}}?"
        rf"{ZH_JOB_NOUN})(?=$|[\s，。,.！!；;、]|了|的$|，|，)",
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "职业：{v}",
        r"我(?:的)?(?:职业|工作|本职|主业)(?:是|为|：|:)(?!什么|"
        rf"啥)(?:一?[名个位])?(?P<v>{ZH_VALUE}{{2,12}}?){ZH_END}",
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "职业：{v}",
        rf"{WO}(?:做|从事|在做)(?P<v>[^\s，。,.的了]{{1,8}}(?:开发|设计|运营|销售|研究|翻译|算法|测试|"
        r"教育|外贸|前端|后端|产品|数据分析))(?:工作|的|$|[，。\s])",
    ),
    rule(
        Field.KEY_FACT,
        "employer",
        "在{v}工作",
        rf"{WO}(?:在(?!家|外|夜|白|哪|这|那|公司|单位|一家|一个|"
        rf"{ZH_PLACES})(?P<v>[^\s，。,.的了]{{2,14}}?)(?:工作|上班|任职|实习|当|做)|(?:入职|加入|跳槽到|"
        rf"跳槽去|去了)了?(?!群|这|那|本|新|一|你|我|讨论|频道|会)(?P<w>{ZH_VALUE}{{2,12}}?){ZH_END})",
    ),
    rule(
        Field.KEY_FACT,
        "no:employer:{k}",
        "已离开{v}",
        rf"{WO}(?:已经)?(?:从(?P<v>[^\s，。,.]{{2,12}}?)(?:离职|辞职|跳槽|走)|"
        rf"不在(?P<w>[^\s，。,.]{{2,12}}?)(?:干|做|工作|上班|任职)了|"
        rf"离开了?(?P<x>{ZH_VALUE}{{2,10}}?)(?:公司)?(?:了|$|[，。]))",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "beginner",
        rf"(?:{WO}|^)(?:是|算是?|还是?|只是|属于)?(?:个|一个|一名|一枚|纯|完全的?|绝对的?)*(?P<v>新手|"
        r"小白|初学者|萌新|菜鸟|零基础|入门级|刚入门|刚接触|刚开始学|门外汉)",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "intermediate",
        rf"{WO}(?:是|算是?|属于)?(?:个|一个)?(?P<v>中级|中等水平|有一定(?:基础|经验)|有一些(?:基础|经验)|"
        r"进阶)",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "expert",
        rf"{WO}(?:(?:是|算是?)(?:个|一个|一名|位)?(?P<v>资深|专家|老手|老司机|高级|首席|大牛)|(?:有|做了|"
        r"写了|干了|从业)(?P<w>(?:[6-9]|[1-4]\d|十几?|二十|十多|多|好几)年)|(?P<x>精通))",
    ),
    rule(
        Field.LANGUAGE,
        "language",
        "{v}",
        r"(?:请|麻烦|以后|可以|都|尽量|最好|希望|直接|你|能不能|就|今后)*(?:用|说|讲|"
        rf"改用){ZH_LANGUAGE}(?:来)?(?:回复|回答|跟我|和我|交流|聊天|聊|给我|回我|就行|就好|吧|说|沟通)",
    ),
    rule(
        Field.LANGUAGE,
        "language",
        "{v}",
        r"(?:回复|回答|跟我说话|和我说话|跟我聊|和我聊)(?:我)?(?:请|时请?|的时候请?|尽量|都)*(?:用|"
        rf"说){ZH_LANGUAGE}|请(?:说|讲|用){ZH_LANGUAGE.replace('(?P<v>', '(?P<w>')}(?:$|[，。！,!])",
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{WO}(?:主要|平时|日常)?(?:写|开发用|编程用)(?!了|的|完|错|到|在|下|好|个|一|这|那|不|过|得|给|"
        rf"作业|论文|邮件|字|信|代码|报告|文档|日记)(?P<v>[A-Za-z][\w+#./ -]{{0,20}}?|"
        rf"[^\s，。,.！!的了]{{1,10}}?)(?:代码|程序|语言)?(?=$|[\s，。,.！!；;、]|的|为主|多一?些?|比较多|"
        r"和|跟|\d|已经|好)",
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{WO}(?:在|正在|开始)?(?:学习|自学|学)(?!到|会了|校|生|了|的|完|得|不|过|费|历|期|分|姐|长|弟|"
        rf"妹|院|位)(?P<v>{ZH_VALUE}{{1,14}}?){ZH_END}",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{WO}(?<!不)(?:会(?:用|写|弹|打|做|拉)?|擅长|精通|熟悉|擅于)(?!说|不|有|是|去|来|再|在|被|出|这|"
        r"那|一|很|员|议|计|让|先|看|想|给|想|把|尽|继|回|死|怎|觉|员|没|好|变|自|尽|更|注|按|考|员|"
        rf"后)(?P<v>(?-i:[A-Z][\w+#.]*)|[^\s，。,.！!的了吗]{{2,10}}?){ZH_END}",
        many=True,
    ),
    rule(Field.KEY_FACT, "speaks:{k}", "会说{v}", rf"{WO}会(?:说|讲)(?P<v>{ZH_VALUE}{{2,12}}?){ZH_END}", many=True),
    rule(
        Field.KEY_FACT,
        "no:skill:{k}",
        "不再用{v}",
        rf"{WO}(?:已经)?(?:不再|不|早就不|没再|不怎么)(?:写|用|学|做|玩|"
        rf"碰)(?P<v>[A-Za-z][\w+#. -]{{0,20}}?|[^\s，。,.！!的了]{{1,10}}?)(?:代码|开发)?了",
    ),
    rule(
        Field.KEY_FACT,
        "no:skill:{k}",
        "不再用{v}",
        rf"{WO}(?:已经)?不再(?:写|用|学|做|玩|碰)(?P<v>{ZH_VALUE}{{1,16}}?){ZH_END}",
    ),
    rule(
        Field.INTEREST,
        "like:{k}",
        "{v}",
        rf"{WO}(?<!不)(?<!更)(?<!比较)(?:喜欢|热爱|爱好是?|爱(?=[吃喝看玩打听跑爬游画写弹唱摄])|迷上了?|"
        rf"痴迷于?|对(?=[^，。]{{1,12}}(?:很|非常|特别|比较)?感?有?兴趣))(?!你|他|她|它|这|那|的|了|上|不|"
        rf"过|用(?:这|那)|一|吗)(?P<v>[^\s，。,.！!？?；;~～：:（(了吗的]{{1,20}}?)(?:很|非常|特别|"
        rf"比较)?(?:感兴趣|有兴趣)?{ZH_END.replace('、', '')}",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "like:{k}",
        "{v}",
        rf"我(?:的)?(?:爱好|兴趣)(?:是|有|包括|：|:)(?P<v>[^\s，。,.！!？?；;了吗]{{1,20}}?)"
        rf"{ZH_END.replace('、', '')}",
        many=True,
    ),
    rule(
        Field.PREFERENCE,
        "like:{k}",
        "不喜欢{v}",
        rf"{WO}(?:不喜欢|讨厌|受不了|不爱|恨|不太喜欢|最讨厌|烦)(?!你|他|她|它|这|那|的|了|上|一|被|"
        rf"别人)(?P<v>{ZH_VALUE}{{1,16}}?){ZH_END}",
        many=True,
    ),
    rule(
        Field.PREFERENCE,
        "prefer:{k}",
        "更喜欢{v}",
        rf"{WO}(?:更喜欢|偏好|偏爱|更爱|比较喜欢|宁愿|习惯用?|更习惯用?|倾向于?)(?!你|他|她|这|那|的|了|"
        rf"一)(?P<v>{ZH_VALUE}{{1,20}}?){ZH_END}",
    ),
    rule(
        Field.KEY_FACT,
        "time zone",
        "time zone: {v}",
        r"\bmy time ?zone is (?P<v>[\w+/:-]+(?: time)?)|我(?:的)?时区(?:是|为|在)?\s*(?P<w>[\w+/:-]{2,20})",
    ),
    rule(
        Field.KEY_FACT,
        "allergy:{k}",
        "对{v}过敏",
        rf"{ZH_START}(?<!不)对(?P<v>[^\s，。,.不]{{1,12}}?)(?:严重|有点|也|都|会|有)*过敏",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "no:allergy:{k}",
        "对{v}不过敏",
        rf"{WO}对(?P<v>[^\s，。,.]{{1,12}}?)(?:已经)?(?:不再?|没有?)过敏",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "diet",
        "{v}",
        rf"(?:{WO}|^)(?<!不)(?:是|只|长期|开始)?(?:个|一个)?(?P<v>吃素|吃全素|素食主义者?|素食者|吃清真|"
        r"清真饮食|乳糖不耐受?|麸质过敏|无麸质饮食)(?!了吗)",
    ),
    rule(Field.KEY_FACT, "no:diet:素", "不再吃素", rf"{WO}(?:已经)?不(?:再)?(?P<v>吃素)了?"),
    rule(
        Field.PREFERENCE,
        "eats:{k}",
        "不吃{v}",
        rf"(?:{WO}|^)(?:从来|都|基本)?不(?:吃|能吃|爱吃)(?!了|这|那|饭|早饭|晚饭|午饭|亏|香(?!菜)|素|力|"
        rf"准|透|惯|完|的|不|$)(?P<v>{ZH_VALUE}{{1,10}}?){ZH_END}",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "birthday",
        "生日：{v}",
        r"我(?:的)?生日(?:是|在|：|:)?(?!快乐|今天|明天|那天|蛋糕|什么|哪|快|要|派对)\s*(?:农历|"
        r"阴历)?(?P<v>[\d一二三四五六七八九十]{1,4}\s*[月./-年][^\s，。,！!]{1,12}?)(?=$|[\s，。,！!])",
    ),
    rule(Field.KEY_FACT, "age", "{v}岁", rf"{WO}(?:满|快)?(?P<v>[1-9]\d|[二三四五六七八]?十[一二三四五六七八九]?)岁"),
    rule(
        Field.KEY_FACT,
        "pet:{k}",
        "养了{v}",
        rf"{WO}(?:家)?(?:养了|养着|养|有)[一两二三四\d]?[只条个头匹](?P<v>[^\s，。,.叫的]{{0,4}}?(?:猫|狗|"
        r"兔子|仓鼠|鹦鹉|乌龟|金毛|柯基|柴犬|布偶|橘猫|英短|泰迪))",
    ),
    rule(
        Field.KEY_FACT,
        "pet name:{k}",
        "{v}",
        r"我(?:家|的)?的?(?P<v>(?:猫|狗|狗狗|猫咪|兔子|仓鼠|鹦鹉|金毛|柯基|柴犬|布偶|"
        r"橘猫)(?:的名字)?(?:叫|名叫|是叫)[^\s，。,！!？?的]{1,8})",
    ),
)
