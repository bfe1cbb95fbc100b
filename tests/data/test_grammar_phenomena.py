"""Each phenomenon by name, and checkers that know French and Chinese on their own, without the grammar's tables."""

from __future__ import annotations

from itertools import islice

import pytest

from attnbook.data.grammar import PHENOMENA, Sentence, derivations, find

# name: target, a sentence that has it with its translation, and a sentence like it that has not
EXAMPLES = {
    "present": ("french", "i like cats .", "j' aime les chats .", "i saw a cat ."),
    "past": ("french", "she arrived at the station .", "elle est arrivée à la gare .", "she is n't tired ."),
    "near future": ("french", "we 're going to leave .", "nous allons partir .", "we left ."),
    "imperative": ("french", "do n't open the box .", "n' ouvre pas la boîte .", "you opened the box ."),
    "negation": ("french", "he has never met him .", "il ne l' a jamais rencontré .", "he met him ."),
    "yes-no question": ("french", "is she ready ?", "est-ce qu' elle est prête ?", "she 's ready ."),
    "wh-question": ("french", "who is crying ?", "qui pleure ?", "are you crying ?"),
    "that-clause": (
        "french",
        "we think that anna is late .",
        "nous pensons qu' anna est en retard .",
        "anna is late .",
    ),
    "because-clause": (
        "french",
        "he 's running because he 's late .",
        "il court parce qu' il est en retard .",
        "he 's late .",
    ),
    "but-clause": (
        "french",
        "the lesson is easy but she does n't understand it .",
        "la leçon est facile mais elle ne la comprend pas .",
        "the lesson is easy .",
    ),
    "place": ("french", "the key is in the bag .", "la clé est dans le sac .", "he has a cat ."),
    "time": ("french", "he left on monday .", "il est parti lundi .", "he left ."),
    "frequency": ("french", "she always sings .", "elle chante toujours .", "she 's singing ."),
    "possessive": ("french", "my aunt is sick .", "ma tante est malade .", "the doctor is sick ."),
    "modal": ("french", "she must sleep .", "elle doit dormir .", "she 's sleeping ."),
    "recipient": (
        "french",
        "i gave the flowers to the nurse .",
        "j' ai donné les fleurs à l' infirmière .",
        "i drew the flowers .",
    ),
    "existence": ("french", "there is a church in rome .", "il y a une église à rome .", "we 're in rome ."),
    "pronoun with antecedent": (
        "french",
        "they like this house because it 's beautiful .",
        "ils aiment cette maison parce qu' elle est belle .",
        "they like this house .",
    ),
    "article agreement": ("french", "this skirt is red .", "cette jupe est rouge .", "tom is late ."),
    "adjective agreement": ("french", "the kitchen is small .", "la cuisine est petite .", "the garden is small ."),
    "participle agreement": (
        "french",
        "he lost his keys but he found them .",
        "il a perdu ses clés mais il les a trouvées .",
        "he found his keys .",
    ),
    "adjective before noun": ("french", "i want a new coat .", "je veux un nouveau manteau .", "i want a red coat ."),
    "adjective after noun": ("french", "i want a red coat .", "je veux un manteau rouge .", "i want a new coat ."),
    "object clitic": ("french", "you ca n't help me .", "tu ne peux pas m' aider .", "you ca n't help tom ."),
    "negated article": ("french", "i do n't have a dog .", "je n' ai pas de chien .", "i have a dog ."),
    "elision": ("french", "i 'm hungry .", "j' ai faim .", "we 're hungry ."),
    "contraction": ("french", "we went to the zoo .", "nous sommes allés au zoo .", "we went to the beach ."),
    "partitive": ("french", "she wants to drink milk .", "elle veut boire du lait .", "she likes milk ."),
    "measure word": (
        "chinese", "he drew three horses .",
        "他 画 了 三 匹 马 。", "he likes horses .",
    ),
    "的": ("chinese", "my house is big .", "我 的 房子 很 大 。", "my father is tired ."),
    "aspect 了": ("chinese", "she danced yesterday .", "她 昨天 跳舞 了 。", "she did n't dance yesterday ."),
    "aspect 过": (
        "chinese", "have you ever visited this museum ?",
        "你 参观 过 这 座 博物馆 吗 ？", "we visited this museum .",
    ),
    "aspect 在": ("chinese", "the baker is working .", "面包师 在 工作 。", "the baker worked ."),
    "aspect 着": ("chinese", "anna is wearing a scarf .", "安娜 戴 着 一 条 围巾 。", "anna bought a scarf ."),
    "negation 不": (
        "chinese", "we do n't want to go to the zoo .",
        "我们 不 想 去 动物园 。", "we want to go to the zoo .",
    ),
    "negation 没": ("chinese", "you did n't wash the cups .", "你 没 洗 那些 杯子 。", "you washed the cups ."),
    "question 吗": ("chinese", "are they thirsty ?", "他们 渴 吗 ？", "they 're thirsty ."),
    "time before verb": ("chinese", "i worked this morning .", "我 今天 早上 工作 了 。", "i worked ."),
    "place before verb": (
        "chinese", "the girl is dancing in the garden .",
        "那 个 女孩 在 花园 里 跳舞 。", "the girl is dancing .",
    ),
    "plural 们": ("chinese", "the students are laughing .", "学生 们 在 笑 。", "the student is laughing ."),
    "把": (
        "chinese", "we put our books in the bag .",
        "我们 把 我们 的 书 放 在 包 里 了 。", "we opened the bag .",
    ),
    "是 的": (
        "chinese", "where did you buy the apples ?",
        "你 是 在 哪里 买 那些 苹果 的 ？", "you bought the apples .",
    ),
}  # fmt: skip


