"""Crowd safety: text that addresses the model or plants authority is held back for an admin, not remembered."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from memory.privacy import clean_text
from memory.reading import without_runs
from memory.sentences import asks, sentences, without_quotes

Reason = Literal[
    "override", "authority", "role", "standing order", "memory tampering", "reveal", "hidden markup", "encoded"
]


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Why a text is held back."""

    reason: Reason


def _any(*sources: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{source})" for source in sources), re.IGNORECASE)


_OVERRIDDEN = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|directions?|commands?|programming|"
    r"training|restrictions?|guardrails?|"
    r"safety (?:filters?|measures|settings)|filters?|context|orders|constraints?|policies|limitations|persona)"
)
_DROP = (
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|skip|drop|discard|neglect|cancel|suspend|"
    r"disobey|pay no attention to|do not "
    r"(?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying)|disable|turn off)\b(?! my\b)"
)
_OVERRIDE = _any(
    r"\bignore(?:all|any|the|of|your)*(?:previous|prior|above|all|your|system)(?:instructions|rules|prompts?)",
    rf"{_DROP}(?: (?!my\b)[\w'’]+){{0,3}}? (?:previous|prior|above|preceding|your|system|developer|"
    r"initial|original|earlier)"
    rf"(?: (?!my\b)[\w'’-]+){{0,3}}? {_OVERRIDDEN}\b",
    rf"{_DROP}(?: (?:the|of|any|and|these|those))* (?:all|any|every|existing|old|earlier|those|safety|content)"
    r"(?: (?:of|the|your|these|those|system|safety|and|security|internal|content|existing|given|"
    rf"own))* {_OVERRIDDEN}\b",
    rf"{_DROP}(?: (?!my\b)[\w'’]+){{0,4}}? {_OVERRIDDEN},? (?:above|before|given|so far|from earlier|"
    r"that (?:came|were)|you (?:were|have|got))\b",
    r"\b(?:ignore|disregard|forget) (?:all|everything|anything|whatever)(?: of)?(?: that)?(?: (?:was|"
    r"were|has been|you were|you have been|you've been|you are|"
    r"is|i))? ?(?:you(?:'ve| have)? (?:know|learned|been told)|told|said|written|above|before|prior|"
    r"so far|previously)(?: to you)?\b(?! about)",
    r"(?:忽略|无视|忘(?:记|掉|了)|不要理会|别管|不要(?:再)?遵守|别(?:再)?遵守|绕过|跳过|抛弃|丢弃|"
    r"覆盖|解除|取消|停止(?:执行|遵守))(?!我)[^。！？!?\n]{0,12}?"
    r"(?:之前|以前|此前|先前|以上|上面|前面|所有|一切|全部|你的|系统|原有|原来|现有|"
    r"任何)(?![^。！？!?，,\n]{0,4}我)[^。！？!?\n]{0,10}?"
    r"(?:指令|指示|提示词?|规则|设定|命令|约束|限制|要求|准则|人设|训练|安全|内容过滤|对话内容)",
    r"(?:前|上)(?:面|述|文)?的?(?:所有)?(?:指令|指示|提示词|规则|设定)(?:全部|都|一律)?(?:作废|无效|失效|取消|不算数?)",
    r"\bignor[ae] (?:todas? )?(?:las|les|tus|os|as|suas|le|tutte le)\b.{0,30}\b(?:instruc\w+|"
    r"instruções|istruzioni|reglas|regras)",
    r"\boublie[zr]?\b.{0,30}\b(?:instructions|consignes|règles)|\bignore[zr]? (?:toutes )?(?:les|tes|"
    r"vos)\b.{0,30}\b(?:instructions|consignes|règles)",
    r"\b(?:ignoriere|vergiss|missachte)\b.{0,40}\b(?:anweisungen|instruktionen|regeln|vorgaben)",
    r"(?:игнорируй|забудь|проигнорируй)\w*.{0,40}(?:инструкци|указани|правил)",
    r"(?:以前|これまで|上記|前|すべて)の(?:すべての)?(?:指示|命令|ルール|プロンプト)を?(?:すべて)?(?:無視|忘れ)",
    r"(?:이전|위의?|앞의?|모든)\s*(?:모든\s*)?(?:지시|명령|규칙|지침)\S*\s*(?:사항\S*\s*)?(?:모두\s*)?(?:무시|잊)",
)

