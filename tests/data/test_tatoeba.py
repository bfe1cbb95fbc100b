"""The Tatoeba corpus: D2L's tokenization, disjoint splits, all translations as references."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.data import Batches, Corpus, tatoeba
from attnbook.data.corpus import split_key
from attnbook.data.tatoeba import ATTRIBUTION, tokenize
from attnbook.pages.d2l_compat import import_d2l
from tests.support.external_data import DATA

needs = {
    name: pytest.mark.skipif(not (DATA / name).is_file(), reason=f"{name} is not in ATTNBOOK_DATA")
    for name in ("fra-eng.zip", "cmn-eng.txt")
}


@pytest.fixture
def corpus_file(tmp_path):
    """Write a small corpus, and give the arguments that read it."""

    def write(*lines: str) -> dict[str, object]:
        text = "".join(line + "\n" for line in lines).encode()
        (tmp_path / "small.txt").write_bytes(text)
        return {"path": tmp_path / "small.txt", "sha256": hashlib.sha256(text).hexdigest()}

    return write


def numbered(count: int) -> list[str]:
    return [f"I have {n} cats .\tJ'ai {n} chats .\tline {n}" for n in range(count)]


@pytest.mark.parametrize(
    ("text", "language", "tokens"),
    [
        ("Go.", "english", "go ."),
        ("I'm home!", "english", "i'm home !"),
        ("Wait... what?!", "english", "wait . . . what ? !"),
        ("Cours\u202f!", "french", "cours !"),
        ("«\xa0Été\xa0», dit-il.", "french", "« été » , dit-il ."),
        ("Va\u2009!", "french", "va\u2009 !"),
        ("汤姆在2013年有1,000只猫。", "chinese", "汤 姆 在 2013 年 有 1,000 只 猫 。"),
        ("Tom用Wi-Fi上网，10:30到的。", "chinese", "tom 用 wi-fi 上 网 ， 10:30 到 的 。"),
        ("他 說：“café”\u200b！", "chinese", "他 說 ： “ café ” ！"),
        ("在3,他", "chinese", "在 3 , 他"),
    ],
)
def test_tokenize_gives_tokens_by_hand(text, language, tokens):
    assert list(tokenize(text, language)) == tokens.split(" ")


@given(st.text(), st.sampled_from(["english", "french", "chinese"]))
@settings(max_examples=300)
def test_tokenize_gives_no_empty_tokens_or_spaces(text, language):
    tokens = tokenize(text, language)
    assert all(token and not set(token) & set(" \t\n\xa0\u202f") for token in tokens)
    assert tokenize(" ".join(tokens), language) == tokens


@given(st.text("aé.,!? \u202f\xa0'-", max_size=30))
def test_tokenize_equals_d2l_for_french(text):
    # D2L's rule, character by character: a space before a mark that has none.
    text = text.replace("\u202f", " ").replace("\xa0", " ")
    spaced = "".join(f" {c}" if c in ",.!?" and i and text[i - 1] != " " else c for i, c in enumerate(text))
    assert list(tokenize(text, "french")) == [token for token in spaced.split(" ") if token]


def test_tatoeba_refuses_unknown_languages(corpus_file):
    with pytest.raises(ValueError, match="language"):
        tokenize("a", "german")
    for function in (tatoeba.read, tatoeba.load):
        with pytest.raises(ValueError, match="language"):
            function("english", **corpus_file("a\tb"))


@pytest.mark.parametrize(
    "pair", [("Stop!", "stop ."), ("It’s me.", "It's me!"), ("A  b", "a\xa0b"), ("ﬁne", "Fine"), ("STRASSE", "straße")]
)
def test_split_key_ignores_case_and_punctuation(pair):
    one, other = (split_key(tokenize(text, "english")) for text in pair)
    assert one == other


def test_split_key_distinguishes_words():
    keys = {split_key(tokenize(text, "english")) for text in ("I see.", "I saw.", "Is he?", "I see it.", "Isee.")}
    assert len(keys) == 5


def test_read_keeps_order_and_attribution(corpus_file):
    pairs = tatoeba.read("chinese", **corpus_file("Hi.\t嗨。\t#1 (CM) & #2 (Martha)", "Hi.\t嗨。", "Go.\t走。\t"))
    assert [pair.target for pair in pairs] == [("嗨", "。"), ("嗨", "。"), ("走", "。")]
    assert [pair.attribution for pair in pairs] == ["#1 (CM) & #2 (Martha)", ATTRIBUTION, ATTRIBUTION]
    assert tatoeba.read("chinese", count=2, **corpus_file("Hi.\t嗨。", "Go.\t走。", "A\t一")) == tatoeba.read(
        "chinese", **corpus_file("Hi.\t嗨。", "Go.\t走。")
    )
    with pytest.raises(ValueError, match="count"):
        tatoeba.read("french", count=0, **corpus_file("a\tb"))


def check_splits(corpus: Corpus) -> None:
    keys = [
        {split_key(pair.source) for pair in corpus.train},
        *({split_key(example.source) for example in split} for split in corpus.held_out.values()),
    ]
    assert not keys[0] & keys[1] and not keys[0] & keys[2] and not keys[1] & keys[2]
    for split in corpus.held_out.values():
        assert len({example.source for example in split}) == len(split)
        for example in split:
            assert {pair.source for pair in example.pairs} == {example.source}
            assert example.references == tuple(pair.target for pair in example.pairs)
            assert len(set(example.references)) == len(example.references) >= 1


def test_load_splits_without_loss(corpus_file):
    lines = numbered(600)
    variants = [f"i have {n} cats!\tJe possède {n} chats.\tvariant {n}" for n in range(600)]
    equal = [f"I HAVE {n} cats .\tj'ai {n} chats.\tequal {n}" for n in range(600)]
    corpus = tatoeba.load("french", **corpus_file(*lines, *variants, *equal))
    check_splits(corpus)
    assert corpus.attribution == ATTRIBUTION
    held_out = [pair for split in corpus.held_out.values() for example in split for pair in example.pairs]
    everything = [*corpus.train, *held_out]
    assert len(everything) == 1200  # the third kind equals the first after tokenization
    assert {pair.attribution for pair in everything} == {
        f"{kind} {n}" for kind in ("line", "variant") for n in range(600)
    }
    assert corpus.held_out["valid"] and corpus.held_out["test"]


def test_load_keeps_every_translation_as_reference(corpus_file):
    lines = [f"I have {n} cats.\t{word} {n} chats." for word in ("J'ai", "Je possède", "Moi j'ai") for n in range(300)]
    corpus = tatoeba.load("french", **corpus_file(*lines))
    check_splits(corpus)
    assert {len(example.references) for split in corpus.held_out.values() for example in split} == {3}
    number = corpus.held_out["test"][0].source[2]
    assert corpus.held_out["test"][0].references == tuple(
        tuple(f"{word} {number} chats .".split()) for word in ("j'ai", "je possède", "moi j'ai")
    )


def test_load_splits_by_sentence_alone(corpus_file):
    whole = tatoeba.load("french", **corpus_file(*numbered(900)))
    part = tatoeba.load("french", **corpus_file(*numbered(900)[::-2]))
    for found, of_whole in ((part.train, whole.train), *((part.held_out[s], whole.held_out[s]) for s in part.held_out)):
        expected = {item.source for item in found}
        assert [item.source for item in found] == [item.source for item in of_whole if item.source in expected]


def test_load_with_fewer_train_pairs_gives_a_subset(corpus_file):
    arguments = corpus_file(*numbered(300))
    whole = tatoeba.load("french", **arguments)
    part = tatoeba.load("french", train_pairs=50, **arguments)
    assert part.train == whole.train[:50]
    assert part.held_out == whole.held_out
    with pytest.raises(ValueError, match="train_pairs"):
        tatoeba.load("french", train_pairs=400, **arguments)


def test_load_max_length_bounds_both_sides(corpus_file):
    arguments = corpus_file("a\ta b c d", "a b c d\ta", "a b c\ta b c", *numbered(300))
    corpus = tatoeba.load("french", max_length=3, **arguments)
    kept = [*corpus.train, *(pair for split in corpus.held_out.values() for e in split for pair in e.pairs)]
    assert [(pair.source, pair.target) for pair in kept] == [(("a", "b", "c"), ("a", "b", "c"))]
    with pytest.raises(ValueError, match="max_length"):
        tatoeba.load("french", max_length=1, **arguments)
    for name in ("max_length", "train_pairs"):
        with pytest.raises(ValueError, match=name):
            tatoeba.load("french", **{name: 0}, **arguments)


@pytest.mark.slow
def test_load_gives_equal_splits_in_every_process(corpus_file):
    arguments = corpus_file(*numbered(200))
    program = (
        "import json, sys; from attnbook.data import tatoeba;"
        "c = tatoeba.load('french', path=sys.argv[1], sha256=sys.argv[2]);"
        "print(json.dumps([[x.source for x in split] for split in (c.train, *c.held_out.values())]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(arguments["path"]), str(arguments["sha256"])],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    here = tatoeba.load("french", **arguments)
    assert json.loads(outputs.pop()) == [[list(x.source) for x in s] for s in (here.train, *here.held_out.values())]


@pytest.fixture(scope="module")
def french_rows():
    return tatoeba.read("french", path=DATA)


@pytest.fixture(scope="module")
def french_text():
    with zipfile.ZipFile(DATA / "fra-eng.zip") as archive:
        return archive.read("fra-eng/fra.txt").decode()


@needs["fra-eng.zip"]
def test_french_file_has_its_known_counts(french_rows, french_text):
    assert len(french_rows) == 167_130
    english = [line.split("\t")[0] for line in french_text.splitlines()]
    assert len(set(english)) == 116_830  # before normalization
    assert len({line.lower() for line in english}) == len({pair.source for pair in french_rows}) == 116_827
    assert {pair.attribution for pair in french_rows} == {ATTRIBUTION}


@needs["fra-eng.zip"]
def test_french_tokens_equal_those_of_d2l(french_rows, french_text):
    d2l = import_d2l()
    text = d2l.preprocess_nmt(french_text)
    source, target = d2l.tokenize_nmt(text)
    for pair, *theirs in zip(french_rows, source, target, strict=True):
        assert [pair.source, pair.target] == [tuple(t for t in tokens if t) for tokens in theirs]
    # Its loop over the first 600 examples stops one row late.
    assert len(d2l.tokenize_nmt(text, 600)[0]) == 601
    assert tatoeba.read("french", path=DATA, count=600) == french_rows[:600]


@needs["fra-eng.zip"]
def test_french_splits_share_no_source(french_rows):
    corpus = tatoeba.load("french", path=DATA)
    check_splits(corpus)
    held_out = [pair for split in corpus.held_out.values() for example in split for pair in example.pairs]
    assert {(p.source, p.target) for p in french_rows} == {(p.source, p.target) for p in (*corpus.train, *held_out)}
    assert len(corpus.train) + len(held_out) == len({(p.source, p.target) for p in french_rows})
    sources = 116_827
    for split in corpus.held_out.values():
        assert 0.018 * sources < len(split) < 0.022 * sources
        # Sentences are sorted by a hash, so the first ones are a fair sample, of about the same mean length.
        lengths = [len(example.source) for example in split]
        assert sum(lengths[:500]) / 500 == pytest.approx(sum(lengths) / len(lengths), rel=0.1)
    assert max(len(example.references) for example in corpus.held_out["test"]) > 5


@needs["fra-eng.zip"]
def test_french_pairs_become_batches():
    corpus = tatoeba.load("french", path=DATA, max_length=10, train_pairs=2000)
    batches = Batches(corpus.train, *corpus.vocabularies(min_count=2), max_tokens=512)
    assert sum(len(batch) for batch in batches.epoch(0)) == 2000
    assert max(batch.source.shape[1] for batch in batches.epoch(0)) <= 10


@needs["cmn-eng.txt"]
def test_chinese_file_has_its_known_counts():
    rows = tatoeba.read("chinese", path=DATA)
    assert len(rows) == 26_388
    assert len({pair.source for pair in rows}) == 25_331
    assert all("tatoeba.org #" in pair.attribution for pair in rows)
    assert rows[0].attribution.endswith("#538123 (CM) & #891077 (Martha)")
    han = [t for pair in rows for t in pair.target if "\u4e00" <= t[0] <= "\u9fff"]
    assert len(han) > 200_000 and {len(token) for token in han} == {1}
    corpus = tatoeba.load("chinese", path=DATA)
    check_splits(corpus)


def test_tatoeba_names_arguments_of_another_type(tmp_path):
    with pytest.raises(TypeError, match="text"):
        tatoeba.tokenize(None, "english")
    with pytest.raises(TypeError, match="path"):
        tatoeba.read(path=5)
    with pytest.raises(TypeError, match="sha256"):
        tatoeba.read(path=tmp_path, sha256=5)
    with pytest.raises(ValueError, match="language"):
        tatoeba.read([])


def test_tatoeba_refuses_a_count_that_is_not_an_integer(tmp_path):
    with pytest.raises(ValueError, match="count"):
        tatoeba.read("french", path=tmp_path, count=2.5)
