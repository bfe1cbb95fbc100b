"""The verbs of the grammar: one line each, in three languages.

``english forms (+preposition) | french forms (+preposition) (*) | chinese (<coverb) | traits``. A regular English
verb gives its base only, a regular French verb in -er its infinitive only; others give base, third person, past,
participle and -ing, and infinitive, je, tu, il, nous, ils and participle. ``*`` marks the French verbs with "être".
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Verb

VERBS_TABLE = """
be is was been being                      | être suis es est sommes sont été                        | 是   |
eat eats ate eaten eating                 | manger                                                  | 吃   |
eat.soup eats ate eaten eating            | manger                                                  | 喝   |
eat.meal eats ate eaten eating            | prendre prends prends prend prenons prennent pris       | 吃   |
drink drinks drank drunk drinking         | boire bois bois boit buvons boivent bu                  | 喝   |
drink.alcohol drinks drank drunk drinking         | boire bois bois boit buvons boivent bu                  | 喝   |
buy buys bought bought buying             | acheter achète achètes achète achetons achètent acheté  | 买   |
sell sells sold sold selling              | vendre vends vends vend vendons vendent vendu           | 卖   |
read reads read read reading              | lire lis lis lit lisons lisent lu                       | 读   |
write writes wrote written writing        | écrire écris écris écrit écrivons écrivent écrit        | 写   |
watch                                     | regarder                                                | 看   |
see sees saw seen seeing                  | voir vois vois voit voyons voient vu                    | 看见 |
see.film sees saw seen seeing             | voir vois vois voit voyons voient vu                    | 看   |
see.person sees saw seen seeing             | voir vois vois voit voyons voient vu                    | 见   |
look +at                                  | regarder                                                | 看   |
look.seek +for                            | chercher                                                | 找   |
find finds found found finding            | trouver                                                 | 找到 | result
lose loses lost lost losing               | perdre perds perds perd perdons perdent perdu           | 弄丢 |
forget forgets forgot forgotten forgetting | oublier                                                | 忘_带 |
take takes took taken taking              | prendre prends prends prend prenons prennent pris       | 坐   |
miss misses missed missed missing         | manquer                                                 | 错过 |
wear.clothes wears wore worn wearing | porter | 穿 | zhe
wear.hat wears wore worn wearing | porter | 戴 | zhe
wash washes washed washed washing         | laver                                                   | 洗   |
clean | nettoyer nettoie nettoies nettoie nettoyons nettoient nettoyé | 打扫 |
cook                                      | préparer                                                | 做   |
make makes made made making               | faire fais fais fait faisons font fait                  | 做   |
prepare prepares prepared prepared preparing | préparer                                             | 准备 |
play.kick                             | jouer +à                                                | 踢   |
play.hit                              | jouer +à                                                | 打   |
play.keys                             | jouer +de                                               | 弹   | plain
play.bow                              | jouer +de                                               | 拉   | plain
play                                      | jouer                                                   | 玩   |
sing sings sang sung singing              | chanter                                                 | 唱歌 |
sing.song sings sang sung singing         | chanter                                                 | 唱   |
listen +to                                | écouter                                                 | 听   |
open                                      | ouvrir ouvre ouvres ouvre ouvrons ouvrent ouvert        | 打开 |
close closes closed closed closing        | fermer                                                  | 关上 |
repair                                    | réparer                                                 | 修理 |
break breaks broke broken breaking        | casser                                                  | 打破 |
break.device breaks broke broken breaking | casser | 弄坏 |
drive drives drove driven driving | conduire conduis conduis conduit conduisons conduisent conduit | 开 |
draw draws drew drawn drawing             | dessiner                                                | 画   |
feed feeds fed fed feeding | nourrir nourris nourris nourrit nourrissons nourrissent nourri | 喂 |
visit                                     | visiter                                                 | 参观 |
visit.city                                | visiter                                                 | 游览 |
meet meets met met meeting                | rencontrer                                              | 遇见 |
meet.see meets met met meeting                | rencontrer                                              | 见 |
help                                      | aider                                                   | 帮助 |
call | appeler appelle appelles appelle appelons appellent appelé | 打电话 <给 | partner
invite invites invited invited inviting   | inviter                                                 | 邀请 |
thank                                     | remercier                                               | 感谢 |
wait +for                                 | attendre attends attends attend attendons attendent attendu | 等 |
talk +to | parler +à | 说话 <跟 | partner
know.person knows knew known knowing | connaître connais connais connaît connaissons connaissent connu | 认识 |
know knows knew known knowing             | savoir sais sais sait savons savent su                  | 知道 |
understand understands understood understood understanding
    | comprendre comprends comprends comprend comprenons comprennent compris | 理解 |
