"""Tests of the rotary widget's Python side: scores, errors, and output without scripts."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.widgets.rotary_view import RotaryView
from attnbook.widgets.static import saved_state

ONE = torch.tensor([1.0, 0, 1, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": torch.ones(3)}, "query"),
        ({"key": torch.tensor([1.0, 0, 1, math.nan])}, "^key must"),
        ({"positions": (0, 41)}, "^positions must"),
        ({"positions": (1, 2, 3)}, "^positions must"),
        ({"positions": (1.5, 2)}, "^positions must"),
        ({"base": 50}, "^base must"),
    ],
)
def test_rotary_view_raises_for_invalid_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        RotaryView(**{"query": ONE, "key": ONE, **arguments})


def test_rotary_view_scores_are_cosines_of_distance():
    scores = RotaryView(ONE, 2 * ONE, base=100).scores()
    expected = [2 * (math.cos(distance) + math.cos(distance / 10)) for distance in range(-40, 41)]
    assert scores.tolist() == pytest.approx(expected)


def test_rotary_view_output_has_picture_and_text():
    data, metadata = RotaryView(ONE, ONE, positions=(7, 3))._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "query at position 7" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_rotary_view_saved_state_has_the_choice():
    state = saved_state(RotaryView(ONE, ONE, positions=(7, 3), base=10))["state"]
    assert (state["i"], state["k"], state["base"], state["query"]) == (7, 3, 10, [1, 0, 1, 0])


def test_rotary_view_raises_for_non_tensor():
    with pytest.raises(TypeError, match=r"^key must"):
        RotaryView(ONE, ONE.tolist())