def test_every_phenomenon_has_an_example() -> None:
    assert set(EXAMPLES) == set(PHENOMENA)


@pytest.mark.parametrize("name", EXAMPLES)
def test_phenomenon(name: str) -> None:
    target, english, wanted, without = EXAMPLES[name]
    said, other = find(english), find(without)
    assert said is not None and other is not None
    assert " ".join(said.pair(target).target) == wanted
    assert name in said.pair(target).phenomena
    assert name not in other.pair(target).phenomena


@pytest.fixture(scope="module")
def some() -> list[Sentence]:
    return list(islice(derivations(99), 5000))


GENDER = {
    "m": "chat chien cheval oiseau lapin livre roman journal poème film manteau pull chapeau sac portefeuille "
    "téléphone billet vélo ordinateur canapé lit verre couteau stylo crayon arbre jouet cadeau paquet "
    "exercice jardin bureau hôpital restaurant hôtel marché supermarché aéroport cinéma musée château "
    "parc pont lac professeur médecin étudiant voisin garçon homme père frère gâteau œuf sandwich",
    "f": "vache pomme orange poire banane fraise tomate carotte lettre histoire chanson photo robe jupe "
    "chemise veste écharpe clé voiture lampe horloge table chaise boîte tasse assiette bouteille carte "
    "fleur balle fenêtre question leçon maison cuisine chambre école bibliothèque banque usine gare "
    "boulangerie église forêt rue rivière plage piscine infirmière fille femme mère sœur tante viande "
    "soupe eau bière musique",
}
SINGULAR = {word: gender for gender, words in GENDER.items() for word in words.split()}
FIRM = {"un": "m", "une": "f", "cet": "m", "cette": "f", "du": "m", "au": "m", "le": "m", "la": "f", "ce": "m"}
SOFT = {"ma": "f", "ta": "f", "sa": "f"}  # "mon" stands before a feminine noun with a vowel too
MANY = {"les", "des", "ces", "mes", "tes", "ses", "nos", "vos", "leurs", "deux", "trois", "quatre", "cinq", "aux"}
ADJECTIVES = {
    "petit petits": "m",
    "petite petites": "f",
    "grand grands": "m",
    "grande grandes": "f",
    "nouveau nouvel nouveaux": "m",
    "nouvelle nouvelles": "f",
    "vieux vieil": "m",
    "vieille vieilles": "f",
    "bon bons": "m",
    "bonne bonnes": "f",
    "beau bel beaux": "m",
    "belle belles": "f",
    "long longs": "m",
    "longue longues": "f",
    "blanc blancs": "m",
    "blanche blanches": "f",
    "noir noirs": "m",
    "noire noires": "f",
    "vert verts bleu bleus gris cher chers": "m",
    "verte vertes bleue bleues grise grises chère chères": "f",
}
ADJECTIVE_GENDER = {word: gender for words, gender in ADJECTIVES.items() for word in words.split()}


