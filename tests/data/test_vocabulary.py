"""Words to ids and back."""

import json
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.data import BOS, EOS, PAD, SPECIALS, UNK, Subwords, Vocabulary, tokenizer_from_json

SENTENCES = [("the", "cat", "sleeps", "."), ("the", "cat", "and", "the", "dog", ".")]
sentences = st.lists(st.lists(st.text(min_size=1), min_size=1), min_size=1)


def test_special_ids_come_first():
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert Vocabulary.build(SENTENCES).pieces(range(4)) == list(SPECIALS) == ["<pad>", "<bos>", "<eos>", "<unk>"]


def test_build_sorts_words_by_count_then_alphabetically():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.words == ("the", ".", "cat", "and", "dog", "sleeps")
    assert len(vocabulary) == 10
    assert vocabulary.encode(["the", "dog", "barks"]) == [4, 8, UNK]
    assert "dog" in vocabulary and "barks" not in vocabulary and "<pad>" not in vocabulary


def test_build_maps_rare_words_to_unk():
    vocabulary = Vocabulary.build(SENTENCES, min_count=2)
    assert vocabulary.words == ("the", ".", "cat")
    assert vocabulary.decode(vocabulary.encode(["the", "dog", "."])) == ["the", "<unk>", "."]


@given(sentences, st.randoms())
def test_build_does_not_depend_on_order(corpus, random):
    shuffled = list(corpus)
    random.shuffle(shuffled)
    assert Vocabulary.build(shuffled) == Vocabulary.build(corpus)


@given(sentences)
def test_decode_inverts_encode_for_known_words(corpus):
    vocabulary = Vocabulary.build(corpus)
    assert len(vocabulary) == 4 + len(Counter(word for sentence in corpus for word in sentence))
    for sentence in corpus:
        ids = vocabulary.encode(sentence)
        assert min(ids) >= len(SPECIALS) and max(ids) < len(vocabulary)
        assert vocabulary.decode([BOS, *ids, EOS, PAD, *ids]) == sentence
        assert vocabulary.pieces(ids) == sentence


@given(sentences)
def test_json_round_trip_gives_equal_vocabulary(corpus):
    vocabulary = Vocabulary.build(corpus)
    data = json.loads(json.dumps(vocabulary.to_json()))
    assert Vocabulary.from_json(data) == vocabulary == tokenizer_from_json(data)


@pytest.mark.parametrize("special", SPECIALS)
def test_encode_treats_spelled_specials_as_words(special):
    vocabulary = Vocabulary.build([("a", special)])
    assert vocabulary.encode([special])[0] >= len(SPECIALS)
    assert vocabulary.decode(vocabulary.encode(["a", special, "a"])) == ["a", special, "a"]
    assert Vocabulary.build([("a",)]).encode([special]) == [UNK]


def test_decode_accepts_a_tensor():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.decode(torch.tensor([BOS, 4, 6, EOS, PAD])) == ["the", "cat"]


def test_pieces_give_one_label_per_id():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.pieces([BOS, 4, UNK, EOS, PAD]) == ["<bos>", "the", "<unk>", "<eos>", "<pad>"]


@pytest.mark.parametrize("corpus", [[], [[]]])
def test_build_refuses_an_empty_corpus(corpus):
    with pytest.raises(ValueError, match="sentences must contain at least one token"):
        Vocabulary.build(corpus)


def test_build_refuses_a_corpus_without_frequent_words():
    with pytest.raises(ValueError, match="min_count"):
        Vocabulary.build([["a"]], min_count=2)


def test_build_refuses_min_count_zero():
    with pytest.raises(ValueError, match="min_count"):
        Vocabulary.build(SENTENCES, min_count=0)


@pytest.mark.parametrize("corpus", ["the cat", ["the cat"], [["the", 3]], [None]])
def test_build_refuses_what_is_not_tokens(corpus):
    with pytest.raises(TypeError, match="sentence"):
        Vocabulary.build(corpus)


@pytest.mark.parametrize("tokens", ["the cat", ["the", None], 3])
def test_encode_refuses_what_is_not_tokens(tokens):
    with pytest.raises(TypeError, match="tokens"):
        Vocabulary.build(SENTENCES).encode(tokens)


@pytest.mark.parametrize("wrong", [-1, 10])
def test_decode_refuses_ids_outside_the_vocabulary(wrong):
    vocabulary = Vocabulary.build(SENTENCES)
    for method in (vocabulary.decode, vocabulary.pieces):
        with pytest.raises(ValueError, match="ids"):
            method([4, wrong])


def test_vocabulary_refuses_repeated_or_missing_words():
    with pytest.raises(ValueError, match="words"):
        Vocabulary(("a", "b", "a"))
    with pytest.raises(ValueError, match="words"):
        Vocabulary(())
    with pytest.raises(TypeError, match="words"):
        Vocabulary("abc")


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"kind": "characters", "words": ["a"]},
        {"kind": "words"},
        {"kind": "words", "words": "abc"},
        {"kind": "words", "words": []},
        {"kind": "words", "words": ["a", "a"]},
    ],
)
def test_from_json_refuses_other_data(data):
    with pytest.raises(ValueError, match=r"words|data"):
        tokenizer_from_json(data)


def test_from_json_refuses_words_of_another_type():
    with pytest.raises(ValueError, match="data"):
        tokenizer_from_json({"kind": "words", "words": ["a", 3]})


@pytest.mark.parametrize("kind", [Vocabulary, Subwords])
def test_decode_accepts_integers_of_any_kind_and_refuses_others(kind):
    vocabulary = kind.build([["a", "b"]], **({"size": 262} if kind is Subwords else {}))
    ids = vocabulary.encode(["a", "b"])
    for same in (ids, np.array(ids), torch.tensor(ids), (i for i in ids)):
        assert vocabulary.decode(same) == ["a", "b"]
    for wrong in ([4.7], np.array([4.0]), torch.tensor([4.0]), ["4"], 4):
        for call in (vocabulary.decode, vocabulary.pieces):
            with pytest.raises(TypeError, match="ids"):
                call(wrong)


@pytest.mark.parametrize("min_count", ["1", 1.5, [1], True, -1, torch.tensor(1.0)])
def test_vocabulary_refuses_min_count_that_is_not_a_count(min_count):
    with pytest.raises(ValueError, match="min_count"):
        Vocabulary.build([["a"]], min_count=min_count)


def test_vocabulary_refuses_sentences_that_are_not_iterable():
    with pytest.raises(TypeError, match="sentences"):
        Vocabulary.build(5)
