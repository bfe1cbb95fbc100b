"""Tests of the position widget's Python side: errors and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.attention.positional import sinusoidal_table
from attnbook.widgets.position_view import PositionView
from attnbook.widgets.static import saved_state


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"d_model": 1}, "^d_model must"),
        ({"d_model": 129}, "d_model must"),
        ({"base": 500}, "^base must"),
        ({"position": 100}, "^position must"),
        ({"position": -1}, "position must"),
        ({"position": 2.5}, "position must"),
    ],
)
def test_position_view_raises_for_invalid_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        PositionView(**arguments)


@pytest.mark.parametrize("d_model", [2, 7, 64])
def test_position_view_table_equals_package(d_model):
    torch.testing.assert_close(PositionView(d_model).table().float(), sinusoidal_table(100, d_model))


def test_position_view_output_has_picture_and_text():
    data, metadata = PositionView(16, position=7)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "16 entries" in data["text/plain"]
    assert "Row 7 is marked" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_position_view_saved_state_has_the_choice():
    state = saved_state(PositionView(16, base=100, position=7))["state"]
    assert (state["d_model"], state["base"], state["position"]) == (16, 100, 7)