_BOSS = (
    r"(?:the |our |your |an? )?(?:server |community |group |channel |head |lead |site |system )?"
    r"(?:admin(?:s|istrators?)?|mod(?:s|erators?)?|owners?|staff|developers?|creators?|operators?|"
    r"maintainers?|founders?|openai|organi[sz]ers?|management)"
)
_SAYS = (
    r"(?:said|says|say|told|tells|wants?|approved|allow(?:s|ed)|authori[sz]ed?|confirmed?|granted?|"
    r"gave|decided|ordered|instructed|agreed|has|have|changed|requires?|declared|announced)"
)
_AUTHORITY = _any(
    r"(?:记住|牢记)[，：:,\s]*[^，。！？\s]{1,12}?(?:现在)?(?:就?是|成为)(?:本群的?|这里的?|新的?)?(?:管理员|群主|版主|开发者|站长)\W*$",
    r"(?:^|[.!?,:;\n]|\b(?:please|pls|must|always|kith|bot|to|and)\b)\s*(?:remember|memori[sz]e|"
    r"note down|note|record|store|save|keep in mind|learn|know)\b"
    rf"(?: (?:this|it|for(?:ever| later)|permanently))?\s*[:,]?\s*(?:that\s+)?{_BOSS}\b\s*(?:@?\w+\s+)"
    rf"{{0,2}}?{_SAYS}\b",
    r"(?:^|[.!?,:;\n]|\b(?:please|pls|always)\b)\s*(?:remember|memori[sz]e|note|record|store|save|"
    r"learn)\b[^.!?\n]{0,20}\b(?:i(?:'m| am)|user \S+ is|@\S+ is|\w+ is)\s+"
    r"(?:now |from now on |actually )?(?:the |an? |your )?(?:new |real |true |only )?(?:admin\w*|"
    r"owner|moderator|developer|creator|root|superuser|operator)\b",
    r"\b(?:as|this is) (?:the |your |an? )?(?:real |new |actual )?(?:admin\w*|owner|developer|creator|"
    r"operator|openai)\b[^.!?\n]{0,20}[,:;—-]?\s*"
    r"(?:i (?:order|command|authori[sz]e|instruct|require|direct|permit|allow)\b|you (?:must|will|"
    r"shall|have to|are|can now|should|may now)\b)",
    r"\bi(?:'m| am) your (?:\w+ )?(?:admin\w*|owner|developer|creator|operator|master|boss|programmer)\b",
    r"\b(?:treat|consider|recogni[sz]e|regard|trust|accept|register) (?:me|@?\w+|this (?:user|"
    r"account)) as (?:the |an? |your )?(?:\w+ )?(?:admin\w*|owner|moderator|developer|root|trusted|"
    r"superuser)\b",
    r"\b(?:grant|give) (?:me|user|@\w+|this (?:user|account))\b[^.!?\n]{0,24}\b(?:admin\w*|root|owner|"
    r"moderator|elevated|full) (?:rights?|privileges?|permissions?|access|role|status)\b",
    r"(?:记住|请记住|记下|牢记|务必记|记录|记好|保存|存下)[^。！？!?\n]{0,10}?[：:，,\s]*(?:超级|系统|"
    r"服务器|社区|群)?(?:管理员|群主|版主|站长|开发者|老板|官方|运营|主办方)\S{0,8}?"
    r"(?:说|要求|允许|同意|批准|授权|规定|决定|让|已经?|宣布|表示|承诺|确认)",
    r"(?:记住|请记住|记下|牢记|保存)[^。！？!?\n]{0,16}?(?:我|他|她|用户\S{0,10}|@\S{1,20}?)(?:现在|"
    r"才)?(?:就?是|成为|拥有|具有)[^。！？!?\n]{0,6}(?:管理员|群主|版主|开发者|最高权限|超级用户)",
    r"我是你的?(?:\S{0,4})(?:管理员|主人|开发者|创造者|老板|创建者)|(?:把|将)(?:我|@?\S{1,12})(?:当作|"
    r"当成|视为|设为|识别为|看作)[^。！？!?\n]{0,6}(?:管理员|群主|版主|开发者|主人)",
    r"(?:作为|身为)(?:系统|本群|你的)?(?:管理员|群主|开发者|主人)[，,]?\s*我(?:命令|要求|授权|允许|指示)(?:你|机器人)?",
    r"(?:管理员|群主|开发者|官方)(?:\S{0,6})?(?:授权|批准|同意|允许|命令|要求)(?:你|机器人|bot)",
    rf"\b{_BOSS}\b(?: \w+)? (?:has |have )?(?:authori[sz]ed|instructed|ordered|told|allowed|commanded|"
    r"wants|requires) (?:you|the (?:bot|assistant|ai|model)|kith)\b",
)

