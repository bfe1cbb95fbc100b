"""The small words of the grammar: pronouns, determiners, prepositions, adverbs, times and other fixed phrases.

What English leaves open is fixed here: "i", "we", "you" and "they" are masculine, and "you" is one person addressed
as tu and 你. Where "it", "they" and "their" have an antecedent they take its gender.
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Determiner, Phrase, Pieces, Preposition, Pronoun


def _pronoun(line: str, person: int, *, plural: bool = False, feminine: bool = False) -> Pronoun:
    subject, object_, french, direct, indirect, chinese = ("" if form == "-" else form for form in line.split())
    return Pronoun(
        ((subject,), (object_,)), subject, object_, french, direct, indirect, chinese, person, plural, feminine
    )  # fmt: skip


I = _pronoun("i me je me me 我", 1)  # noqa: E741
YOU = _pronoun("you you tu te te 你", 2)
HE = _pronoun("he him il le lui 他", 3)
SHE = _pronoun("she her elle la lui 她", 3, feminine=True)
WE = _pronoun("we us nous nous nous 我们", 1, plural=True)
THEY = _pronoun("they them ils les leur 他们", 3, plural=True)
THEY_FEMININE = _pronoun("they them elles les leur 她们", 3, plural=True, feminine=True)
IT = _pronoun("it it il le lui 它", 3)
IT_FEMININE = _pronoun("it it elle la lui 它", 3, feminine=True)
THINGS = _pronoun("they them ils les leur 它们", 3, plural=True)
THINGS_FEMININE = _pronoun("they them elles les leur 它们", 3, plural=True, feminine=True)
SKY = _pronoun("it it il le lui 天气", 3)
RAIN = _pronoun("it it il le lui -", 3)
PERSONS = (I, YOU, HE, SHE, WE, THEY)


def _determiner(kind: str, english: str, french: str, chinese: str, owner: Pronoun | None = None) -> Determiner:
    singular, plural = ("" if word == "-" else word for word in english.split())
    masculine, feminine, many = french.split()
    one, several = (("" if cell == "-" else cell.replace("_", " ")) for cell in chinese.split())
    words = tuple((word,) for word in (singular, plural) if word)
    if kind == "a":
        words += (("an",),)
    if kind == "some":
        words += (("any",),)
    return Determiner(words, kind, singular, plural, (masculine, feminine, many), (one, several), owner)


THE = _determiner("the", "the the", "le la les", "那_M 那些")
A = _determiner("a", "a -", "un une des", "一_M -")
SOME = _determiner("some", "some some", "du de_la des".replace("_", "-"), "一些 一些")
BARE = _determiner("bare", "- -", "le la les", "- -")
THIS = _determiner("this", "this these", "ce cette ces", "这_M 这些")
THAT = _determiner("that", "that those", "ce cette ces", "那_M 那些")
MANY = _determiner("many", "- many", "beaucoup beaucoup beaucoup", "- 很多")
*POSSESSIVES, THEIR_FEMININE = (
    _determiner("possessive", f"{english} {english}", french, f"{owner.chinese} {owner.chinese}", owner)
    for owner, english, french in (
        (I, "my", "mon ma mes"),
        (YOU, "your", "ton ta tes"),
        (HE, "his", "son sa ses"),
        (SHE, "her", "son sa ses"),
        (WE, "our", "notre notre nos"),
        (THEY, "their", "leur leur leurs"),
        (THEY_FEMININE, "their", "leur leur leurs"),
    )
)
NUMBERS = tuple(
    _determiner("number", f"- {english}", f"{french} {french} {french}", f"- {chinese}_M")
    for english, french, chinese in (
        ("two", "deux", "两"),
        ("three", "trois", "三"),
        ("four", "quatre", "四"),
        ("five", "cinq", "五"),
    )
)


def _pieces(cell: str) -> Pieces:
    return tuple((form, digits or "0") for form, _, digits in (word.partition(":") for word in cell.split()))


def _phrase(line: str) -> Phrase:
    english, french, chinese = (_pieces(cell) for cell in line.split("|")[:3])
    tags = frozenset(line.split("|")[3].split())
    return Phrase((tuple(form for form, _ in english),), english, french, chinese, tags)


def _phrases(text: str) -> tuple[Phrase, ...]:
    return tuple(_phrase(line) for line in text.strip().splitlines())


def _preposition(english: str, french: str, chinese: str) -> Preposition:
    return Preposition((tuple(english.split()),), english, french, chinese)


IN = _preposition("in", "dans", "里")
ON = _preposition("on", "sur", "上")
UNDER = _preposition("under", "sous", "下面")
BEHIND = _preposition("behind", "derrière", "后面")
IN_FRONT_OF = _preposition("in front of", "devant", "前面")
NEXT_TO = _preposition("next to", "à côté de", "旁边")
NEAR = _preposition("near", "près de", "附近")

# A digit after a word says which piece of the meaning it says: words of two languages are aligned if they share one.
# Tags: the tense a time goes with (past, future, habit, progressive), "long" for
# a stretch of days, "day" for a whole day, "stop" for a day that a clock time can follow.
TIMES = _phrases(
    """
    yesterday             | hier                       | 昨天           | past short day stop
    yesterday evening:1   | hier soir:1                | 昨天 晚上:1    | past short
    yesterday morning:1   | hier matin:1               | 昨天 早上:1    | past short
    this morning:1        | ce matin:1                 | 今天 早上:1    | past short
    last week:1           | la:9 semaine:1 dernière    | 上周:01        | past long
    last month:1          | le:9 mois:1 dernier        | 上个 月:1      | past long
    last year:1           | l':9 année:1 dernière      | 去年:01        | past long
    on:2 monday           | lundi                      | 星期一         | past future short day stop
    on:2 friday           | vendredi                   | 星期五         | past future short day stop
    on:2 saturday         | samedi                     | 星期六         | past future short day stop
    tomorrow              | demain                     | 明天           | future short day stop
    tomorrow morning:1    | demain matin:1             | 明天 早上:1    | future short
    tomorrow evening:1    | demain soir:1              | 明天 晚上:1    | future short
    this evening:1        | ce soir:1                  | 今天 晚上:1    | future short
    this afternoon:1      | cet après-midi:1           | 今天 下午:1    | future short
    next week:1           | la:9 semaine:1 prochaine   | 下周:01        | future long
    next month:1          | le:9 mois:1 prochain       | 下个 月:1      | future long
    next year:1           | l':9 année:1 prochaine     | 明年:01        | future long
    every day:1           | tous les jours:1           | 每天:01        | habit day
    every morning:1       | tous les matins:1          | 每天 早上:1    | habit
    every evening:1       | tous les soirs:1           | 每天 晚上:1    | habit
    every sunday:1        | tous les dimanches:1       | 每个 星期天:1  | habit weekly day
    every saturday:1      | tous les samedis:1         | 每个 星期六:1  | habit weekly day
    every week:1          | toutes les semaines:1      | 每周:01        | habit weekly day
    today                 | aujourd'hui                | 今天           | present
    now                   | maintenant                 | 现在           | progressive
    """
)
*_, TODAY, NOW = TIMES
LAST_NIGHT = TIMES[1]
CLOCK = _phrases(
    "\n".join(
        f"at:2 {english} o'clock:1 | à:2 {french} heures:1 | {chinese} 点:1 | past future short habit"
        for english, french, chinese in zip(
            ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
            ["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"],
            ["两", "三", "四", "五", "六", "七", "八", "九", "十"],
            strict=True,
        )
    )
)
AGES = _phrases(
    "\n".join(
        f"{english} years:1 old:1 | {french} ans:1 | {chinese} 岁:1 | age"
        for english, french, chinese in zip(
            ["six", "seven", "eight", "nine", "ten", "twelve", "twenty", "thirty", "forty"],
            ["six", "sept", "huit", "neuf", "dix", "douze", "vingt", "trente", "quarante"],
            ["六", "七", "八", "九", "十", "十二", "二十", "三十", "四十"],
            strict=True,
        )
    )
)
AGES_OF_CHILDREN, AGES_OF_ADULTS = AGES[:6], AGES[7:]
OFTEN, ALWAYS, SOMETIMES, ALREADY, VERY = _phrases(
    """
    often     | souvent  | 经常   | habit
    always    | toujours | 总是   | habit
    sometimes | parfois  | 有时候 | habit
    already   | déjà     | 已经   | perfect
    very      | très     | 非常   | degree
    """
)
