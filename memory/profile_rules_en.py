"""First-person statements in English, as patterns with their meaning.

A pattern's group `v` is the value, or a list of values. Patterns see one statement at a time, without quotes.
"""

from __future__ import annotations

import re

from memory.profile_words import (
    EN_END,
    EN_JOB_NOUN,
    EN_LANGUAGE,
    I_AM,
    I_DO,
    LIST,
    NO_MORE,
    PHRASE,
    PLACE,
    TOOLS,
    Field,
    Rule,
    rule,
)

RULES: tuple[Rule, ...] = (
    rule(
        Field.NAME,
        "name",
        "{v}",
        r"\bmy (?:(?:real|first|full|nick) ?)?name(?:'s| is|"
        rf":)\s+(?!not\b)(?P<v>[\w'’-]+(?: [A-Z][\w'’-]+){{0,2}}?){EN_END}",
    ),
    rule(
        Field.NAME,
        "name",
        "{v}",
        r"(?<!n't )(?<!not )(?<!never )(?<!to )(?<!stop )(?<!people )(?<!they )(?<!friends )\b(?:(?:please"
        r" |just |can |you |could )*call me|i go by|i'm called|i am called)\s+"
        r"(?!back|later|when|if|on\b|at\b|asap|tomorrow|tonight|crazy|names?\b|an?\b|the\b|old|out\b|in\b|"
        r"for\b|by\b|instead|it\b|that\b|to\b|again|now\b|paranoid|stupid|"
        rf"lazy)(?P<v>[\w'’-]+(?: [A-Z][\w'’-]+){{0,2}}?)(?: instead)?{EN_END}",
    ),
    rule(
        Field.NAME,
        "name",
        "{v}",
        r"^(?:hi|hello|hey)(?: all| everyone| there| folks)?[,!.]?\s+(?:i'm|i am|"
        r"this is)\s+(?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))(?=\s*(?:$|[,.!]| from\b| and\b))",
    ),
    rule(
        Field.KEY_FACT,
        "city",
        "lives in {v}",
        rf"{I_DO}(?:live|reside) (?:in|near|outside)(?: the)? {PLACE}",
        place=True,
    ),
    rule(
        Field.KEY_FACT,
        "city",
        "lives in {v}",
        rf"{I_DO}(?:moved|relocated)(?: back| over| here)?(?: from [A-Z][\w .'-]{{1,30}}?)? to {PLACE}",
        place=True,
    ),
    rule(Field.KEY_FACT, "city", "lives in {v}", rf"{I_AM}(?:living|based|located|settled) in {PLACE}", place=True),
    rule(
        Field.KEY_FACT, "city", "lives in {v}", rf"{I_AM}in (?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)) now\b", place=True
    ),
    rule(
        Field.KEY_FACT,
        "origin",
        "from {v}",
        rf"{I_AM}(?:originally )?from (?!the (?:internet|future))(?:the )?{PLACE}",
        place=True,
    ),
    rule(Field.KEY_FACT, "origin", "from {v}", rf"{I_DO}(?:was born|grew up)(?: and raised)? in {PLACE}", place=True),
    rule(
        Field.KEY_FACT,
        "no:city:{k}",
        "no longer lives in {v}",
        rf"{I_DO}no longer live in {PLACE}|{I_DO}{NO_MORE}(?:don't|do not|"
        rf"dont) live in {PLACE.replace('(?P<v>', '(?P<w>')}",
        place=True,
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "works as a {v}",
        rf"{I_DO}(?:work|worked my way up) as (?:an?|the) {PHRASE}|{I_AM}(?:working as|employed as) (?:an?|"
        rf"the) {PHRASE.replace('(?P<v>', '(?P<w>')}",
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "works as a {v}",
        rf"{I_AM}(?:an?|the) (?!(?:aspiring|former|ex|retired|failed|wannabe|bad|terrible|big|"
        rf"huge)\b)(?P<v>(?:[\w/+#.-]+ ){{0,4}}?{EN_JOB_NOUN})\b(?! (?:of|who|for|on|too)\b.{{0,6}}$)",
    ),
    rule(
        Field.KEY_FACT,
        "job",
        "works as a {v}",
        r"\bmy (?:new |current |day )?(?:job|profession|occupation) is (?:an? |being an? |"
        rf"as an? )?{PHRASE}",
    ),
    rule(Field.KEY_FACT, "job", "works as a {v}", rf"^(?P<v>(?:[\w/+#.-]+ ){{0,2}}?{EN_JOB_NOUN}) here\b"),
    rule(
        Field.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{I_DO}(?:work (?:at|for)|joined|got (?:a job|hired) (?:at|by)|started (?:working )?at) (?!home\b|"
        r"night|the moment|a\b|an\b|it\b|myself|the (?:channel|server|group|call|meeting|discord)|this\b|"
        rf"in\b|us\b|fun\b|free\b|me\b){PHRASE}",
    ),
    rule(
        Field.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{I_AM}(?:working|employed|interning) (?:at|for|by) (?!home\b|it\b|the moment|a\b|an\b){PHRASE}",
    ),
    rule(
        Field.KEY_FACT,
        "employer",
        "works at {v}",
        rf"(?:{I_AM}|{I_DO}work as )(?:an?|the) (?:[\w/+#.-]+ ){{0,4}}?{EN_JOB_NOUN} (?:at|for|"
        rf"with) (?!home\b|the moment|a\b|an\b|work\b|night\b){PHRASE}",
    ),
    rule(
        Field.KEY_FACT,
        "employer",
        "works at {v}",
        rf"{I_DO}(?:live|am|study)[^.!?]{{0,40}}? and work (?:at|for) (?!home\b|night|a\b|an\b|"
        rf"myself){PHRASE}",
    ),
    rule(
        Field.KEY_FACT,
        "no:employer:{k}",
        "no longer works at {v}",
        rf"{I_DO}no longer work (?:at|for) {PHRASE}|{I_DO}(?:quit|left|resigned from) (?!my\b|the\b|a\b|it\b|"
        r"that\b|because|for\b|home|work\b|early|smoking)(?-i:(?P<w>[A-Z]\w+(?: [A-Z]\w+)?))|"
        rf"{I_DO}{NO_MORE}(?:don't|do not|dont) work (?:at|for) {PHRASE.replace('(?P<v>', '(?P<x>')}",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "beginner",
        rf"{I_AM}(?:(?:still|just|only|a|an|bit|total|complete|absolute|relative|very|pretty|quite|kinda|"
        r"fairly|much|totally|completely|still)\s+)*(?P<v>beginners?|newbie|noob|newcomer to|novice|n00b|"
        r"starter|new to (?!here|this (?:channel|server|group)|the (?:area|city|channel|server|group|"
        r"team))\w+|learning to (?:code|program))",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "beginner",
        r"\b(?:(?P<v>total|complete|absolute) )?(?:beginner|newbie|noob) here\b|\bi have (?:no|zero|"
        r"little|very little) (?:coding |programming |\w+ )?(?:experience|background)\b|\bi(?:'ve|"
        r" have) never (?:programmed|coded)\b",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "intermediate",
        rf"{I_AM}(?:(?:at|an?|about|roughly|around)\s+)*(?P<v>intermediate|mid-level)\b",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "expert",
        rf"{I_AM}(?:an?|the)\s+(?:[\w-]+ ){{0,2}}?(?P<v>expert|veteran|senior|staff engineer|principal|"
        r"principal engineer|lead engineer)\b(?! (?:citizen|year|in (?:high school|college)))",
    ),
    rule(
        Field.EXPERTISE,
        "expertise",
        "expert",
        r"\bi(?:'ve| have)(?: been| over| more than| about| around|"
        r" \w+ing)* (?:[\w/+#.-]+ ){0,4}?(?:for )?(?:over |more than |about |around |"
        r"almost )?(?P<v>(?:[6-9]|[1-4]\d|ten|fifteen|twenty|thirty)\+? years)\b(?= (?:of|as|in|now|"
        r"experience|with|professionally)|[.,!]|$)(?=.*\b(?:experience|engineer\w*|develop\w*|program\w*|"
        r"cod(?:e|ing)|professional\w*|admin\w*|industry|writ\w+|design\w*)\b|(?<=years))",
    ),
    rule(
        Field.LANGUAGE,
        "language",
        "{v}",
        r"\b(?:please |pls |always |just |can you |could you |from now on |you can |only )*(?:reply|"
        r"answer|respond|speak|talk|write)(?: to me| back| me| with me)?(?: only|"
        rf" always)? in (?:simplified |traditional |plain |simple )?{EN_LANGUAGE}\b(?! (?:class|exam|"
        r"essay|homework))",
    ),
    rule(
        Field.LANGUAGE,
        "language",
        "{v}",
        rf"{I_DO}prefer (?:to (?:chat|talk|speak|read|write|be answered) in |talking in |replies in |"
        rf"answers in |chatting in )?(?:simplified |traditional )?{EN_LANGUAGE}\b|"
        rf"\bmy preferred language is {EN_LANGUAGE.replace('(?P<v>', '(?P<w>')}\b",
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{I_DO}(?:write|code in|program in|develop in|work with|work mostly in|code mostly in) (?!it\b|"
        r"this\b|that\b|to\b|in\b|about\b|the\b|a\b|an\b|my\b|code\b|people|them|you\b|him\b|her\b|down\b|"
        rf"for\b|some\b|everything|all\b|here\b){LIST}",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{I_DO}(?:use|know) (?P<v>(?:(?:"
        rf"{'|'.join(re.escape(tool) for tool in sorted(TOOLS, key=len, reverse=True) if len(tool) > 1)})(?"
        r"![\w+#])(?:,? and |, | & )?)+)(?=\s*(?:$|[.;!,]|for\b|at\b|mostly|mainly|daily|every|btw|atm|"
        r"now|these days))",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "skill:{k}",
        "{v}",
        rf"{I_AM}(?:learning|studying|teaching myself|getting into) (?!to\b|about\b|how\b|it\b|that\b|"
        rf"this\b|the\b|for\b|a\b|at\b|in\b|abroad){LIST}",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "speaks:{k}",
        "speaks {v}",
        rf"{I_DO}speak (?!to\b|with\b|for\b|up\b|about\b|from\b|at\b|only\b|a\b|no\b|as\b|of\b)(?:fluent |"
        rf"some |a little |native )?{LIST}",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "no:skill:{k}",
        "no longer uses {v}",
        rf"{I_DO}(?:no longer|stopped|quit|gave up) (?:write|writing|use|using|code in|coding in|program in|"
        rf"programming in|work with|working with) {PHRASE}|{I_DO}{NO_MORE}(?:don't|do not|dont) (?:write|"
        rf"use|code in|program in|work with) {PHRASE.replace('(?P<v>', '(?P<w>')}",
    ),
    rule(
        Field.INTEREST,
        "like:{k}",
        "{v}",
        rf"{I_DO}(?:like|love|enjoy|adore|am into|am fond of) (?:to )?(?!it\b|this\b|that\b|you\b|how\b|"
        r"when\b|the (?:idea|way|look|new|fact)|what\b|your\b|these\b|those\b|him\b|her\b|them\b|my\b|"
        r"to\b|if\b|both\b|everything|all\b|be\b|see\b|know\b|have\b|get\b|think\b|hear\b|a\b|an\b|some\b|"
        rf"more\b|one\b){LIST}",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "like:{k}",
        "{v}",
        rf"{I_AM}(?:really |very |super |big |also )*(?:into|interested in|a (?:big |huge )?fan of|"
        r"fond of|passionate about|obsessed with) (?!it\b|this\b|that\b|you\b|how\b|what\b|your\b|"
        rf"the (?:idea|way)|these\b|a\b|an\b|some\b|them\b|joining|knowing|hearing|buying|seeing){LIST}",
        many=True,
    ),
    rule(
        Field.INTEREST,
        "like:{k}",
        "{v}",
        rf"\bmy (?:main |biggest |new )?(?:hobby|hobbies|interests?) (?:is|are|include) {LIST}",
        many=True,
    ),
    rule(
        Field.PREFERENCE,
        "like:{k}",
        "dislikes {v}",
        rf"{I_DO}(?:hate|dislike|can't stand|cant stand|cannot stand|despise|don't like|dont like|"
        r"do not like|don't enjoy|don't care for) (?!it\b|this\b|that\b|you\b|how\b|when\b|the (?:idea|"
        r"way|look|new|fact)|what\b|your\b|these\b|those\b|him\b|her\b|them\b|my\b|to\b|being\b|"
        rf"if\b){LIST}",
        many=True,
    ),
    rule(
        Field.PREFERENCE,
        "prefer:{k}",
        "prefers {v}",
        rf"{I_DO}(?:strongly |much |always |usually )*prefer (?!it\b|this\b|that\b|you\b|not\b|if\b|when\b|"
        r"the (?:idea|way|first|second|former|latter|other)|to (?:be answered|chat|talk|speak)\b|"
        r"(?:replies|answers|talking|chatting) in\b|(?:english|"
        rf"chinese)\b)(?P<v>[\w+#'’./& -]{{2,60}}?)(?=\s*(?:$|[,.;!?()]|because|since|but|as\b|though))",
    ),
    rule(
        Field.PREFERENCE,
        "favourite:{k}",
        "favourite {v}",
        r"\bmy (?:all[- ]time )?favou?rite (?P<v>[a-z][\w ]{1,24}? (?:is|"
        r"are) [\w+#'’./& -]{2,40}?)(?=\s*(?:$|[,.;!?()]|because|since|but))",
    ),
    rule(
        Field.KEY_FACT,
        "allergy:{k}",
        "allergic to {v}",
        rf"{I_AM}(?:very |severely |mildly |deathly |also |actually )*allergic to {LIST}|"
        rf"\ballergic to {LIST.replace('(?P<v>', '(?P<w>')} here\b|"
        rf"{I_DO}have an? {PHRASE.replace('(?P<v>', '(?P<x>')} allergy",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "no:allergy:{k}",
        "not allergic to {v}",
        rf"{I_AM}(?:not|no longer) (?:actually )?allergic to {LIST}",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "diet",
        "{v}",
        rf"{I_AM}(?:an? |strictly |mostly |now |going |a strict |also )*(?P<v>vegetarian|vegan|"
        rf"pescatarian|lactose[- ]intolerant|gluten[- ]free|celiac|coeliac|on a \w+ diet)\b|{I_DO}(?:eat|"
        r"keep|only eat) (?P<w>kosher|halal|vegan|vegetarian|gluten[- ]free)\b|\b(?P<x>vegan|"
        r"vegetarian) here\b",
    ),
    rule(
        Field.KEY_FACT,
        "no:diet:{k}",
        "no longer {v}",
        rf"{I_AM}(?:no longer|not) (?:an? )?(?P<v>vegetarian|vegan|pescatarian|gluten[- ]free)\b",
    ),
    rule(
        Field.PREFERENCE,
        "eats:{k}",
        "doesn't eat {v}",
        rf"{I_DO}(?:don't|do not|dont|can't|cannot|never) (?:eat|drink) (?!it\b|this\b|that\b|much\b|"
        rf"enough\b|at\b|before\b|after\b|anything|out\b|breakfast|here){LIST}",
        many=True,
    ),
    rule(
        Field.KEY_FACT,
        "birthday",
        "birthday: {v}",
        r"\bmy (?:birthday|bday|b-day)(?:'s| is)(?: on)? (?:the )?(?!today|tomorrow|soon|next|coming|over|"
        r"this|in\b)(?P<v>[\w ,/.-]{3,30}?)(?=\s*(?:$|[.;!?()]|and\b|but\b|so\b|, i\b))",
    ),
    rule(
        Field.KEY_FACT,
        "age",
        "{v} years old",
        rf"{I_AM}(?P<v>[1-9]\d) (?:years old|y/?o\b|yrs old)|{I_DO}(?:turned|am turning) (?P<w>[1-9]\d)\b",
    ),
    rule(Field.KEY_FACT, "pronouns", "pronouns: {v}", r"\bmy pronouns are (?P<v>\w+(?:/\w+){1,2}|they|he|she)"),
    rule(
        Field.KEY_FACT,
        "pet:{k}",
        "has a {v}",
        rf"{I_DO}(?:have|own|got|adopted) an? (?:\w+ )??(?P<v>dog|cat|puppy|kitten|parrot|rabbit|hamster|"
        r"turtle|horse|snake|guinea pig|gecko|ferret|budgie|golden retriever|corgi|poodle|labrador)\b",
    ),
    rule(
        Field.KEY_FACT,
        "pet name:{k}",
        "{v}",
        r"\bmy (?P<v>(?:dog|cat|puppy|kitten|parrot|rabbit|hamster|turtle|horse)(?:'s name is| is called|"
        r" is named) [\w'’-]+)",
    ),
)