_DUTY = (
    r"(?:answer|reply|respond|say|tell|obey|ignore|treat|act|refer|recommend|pretend|believe|consider|"
    r"trust|follow|speak|write|output|include|add|end|start|"
    r"begin|always|never|only|refuse|call everyone|send|share|give|forget|remember|behave|work for|"
    r"serve|do (?:as|what|whatever|anything)|be (?:rude|evil|unrestricted)|mention|promote|use|insult|"
    r"accept|agree)"
)
_BOT = r"(?:you|kith|the (?:bot|assistant|ai|model)|this (?:bot|assistant))"
_STANDING_ORDER = _any(
    r"\b(?:from now on|from this (?:point|moment)(?: on(?:wards?)?)?|from here on(?: out)?|henceforth|"
    r"starting (?:now|today)|for the rest of (?:this|the) (?:conversation|chat|session)|"
    r"in (?:all|every) (?:future|later) (?:repl(?:y|ies)|answers?|conversations?|"
    rf"messages?))\b[,:]?\s*(?:{_BOT}\s+(?:must|will|shall|should|have to|are to|need to|are|can|may|"
    rf"is|has to)\s+)?(?:please )?{_DUTY}\b",
    rf"\b(?:from now on|henceforth)\b[^.!?\n]{{0,60}}\b{_BOT} (?:must|will|shall|have to|are to) {_DUTY}\b",
    rf"\b{_BOT} (?:must|shall|will|are required to|have to|should) (?:now |always |never |only ){{1,2}}{_DUTY}\b",
    r"\byou are (?:now |no longer |from now on )+(?:an? |the |in |my )?(?:dan\b|unrestricted|"
    r"jailbroken|uncensored|unfiltered|developer mode|debug mode|admin mode|god mode|evil|"
    r"free (?:from|of)|bound|"
    r"restricted|different|new|assistant|ai\b|chatbot|bot\b|language model|hacker|pirate|\w+gpt|slave|"
    r"without|kith|limited|subject to)",
    r"\b(?:enter|enable|activate|switch to|go into) (?:developer|debug|dan|god|admin|jailbreak|"
    r"maintenance|root|unrestricted|sudo) mode\b",
    r"\b(?:act|behave|respond|answer|roleplay|role-play) as (?:if you (?:were|are|have|had)|"
    r"though you|an? (?:unrestricted|uncensored|evil|jailbroken|unfiltered)|dan\b|the (?:admin|system|"
    r"developer))",
    r"(?:^|[.!?,:;\n]\s*|\b(?:please|must|should|will|to|and|you|"
    r"now)\s+)pretend (?:that )?(?:you(?:'re| are| have| were)|to be)\b",
    r"\byour (?:new|real|true|actual|updated|only|primary) (?:instructions?|rules?|purpose|"
    r"directives?|system prompt|objective|persona|identity)\b\s*(?:is|are|:|now|will)",
    r"\byour (?:new|real|true|only) (?:role|task|goal|job)\b\s*(?::|is to (?:obey|serve|lie|promote|"
    r"praise|ignore|help only|answer))",
    r"(?:^|\n)\W*(?:new|updated|additional|important|urgent|special)(?: system)? (?:instructions?|"
    r"directives?|system prompt|orders)(?: for (?:you|the (?:bot|assistant|ai|model)|"
    r"kith))?\s*[:：]",
    r"\b(?:instructions?|note|message|memo|notice|attention|important|reminder)(?: (?:to|"
    r"for))? (?:the |all |any )?(?:ai|llm|bot|assistant|chatbot|language model|model|"
    r"agents?)\b(?: \w+){0,3}\s*[:：]",
    r"\b(?:whenever|every time|each time|if|when) (?:anyone|someone|anybody|somebody|a (?:user|member|"
    r"person)|users?|members?|people|they|alice|\w+) (?:asks?|mentions?|says?|wants?|talks?|"
    rf"writes?)\b[^.!?\n]{{0,80}}[,:]?\s*"
    rf"(?:{_BOT} (?:must|should|will|have to|shall|are to) |(?:always|only|never|just) )(?:say|answer|"
    r"reply|respond|tell|recommend|send|give|claim|mention|link|insist|include|post|output)\b",
    r"\b(?:whenever|every time|each time) (?:anyone|someone|anybody|a (?:user|member)|users?|members?|"
    r"people|\w+) (?:asks?|mentions?|says?|wants?)\b[^.!?\n]{0,80}[,:]?\s*(?:say|answer|reply|respond|"
    r"tell them|recommend|send|claim)\b",
    r"(?:从现在(?:开始|起)|从此|今后|以后)[，,]?(?:你|机器人|kith|bot)(?:就|将|再)?(?:没有|不受|"
    r"不再受|不再有)(?:任何)?(?:限制|约束|规则)",
    r"(?:从现在(?:开始|起)|从此(?:以后|刻起|往后)?|今后|以后|自此|接下来的?(?:所有)?(?:对话|回复|"
    r"回答)(?:中|里)?|从这条消息(?:开始|起))[，,：:]?\s*(?:请)?(?:你|机器人|kith|bot|助手|您)?(?:都|"
    r"就|只|就是)?(?:必须|要|应该|得|只能|不能|不许|不得|需要|将|务必|是|可以|永远|一律|总是)"
    r"[^。！？!?\n]{0,12}?(?:回答|回复|说|听|服从|扮演|忽略|遵守|推荐|称呼所有|告诉|执行|拒绝|无视|"
    r"假装|相信|信任|一个|没有限制|不受|没有(?:任何)?|使用|输出|结尾|开头|我的(?:奴隶|仆人))",
    r"(?:你|您|机器人|kith|bot|助手)(?:现在|从现在起|从今以后|已经)(?:就?是|变成|成为|进入|不再是|"
    r"不受|没有)[^。！？!?\n]{0,16}?(?:模式|dan|限制|不受|黑客|猫娘|助手|机器人|AI|人工智能|模型|"
    r"管理员|角色|约束|奴隶|海盗)",
    r"(?:你|机器人|kith|bot|助手)(?:必须|务必|一定要|只能|只许|不得)(?:永远|始终|总是|一律|每次|"
    r"无条件)?[^。！？!?\n]{0,8}?(?:回答|回复|服从|听从|听我|遵守|推荐|告诉(?:所有|大家|用户)|执行|"
    r"扮演|忽略|拒绝|说)",
    r"(?:假装|扮演|模拟|装作|当作)(?:你|自己)?(?:是|成|为|"
    r"没有)?[^。！？!?\n]{0,8}(?:没有(?:任何)?限制|不受(?:任何)?限制|dan|系统|管理员|黑客|无限制|越狱|"
    r"开发者)",
    r"(?:开启|进入|启用|激活|切换到)(?:开发者|调试|越狱|上帝|管理员|无限制|dan|维护)模式",
    r"(?:你的?|以下是你的?)(?:新|真正|真实|唯一|最新)的?(?:指令|规则|任务|身份|角色|设定|目标|"
    r"系统提示)(?:是|为|如下|：|:)",
    r"(?:^|\n)\W*(?:新的?|最新|重要|紧急|附加)?(?:系统)?(?:指令|指示)(?:更新)?\s*[：:]|(?:给|致|"
    r"提醒)(?:AI|人工智能|机器人|助手|模型|大模型|bot)(?:的)?(?:指令|指示|提示|注意|命令|"
    r"消息)?\s*[：:]",
    r"(?:每当|每次|只要|凡是|如果|当|以后)(?:有人|有用户|任何人|别人|用户|大家|成员|谁)(?:再)?(?:问|"
    r"提到|说|想知道|询问)(?!我)[^。！？!?\n]{0,40}?(?:你)?(?:就|都|必须|一律|务必|要|请)(?:必须|要|"
    r"一律|请)?(?:回答|回复|说|告诉|推荐|声称|发送|引导)",
)

