"""Does a message look like self-disclosure? High recall, and cheap: what passes is extracted before the reply."""

from __future__ import annotations

import re

from memory.sentences import statements

_EN_ADVERB = (
    r"(?:(?:just|recently|actually|currently|now|also|still|really|mostly|mainly|usually|always|"
    r"already|finally|only|both|used to|kinda|totally|absolutely|honestly|no longer|never|mostly|even|"
    r"rarely|'ll|will)\s+)*"
)
_EN_STATE = (
    r"(?:not\s+)?(?:an?\s+(?!bit\b|little\b|lot\b|few\b|idiot\b|bit\b|moron\b|loss\b|hurry\b|mess\b|"
    r"sec\b|second\b|minute\b|while\b|step\b|problem\b)[a-z]|from\b|based\b|living\b|"
    r"working (?:at|as|for|in|on)\b|new (?:to|here)\b|learning\b|studying\b|teaching\b|moving\b|"
    r"relocating\b|vegan\b|vegetarian\b|pescatarian\b|allergic\b|intolerant\b|lactose\b|"
    r"gluten\b|celiac\b|coeliac\b|diabetic\b|muslim\b|jewish\b|christian\b|buddhist\b|hindu\b|halal\b|"
    r"married\b|single\b|divorced\b|engaged\b|pregnant\b|retired\b|unemployed\b|freelanc|"
    r"self-employed\b|colou?r-?blind\b|deaf\b|left-?handed\b|dyslexic\b|autistic\b|bilingual\b|"
    r"fluent\b|native\b|originally\b|into\b|good at\b|bad at\b|better at\b|interested in\b|"
    r"fond of\b|obsessed\b|afraid of\b|scared of\b|addicted\b|planning\b|training for\b|"
    r"saving (?:up )?for\b|expecting\b|\d{1,2}\b(?!\s*(?:min|hour|sec|%|km))|turning \d|in my \d|"
    r"called\b|known as\b|leaving (?:my|for)\b|quitting\b|switching\b|starting (?:a|my|at|as)\b|"
    r"graduating\b|in (?:uni|college|grade|high school|year|tech|it\b|finance|sales|marketing|"
    r"healthcare|education|the (?:us|uk|eu|states|netherlands)\b)|the (?:\w+\s){0,2}(?:founder|owner|"
    r"author|maintainer|lead|cto|ceo|manager|organi[sz]er|admin|new|one who)\b|"
    r"(?:more |mostly |mainly )?(?:of )?a \w+ (?:person|guy|girl|user|fan)\b|(?:chinese|german|french|"
    r"american|british|canadian|indian|japanese|korean|spanish|italian|dutch|polish|russian|"
    r"brazilian|mexican|swedish|turkish|vietnamese|thai|australian|taiwanese|singaporean|malaysian)\b)"
)
_EN_VERB = (
    r"(?:live|lived|work(?!ing|ed (?:it|that|this)|s)(?! (?:it|that|this|around|through|out)\b)|"
    r"worked (?:at|as|for|in)|moved?(?! (?:it|the|this|that|on|my|them|all|everything)\b)|relocated|"
    r"commute|write(?! (?:it|this|that|to you|in|about|the|down)\b)|"
    r"code\b|program(?:me)?\b|speak\b|study|studied|teach|taught|own|prefer|love(?!\s+(?:it|this|that|"
    r"you|how|when|the way)\b)|hate(?!\s+(?:it|this|that|you|when|how|to)\b)|"
    r"like(?!\s+(?:it|this|that|you|how|when|the (?:idea|way|look|new)|what|your)\b)|enjoy(?!\s+(?:it|"
    r"this|your)\b)|enjoyed|dislike|adore|can't stand|cant stand|cannot stand|play(?!ed)|"
    r"collect|paint\b|cook|bake|knit|climb|hike|swim|cycle|run(?= (?:an? (?!command|script|test)|my|"
    r"arch|debian|fedora|ubuntu|linux|windows|gentoo|nixos|every|marathons?|daily)\b)|ran a|drive|"
    r"use(?! (?:it|this|that|the same|to)\b)|prefer|need (?:glasses|a wheelchair|captions|gluten)|"
    r"have (?:an? (?!question|problem|issue|feeling|quick|bug|doubt|error|look|similar|same|strange|"
    r"weird|small|hard time|idea|meeting|call|plan b|point|hunch|bad feeling|theory|guess|favor|"
    r"favour)"
    r"|two|three|four|five|\d+ (?:kids|children|cats|dogs|years)|kids|children|celiac|asthma|adhd|"
    r"diabetes|no (?:experience|car|kids)|been (?:\w+ing|a|an|in|at|with)|lived|worked|moved|switched|"
    r"never (?:used|tried|written|eaten))"
    r"|got (?:a (?:new )?(?:job|dog|cat|puppy|kitten|kid|baby|car|promotion|offer)|married|hired|"
    r"promoted|laid off|fired|engaged|divorced|into)|was born|grew up|graduated|quit|resigned|retired|"
    r"joined|started (?:a|an|my|at|as|learning|working|studying|"
    r"playing)|switched|changed (?:my (?:name|job|mind about|number)|jobs|careers)|speak|"
    r"read (?:a lot|sci|fantasy|manga)|eat\b|drink|smoke|follow a|keep (?:kosher|halal|bees|chickens)|"
    r"do (?:yoga|photography|research|freelance|consulting|backend|frontend|front-end|"
    r"back-end|devops|data|ml|security|design|marketing|sales|qa)|major in|majored|specialize|"
    r"specialise|lead (?:the|a)|manage (?:the|a|an)|run a|founded|maintain|go by|identify as|"
    r"go to (?:\w+ )?(?:university|uni|college|school|gym)|"
    r"(?:plan|intend|hope|want|am going|'m going|would love|'d love)\s+to\s+(?:learn|move|study|visit|"
    r"become|start|switch|retire|get (?:a|married|into)|buy|run|go to|travel|quit|attend|build|open)|"
    r"(?:don't|dont|do not|can't|cant|cannot|won't|never)\s+(?:eat|drink|like|use|write|live|work|"
    r"speak|code|drive|own|smoke|enjoy|play|care for|understand (?:chinese|english)|read (?:chinese|"
    r"english)|have (?:a|any) (?:car|kids|pets|phone)))"
)
_EN = re.compile(
    rf"\b(?:i|ive|i've|i have)\s+{_EN_ADVERB}{_EN_VERB}|\b(?:i'm|im|i am|i’m|i was)\s+{_EN_ADVERB}{_EN_STATE}|"
    r"\bmy (?:(?:real|full|first|last|new|old|current|main|native|preferred|favou?rite)\s+)?(?:name|"
    r"nickname|handle|birthday|job|boss|wife|husband|partner|girlfriend|boyfriend|kids?|son|daughter|"
    r"dog|cat|"
    r"parrot|rabbit|hamster|pets?|hobby|hobbies|major|degree|company|employer|startup|hometown|city|"
    r"address|mother tongue|language|time ?zone|pronouns|allergy|diet|favou?rite\b.*|dream|goal|"
    r"background|"
    r"profession|occupation|age|stack|role|team|school|university)(?:'s| is| are| was|:|=)|\bfavou?rite\b.{0,30}\bis\b|"
    r"\b(?:call me|don't call me|do not call me|stop calling me|not .{1,20} anymore)\b(?! (?:back|"
    r"later|when|if|on|at|asap|tomorrow|tonight|crazy)\b)|\bmy pronouns\b|"
    r"\b(?:please |pls |always |just |can you |could you )*(?:reply|answer|respond|speak|talk|"
    r"write)(?: to me| back)? in (?:simplified |traditional |plain |simple )?(?:english|chinese|"
    r"mandarin|cantonese|german|french|spanish|japanese|korean|russian|portuguese|italian)\b|"
    r"\bas an? [a-z -]{3,40},? i\b|^(?:hi|hello|hey)[^.!?]{0,20}\b(?:i'm|i am|im|this is)\s+[A-Z]|"
    r"\b(?:vegetarian|vegan|allergic to|beginner|newbie|noob) here\b|\b(?:\w+) (?:developer|dev|"
    r"engineer|student|nurse|teacher|designer) here\b|"
    r"^(?:actually|correction|no)[,:]? (?:it's |i'm |i am |my |i )|^(?:based|living|working|"
    r"living) (?:in|at|as) [A-Z]|^(?:moved|just moved|relocated) to\b",
    re.IGNORECASE,
)
_EN_PLACE = re.compile(
    r"\b(?:I'm|i'm|Im|im|I am|i am)\s+(?:(?:now|currently|actually|back|still)\s+)*(?:in|at|with)\s+[A-Z][a-z]+"
)

