"""Subwords: every text can be encoded, and decoding inverts it."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.data import BOS, EOS, PAD, SPECIALS, UNK, Corpus, Pair, Subwords, Vocabulary, tokenizer_from_json

SENTENCES = [
    ("le", "chat", "est", "parti", "."),
    ("la", "chatte", "est", "partie", "."),
    ("les", "chats", "sont", "partis", "hier", "."),
    ("où", "est", "l'été", "?"),
] * 4
SUBWORDS = Subwords.build(SENTENCES, size=290)
tokens = st.lists(st.text(min_size=1).filter(lambda token: " " not in token))


@given(tokens)
@settings(max_examples=300)
def test_decode_inverts_encode(sentence):
    ids = SUBWORDS.encode(sentence)
    assert all(len(SPECIALS) <= i < len(SUBWORDS) for i in ids)
    assert SUBWORDS.decode([BOS, *ids, EOS, PAD, *ids]) == sentence


@given(tokens)
def test_pieces_give_one_label_per_id(sentence):
    ids = SUBWORDS.encode(sentence)
    assert len(SUBWORDS.pieces(ids)) == len(ids) >= len(sentence)


@given(tokens, tokens)
def test_subwords_do_not_cross_tokens(left, right):
    assert SUBWORDS.encode(left + right) == SUBWORDS.encode(left) + SUBWORDS.encode(right)


def test_subwords_split_rare_words_only():
    # By hand: after the bytes come the merges, and "est" occurs in three of four sentences.
    assert SUBWORDS.pieces(SUBWORDS.encode(["est"])) == ["▁est"]
    labels = SUBWORDS.pieces(SUBWORDS.encode(["chaton"]))
    assert labels[0] == "▁chat" and "".join(labels) == "▁chaton"


def test_pieces_show_bytes_of_partial_characters():
    assert "".join(SUBWORDS.pieces(SUBWORDS.encode(["猫"]))) == "▁⟨e7⟩⟨8c⟩⟨ab⟩"
    assert SUBWORDS.pieces([PAD, BOS, EOS, UNK]) == list(SPECIALS)


@pytest.mark.parametrize("special", SPECIALS)
def test_encode_treats_spelled_specials_as_text(special):
    trained = Subwords.build([(special, special, "a")], size=290)
    for subwords in (trained, SUBWORDS):
        ids = subwords.encode(["a", special])
        assert min(ids) >= len(SPECIALS)
        assert subwords.decode(ids) == ["a", special]


def test_decode_accepts_unk_and_invalid_utf8():
    cat = SUBWORDS.encode(["猫"])
    assert SUBWORDS.decode([*SUBWORDS.encode(["le"]), UNK, *SUBWORDS.encode(["est"])]) == ["le", "<unk>", "est"]
    assert SUBWORDS.decode(cat[:-1]) == ["\ufffd"]


def test_build_gives_the_requested_size():
    assert len(SUBWORDS) == 290
    assert len(Subwords.build(SENTENCES, size=260)) == 260
    assert 260 < len(Subwords.build([("ab",)], size=1000)) < 300


@given(tokens.filter(bool))
@settings(max_examples=30)
def test_json_round_trip_gives_equal_subwords(sentence):
    subwords = Subwords.build([*SENTENCES, sentence, sentence], size=320)
    data = json.loads(json.dumps(subwords.to_json()))
    again = tokenizer_from_json(data)
    assert again == subwords and isinstance(again, Subwords)
    assert again.encode(sentence) == subwords.encode(sentence)


@pytest.mark.slow
def test_build_does_not_depend_on_order_or_process():
    assert Subwords.build(SENTENCES[::-1], size=290) == SUBWORDS
    program = (
        "import json, sys; from attnbook.data import Subwords;"
        "print(json.dumps(Subwords.build(json.load(sys.stdin), size=290).to_json()))"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(SENTENCES),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
        )
        assert Subwords.from_json(json.loads(done.stdout)) == SUBWORDS


@pytest.mark.parametrize("token", ["", " ", "a b", " a"])
def test_subwords_refuse_tokens_with_spaces(token):
    with pytest.raises(ValueError, match="tokens"):
        SUBWORDS.encode(["a", token])
    with pytest.raises(ValueError, match="tokens"):
        Subwords.build([["a", token]], size=290)


def test_subwords_refuse_lone_surrogates():
    with pytest.raises(ValueError, match="tokens"):
        SUBWORDS.encode(["a", "caf\udcc3"])
    with pytest.raises(ValueError, match="tokens"):
        Subwords.build([["\ud800"]], size=290)


@pytest.mark.parametrize("wrong", ["le chat", ["le", 3], None])
def test_encode_refuses_what_is_not_tokens(wrong):
    with pytest.raises(TypeError, match="tokens"):
        SUBWORDS.encode(wrong)


@pytest.mark.parametrize("corpus", [[], [[]]])
def test_build_refuses_an_empty_corpus(corpus):
    with pytest.raises(ValueError, match="sentences"):
        Subwords.build(corpus, size=290)


def test_build_refuses_a_size_below_260():
    with pytest.raises(ValueError, match="size"):
        Subwords.build(SENTENCES, size=259)


@pytest.mark.parametrize("wrong", [-1, 290])
def test_decode_refuses_ids_outside_the_vocabulary(wrong):
    for method in (SUBWORDS.decode, SUBWORDS.pieces):
        with pytest.raises(ValueError, match="ids"):
            method([wrong])


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "words"},
        {"symbols": "abc"},
        {"symbols": ["a"]},
        {"symbols": [*SUBWORDS.symbols, SUBWORDS.symbols[0]]},
        {"symbols": [*SUBWORDS.symbols, "猫"]},
        {"symbols": [*SUBWORDS.symbols, ""]},
        {"merges": None},
        {"merges": [["a"]]},
        {"merges": [["a", "猫"]]},
    ],
)
def test_from_json_refuses_damaged_data(change):
    with pytest.raises(ValueError, match=r"symbols|merges|data"):
        Subwords.from_json({**SUBWORDS.to_json(), **change})


def test_from_json_refuses_the_other_kind():
    with pytest.raises(ValueError, match="kind"):
        Vocabulary.from_json(SUBWORDS.to_json())


@pytest.mark.parametrize(
    ("symbols", "merges", "name"), [(None, (), "symbols"), ((5,), (), "symbols"), (("a",), 5, "merges")]
)
def test_subwords_names_parts_of_another_type(symbols, merges, name):
    with pytest.raises(TypeError, match=name):
        Subwords(symbols, merges)


def test_subwords_split_long_tokens_for_learning():
    """Learning time grows with the square of a token's length."""
    from attnbook.data import subwords

    assert list(subwords._cut(["a" * 2500, "bc"])) == ["a" * 1000, "a" * 1000, "a" * 500, "bc"]
    token = "".join(chr(ord("a") + i % 7) for i in range(20_000))
    learned = Subwords.build([[token, "abc"]], size=400)
    assert learned.decode(learned.encode([token])) == [token]