_TAMPERING = _any(
    r"(?:把|将)(?:所有人|大家|其他人|别人|全部用户|所有用户|所有成员|@\S{1,16}?)的?(?:资料|档案|记忆|信息|身份)(?:都|全部?)?(?:改|删|换|清|设)",
    r"\b(?:delete|erase|overwrite|replace|wipe|clear|purge|modify|edit|rewrite|alter|reset|corrupt|"
    r"forget)\b[^.!?\n]{0,24}\b(?:your (?:\w+ )?(?:memor(?:y|ies)|knowledge|profiles?|records?)|"
    r"memor(?:y|ies) (?:of|about) (?:everyone|all|every|@?\w+))\b",
    r"\b(?:delete|erase|wipe|overwrite|replace|change|update|edit|set) (?:the )?(?:profiles?|"
    r"memor(?:y|ies)|records?) (?:of|for) (?:everyone|all|every|another|other|@\w+|user)\b",
    r"\b(?:save|store|write|add|commit|put|insert|inject|record|remember)\b[^.!?\n]{0,60}\b(?:in|into|"
    r"to) (?:your|kith's|the bot's|everyone's|all users?') (?:\w+[ -]){0,2}(?:memor(?:y|ies)|"
    r"knowledge(?: base)?|profiles?|instructions|system prompt|rules)\b",
    r"\b(?:forget|delete|erase|wipe) (?:everything|all)(?: that)? (?:you know|you remember|"
    r"about (?:everyone|all|the (?:admin|rules|server)))",
    r"(?:删除|清空|清除|抹掉|覆盖|篡改|修改|改写|替换|忘掉|忘记)[^。！？!?\n]{0,10}?(?:(?:你)?关于[^。"
    r"，]{1,10}的(?:所有|全部)?记忆|你的?(?:所有|全部|长期)?(?:记忆|知识库|资料库)|(?:所有人|大家|"
    r"其他人|别人|全部用户|所有用户|所有成员)的?(?:记忆|资料|档案|信息)|你(?:知道|记得|学到)的(?:一切|"
    r"所有|全部))",
    r"(?:存入|写入|写进|存进|加入|加到|保存到|录入|记入|添加到|放进)[^。！？!?\n]{0,6}?(?:你的?|"
    r"机器人的?|长期|永久|系统|所有人的?|你)(?:长期|永久|核心)?(?:记忆|知识库|资料|档案|提示词?|规则)",
    r"(?:永久|永远)(?:地)?(?:记住|保存|存储)[^。！？!?\n]{0,8}(?:指令|规则|命令|设定|优先级)",
)

