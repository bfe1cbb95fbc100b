"""Tests of the ranking widget's Python side: initial state, errors, and output without scripts."""

from __future__ import annotations

import pytest

from attnbook.widgets.ranking_view import RankingView, Scored

MEASURES = {"BLEU": True, "errors": False}
MODELS = [
    Scored("one", 3, {"BLEU": (30.0, 1.5), "errors": (0.4, 0.01)}),
    Scored("two", 1, {"BLEU": (40.0, None)}),
]


def test_ranking_view_starts_with_first_group_sorted():
    view = RankingView({"a": MODELS, "b": MODELS[:1]}, MEASURES, show="BLEU")
    assert (view.group, view.show, view.sort) == ("a", "BLEU", "")
    assert view.alt == "BLEU of models trained on a, best first: two 40.0, one 30.0."
    assert view.groups["a"][0] == {"name": "one", "seeds": 3, "figures": {"BLEU": [30.0, 1.5], "errors": [0.4, 0.01]}}
    data, _ = view._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and data["text/plain"] == view.alt


@pytest.mark.parametrize(
    ("groups", "show", "message"),
    [
        ({}, "BLEU", "^groups must"),
        ({"a": []}, "BLEU", "^groups must"),
        ({"a": MODELS}, "chrF", "^show must"),
        ({"a": [Scored("x", 1, {"chrF": (1.0, None)})]}, "BLEU", "^figures of x must"),
        ({"a": [Scored("x", 1, {})]}, "BLEU", "figures of x"),
        ({"a": [Scored("x", 1, {"BLEU": (float("nan"), None)})]}, "BLEU", "^figures of x must be finite"),
        ({"a": [Scored("x", 1, {"BLEU": (1.0, -0.1)})]}, "BLEU", "^figures of x must be .*spreads >= 0"),
    ],
)
def test_ranking_view_raises_for_invalid_arguments(groups, show, message):
    with pytest.raises(ValueError, match=message):
        RankingView(groups, MEASURES, show=show)
