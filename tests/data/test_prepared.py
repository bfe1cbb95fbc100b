"""A corpus from files: what it holds, what is left out, and that no source is on both sides."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest

from attnbook.data import Subwords, Vocabulary, counts, preparation, rows
from attnbook.data.corpus import split_key
from attnbook.data.preparation import DUPLICATE, HELD_OUT, IDENTICAL
from attnbook.data.prepared import PreparedCorpus
from attnbook.data.text import tokenize
from tests.data.sample_files import LINES


def decoded(corpus: PreparedCorpus) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The training pairs, back from their ids."""
    return [
        (tuple(corpus.vocabularies[0].decode(source)), tuple(corpus.vocabularies[1].decode(target)))
        for batch in corpus.batches(batch_size=7).epoch(0)
        for source, target in zip(batch.source.tolist(), batch.target_out.tolist(), strict=True)
    ]


def tokens(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = line.split("\t")
    return tokenize(source, "en"), tokenize(target, "de")


@pytest.mark.parametrize("subwords", [None, 400])
def test_every_pair_is_trained_on_or_held_out(make, subwords: int | None) -> None:
    corpus = make(LINES, subwords=subwords, held_out=0.1)
    trained = decoded(corpus)
    held = [(p.source, p.target) for examples in corpus.held_out.values() for e in examples for p in e.pairs]
    assert Counter(trained + held) == Counter(map(tokens, LINES))
    assert all(40 < len(examples) < 120 for examples in corpus.held_out.values())
    assert corpus.facts["pairs"] == len(trained) == sum(len(batch.source) for batch in corpus.batches(batch_size=7))
    kind = Vocabulary if subwords is None else Subwords
    assert all(isinstance(vocabulary, kind) for vocabulary in corpus.vocabularies)
    if kind is Vocabulary:
        for side, vocabulary in enumerate(corpus.vocabularies):
            assert vocabulary == Vocabulary.build([pair[side] for pair in trained])


def test_no_source_is_on_both_sides_however_it_is_written(make) -> None:
    others = [f"i SEE {n} cats!\tIch sehe {n} Katzen !" for n in range(800)]
    corpus = make([*LINES, *others], held_out=0.1)
    keys = [{split_key(source) for source, _ in decoded(corpus)}]
    keys += [{split_key(example.source) for example in examples} for examples in corpus.held_out.values()]
    assert len(keys) == 3 and not keys[0] & keys[1] and not keys[0] & keys[2] and not keys[1] & keys[2]
    assert len(keys[0] | keys[1] | keys[2]) == 800


def test_held_out_files_are_kept_apart(make) -> None:
    test = [*LINES[:5], "I see 0 cats .\tKatzen sehe ich 0 ."]
    corpus = make([*LINES, "I SEE 3 CATS\tx"], test=test)
    examples = corpus.held_out["test"]
    assert [len(example.references) for example in examples] == [2, 1, 1, 1, 1]
    assert not {split_key(source) for source, _ in decoded(corpus)} & {split_key(e.source) for e in examples}
    assert f"6 {HELD_OUT} (line 1, 2, 3, ...)" in corpus.facts["report"] and corpus.held_out["valid"]


def test_copies_are_dropped_and_counted(make) -> None:
    corpus = make([*LINES, LINES[3], "  I see 3  cats .\tIch sehe 3 Katzen .", "OK\tOK", LINES[4]], held_out=0.001)
    assert f"3 {DUPLICATE} (line 801, 802, 804)" in corpus.facts["report"]
    assert f"1 {IDENTICAL} (line 803)" in corpus.facts["report"]
    assert corpus.facts["pairs"] + sum(map(len, corpus.held_out.values())) == 800


def test_copies_are_found_in_parts_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = np.random.default_rng(0).integers(0, 500, 2000).astype(np.uint64)
    whole = preparation._first_of_each(hashes)
    monkeypatch.setattr(preparation, "PART", 100)
    assert np.array_equal(preparation._first_of_each(hashes), whole)
    seen: set[int] = set()
    assert whole.tolist() == [not (h in seen or seen.add(h)) for h in hashes.tolist()]


def test_long_sentences_are_dropped_and_counted(make) -> None:
    noise = "".join(random.Random(0).choices("abcdefghijklmnop", k=400)) + "\tc"
    corpus = make([*LINES, "a " * 12 + "\tb", noise], subwords=300, max_length=100)
    assert "1 a sentence of more than 100 words or pieces (line 802)" in corpus.facts["report"]
    assert "(line 801" in make([*LINES, "a " * 12 + "\tb"], max_length=10).facts["report"]


def test_some_pairs_are_the_first(make) -> None:
    part = decoded(make(LINES, pairs=30))
    assert len(part) == 30 and not Counter(part) - Counter(decoded(make(LINES)))
    with pytest.raises(ValueError, match=r"p\.tsv"):
        make(LINES, pairs=900)


def test_vocabularies_are_bounded(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_WORDS", 10)
    made = make(LINES)
    assert [len(vocabulary) for vocabulary in made.vocabularies] == [14, 14]
    frequent = 4 + made.facts["pairs"]  # a number in each
    assert f"target: of {frequent} words the 10 most frequent are known" in made.facts["report"].splitlines()
    monkeypatch.setattr(counts, "MOST_COUNTED", 50)  # of 800 numbers that occur once each
    assert {"I", "see", "cats", "."} <= set(make(LINES, min_count=2).vocabularies[0].words)


def test_the_pieces_of_a_word_do_not_depend_on_the_words_beside_it() -> None:
    sentences = [tokenize(line.replace("\t", " "), "en") for line in LINES]
    vocabulary = Subwords.build(sentences, size=350)
    encode = counts.encoder(vocabulary)
    assert all(encode(sentence) == vocabulary.encode(sentence) for sentence in sentences)


def test_most_sentences_end_with_a_full_stop_or_they_do_not(make) -> None:
    assert make(LINES).facts["punctuated"]
    assert not make([line.replace(" .", "") for line in LINES]).facts["punctuated"]


def test_held_out_pairs_with_too_many_pieces_are_counted(make) -> None:
    noise = "".join(random.Random(0).choices("abcdefghijklmnop", k=400)) + "\tc"
    report = make(LINES, test=[*LINES[:5], noise], subwords=300, max_length=100).facts["report"]
    assert report.endswith("test: 1 left out, a sentence of more than 100 words or pieces")


def test_the_report_and_the_files_are_kept(make) -> None:
    corpus = make([*LINES[:50], "no tab", *LINES[50:]])
    manifest = json.loads((corpus.folder / "corpus.json").read_text())
    assert manifest["files"]["train"][0]["name"] == "p.tsv"
    assert f"801 rows\n  1 {rows.COLUMNS} (line 51)" in manifest["facts"]["report"]
    assert sorted(path.name for path in corpus.folder.iterdir()) == [
        "corpus.json", "held_out.json", "source.npy", "source_starts.npy", "target.npy", "target_starts.npy",
        "vocabularies.json",
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "message"), [(["OK\tOK"], r"p\.tsv"), (["a\tb"], "min_count")])
def test_a_corpus_without_pairs_is_refused(make, lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(lines, min_count=2)
