"""Each phenomenon by name: a sentence with it and its translation, and a sentence without it."""

from __future__ import annotations

import pytest

from attnbook.data.grammar import PHENOMENA, find

# name: target, a sentence with the phenomenon and its translation, and a similar sentence without it
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
def test_phenomenon_is_found_only_where_it_occurs(name: str) -> None:
    target, english, expected, without = EXAMPLES[name]
    said, other = find(english), find(without)
    assert said is not None and other is not None
    assert " ".join(said.pair(target).target) == expected
    assert name in said.pair(target).phenomena
    assert name not in other.pair(target).phenomena