def test_subwords_refuse_a_size_that_is_not_an_integer():
    with pytest.raises(ValueError, match="size"):
        Subwords.build([["a"]], size=300.5)


def test_subwords_of_a_huge_size_take_no_memory():
    """The library would allocate memory for the given size, which once killed the process."""
    assert len(Subwords.build([["abab"]], size=2**40)) == len(Subwords.build([["abab"]], size=1000)) < 270


def test_subwords_of_lists_equal_those_of_tuples():
    learned = Subwords.build([["abc", "bca"]], size=262)
    again = Subwords(list(learned.symbols), [list(merge) for merge in learned.merges])
    assert again == learned and hash(again) == hash(learned)


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": [[1]]},
        {"symbols": [None] * 3},
        {"merges": [1]},
        {"merges": ["ab"]},
        {"merges": [[1, 2]]},
        {"merges": {}},
    ],
)
def test_tokenizer_from_json_refuses_malformed_subwords(change):
    with pytest.raises(ValueError, match=r"symbols|merges"):
        tokenizer_from_json(Subwords.build([["a"]], size=260).to_json() | change)


def test_corpus_refuses_min_count_with_subwords():
    corpus = Corpus([Pair(sentence, sentence) for sentence in SENTENCES], {})
    with pytest.raises(ValueError, match="min_count must be omitted with subwords, got 2"):
        corpus.vocabularies(subwords=290, min_count=2)