answer | répondre réponds réponds répond répondons répondent répondu +à | 回答 |
learn learns learned learned learning | apprendre apprends apprends apprend apprenons apprennent appris | 学 |
speak speaks spoke spoken speaking | parler | 说 | bare
receive receives received received receiving | recevoir reçois reçois reçoit recevons reçoivent reçu | 收到 |
like likes liked liked liking | aimer | 喜欢 | generic
love loves loved loved loving | aimer | 爱 | generic
want                                      | vouloir veux veux veut voulons veulent voulu            | 想要 |
want.to wants wanted wanted wanting       | vouloir veux veux veut voulons veulent voulu            | 想   |
need                                      | avoir ai as a avons ont eu +besoin_de                   | 需要 |
be.there is was been being                | avoir ai as a avons ont eu                              | 有   |
be.weather is was been being              | faire fais fais fait faisons font fait                  | 是 |
have has had had having                   | avoir ai as a avons ont eu                              | 有   |
give gives gave given giving              | donner                                                  | 给   |
lend lends lent lent lending              | prêter                                                  | 借给 |
show shows showed shown showing           | montrer                                                 | 看 <给 |
send sends sent sent sending              | envoyer envoie envoies envoie envoyons envoient envoyé  | 寄 <给 |
tell tells told told telling              | raconter                                                | 讲 <给 |
put puts put put putting                  | mettre mets mets met mettons mettent mis                | 放   | ba
work                                      | travailler                                              | 工作 |
study studies studied studied studying    | étudier                                                 | 学习 |
sleep sleeps slept slept sleeping         | dormir dors dors dort dormons dorment dormi             | 睡觉 |
swim swims swam swum swimming             | nager                                                   | 游泳 |
run runs ran run running                  | courir cours cours court courons courent couru          | 跑步 |
run.hurry runs ran run running | courir cours cours court courons courent couru | 跑 |
walk                                      | marcher                                                 | 散步 |
dance dances danced danced dancing        | danser                                                  | 跳舞 |
cry cries cried cried crying              | pleurer                                                 | 哭   |
laugh                                     | rire ris ris rit rions rient ri                         | 笑   |
travel travels traveled traveled traveling | voyager                                                | 旅行 |
live lives lived lived living             | habiter                                                 | 住   | at
stay                                      | rester *                                                | 待   | at
go goes went gone going | aller vais vas va allons vont allé * | 去 | goal
be.to is was been being | aller vais vas va allons vont allé * | 去 | goal
arrive arrives arrived arrived arriving | arriver * | 到 | goal
leave leaves left left leaving            | partir pars pars part partons partent parti *           | 离开 |
come comes came come coming               | venir viens viens vient venons viennent venu *          | 来   |
fall falls fell fallen falling            | tomber *                                                | 摔倒 |
come.home comes came come coming +home     | rentrer * +à_la_maison                                  | 回家 |
go.bed goes went gone going +to_bed        | aller vais vas va allons vont allé * +au_lit            | 去睡觉 |
rain                                      | pleuvoir - - pleut - - plu                              | 下雨 |
snow                                      | neiger                                                  | 下雪 |
think thinks thought thought thinking     | penser                                                  | 觉得 |
say says said said saying                 | dire dis dis dit disons disent dit                      | 说   |
hope hopes hoped hoped hoping             | espérer espère espères espère espérons espèrent espéré  | 希望 |
believe believes believed believed believing | croire crois crois croit croyons croient cru         | 认为 |
can                                       | pouvoir peux peux peut pouvons peuvent pu               | 能   |
must                                      | devoir dois dois doit devons doivent dû                 | 必须 |
"""


def _english(forms: list[str]) -> list[str]:
    """Base, third person, past, participle and -ing of a verb; of a regular verb from its base."""
    base = forms[0]
    third = base + "es" if base.endswith(("ch", "sh")) else base + "s"
    return forms if len(forms) == 5 else [base, third, base + "ed", base + "ed", base + "ing"]


def _french(forms: list[str]) -> tuple[str, tuple[str, str, str, str, str], str]:
    """Infinitive, present and participle of a verb; of a regular verb in -er from its infinitive."""
    infinitive = forms[0]
    if len(forms) == 1:
        stem = infinitive.removesuffix("er")
        nous = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)
        forms = [infinitive, stem + "e", stem + "es", stem + "e", nous + "ons", stem + "ent", stem + "é"]
    first, second, third, we, they = ("" if form == "-" else form for form in forms[1:6])
    return infinitive, (first, second, third, we, they), forms[6]


def _marked(words: list[str], mark: str) -> str:
    """The word that carries ``mark``, without it; empty if none does."""
    return next((word[1:].replace("_", " ") for word in words if word.startswith(mark)), "")


def _plain(words: list[str]) -> list[str]:
    return [word for word in words if word[0] not in "+*<"]


def _verb(line: str) -> tuple[str, Verb]:
    english, french, chinese, traits = (cell.split() for cell in line.split("|"))
    forms = _plain(english)
    name, forms[0] = forms[0], forms[0].partition(".")[0]
    base, third, past, participle, ing = _english(forms)
    infinitive, present, done = _french(_plain(french))
    said = _plain(chinese)[0].replace("_", " ")
    spellings = tuple((form,) for form in dict.fromkeys((base, third, past, participle, ing)))
    return name, Verb(
        spellings, base, third, past, participle, ing, infinitive, present, done, "*" in french,
        _marked(english, "+"), _marked(french, "+"), said, _marked(chinese, "<"), frozenset(traits),
    )  # fmt: skip


VERBS: dict[str, Verb] = dict(_verb(line) for line in VERBS_TABLE.strip().replace("\n    |", " |").splitlines())
