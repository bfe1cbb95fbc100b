"""Sentence pairs store valid arguments and refuse invalid ones."""

import pytest

from attnbook.data import Example, Pair


def test_pair_stores_its_arguments():
    pair = Pair(("the", "cat"), ("le", "chat"), frozenset({(0, 0), (1, 1)}), phenomena=frozenset({"determiner"}))
    assert pair.source == ("the", "cat")
    assert pair.alignment == {(0, 0), (1, 1)}
    assert pair == Pair(("the", "cat"), ("le", "chat"), frozenset({(1, 1), (0, 0)}), frozenset({"determiner"}))
    assert len({pair, pair}) == 1


@pytest.mark.parametrize(
    ("source", "target", "side"), [((), ("a",), "source"), (("a",), (), "target"), ((), (), "source")]
)
def test_pair_names_an_empty_side(source, target, side):
    with pytest.raises(ValueError, match=side):
        Pair(source, target)


@pytest.mark.parametrize("link", [(2, 0), (0, 1), (-1, 0), (0, -1)])
def test_pair_refuses_links_outside_the_sentences(link):
    with pytest.raises(ValueError, match="alignment"):
        Pair(("a", "b"), ("c",), frozenset({(0, 0), link}))


def test_pair_distinguishes_no_alignment_from_empty():
    assert Pair(("a",), ("b",)).alignment is None
    assert Pair(("a",), ("b",), frozenset()).alignment == frozenset()


@pytest.mark.parametrize("phenomena", [None, 5, [[]], [1]])
def test_pair_refuses_phenomena_that_are_not_names(phenomena):
    with pytest.raises(TypeError, match="phenomena"):
        Pair(("a",), ("b",), None, phenomena)


def test_pair_refuses_an_alignment_that_is_not_a_set():
    with pytest.raises(TypeError, match="alignment"):
        Pair(("a",), ("b",), 5)


def test_pair_names_arguments_of_another_type():
    for name, wrong in {
        "source": ("ab", ("c",)),
        "target": (("a",), (1,)),
    }.items():
        with pytest.raises(TypeError, match=name):
            Pair(*wrong)
    for alignment in ({(0, 0, 0)}, "ab"):
        with pytest.raises(TypeError, match="alignment"):
            Pair(("a",), ("b",), alignment)
    with pytest.raises(TypeError, match="phenomena"):
        Pair(("a",), ("b",), None, "x")


def test_pairs_and_examples_of_lists_equal_those_of_tuples():
    pair = Pair(["a", "b"], ["b"], [[0, 0], (1, 0)], ["x"])
    same = Pair(("a", "b"), ("b",), frozenset({(0, 0), (1, 0)}), frozenset({"x"}))
    assert pair == same and hash(pair) == hash(same)
    example = Example([pair])
    assert example == Example((same,)) and hash(example) == hash(Example((same,)))
    assert Example(each for each in (pair,)) == example
    with pytest.raises(TypeError, match="pairs"):
        Example(5)
