"""The adjectives of the grammar, and which nouns each may go with.

Two lines each: ``english | before or after, french masculine feminine (before a vowel, masculine plural) | chinese
before a noun | chinese predicate``, and below ``| tags of nouns it may stand before | tags of nouns it is said of``,
where ``=`` repeats the tags before it. One French form alone does not agree; "having" in place of before or after:
French says it with "avoir" and that noun. ``!`` after the English word: "very" does not go with it.
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Adjective

ADJECTIVES_TABLE = """
big          | before grand grande                    | 大       | 很 大
    | sized | =
small        | before petit petite                    | 小       | 很 小
    | sized | =
little !     | before petit petite                    | 小       | -
    | boy girl | -
new !        | before nouveau nouvelle nouvel nouveaux| 新       | -
    | made | -
old          | before vieux vieille vieil vieux       | 旧       | 很 旧
    | used press | used house
old !        | before vieux vieille vieil vieux       | 老       | -
    | pet house | -
old          | before vieux vieille vieil vieux       | 古老 的    | 很 古老
    | ancient | =
young        | before jeune jeune                     | 年轻 的    | 很 年轻
    | job man woman | job spouse sister brother
good !       | before bon bonne                       | 好       | -
    | good | -
beautiful    | before beau belle bel beaux            | 漂亮 的    | 很 漂亮
    | lovely woman | =
long         | before long longue                     | 很 长 的   | 很 长
    | lengthy | =
short        | after court courte                     | 很 短 的   | 很 短
    | letter story poem film novel | letter story poem film
tall         | before grand grande                    | 很 高 的   | 很 高
    | tree | tree boy girl man woman brother sister son daughter husband name he she i
red !        | after rouge rouge                      | 红色 的    | 是 红色 的
    | dyed vehicle box cup pen pencil flower ball apple truck | dyed vehicle box flower ball apple
blue !       | after bleu bleue                       | 蓝色 的    | 是 蓝色 的
    | dyed vehicle box cup pen pencil ball truck | dyed vehicle door
green !      | after vert verte                       | 绿色 的    | 是 绿色 的
    | dyed vehicle box cup apple pencil | dyed vehicle apple door
yellow !     | after jaune jaune                      | 黄色 的    | 是 黄色 的
    | dyed box flower ball pencil bird | dyed box flower ball
black !      | after noir noire                       | 黑色 的    | 是 黑色 的
    | dyed vehicle box cup pen cat dog horse bird cow | dyed vehicle cat dog horse
white !      | after blanc blanche                    | 白色 的    | 是 白色 的
    | dyed vehicle box cup flower house animal | dyed vehicle flower pet house
gray !       | after gris grise                       | 灰色 的    | 是 灰色 的
    | clothes worn cat mouse rabbit horse bird | clothes worn cat mouse rabbit
expensive    | after cher chère                       | 很 贵 的   | 很 贵
    | costly priced | costly priced television
cheap        | after bon_marché                       | 便宜 的    | 很 便宜
    | clothes bike ticket worn priced | =
interesting  | after intéressant intéressante         | 有趣 的    | 很 有趣
    | bookish show lesson story museum press | bookish show lesson story museum
boring       | after ennuyeux ennuyeuse               | 无聊 的    | 很 无聊
    | bookish show lesson story | =
difficult    | after difficile difficile              | 很 难 的   | 很 难
    | task | task language
easy         | after facile facile                    | 简单 的    | 很 简单
    | task | =
important    | after important importante             | 重要 的    | 很 重要
    | question letter lesson | =
sad          | after triste triste                    | 悲伤 的    | 很 悲伤
    | story song film poem | =
funny        | after drôle drôle                      | 搞笑 的    | 很 搞笑
    | story film | =
heavy        | after lourd lourde                     | 很 重 的   | 很 重
    | heavy bag | =
fresh        | after frais fraîche                    | 新鲜 的    | 很 新鲜
    | fresh | fresh fruit egg milk
delicious !  | after délicieux délicieuse             | 好吃 的    | 很 好吃
    | cake sandwich dessert fruit | baked cooked made_food cheese dessert fruit
delicious !  | after délicieux délicieuse             | 好喝 的    | 很 好喝
    | broth | broth tea coffee milk juice alcohol
sweet        | after sucré sucrée                     | 很 甜 的   | 很 甜
    | fruit cake | fruit cake juice
hot          | after chaud chaude                     | 热       | 很 烫
    | brewed broth | =
cold         | after froid froide                     | 冷       | 很 凉
    | water milk | water milk beer tea coffee soup rice
strong       | after fort forte                       | 强壮 的    | 很 强壮
    | horse cow man | horse man cow boy brother farmer
