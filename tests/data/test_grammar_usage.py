"""Sentences that a reviewer once marked as unidiomatic or as lacking a link."""

from __future__ import annotations

from itertools import islice

import pytest

from attnbook.data.grammar import Sentence, derivations, find

SAID = {
    # a hope is not a prediction, and a plan that is missing is not a lack of skill
    "i hope that you 're going to come home .": "我 希望 你 能 回家 。",
    "she is n't going to swim .": "她 不 打算 游泳 。",
    "it is n't going to rain tomorrow morning .": "明天 早上 不 会 下雨 。",
    # to forget to bring, to understand a text, to hold for true
    "anna forgot her bag .": "安娜 忘 了 带 她 的 包 。",
    "she read the sad story but she did n't understand it .": "她 读 了 那 个 悲伤 的 故事 ， 但是 她 没 理解 它 。",
    "they believe that the bread is fresh .": "他们 认为 面包 很 新鲜 。",
    # "a" is used where 给 is the verb: 能 借给 我 书 吗 lacks it
    "can you lend me a book ?": "你 能 借给 我 一 本 书 吗 ？",
    "is lucas going to give an apple to anna ?": "卢卡斯 要 给 安娜 一 个 苹果 吗 ？",
    # "the" before an adjective, for an object that is looked at, and for the subject of a lasting quality
    "i 'm looking at the long bridge .": "我 在 看 那 座 很 长 的 桥 。",
    "he looked at the bridge yesterday evening .": "他 昨天 晚上 看 了 那 座 桥 。",
    "the young teacher is tired .": "那 个 年轻 的 老师 很 累 。",
    "are you helping the farmer ?": "你 在 帮助 那 个 农民 吗 ？",
    "the dog is dangerous .": "那 条 狗 很 危险 。",
    "the dog is tired .": "狗 很 累 。",
    "the woman is at the airport .": "那 个 女人 在 机场 。",
    "the beer is cold .": "啤酒 很 凉 。",
}


@pytest.mark.parametrize(("english", "chinese"), SAID.items())
def test_chinese_translation_is_idiomatic(english: str, chinese: str) -> None:
    sentence = find(english)
    assert sentence is not None
    assert " ".join(sentence.chinese) == chinese


LINKS = (
    # a preposition without a counterpart goes with the verb
    ("he arrived at the station .", "chinese", "at", {"到"}),
    ("we went to the zoo .", "chinese", "to", {"去"}),
    ("there are many old churches in paris .", "chinese", "in", {"有"}),
    ("paul gave the books to mary .", "chinese", "to", {"给"}),
    ("he gave it to me .", "chinese", "to", {"给"}),
    ("can you lend the book to mary ?", "chinese", "to", {"借给"}),
    # 给 with its preposition, and with the verb where English has none
    ("i sent a letter to my sister .", "chinese", "to", {"给"}),
    ("her husband told him a story .", "chinese", "told", {"给", "讲", "了"}),
    ("she 's six years old .", "chinese", "'s", {"岁"}),
    ("she 's home .", "french", "home", {"à", "la", "maison"}),
    ("she 's home .", "chinese", "home", {"在", "家"}),
    ("where did you sleep ?", "chinese", "where", {"在", "哪里"}),
    ("where do you live ?", "chinese", "where", {"在", "哪里"}),
    ("have you ever visited rome ?", "chinese", "ever", {"过"}),
)


@pytest.mark.parametrize(("english", "target", "word", "expected"), LINKS)
def test_alignment_of_word_by_hand(english: str, target: str, word: str, expected: set[str]) -> None:
    sentence = find(english)
    assert sentence is not None
    pair = sentence.pair(target)
    source = pair.source.index(word)
    assert {pair.target[j] for i, j in pair.alignment or () if i == source} == expected


UNIDIOMATIC = (
    "where does our father want to call her ?",  # one calls from anywhere
    "when did you call them at the station ?",
    "we lost our bag .",  # several owners have several bags
    "they 're wearing a coat .",
    "he has already washed tom 's dress .",  # "tom" and "i" are men
    "my dress is green .",
    "he wants a skirt .",
    "who is going to open his box ?",
    "the boys have some sisters .",
    "that little girl is waiting for her son .",
    "the child wants to drink wine .",
    "when did you watch boring films ?",
    "we did n't see a film at five o'clock .",
    "they 're sad because they have already lost their tickets .",
    "i want a phone but i ca n't find it .",
    "the engineer never looks at a small cat .",
    "you are n't going to arrive at school .",
    "my banana is next to the table .",
    "the water is delicious .",
    "we hope that he is n't going to sing .",
)


@pytest.mark.parametrize("english", UNIDIOMATIC)
def test_grammar_rejects_unidiomatic_sentences(english: str) -> None:
    assert find(english) is None


def test_grammar_gives_each_person_their_own_clothes() -> None:
    assert find("we lost our bags .") is not None
    assert find("they 're wearing coats .") is not None
    assert find("her dress is green .") is not None


def test_every_preposition_of_a_place_has_a_link() -> None:
    """Except "on" and "at" before a day or an hour, which have no counterpart in French or Chinese."""
    days = {"monday", "friday", "saturday", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
    sentences: list[Sentence] = list(islice(derivations(31), 3000))
    for target in ("french", "chinese"):
        for pair in (sentence.pair(target) for sentence in sentences):
            linked = {i for i, _ in pair.alignment or ()}
            for i, word in enumerate(pair.source):
                timed = word in ("on", "at") and pair.source[i + 1] in days
                if word in {"in", "at", "to", "on", "near", "home", "ever"} and not timed:
                    assert i in linked, (word, pair)