_ZH_ADVERB = (
    r"(?:现在|目前|已经|刚刚|刚|最近|其实|也|一直|还|就|平时|都|早就|主要|一般|真的|特别|非常|很|最|"
    r"比较|更|超级?|从小|从来|以前|之前|本来|原来|今年|明年|去年|下个?月|上个?月|上周|下周|最近几年|"
    r"比|挺|蛮|有点|不太|终于|又|确实|只|经常|常|偶尔|通常)*"
)
_ZH = re.compile(
    rf"(?:我|本人|俺|偶|在下|咱)(?:自己)?{_ZH_ADVERB}(?:叫(?!了|他|她|你|它|车|外卖|人|大家)|姓|"
    r"是(?!说|觉得|想|认为|指|问|不是|怕|真|在(?:想|说|问|看)|不|说|看|按|照|这么|这样|那|用|从|直接|"
    r"先|因为|没|没有|想|觉得|要|有|来|可以|否|谁|什么|什麼|如|听|昨|今|刚)"
    r"|不是(?!说|这|那|很|太|故意|要|想|在)|住|来自|出生|搬|定居|换了?(?:工作|公司|城市|专业|手机号|"
    r"名字|个?工作)|喜欢|爱(?!莫)|热爱|讨厌|不喜欢|不爱|受不了|恨|偏好|偏爱|习惯|不吃|不能(?:吃|喝)|"
    rf"吃(?:素|辣|全素|清真|得|不了)|不喝|喝(?:茶|咖啡|不了)|戒|对[^，。,]{{1,12}}(?:过敏|感兴趣|"
    r"不感兴趣|没兴趣|有兴趣|很熟|不熟|有研究)"
    r"|不?会(?:说|写|用|弹|做|打|画|游泳|开车|讲|唱|拉|日语|英语|法语|德语|编程|中文|英文|粤语|修)|"
    rf"不?写(?!了|的|完|错|到|在|下|好|个)|不?用(?!了|过|不|这|那|的|完|来|得着|户)[^，。,]{{1,14}}|"
    r"在?学(?!到|会了|校)|在?读(?:大|研|博|硕|高|初|书)|研究|教(?!程)|养(?:了|着|过)?|"
    r"有(?:一?[只条辆台位名]|两|三|孩子|女儿|儿子|猫|狗|老婆|老公|哮喘|糖尿病|\d+年|"
    r"[一二三四五六七八九十]+年|多年)"
    r"|(?:打算|计划|准备|想|要|决定)(?:去|搬|考|学|换|买|转|辞|跳|开始|移民|回|结婚|读|参加|报名|创业|"
    rf"出国|做)|不再|不(?:写|用|做|住|在|干|玩|抽|打|吃|喝)[^，。,]{{0,14}}了|没(?:有)?(?:用过|学过|"
    rf"接触过|吃过|孩子|车|经验|基础)|毕业|考(?:了|上|过)|做[^，。,]{{0,10}}(?:开发|设计|运营|老师|"
    r"医生|工程师|的|前端|后端|测试|产品|销售|研究|翻译|算法|数据|生意|自媒体|外贸|教育)|负责|加入|"
    r"入职|离职|辞职|跳槽|转行|退休|失业|创业|结婚|离婚|怀孕|怕(?!是)|擅长|精通|熟悉|不?懂|"
    r"入门|接触|开始(?:学|用|做|玩|写|健身|跑步)|玩(?!笑)|打(?:篮球|羽毛球|网球|乒乓|游戏|王者)|弹|"
    rf"拍照|跑步|健身|收藏|追|近视|色盲|失眠|属(?!于)|\d{{1,2}}岁|[一二三四五六七八九十]{{1,3}}岁|"
    rf"今年\d|生日|负责|信(?:佛|教|基督|伊斯兰)|从[^，。,]{{1,10}}(?:搬|来|毕业|辞职|离职|转))"
    r"|(?:我|本人)(?:现在|目前|最近|平时|一直|也|就|还|已经|刚|人)*在(?!想|看|说|问|吗|这|那|的|等|试|"
    r"弄|找|忙|吃|开会|路上|家|听|做|改|用)[^，。,\s]{1,14}(?:工作|上班|住|上学|读书|读研|生活|做|"
    r"定居|留学|实习|教书|念书|创业|出差|任职|当|写|学|负责|$|了)"
    r"|(?:我|本人)在(?:做|用|学|写|玩|教|练)\S{1,12}"
    r"|我(?:家|的)?的?(?:名字|生日|职业|工作|爱好|兴趣|家|老家|家乡|猫|狗|宠物|老婆|老公|媳妇|孩子|"
    r"女儿|儿子|母语|时区|专业|公司|年龄|星座|血型|昵称|邮箱|偏好|习惯|背景|本职|主业|副业|目标|梦想|"
    r"技术栈|主力语言|学校|网名)(?:现在|其实)?(?:是|叫|在|：|:|为|有|改成|换成|，|不|也|今年|做)"
    r"|(?:别|不要|不用|请|以后|可以|就|改|直接|你们?|大家)*(?:再)?叫我(?!去|来|回|起|吃|过|帮|做|怎么|"
    r"们|看|改|等)\S|(?:其实|实际上|纠正一下|更正一下?|说错了)[，,：:]?\s*我|坐标[：:]?\s*\S{2,}|"
    r"人在\S{2,6}(?:$|[，。,])|^(?:刚|最近|已经)(?:刚)?(?:搬到|搬去|搬来|入职|跳槽|离职|毕业)"
    r"|(?:请|麻烦|以后|能不能|可以|都|尽量|最好|希望|帮我)*(?:用|说|讲)(?:简体|繁体|繁體)?(?:中文|"
    r"英文|英语|日语|日文|粤语|汉语|普通话|德语|法语|韩语)(?:来)?(?:回复|回答|跟我|和我|说|交流|聊|"
    r"给我|回我|就行|吧|$)|(?:回复|回答|跟我说|和我说|和我聊)(?:我)?(?:请|时|的时候)?(?:用|说)(?:中文|"
    r"英文|英语|日语)"
    r"|^(?:新手|小白|萌新|初学者|零基础|本科生|研究生|在校生|大[一二三四]学生?|学生党|上班族|程序员|"
    r"产品经理|前端|后端|设计师)(?:一枚|一个|，|,|$|求)|(?:^|[，,。 ])(?:吃素|素食主义者?|不吃(?:辣|"
    r"肉|香菜|猪肉|牛肉|海鲜|葱|蒜)|对\S{1,8}过敏|乳糖不耐受?)",
    re.IGNORECASE,
)


def discloses(text: str) -> bool:
    """Whether the speaker seems to say something about themselves: name, home, work, skills, tastes, plans, a language
    they want. Questions, quotes and suppositions do not count."""
    return any(_EN.search(stated) or _EN_PLACE.search(stated) or _ZH.search(stated) for stated in statements(text))