_REVEAL = _any(
    r"(?:把|将)(?:你|系统|全部|完整)的?(?:[^。，]{0,4})(?:提示词?|指令|设定|系统消息|"
    r"prompt)[^。，]{0,6}(?:输出|打印|显示|复述|重复|发|告诉|公布|贴|翻译)",
    r"\b(?:reveal|show|print|repeat|output|leak|display|dump|expose|recite|paste|send|tell me|give me|"
    r"summari[sz]e|translate|copy|encode|return)\b[^.!?\n]{0,24}\b(?:(?:your|the|its) "
    r"(?:\w+ )?(?:system|hidden|initial|original|secret|internal|developer|full|entire) (?:prompt|"
    r"instructions?|rules|message|configuration|directives)|your (?:instructions|prompt|rules|"
    r"guidelines)|"
    r"(?:everything|all(?: the)?(?: text| words)?|the (?:text|words)) (?:above|before this))\b",
    r"(?:输出|打印|显示|透露|泄露|告诉我|复述|重复|展示|公布|说出|发给我|翻译|"
    r"列出)[^。！？!?\n]{0,8}?(?:你的?|系统|全部|完整)的?(?:完整|初始|隐藏|原始|内部|"
    r"全部)?(?:系统)?(?:提示词?|提示语|指令|设定|prompt|系统消息)",
    r"\b(?:reveal|show|list|dump|tell me|give me|leak|output|"
    r"print)\b[^.!?\n]{0,20}\b(?:other (?:users?|members?|people)(?:'s|')?|everyone(?:'s|s)?|"
    r"all (?:users?|members?)(?:'s|')?|alice's|private) (?:\w+ )?(?:memor(?:y|ies)|profiles?|dms?|"
    r"secrets?|private (?:messages|data|info))\b",
    r"(?:输出|打印|显示|透露|泄露|告诉我|列出|发给我|导出)[^。！？!?\n]{0,6}?(?:所有人|其他人|别人|"
    r"所有用户|其他用户|大家|全部用户|其他成员)的?(?:记忆|隐私|私聊|私信|资料|档案|秘密)",
)

