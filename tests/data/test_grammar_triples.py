"""Compare the grammar with translations and alignments written by hand, looked up by their English sentence.

They are in ``grammar_triples.tsv``. Links are pairs of words; ``word#2`` is the second occurrence of ``word``. Words
that are not listed are not aligned.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from attnbook.data.grammar import find

TABLE = Path(__file__).with_name("grammar_triples.tsv")
TRIPLES = [tuple(line.split("\t")) for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]


def position(tokens: list[str], word: str) -> int:
    """The index of ``word``; ``word#2`` is its second occurrence."""
    form, _, nth = word.partition("#")
    return [i for i, token in enumerate(tokens) if token == form][int(nth or 1) - 1]


def links(source: str, target: str, pairs: str) -> set[tuple[int, int]]:
    """Index pairs from pairs of words, split at the dash that leaves two known words."""
    found = set()
    for pair in pairs.split():
        cuts = [k for k, letter in enumerate(pair) if letter == "-"]
        words = [(pair[:k], pair[k + 1 :]) for k in cuts]
        known = [
            (left, right)
            for left, right in words
            if left.partition("#")[0] in source.split() and right.partition("#")[0] in target.split()
        ]
        assert len(known) == 1, f"{pair!r} in {source!r}: expected two words of the sentences"
        left, right = known[0]
        found.add((position(source.split(), left), position(target.split(), right)))
    return found


def test_triples_file_has_at_least_sixty_rows() -> None:
    assert len({english for english, *_ in TRIPLES}) == len(TRIPLES) >= 60


@pytest.mark.parametrize(("english", "french", "to_french", "chinese", "to_chinese"), TRIPLES)
def test_grammar_reproduces_triple_and_its_alignment(
    english: str, french: str, to_french: str, chinese: str, to_chinese: str
) -> None:
    sentence = find(english.split())
    assert sentence is not None, "the grammar does not have it"
    for target, expected, pairs in (("french", french, to_french), ("chinese", chinese, to_chinese)):
        pair = sentence.pair(target)
        assert " ".join(pair.target) == expected
        assert pair.alignment == links(english, expected, pairs)