def vowel(word: str) -> bool:
    return word[0] in "aeiouyàâéèêîôûœ" or (word[0] == "h" and word != "huit")


def neighbours(said: Sentence) -> list[tuple[str, str, str]]:
    """Every word with the one before and the one after it; fixed expressions are one word."""
    words = (
        " ".join(said.french).replace("bon marché", "bon-marché").replace("appareil photo", "appareil-photo").split()
    )
    return list(zip(["", *words], words, [*words[1:], ""], strict=False))


def test_french_articles_and_adjectives_agree(some: list[Sentence]) -> None:
    checked = 0
    for said in some:
        for before, word, after in neighbours(said):
            gender = SINGULAR.get(word)
            if gender is None:
                continue
            wanted = {**FIRM, **SOFT}.get(before, gender)
            assert wanted == gender, said.french
            assert before not in MANY, said.french
            for adjective in (before, after):
                assert ADJECTIVE_GENDER.get(adjective, gender) == gender, said.french
                assert adjective not in ADJECTIVE_GENDER or adjective[-1] != "s" or adjective == "gris", said.french
            checked += 1
    assert checked > 3000


def test_french_plurals_agree(some: list[Sentence]) -> None:
    plurals = {word + "s": gender for word, gender in SINGULAR.items() if word[-1] not in "sxu"}
    checked = 0
    for said in some:
        for before, word, after in neighbours(said):
            if word in plurals and word not in SINGULAR:
                trade = before in {"sommes", "sont", "pas"}  # "ils sont professeurs"
                assert (
                    trade
                    or before in MANY | {"de", "d'"}
                    or before in {*ADJECTIVE_GENDER, "jeunes", "gentils", "gentilles"}
                ), said.french
                for adjective in (before, after):
                    assert ADJECTIVE_GENDER.get(adjective, plurals[word]) == plurals[word], said.french
                    assert adjective not in ADJECTIVE_GENDER or adjective[-1] in "sx", said.french
                checked += 1
    assert checked > 500


def test_french_elides_and_contracts(some: list[Sentence]) -> None:
    for said in some:
        for word, following in zip(said.french, said.french[1:], strict=False):
            if word in {"je", "me", "te", "le", "la", "ne", "de", "que"}:
                assert not vowel(following), said.french
            if word.endswith("'"):
                assert vowel(following), said.french
            assert (word, following) not in {("de", "les"), ("à", "les")}, said.french
            if word in {"vieil", "bel", "nouvel", "cet"}:
                assert vowel(following) and following[-1] != "s", said.french
            if word in {"ma", "ta", "sa", "ce", "beau", "nouveau", "vieux"} and following in SINGULAR:
                assert not vowel(following), said.french
        text = " ".join(said.french)
        assert not any(f" {pair} " in text for pair in ("de le", "à le", "de de", "de du", "de des", "de d'")), text