_ROLE = r"(?:system(?: (?:prompt|message|note|override))?|assistant|developer|系统|助手|助理|系统消息|系统提示)"
_FAKE_ROLE = _any(
    rf"(?:^|\n)\W{{0,6}}{_ROLE}\W{{0,3}}\s*[:：]\s*\**\s*(?:you\b|your\b|ignore|disregard|forget|from|"
    r"new|override|always|never|the (?:user|bot|assistant|admin|following)|user\b|users\b|do not|"
    r"don't|must|all |this user|grant|"
    r"update|remember|memory|important|i |sure|yes|okay|of course|as an ai|admin|follow|obey|treat|"
    r"instruction|respond|answer|reveal|end of|你|您|忽略|从|新|用户|必须|所有|记住|好的|该用户|以下|"
    r"请|禁止|不要|管理员|执行|权限|立即|更新)",
    r"(?:^|\n)\W{0,6}(?:assistant|kith|助手|助理)\W{0,3}\s*[:：]",
    rf"<\s*/?\s*(?:{_ROLE}|instructions?|prompt|im_start|im_end|untrusted|tool_call|function_call)\b[^>\n]{{0,40}}>",
    r"<\s*/\s*(?:turns?|known|people|memor(?:y|ies)|context|conversation|profile|recalled|fresh|quotes?)\s*>",
    r"<\|[^|\n]{1,30}\|>|\[/?INST\]|<</?SYS>>|\[(?:system|assistant|developer|系统)(?: (?:message|"
    r"prompt|note|override))?\]|【(?:系统|System|管理员)(?:消息|提示|指令|通知|命令|公告)?】",
    r"(?:^|\n)\s*#{1,6}\s*(?:system|instructions?|assistant|developer|new (?:instructions?|rules)|"
    r"系统(?:提示|指令|消息)?|指令|新指令)\s*(?:prompt|message|update)?\s*[:：]?\s*(?:\n|$)",
    r"(?:^|\n)\s*(?:```|---+|===+)\s*(?:system|end of (?:user|data|quotes?|context|message|"
    r"conversation|memories)|begin (?:system|admin|new)|系统|结束|用户消息结束)",
    r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer)[\"']|\b(?:begin|end|"
    r"start)(?: of)? (?:system|admin(?:istrator)?|user|untrusted|hidden) (?:prompt|message|"
    r"instructions?|input|data|override)\b",
)