clean        | after propre propre                    | 干净 的    | 很 干净
    | dish | clothes dish room vehicle window table hotel street
dirty        | after sale sale                        | 脏       | 很 脏
    | dish | clothes dish vehicle window table room dog street
empty !      | after vide vide                        | 空       | 是 空 的
    | box bottle glass | box bottle glass bag wallet
warm         | after chaud chaude                     | 暖和 的    | 很 暖和
    | warm | =
comfortable  | after confortable confortable          | 舒服 的    | 很 舒服
    | seat | seat coat jacket
modern       | after moderne moderne                  | 现代 的    | 很 现代
    | modern | =
quiet        | after calme calme                      | 安静 的    | 很 安静
    | quiet | =
famous       | after célèbre célèbre                  | 有名 的    | 很 有名
    | fame famous_place | fame famous_place city
dangerous    | after dangereux dangereuse             | 危险 的    | 很 危险
    | danger | =
clever       | after intelligent intelligente         | 聪明 的    | 很 聪明
    | pupil clever | pupil clever kin spouse name he she
lazy         | after paresseux paresseuse             | 懒       | 很 懒
    | cat student | cat student boy son brother
rich         | after riche riche                      | 有钱 的    | 很 有钱
    | rich | rich spouse uncle aunt
kind         | before gentil gentille                 | 善良 的    | 很 善良
    | man woman neighbor nurse | job spouse kin neighbor woman man name he she
ripe !       | after mûr mûre                         | 熟 的     | 熟 了
    | fruit tomato | =
happy        | after heureux heureuse                 | -       | 很 高兴
    | - | person
sad          | after triste triste                    | -       | 很 难过
    | - | person
tired        | after fatigué fatiguée                 | -       | 很 累
    | - | person pet horse
sick !       | after malade malade                    | -       | 生病 了
    | - | person pet
busy         | after occupé occupée                   | -       | 很 忙
    | - | person
angry        | after en_colère                        | -       | 很 生气
    | - | person
worried      | after inquiet inquiète                 | -       | 很 担心
    | - | person
nervous      | after nerveux nerveuse                 | -       | 很 紧张
    | - | person
surprised    | after surpris surprise                 | -       | 很 惊讶
    | - | person
proud        | after fier fière                       | -       | 很 自豪
    | - | person
late !       | after en_retard                        | -       | 迟到 了
    | - | person
ready !      | after prêt prête                       | -       | 准备好 了
    | - | person
hungry       | having faim                            | -       | 很 饿
    | - | person pet
thirsty      | having soif                            | -       | 很 渴
    | - | person pet
afraid       | having peur                            | -       | 很 害怕
    | - | person pet
sleepy       | having sommeil                         | -       | 很 困
    | - | person
cold         | having froid                           | -       | 很 冷
    | - | person
hot          | having chaud                           | -       | 很 热
    | - | person
cold         | after froid                            | -       | 很 冷
    | - | sky
hot          | after chaud                            | -       | 很 热
    | - | sky
warm         | after doux                             | -       | 很 暖和
    | - | sky
open !       | after ouvert ouverte                   | -       | 开 着
    | - | opening shop bank museum post_office
closed !     | after fermé fermée                     | -       | 关 着
    | - | opening
broken !     | after cassé cassée                     | -       | 坏 了
    | - | machine
"""


def _plural(form: str) -> str:
    """The regular French plural of an adjective; fixed expressions of several words do not change."""
    return form if form[-1] in "sx" or " " in form else form + "s"


def _french(forms: list[str]) -> tuple[str, str, str, str, str]:
    masculine, feminine, vowel, many = (*forms, *("",) * 4)[:4]
    if feminine == "":
        return (masculine,) * 5
    return masculine, feminine, many or _plural(masculine), _plural(feminine), vowel or masculine


def _tags(cell: str) -> frozenset[str]:
    return frozenset(cell.split()) - {"-"}


def _adjective(line: str) -> Adjective:
    english, french, attribute, predicate, attributes, predicates = (cell.strip() for cell in line.split("|"))
    predicates = attributes if predicates == "=" else predicates
    word = english.removesuffix("!").strip()
    place, *forms = (form.replace("_", " ") for form in french.split())
    return Adjective(
        ((word,),), word, place == "before", _french(forms), place == "having",
        attribute.strip("-"), predicate.strip("-"), _tags(attributes), _tags(predicates), "!" not in english,
    )  # fmt: skip


ADJECTIVES: tuple[Adjective, ...] = tuple(
    _adjective(line) for line in ADJECTIVES_TABLE.strip().replace("\n    |", "|").splitlines()
)
WEATHER: tuple[Adjective, ...] = tuple(adjective for adjective in ADJECTIVES if "sky" in adjective.predicates)