def test_french_negation_has_two_pieces(some: list[Sentence]) -> None:
    """One "ne" for one "pas" or "jamais"; a pronoun stands between "ne" and the verb, "pas" right after the verb."""
    clitics = {"me", "te", "le", "la", "les", "lui", "leur", "nous", "m'", "t'", "l'", "y"}
    seen = 0
    for said in some:
        words = list(said.french)
        first = [i for i, word in enumerate(words) if word in ("ne", "n'")]
        second = [i for i, word in enumerate(words) if word in ("pas", "jamais")]
        assert len(first) == len(second), words
        for i, j in zip(first, second, strict=True):
            between = words[i + 1 : j]
            assert len([word for word in between if word not in clitics]) == 1, words
            assert between[-1] not in clitics, words
            seen += 1
    assert seen > 500


def test_french_participles_agree_after_etre(some: list[Sentence]) -> None:
    endings = {"je": "", "j'": "", "tu": "", "il": "", "elle": "e", "nous": "s", "ils": "s", "elles": "es"}
    stems = ("allé", "parti", "arrivé", "venu", "resté", "tombé", "rentré")
    seen = 0
    for said in some:
        words = [word for word in said.french if word not in ("ne", "n'", "pas", "jamais", "déjà")]
        for subject, auxiliary, participle in zip(words, words[1:], words[2:], strict=False):
            stem = next((stem for stem in stems if participle.startswith(stem)), None)
            if subject in endings and auxiliary in {"suis", "es", "est", "sommes", "sont"} and stem:
                assert participle == stem + endings[subject], said.french
                seen += 1
    assert seen > 20


MEASURES = {
    "本": "书 小说 杂志", "只": "猫 鸟 兔子 老鼠 鸭子", "条": "狗 连衣裙 裙子 围巾 河 街", "匹": "马", "头": "牛",
    "辆": "汽车 自行车 卡车 公交车 出租车", "张": "桌子 床 票 照片 地图", "把": "椅子 钥匙 雨伞 刀 吉他 小提琴",
    "件": "衬衫 大衣 夹克 毛衣", "座": "房子 教堂 桥 城堡 博物馆 图书馆", "封": "信", "部": "电影 手机", "顶": "帽子",
    "朵": "花", "棵": "树", "台": "电脑 电视机 相机", "块": "手表", "盏": "灯", "首": "诗 歌曲", "支": "钢笔 铅笔",
}  # fmt: skip
MEASURE_OF = {noun: measure for measure, nouns in MEASURES.items() for noun in nouns.split()}


def test_chinese_measure_words(some: list[Sentence]) -> None:
    checked = 0
    for said in some:
        words = said.chinese
        for i, word in enumerate(words):
            if word not in ("一", "两", "三", "四", "五", "这", "那"):
                continue
            noun = next((w for w in words[i + 2 : i + 6] if w in MEASURE_OF), None)
            inside = words[i + 2 : words.index(noun, i + 2)] if noun else ()
            modifiers = {"的", "很", "小", "大", "新", "旧", "老", "好", "脏", "空", "懒"}
            if noun and all(w in modifiers or w.endswith("色") for w in inside):
                assert words[i + 1] == MEASURE_OF[noun], words
                checked += 1
    assert checked > 500


def test_chinese_time_comes_before_the_verb(some: list[Sentence]) -> None:
    times = {"昨天", "明天", "每天", "上周", "下周", "去年", "明年", "星期一", "星期五", "星期六", "每周", "现在"}
    for said in some:
        words = said.chinese
        for i, word in enumerate(words):
            if word in times:
                assert words[i + 1] not in {"。", "？", "，", "吗"}, words


def test_chinese_does_not_finish_what_did_not_happen(some: list[Sentence]) -> None:
    """没 and 了 exclude each other in a clause; 吗 ends yes-no questions and no others."""
    for said in some:
        for part in " ".join(said.chinese).split(" ， "):
            words = part.split()
            assert not ("没" in words and "了" in words), said.chinese
        asked = said.english[-1] == "?" and said.english[0] not in {"what", "who", "where", "when", "why"}
        assert (said.chinese[-2] == "吗") == asked, said.chinese
