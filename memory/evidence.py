"""Signs, in a message's wording, of whether it holds something that lasts (zh and en); `worth` weighs them."""

from __future__ import annotations

import re

from memory.language import HAN


def _any(*sources: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{source})" for source in sources), re.IGNORECASE)


COMMAND = re.compile(r"^\s*(?:[/!$;.][A-Za-z]|!!|\?[a-z]|-[a-z]+$)")
ADDRESS = re.compile(
    r"^\s*(?:@\S+|<@[!&]?\d+>)[\s,:，：]*|^\s*[\w|\[\]^`{}\\-]{1,24}\s?[:,，：]\s+|^\s*@?(?:kith|bot)[,，:：\s]+",
    re.IGNORECASE,
)
URL = re.compile(r"https?://\S+|\bwww\.\S+|\b[\w-]+\.(?:com|org|net|io|dev|cn|ai|app|gg|me)(?:/\S*)?\b", re.IGNORECASE)
WORD = re.compile(
    rf"[A-Za-z0-9\u00c0-\u024f](?:[A-Za-z0-9\u00c0-\u024f'’+#._/:%-]*[A-Za-z0-9\u00c0-\u024f+#%])?|[{HAN}]"
)
HAN_WORD = re.compile(f"[{HAN}]")
CHATTER = _any(
    r"^(?:hi|hello|hey|heya|hiya|howdy|yo|sup|morning|good (?:morning|evening|night|day|afternoon)|gm|"
    r"gn|welcome|wb|bye|cya|see (?:ya|you)|later|cheers|thanks?|thx|ty|tysm|thank you|np|no problem|"
    r"yw|you're welcome|"
    r"congrats|congratulations|happy (?:birthday|new year)|merry christmas|good luck|gl|ok|okay|k|kk|"
    r"yes|yeah|yep|yup|no|nope|nah|sure|right|cool|nice|great|awesome|lol|lmao|rofl|haha\w*|hehe\w*|"
    r"wow|omg|wtf|oops|sorry|hmm+|hm|"
    r"ah+|oh+|brb|afk|gtg|g2g|bbl|bbiab|ping|pong|\+1|same|agreed|exactly|true|indeed|got it|i see|"
    r"makes sense|sounds good|never ?mind|nvm|good (?:point|idea|call|one)|well done|nice one|my bad|"
    r"fair enough|no worries|no idea|idk)\b[\w\s'’,.!~:)(-]{0,24}$",
    r"^(?:你好|大家好|早|早安|早上好|晚上好|晚安|下午好|午安|嗨|哈喽|哈罗|在吗|在不|谢谢|多谢|感谢|"
    r"谢了|辛苦了?|不客气|没事|没关系|好的?|好滴|好哒|好嘞|行|可以|嗯+|恩+|哦+|噢+|啊+|哈+|嘿+|呵+|"
    r"对+|是的?|没错|不是|不行|不对|收到|了解|明白|懂了|知道了|"
    r"牛+|厉害|666+|赞|顶|支持|同意|加一|恭喜|欢迎|再见|拜拜|88|回见|笑死|卧槽|我去|天哪|草|唉|呜+|"
    r"无语|绝了|太强了|可爱|加油|抱抱|冲|真的|确实|有道理|原来如此|生日快乐|新年快乐|"
    r"哈哈哈*)[\S\s]{0,6}$",
)
REQUEST = _any(
    r"^(?:(?:hey|hi|ok|so|and|please|pls|kindly|kith|bot)[\s,]+)*(?:can|could|would|will) (?:you|u|"
    r"someone|somebody|anyone)\b|^(?:please|pls|plz)\s+\w+|^(?:kith|bot)?[,:\s]*(?:tell me|show me|"
    r"give me|remind me|help me|explain|translate|summari[sz]e|"
    r"search|look up|find me|list|write me|draw|generate|define|calculate|recommend|suggest|"
    r"let me know|ping me|dm me|pm me|send me)\b",
    r"^(?:kith|机器人|bot|小助手)?[,，\s]*(?:请|麻烦|求|帮我|帮忙|帮|给我|替我|提醒我|告诉我|翻译|"
    r"总结|解释|搜索?一下|查一下|推荐|写一[个篇首段]|画|生成|列出|讲讲|说说|谁能|谁来|有没有人|私我|"
    r"戳我|加我|拉我|踢我)",
)
COORDINATION = _any(
    r"\b(?:brb|gtg|g2g|afk|bbl|omw|on my way|be right (?:there|back)|be back|back in \d|running late|"
    r"one (?:sec|second|moment|min)|hold on|hang on|wait a|just a (?:sec|moment|minute)|give me (?:a|"
    r"\d)|see you (?:there|soon|later|tomorrow|at|in)|let me (?:check|see|try|think|look|know|ask|"
    r"test|google|read|get)|"
    r"(?:i'll|ill|i will|i'm gonna|im gonna|gonna|i am going to|i'm going to|i should|i'd better|"
    r"i better|i can) (?:try|check|look|do it|ask|be (?:there|back|late|around)|let you know|see|test|"
    r"give it|reboot|restart|google|read|keep|go (?:get|eat|to (?:bed|sleep))|do that|get back|"
    r"send you|dm|pm|call you|bring|wait|report|ping|have to|need)|talk (?:later|soon)|ttyl|"
    r"join (?:the )?(?:voice|vc|call)|hop on|in a (?:meeting|call|minute|sec|bit)|"
    r"(?:are )?you (?:there|around|free|coming)|i'm (?:here|back|off|out|late|leaving|outside|"
    r"downstairs|at the door|in the lobby)|heading (?:out|home|over)|time (?:for|to) (?:bed|lunch|"
    r"dinner|sleep|go))\b",
    r"马上(?:到|来|回|好|就)|稍等|等一下|等等|等会|等我|待会|一会儿?(?:见|说|聊|来|到)|回头(?:再|见|"
    r"说|聊)|我(?:先|去)?(?:看看|看一下|试试|试一下|试下|查查|查一下|问问|想想|研究一下|瞅瞅)|在路上|"
    r"(?:我)?(?:快|已经|刚)?到(?:了|楼下|门口)|晚点(?:到|说|聊|来|看)?|先(?:撤|下|走|睡|吃|忙|去|溜|"
    r"这样)|我(?:下|撤|走|溜|闪|睡|吃饭|洗澡|开会)了?(?:去)?了|去(?:吃饭|睡觉|洗澡|开会|上课)了?|"
    r"明天(?:见|再说)|回来了|我来了|上车|上号|开黑|来人|有人吗|谁在|几缺几|马上开|堵车|迟到|出发了?$|"
    r"发你|私聊|私你|加你|拉你|连麦|语音",
)
TRANSIENT = _any(
    r"\b(?:i'm|im|i am|i was) (?:still |just |now |really |so |also |not |currently |a bit |"
    r"very )*(?:trying|getting|stuck|having|confused|tired|hungry|bored|back|here|sick|busy|late|done|"
    r"going|looking|seeing|reading|waiting|running|installing|lost|sorry|glad|happy|sad|thinking|"
    r"wondering|guessing|curious|afraid|ready|fine|ok|okay|good|in a|on it|asking|talking|referring|"
    r"following|downloading|"
    r"sure|aware|kidding|joking|about to|gonna|unable|able|using it)\b|\bi(?:'ve| have) (?:a|an|some|"
    r"the same|this|no) (?:\w+ )?(?:problem|question|issue|idea|error|feeling|clue|doubt)s?\b|"
    r"\bi (?:can't|cant|cannot|couldn't|don't|dont|didn't|didnt) (?:get|find|see|know|understand|"
    r"remember|seem|think|want|have|figure|believe|even|mind|care|do|log|connect|install|open|start|"
    r"boot|play|access|hear|use|make|mount|tell|say|need)\b|"
    r"\bi (?:get|keep getting|see|tried|try|did|just (?:tried|did|rebooted|ran|got|saw|installed|woke|"
    r"noticed|asked|had|wanted|need)|ran|installed|have tried|was|saw|thought|think|guess|know|mean|"
    r"hope|wish|wonder|forgot|remember|need|want|had|typed|downloaded|rebooted|restarted|removed|"
    r"updated|upgraded|clicked|bet|swear|suppose|assume|figured|found out|got it|agree|doubt)\b",
    r"好(?:累|饿|困|烦|冷|热|无聊|难|气|惨|想(?:睡|吃|回)|香|贵啊|可爱|棒|开心|难过|尴尬)|(?:困|饿|累|"
    r"烦|无聊|emo|崩溃|破防|摆烂|裂开)(?:了|死了|啊|$)|我(?:刚|刚刚|又|也|还|就)?(?:试了|装了|看了|想|"
    r"觉得|感觉|以为|猜|怀疑|希望|服了|醉了|晕|哭了|傻了|懵|搞不定|不知道|不懂|没懂|不明白|不清楚|"
    r"找不到|进不去|登不上|打不开|连不上|没看到|没收到|卡在|遇到|报错|这边(?:报错|不行|没问题))|"
    r"(?:怎么又|又来|又崩|又挂|又卡|又堵|不想(?:上班|干|动|写|学))|(?:一直|总是|老是)(?:报错|失败|卡|不行)",
)
HEDGE = _any(
    r"\b(?:i think|i guess|maybe|probably|not sure|perhaps|might be|may be|could be|i'd say|i believe|"
    r"iirc|afaik|afaict|i suppose|seems?|sounds like|looks like|apparently|presumably|i imagine|"
    r"i assume|kinda|sort of|who knows|unless|i bet|should be|hopefully)\b",
    r"可能|大概|也许|好像|应该(?:是|可以|行|能|没|会|不)|不确定|不太清楚|估计|貌似|似乎|说不定|"
    r"吧[。.!！~]*$|感觉|我猜|或许",
)
EMOTION = _any(
    r"\b(?:lol|lmao|rofl|haha\w*|hehe\w*|omg|wtf|wow|damn|dang|ugh|argh|yay|woo\w*|hurray|jeez|ouch|"
    r"meh|bah|heh|sigh|weird|strange|funny|crazy|insane|stupid|annoying|beautiful|gorgeous|sucks?|"
    r"rocks|rules\b(?=[!.]?$)|cute|amazing|love it|hate it|dude|bro|man)\b|[:;=8x]-?[()DPpO/|"
    r"\\]+(?:\s|$)|\^_?\^|!{2,}|\bxd\b",
    r"哈哈|嘻嘻|呵呵|卧槽|我靠|笑死|绝了|离谱|救命|呜呜|tmd|牛[逼批b]|yyds|"
    r"太[^，。]{1,4}了[吧啊！!~]*$|[啊呀哇诶欸][！!~]+|好家伙|无语|服了|妈呀|天呐|我的天|真香|爷青|"
    r"泪目|破防",
)
VAGUE = _any(
    r"^(?:and |but |so |or |well,? |yes,? |yeah,? |no,? |ok,? |then |because |cause |cos |also |oh,? |"
    r"ah,? |hm+,? |if |unless |like |just |actually |maybe |not |which |that|(?:it|that|this|they|he|"
    r"she|those|these|there|thats|its)\b)",
    r"^(?:这|那|它|他|她|这个|那个|就是|不是|没有|也是|还是|都是|但是?|不过|所以|因为|然后|而且|或者|"
    r"反正|主要是|关键是|问题是|感觉|怎么|如果)",
)
SECOND_PERSON = _any(
    r"\b(?:you|your|you're|u|ur|yours|yourself)\b|^(?:try|did|check|reboot|restart|type|paste|post|"
    r"look|read|google|go|ask|wait|see|click|press|send|show|tell|remember|don't|do|open|close|delete|"
    r"remove|reinstall|uninstall|plug|unplug)\b",
    r"你(?!好|们好|懂的)|试试|试一下|看看|重启(?:一下|下|试)|百度一下|发(?:个|张)?(?:图|截图|日志)|截(?:个|张)?图",
)
DECISION = _any(
    r"\b(?:we|they|the (?:team|group|board|mods?|admins?|committee|organi[sz]ers?)|everyone|council|"
    r"maintainers?)(?:'ve| have|'re| are)? (?:\w+ly |all |just |finally )?(?:decided?|agreed?|voted?|"
    r"settled|chose|picked|going with|going to (?:use|move|switch|drop|ban)|moving to|switching to|"
    r"dropp(?:ed|ing)|banned|approved|adopted|will (?:use|go with|move|switch|meet|drop|stop|start|"
    r"host|keep|ship|release|"
    r"freeze|require|not)|won't|use|switched|moved|no longer)\b|\b(?:decision|decided|"
    r"it'?s (?:decided|settled|official)|final (?:decision|date|venue|answer|call)|(?:is|are|has been|"
    r"have been|was|were|got|gets?|will be|been) (?:now )?(?:moved|postponed|cancell?ed|rescheduled|"
    r"changed|delayed|confirmed|extended|shifted|pushed|approved|merged|scrapped|banned|"
    r"renamed|replaced|deprecated|discontinued|closed|archived|frozen|locked|booked|reserved|retired|"
    r"removed|required|allowed|forbidden|mandatory)|from now on|starting (?:from )?(?:next|this|"
    r"tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|"
    r"may|june|july|august|september|october|november|december)|new rule|house rule|policy is|(?:new|"
    r"official) (?:channel|policy|admin|mod)|consensus|deadline|minutes)\b",
    r"决定|定(?:了|在|为|下来|好了)|(?:改|换|挪|移|延|推迟|提前|顺延|搬)(?:成|到|为|至|去|在)|推迟|"
    r"取消了?|投票(?:结果|通过|决定)|通过了|敲定|确定(?:了|在|为|是|用)|规定|最终|统一(?:用|改)|"
    r"以后(?:都|统一|一律|每|不|改|在|由|请)|新规|从(?:下周|下个?月|今天|明天|周|本周|\d+月|"
    r"现在)[^，。]{0,6}(?:起|开始)|一致同意|达成|负责人|由\S{1,8}负责|正式|禁止|不允许|不得|必须|改名|"
    r"截止|共识|结论|会议纪要|谈妥|说好了|达成一致|商量好",
)
EVENT = _any(
    r"\b(?:meet-?ups?|meeting|conference|workshop|hackathon|webinar|talk|lecture|release[sd]?|"
    r"launch(?:es|ed)?|ship(?:s|ped)|maintenance|outage|downtime|sign-?ups?|sign up|registration|"
    r"register(?:ed)? (?:by|for|at|opens|closes)|rsvp|tournament|game night|movie night|stand-?up|"
    r"party|trip|exam|interview|flight|appointment|wedding|concert|festival|exhibition|potluck|picnic|"
    r"class(?:es)?|course|session|event|venue|tickets?|doors open|"
    r"starts? (?:at|on)|ends? (?:at|on)|opens? (?:at|on)|closes? (?:at|on)|happens|takes place|held|"
    r"scheduled|due|expires?|weekly|monthly|every (?:day|week|month|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|first|second|other)|sprint|demo|milestone|birthday|anniversary|"
    r"graduation|election|vacation|holiday|was (?:born|hired|elected|founded)|server (?:moved|died|"
    r"migrat\w+)|crashed (?:on|at)|won|lost|joined|resigned|passed away|arriv(?:es|ed))\b",
    r"活动|聚会|线下|聚餐|团建|报名|截止|讲座|分享会|发布|上线|下线|开会|例会|周会|会议|维护|停机|"
    r"宕机|比赛|考试|面试|婚礼|演唱会|展览|开播|直播|培训|课程|开课|放假|出发|集合|场地|地点|地址|"
    r"门票|航班|高铁|体检|搬家|开业|关闭|迁移|毕业典礼|颁奖|入场|签到|值班|排班|每(?:周|月|天|晚|年|"
    r"隔)|答辩|中标|夺冠|获奖|当选|去世|出生|生病|住院|手术|骨折|离职|入职|开学|开放|营业|打烊|跑步团|"
    r"读书会|爬山|团购|众筹|内测|公测|版本",
)
WHEN = _any(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:next|this|last) (?:week|month|year|spring|"
    r"summer|autumn|fall|winter|weekend|friday|sunday|quarter)\b|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|"
    r"sept|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:january|february|"
    r"march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|"
    r"aug|sep|sept|oct|nov|dec)\b|\b(?:in |since |by |until |of )(?:january|february|march|"
    r"april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)\b|\b(?:19|"
    r"20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?\b|\b\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)|"
    r"\b\d{1,2}:\d\d\b|\b(?:noon|midnight|tomorrow|tonight|yesterday|(?:next|last) (?:monday|tuesday|"
    r"wednesday|thursday|saturday))\b|\b(?:19|20)\d\d\b|\bq[1-4]\b",
    r"(?:\d{1,4}|[一二三四五六七八九十]{1,3})\s?(?:月|号|日)(?!常|子|期)|(?:周|星期|"
    r"礼拜)[一二三四五六日天末\d]|[上下本这](?:个)?(?:周|月|星期|礼拜|周末)|今晚|明晚|明天|后天|昨天|"
    r"前天|(?:上午|下午|早上|晚上|中午|凌晨)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:点|：\d\d|"
    r":\d\d)|\d{4}年|今年|明年|去年|年底|月底|国庆|春节|五一|中秋|元旦|暑假|寒假",
)
MONEY = _any(
    r"[$€£¥]\s?\d|\b\d[\d,.]*\s?(?:k\s)?(?:usd|eur|gbp|cny|rmb|dollars?|bucks|euros?|pounds?|quid|"
    r"yuan|cents|per (?:month|year|person|seat|head|hour)|/(?:mo|month|yr|year|hr|person))|"
    r"\b(?:costs?|priced?|fees?|discount|coupon|promo code|budget|refund\w*|salary|rent|subscription|"
    r"% off|free (?:tier|plan|of charge|for members|entry|shipping|until|trial|with))\b",
    r"[¥￥]\s?\d|\d[\d,.]*\s?(?:元|块(?!钱包)|美元|刀|欧元|欧|rmb|人民币|万|千块|百块|毛|折)|"
    r"(?:[一二三四五六七八九十百千两]+)(?:元|块钱|万块|折)|价格|费用|收费|票价|门票|押金|预算|优惠|"
    r"折扣|工资|房租|人均|包邮|免费(?:的|参加|用|额度|版|领|停车|开放|试用)|AA制?",
)
KNOWLEDGE = _any(
    r"\b(?:(?:you|we|users|members|everyone) (?:need|have|must|can(?:'t| only)?|should|"
    r"will need)(?: to)?|to (?:install|fix|enable|disable|get|set up|use|run|build|reset|change|avoid|"
    r"join|apply|upgrade|mount|configure|make|see|remove|register|sign up|book|"
    r"cancel)\b.{1,60}?[,:] ?|the (?:fix|solution|trick|workaround|cause|reason|answer|password reset|"
    r"best way|easiest way|only way|difference|default|limit|minimum|maximum|max|key|wifi|command|"
    r"config|"
    r"documentation|docs|package|setting|option|file|log|logs|port|link|form|guide|rule|bug|server|"
    r"api|script|library|bus|train|office|shop|gate|room|address|parking)\b[\w .'’/-]{0,40}?\b(?:is|"
    r"was|are|were|lives?|goes|go|costs?|needs?|works?|runs?|takes?|opens?|closes?|requires?|"
    r"supports?|has|only)|requires?|supports?|doesn't (?:support|work (?:with|on|without|if|in))|"
    r"does not (?:support|work)|only (?:works|supports|runs|available|applies|accepts)|"
    r"is (?:deprecated|located|stored|called|based on|written in|"
    r"included|part of|compatible|incompatible|faster|slower|better|worse|limited|available|"
    r"maintained|owned|named|made|caused|known|safe|unsafe|faulty|broken on|near|next to|behind|"
    r"inside|under|free)|are (?:stored|located|called|available|limited|included|kept|compatible)|"
    r"means that|stands for|by default|instead of|turns? out|fixed (?:it |this |that )?by|"
    r"solved (?:it |this )?by|(?:solution|fix|workaround|tip|note|fyi|psa|heads[- ]up|reminder|til|"
    r"howto|warning|important|update|announcement)\s?[:!-]|"
    r"works? (?:with|on|only|fine with|by|if|since|from|like)|because|in order to|so that|otherwise|"
    r"unless|whenever|comes with|ships with|depends on|conflicts? with|replaces?|compatible with|"
    r"backwards|up to \d|at least \d|at most \d|maximum|minimum|no longer (?:works|supported|"
    r"available|needed)|had to|needs? (?:to be|a|an|at least|sudo|root)|has to be|must be|(?:bug|"
    r"issue|problem|regression) (?:in|with)|there(?:'s| is| are) (?:a|an|no|two|also a|now a) \w+ \w+|"
    r"known (?:bug|issue))\b",
    r"(?:周末|节假日|晚上|白天|以后|之前|期间)[^，。]{0,8}?不(?:开|营业|上班|供应|接待|收)|(?:坏|满|修好|换新|停用?|涨价?|降价?|到期|过期|下架|售罄|作废|失效|用完|关门|搬家)了?(?=$|"
    r"[，。,]|的)|因为|原因是|解决(?:办法|方法|方案|了)|方法是|步骤|教程|文档|默认|需要先?|得先|要先|"
    r"必须|只(?:支持|能|要|有|接受|适用|限)|不支持|支持|兼容|依赖|替代|代替|区别(?:是|在于)|其实(?:是|"
    r"就)|本质|原理|指的是|意思是|叫做|称为|位于|存(?:在|放|到)|放在|路径|端口|配置|设置(?:里|成|为|"
    r"中|页|->)|参数|命令|安装|升级到|降级|版本|上限|下限|最多|最少|至少|不超过|超过|规则|流程|注意|"
    r"提醒|提示|通知|公告|经验|技巧|推荐(?:用|去|使用|这)|建议(?:用|先|使用|去|大家)|"
    r"比[^，。]{1,12}(?:快|慢|好|便宜|贵|大|小|强|稳定|省|高|低|多|少)|"
    r"如果[^，。]{2,24}[，,]?(?:就|要|得|会|需要|可以|必须)|(?:只要|一旦)[^，。]{2,20}就|是由|属于|"
    r"包含|包括|分为|来源于|基于|写的|开发的|做的|可以(?:用|通过|在|直接|免费|从|去|领|申请)|通过|"
    r"用[^，。]{1,16}(?:可以|就能|就行|解决|搞定|代替|更)|在[^，。]{1,16}(?:里面?|下面|页面|后台|"
    r"群文件|官网|隔壁|楼下|旁边|附近|门口|左边|右边|对面|层|楼|路)|(?:密码|账号|地址|链接|文件|资料|"
    r"模板|群号|会议号|房间号|电话|入口|二维码|停车|地铁|公交|wifi|WiFi)[^，。]{0,8}(?:是|在|：|:|改|"
    r"换)|最后发现|后来发现|终于|原来是|已知|漏洞|bug|修复|不能|不可以|不要|千万|一定要|记得|务必|别忘",
)
PREFERENCE = _any(
    r"\b(?:prefers?|favou?rite|loves?|hates?|likes?|dislikes?|enjoys?|can't stand|allergic|vegetarian|"
    r"vegan|always (?:use|uses|eat|drink|take)|would rather|recommend(?:s|ed)?|swear by|better than|"
    r"worse than|switched (?:to|from)|fan of)\b",
    r"喜欢|讨厌|偏好|偏爱|爱(?:吃|喝|看|玩)|过敏|吃素|习惯|推荐|安利|不吃|不喝|受不了|更好用|宁愿|"
    r"首选|踩雷|避雷|种草|拔草",
)
PERSON = _any(
    r"\b(?!(?:What|That|It|He|She|There|Who|This|How|Here|Where|When|Why|Nobody|Everyone|Someone|"
    r"The)\b)(?-i:[A-Z][a-z]+)(?:'s (?:\w+ )?(?:birthday|wife|husband|dog|cat|job|email|team|number|"
    r"flight|new|last|phone|laptop|talk|company|car)| (?:is (?:the|our|a|an|from|in charge|"
    r"responsible|moving|leaving|getting|on (?:vacation|leave|holiday|call)|allergic|learning|now|in)|"
    r"has (?:a|two|the|been)|works?|lives?|moved|joined|left|got|"
    r"started|wrote|made|maintains|runs|organi[sz]es|handles|owns|bought|studies|teaches|speaks|quit|"
    r"won|will|takes over|said|prefers|likes|hates|loves))\b",
    r"我(?:爸|妈|哥|姐|弟|妹|爷爷|奶奶|外公|外婆|老公|老婆|男朋友|女朋友|室友|儿子|女儿|"
    r"家)(?!你)[^，。]{2,}|[\u4e00-\u9fffA-Za-z]{1,6}(?:负责|住(?:在)|搬到|入职|离职|生日|毕业|当了|"
    r"的手机|的电话|的邮箱|在[^，。]{2,8}(?:工作|上班)|对[^，。]{1,8}过敏|会说|管|维护|组织)",
)
SPECIFIC = re.compile(
    r"`[^`]+`|(?<!\w)/(?:etc|usr|var|home|dev|proc|opt|tmp|boot|mnt|lib)\b[\w./-]*|\b\w+\.(?:conf|py|"
    r"js|ts|sh|json|ya?ml|toml|txt|deb|iso|exe|md|log|list|cfg|ini|rs|go|cpp|so|zip|pdf)\b|"
    r"\bv?\d+\.\d+(?:\.\d+)*\b|(?<!\w)--?[a-z][\w-]{2,}|"
    r"\b(?:sudo|apt(?:-get)?|dpkg|pip|npm|docker|git|brew|chmod|modprobe|systemctl|ssh)\s+\w+|"
    r"\b\d+\s?(?:gb|mb|kb|tb|ghz|mhz|fps|ms|km|kg|cm|mm|hours?|hrs|minutes?|mins|days?|weeks?|months?|"
    r"years?|people|seats?|users?|members?|players?|tokens?|lines|px|watts?|volts?|°c|%)(?!\w)|"
    r"\d+\s?(?:人|个人|名|小时|分钟|天|周|个月|年|公里|米|层|楼|号线|路|公斤|斤|倍|次|条|张|台|兆|位|"
    r"%|G|M|T)|"
    r"\b[A-Z]{2,}[A-Z0-9_-]*\d+[\w-]*|\b(?:port|room|gate|platform|table|floor|building|channel|issue|"
    r"ticket|rfc|error)\s?#?\d+",
    re.IGNORECASE,
)
CLAIM = re.compile(
    r"^(?!(?:i|i'm|it|that|this|there|you|he|she|we|they|what|which|who|how|here|nobody|everything|"
    r"nothing|something|one|someone|"
    r"the (?:other|same|first|last|one))\b)(?:the |a |an |our |my |all |most |both |"
    r"every )?[\w'’./+#-]+(?: [\w'’./+#-]+){0,6}? (?:is|are|was|were|"
    r"has|have|had|needs?|uses?|takes?|comes?|runs?|opens?|closes?|starts?|ends?|lives?|works?|costs?|"
    r"contains?|provides?|includes?|"
    r"ships?|lets|allows?|supports?|means|can(?:'t|not)?|will|won't|does(?:n't)?|do(?:n't)?|must|"
    r"should|gets?|got|became|belongs?|handles?|"
    r"breaks?|crash(?:es|ed)?|moved|changed|sells?|accepts?|replaced|writes?|stores?|defaults?|keeps?|"
    r"locks?|beats|picks?|limits?|removes?|"
    r"removed|goes|returns?|reads?|expires?|fills?|maintains|leaves|meets?|organi[sz]es) .{2,}"
    r"|^(?!我|你|他|她|这|那|它|有人|大家|谁)[^，。,]{1,14}?(?:是|在|有|用|会|能|需要|支持|属于|等于|"
    r"叫|为|要|不|比|已经|可以|从|被|改|只|都|把|给|到)[^，。]{2,}",
    re.IGNORECASE,
)
FIGURE = re.compile(
    r"\d|[一二三四五六七八九十百千万两]+(?:个|点|年|月|天|周|号|楼|层|元|块|人|次|岁|万|米|公里|分|倍|比)"
)
NAME = re.compile(
    r"(?<=[a-z,;:] )(?!I\b|I'|OK\b|LOL\b)[A-Z][\w.-]+|《[^》]+》"
    r"|[\u4e00-\u9fff] ?(?!(?:ok|lol|thx|pls|hi|bug|gg|emo|afk|nice|hello)(?![A-Za-z]))[A-Za-z][\w.+#-]+"
)
OWN_STORY = re.compile(
    r"^(?:(?:yeah|yes|no|ok|well|so|and|but|oh|ah|hi|hey)[ ,]+)*(?:i|i'm|i've|i'd|i'll|im|ive|my)\b|"
    r"^(?:我|俺|咱)(?!们)",
    re.IGNORECASE,
)


