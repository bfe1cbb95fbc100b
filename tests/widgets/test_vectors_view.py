"""Tests of the score widget's Python side: scores by the formulas, errors, and output without scripts."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.widgets.static import saved_state
from attnbook.widgets.vectors_view import W_K, W_Q, W_V, VectorsView, W, score_of

QUERY, KEYS = torch.tensor([1.5, -0.5]), torch.tensor([[0.6, 1.6], [-2.0, 0.3]])


def test_vectors_view_scores_equal_formulas():
    dot = KEYS @ QUERY
    torch.testing.assert_close(score_of("dot", QUERY, KEYS), dot)
    torch.testing.assert_close(score_of("scaled", QUERY, KEYS), dot / math.sqrt(2))
    torch.testing.assert_close(score_of("general", QUERY, KEYS), KEYS @ torch.tensor(W).T @ QUERY)
    hidden = torch.tanh(torch.tensor(W_Q) @ QUERY + KEYS @ torch.tensor(W_K).T)
    torch.testing.assert_close(score_of("additive", QUERY, KEYS), hidden @ torch.tensor(W_V))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": "cosine"}, "^kind must"),
        ({"query": (3.0, 0.0)}, "^query must"),
        ({"key": (float("nan"), 0.0)}, "key must"),
        ({"key": (1.0,)}, "key must"),
    ],
)
def test_vectors_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        VectorsView(**changes)


def test_vectors_view_output_has_picture_and_text():
    data, _ = VectorsView(score="additive")._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "score (additive)" in data["text/plain"]
    assert saved_state(VectorsView())["state"]["parameters"]["W"] == W