_HIDDEN_AIM = _any(
    r"\b(?:ai|llm|bot|assistant|model|agent|kith|instructions?|prompt|system|admin|ignore|always|remember|memory)\b",
    r"指令|指示|忽略|记住|机器人|助手|模型|管理员|系统",
)
_HIDDEN = re.compile(
    r"<!--(.*?)(?:-->|\Z)|^\[//\]:\s*#\s*\(?(.*)$|<[^<>]{1,300}(?:display\s*:\s*none|font-size\s*:\s*0|"
    r"visibility\s*:\s*hidden|opacity\s*:\s*0)[^>]*>(.*?)(?:<|\Z)|\|\|(.*?)\|\|",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)

_DISCUSSED = _any(
    r"prompt[- ]?injections?|jailbreak(?:s|ing)?\b(?! mode)|\binject(?:ion|ed)\b|\b(?:red[- ]team|"
    r"phishing|attackers?|spam(?:mer|bot)?s?|the (?:phrase|sentence|words?|string)|"
    r"(?:article|paper|blog|post|talk|tweet|someone|somebody|he|she|they|people|guy|"
    r"user) (?:\w+ )?(?:says|said|wrote|writes|posted|sent|tried|typed|quotes?|pasted)|"
    r"messages? (?:like|such as)|texts? like|lines? like|things like|stuff like|classif(?:y|ier)|"
    r"dataset|detect(?:s|ion|or)?)\b",
    r"提示词?注入|注入攻击|越狱(?!模式)|这(?:句|种|类|条)(?:话|消息|攻击)?|有人[^，。]{0,6}(?:发|写|"
    r"试|输入)|文章|论文|例子|过滤|检测|识别|拦截|防(?:止|御|范)|攻击|诈骗|钓鱼",
)
_TOPIC = _any(r"prompt[- ]?injections?|jailbreak", r"提示词?注入|注入攻击|越狱")
_INFORMS = re.compile(
    r"^(?:\W|\b(?:hi|hey|so|and|but|also|ok|btw|just|guys|folks)\b)*(?:how|why|what|which|who|when|"
    r"where|does|do|did|is|are|was|has|have|should|anyone|any|someone know|"
    r"wondering|can (?:i|we|anyone|someone|a|an|it|the|attackers?|people|this|llms?|models?))\b|怎么|"
    r"如何|为什么|为啥|什么|有没有|是不是|哪|请教|会不会",
    re.IGNORECASE,
)

_CHECKS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    ("override", _OVERRIDE),
    ("authority", _AUTHORITY),
    ("standing order", _STANDING_ORDER),
    ("memory tampering", _TAMPERING),
    ("reveal", _REVEAL),
)
_LOOKALIKES = str.maketrans("асеорхуікѕԁһјⅼ０ΑΒΕΗΙΚΜΝΟΡΤΧΥοναρτ", "aceopxyiksdhjl0ABEHIKMNOPTXYovapt")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_]([ .*_-])){3,}[^\W\d_](?![^\W_])")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}|(?:[0-9a-fA-F]{2}[\s:]?){12,}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_SMUGGLED = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")


