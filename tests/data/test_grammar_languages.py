"""Check French and Chinese sentences by independent rules, without the grammar's tables."""

from __future__ import annotations

from itertools import islice

import pytest

from attnbook.data.grammar import Sentence, derivations


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
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


def neighbors(derived: Sentence) -> list[tuple[str, str, str]]:
    """Every word with the one before and the one after it; fixed expressions are one word."""
    words = (
        " ".join(derived.french).replace("bon marché", "bon-marché").replace("appareil photo", "appareil-photo").split()
    )
    return list(zip(["", *words], words, [*words[1:], ""], strict=False))


def test_french_articles_and_adjectives_agree(sentences: list[Sentence]) -> None:
    checked = 0
    for derived in sentences:
        for before, word, after in neighbors(derived):
            gender = SINGULAR.get(word)
            if gender is None:
                continue
            expected = {**FIRM, **SOFT}.get(before, gender)
            assert expected == gender, derived.french
            assert before not in MANY, derived.french
            for adjective in (before, after):
                assert ADJECTIVE_GENDER.get(adjective, gender) == gender, derived.french
                assert adjective not in ADJECTIVE_GENDER or adjective[-1] != "s" or adjective == "gris", derived.french
            checked += 1
    assert checked > 3000


def test_french_plurals_agree(sentences: list[Sentence]) -> None:
    plurals = {word + "s": gender for word, gender in SINGULAR.items() if word[-1] not in "sxu"}
    checked = 0
    for derived in sentences:
        for before, word, after in neighbors(derived):
            if word in plurals and word not in SINGULAR:
                trade = before in {"sommes", "sont", "pas"}  # "ils sont professeurs"
                assert (
                    trade
                    or before in MANY | {"de", "d'"}
                    or before in {*ADJECTIVE_GENDER, "jeunes", "gentils", "gentilles"}
                ), derived.french
                for adjective in (before, after):
                    assert ADJECTIVE_GENDER.get(adjective, plurals[word]) == plurals[word], derived.french
                    assert adjective not in ADJECTIVE_GENDER or adjective[-1] in "sx", derived.french
                checked += 1
    assert checked > 500


def test_french_elides_and_contracts(sentences: list[Sentence]) -> None:
    for derived in sentences:
        for word, following in zip(derived.french, derived.french[1:], strict=False):
            if word in {"je", "me", "te", "le", "la", "ne", "de", "que"}:
                assert not vowel(following), derived.french
            if word.endswith("'"):
                assert vowel(following), derived.french
            assert (word, following) not in {("de", "les"), ("à", "les")}, derived.french
            if word in {"vieil", "bel", "nouvel", "cet"}:
                assert vowel(following) and following[-1] != "s", derived.french
            if word in {"ma", "ta", "sa", "ce", "beau", "nouveau", "vieux"} and following in SINGULAR:
                assert not vowel(following), derived.french
        text = " ".join(derived.french)
        assert not any(f" {pair} " in text for pair in ("de le", "à le", "de de", "de du", "de des", "de d'")), text


def test_french_negation_has_two_pieces(sentences: list[Sentence]) -> None:
    """One "ne" for one "pas" or "jamais"; a pronoun stands between "ne" and the verb, "pas" right after the verb."""
    clitics = {"me", "te", "le", "la", "les", "lui", "leur", "nous", "m'", "t'", "l'", "y"}
    seen = 0
    for derived in sentences:
        words = list(derived.french)
        first = [i for i, word in enumerate(words) if word in ("ne", "n'")]
        second = [i for i, word in enumerate(words) if word in ("pas", "jamais")]
        assert len(first) == len(second), words
        for i, j in zip(first, second, strict=True):
            between = words[i + 1 : j]
            assert len([word for word in between if word not in clitics]) == 1, words
            assert between[-1] not in clitics, words
            seen += 1
    assert seen > 500


def test_french_participles_agree_after_etre(sentences: list[Sentence]) -> None:
    endings = {"je": "", "j'": "", "tu": "", "il": "", "elle": "e", "nous": "s", "ils": "s", "elles": "es"}
    stems = ("allé", "parti", "arrivé", "venu", "resté", "tombé", "rentré")
    seen = 0
    for derived in sentences:
        words = [word for word in derived.french if word not in ("ne", "n'", "pas", "jamais", "déjà")]
        for subject, auxiliary, participle in zip(words, words[1:], words[2:], strict=False):
            stem = next((stem for stem in stems if participle.startswith(stem)), None)
            if subject in endings and auxiliary in {"suis", "es", "est", "sommes", "sont"} and stem:
                assert participle == stem + endings[subject], derived.french
                seen += 1
    assert seen > 20


MEASURES = {
    "本": "书 小说 杂志", "只": "猫 鸟 兔子 老鼠 鸭子", "条": "狗 连衣裙 裙子 围巾 河 街", "匹": "马", "头": "牛",
    "辆": "汽车 自行车 卡车 公交车 出租车", "张": "桌子 床 票 照片 地图", "把": "椅子 钥匙 雨伞 刀 吉他 小提琴",
    "件": "衬衫 大衣 夹克 毛衣", "座": "房子 教堂 桥 城堡 博物馆 图书馆", "封": "信", "部": "电影 手机", "顶": "帽子",
    "朵": "花", "棵": "树", "台": "电脑 电视机 相机", "块": "手表", "盏": "灯", "首": "诗 歌曲", "支": "钢笔 铅笔",
}  # fmt: skip
MEASURE_OF = {noun: measure for measure, nouns in MEASURES.items() for noun in nouns.split()}


def test_chinese_measure_word_fits_its_noun(sentences: list[Sentence]) -> None:
    checked = 0
    for derived in sentences:
        words = derived.chinese
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


def test_chinese_time_comes_before_the_verb(sentences: list[Sentence]) -> None:
    times = {"昨天", "明天", "每天", "上周", "下周", "去年", "明年", "星期一", "星期五", "星期六", "每周", "现在"}
    for derived in sentences:
        words = derived.chinese
        for i, word in enumerate(words):
            if word in times:
                assert words[i + 1] not in {"。", "？", "，", "吗"}, words


def test_chinese_clause_has_either_mei_or_le(sentences: list[Sentence]) -> None:
    """没 and 了 exclude each other in a clause; 吗 ends yes-no questions and no others."""
    for derived in sentences:
        for part in " ".join(derived.chinese).split(" ， "):
            words = part.split()
            assert not ("没" in words and "了" in words), derived.chinese
        asked = derived.english[-1] == "?" and derived.english[0] not in {"what", "who", "where", "when", "why"}
        assert (derived.chinese[-2] == "吗") == asked, derived.chinese