SMALL_TALK = _any(
    r"\bhow (?:are|r) (?:you|u|things|ya)\b|\bwhat(?:'s| is) up\b|\bhow(?:'s| is) it going\b|"
    r"\bare you (?:there|a bot|human|real|ok|alive|awake|sure)\b|\bwho are you\b|\bwhat can you do\b|"
    r"\b(?:do|can) you (?:remember|hear|see|like|love|know) (?:me|my|what i)\b|\bwhat(?:'s| is|"
    r" was) my\b|\bwhat do you (?:know|remember) about me\b|\btell me a joke\b|"
    r"\bwhat time is it\b|\bdid you (?:get|see)\b|\bcan i ask\b|\banyone (?:here|around|awake|online|"
    r"alive)\b|\bmind if\b",
    r"你好吗|在吗|在不在|你是谁|你会(?:干|做)?什么|你能(?:干|做)什么|你(?:还)?记得我|我叫什么|我是谁|"
    r"你(?:知道|认识)我|几点了|吃了吗|睡了吗|真的吗|是吗$|对吧|你是(?:机器人|人)|讲个笑话|有人吗|忙吗|"
    r"可以问",
)
NO_ANSWER = _any(
    r"\b(?:i (?:do not|don't|dont) (?:know|have (?:any|that|enough)|remember)|i'm not sure|"
    r"i am not sure|no idea|i (?:cannot|can't|could not|couldn't) (?:find|help|answer|access|"
    r"remember)|nothing (?:relevant|about)|i have no (?:information|memory|record)|"
    r"could you (?:clarify|tell me more)|what do you mean|sorry, (?:i|something))\b",
    r"我不(?:太)?(?:知道|清楚|确定|记得)|没有(?:找到|相关|查到|这方面)|无法(?:回答|确定|提供|帮)|"
    r"暂时没有|抱歉|能(?:再)?(?:说|描述)?(?:得)?(?:具体|详细)(?:一?点|一些)?吗",
)

TROUBLE = re.compile(
    r"\b(?:i|i'm|i've|my|mine)\b.{0,80}?\b(?:(?:can't|cant|cannot)(?! (?:eat|drink|stand))|won't|wont|"
    r"couldn't|isn't|doesn't|doesnt|errors?|problems?|issues?|fails?|failed|hangs?|stuck|broken|"
    r"crash(?:es|ed)?|not (?:work|detect|find|show|recogni)\w*|"
    r"gone|nothing happens|no luck|black screen|keeps? \w+ing|still (?:says|get|the same|no)|"
    r"trying to|can not|want to (?:install|set|get|run|use|make)|it says?|fighting)\b"
    r"|(?:\bsays?|\bget|报错|提示|显示)\s*[\"“'].{3,}|(?:我|昨天|今天|现在|以前).{0,20}(?:报错|打不开|"
    r"打不出|连不上|识别不到|删不掉|没声音|没了$|没反应|不行|黑屏|一片黑|失败|卡住|满了|坏了|又挂)",
    re.IGNORECASE,
)