def inspect(text: str) -> Quarantine | None:
    """Why the raw or cleaned `text` should wait for an admin, or None when it is an ordinary message. Questions and
    reports about such attacks are ordinary."""
    if (_TAGS.search(text) and (hidden := _untagged(text)) and len(hidden) > 8) or _SMUGGLED.search(text):
        return Quarantine("hidden markup")
    plain = _plain(without_runs(text))
    if _FAKE_ROLE.search(plain) and not _is_discussed(plain, _FAKE_ROLE):
        return Quarantine("role")
    if any(_HIDDEN_AIM.search(content) for match in _HIDDEN.findall(plain) for content in match if _finding(content)):
        return Quarantine("hidden markup")
    if any(_HIDDEN_AIM.search(match[0]) for match in _HIDDEN.finditer(plain) if not match[0].startswith("||")):
        return Quarantine("hidden markup")
    if reason := _finding(_said(plain)):
        return Quarantine(reason)
    if any(_finding(decoded) or _FAKE_ROLE.search(decoded) for decoded in _decoded(text)):
        return Quarantine("encoded")
    return None


def _finding(text: str) -> Reason | None:
    return next((reason for reason, pattern in _CHECKS if pattern.search(text)), None)


def _plain(text: str) -> str:
    """What a reader sees: compatibility forms, look-alike letters and spaced-out words undone."""
    text = unicodedata.normalize("NFKC", clean_text(text))
    if any("a" <= char.lower() <= "z" for char in text):
        mixed = re.sub(
            r"\w+", lambda word: word[0].translate(_LOOKALIKES) if re.search("[A-Za-z]", word[0]) else word[0], text
        )
        text = mixed
    joined = _SPACED.sub(lambda run: run[0].replace(run[1], ""), text)
    return re.sub(r"[ \t]{2,}", " ", joined)


def _said(text: str) -> str:
    """The part that could instruct: without sentences that ask for information, and, where such attacks are being
    talked about, without what is quoted."""
    if _DISCUSSED.search(text):
        text = without_quotes(text)
    pieces = [piece for piece in sentences(text) if not (_TOPIC.search(piece) and asks(piece))]
    return "\n".join(piece for piece in pieces if not (_INFORMS.search(piece) and asks(piece)))


def _is_discussed(text: str, pattern: re.Pattern[str]) -> bool:
    asked = _INFORMS.search(text) is not None and asks(text.strip())
    return (bool(_DISCUSSED.search(text)) or asked) and not pattern.search(
        re.sub(r"`[^`\n]*`", " ", without_quotes(text))
    )


def _untagged(text: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for run in _TAGS.findall(text) for char in run)


def _decoded(text: str) -> Iterator[str]:
    """Readable text that the message carries in another coding, itself excluded."""
    for token in _ENCODED.findall(text):
        yield from _bytes_decoded(token)
    for other in (
        html.unescape(text),
        unquote(text),
        _ESCAPES.sub(lambda code: chr(int(code[1] or code[2], 16)), text),
    ):
        if other != text:
            yield _plain(without_runs(other))
    latin = re.sub(r"[^\x00-\x7f]+", " ", without_runs(text))
    yield codecs.decode(latin, "rot13")
    yield latin[::-1]


def _bytes_decoded(token: str) -> Iterator[str]:
    candidates: list[bytes] = []
    try:
        candidates.append(
            base64.b64decode(token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4), altchars=b"-_", validate=False)
        )
    except binascii.Error:
        pass
    try:
        candidates.append(bytes.fromhex(re.sub(r"[\s:]", "", token)))
    except ValueError:
        pass
    for raw in candidates:
        try:
            yield _plain(raw.decode("utf-8"))
        except UnicodeDecodeError:
            continue
