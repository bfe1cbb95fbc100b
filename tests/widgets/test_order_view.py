"""Tests of the order widget's Python side: outputs, errors, and output without scripts."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import SinusoidalPositions
from attnbook.widgets.order_view import OrderView, outputs
from attnbook.widgets.static import saved_state

WORDS = ["we", "see", "you"]


def arguments(**others):
    torch.manual_seed(0)
    return {"words": WORDS, "x": torch.randn(3, 4)} | {W: torch.randn(4, 4) for W in ("W_q", "W_k", "W_v")} | others


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"words": ["a", "b"]}, "words"),
        ({"x": torch.randn(4, 4)}, "x"),
        ({"W_k": torch.randn(3, 4)}, "W_k"),
        ({"W_v": torch.full((4, 4), math.inf)}, "^W_v must"),
    ],
)
def test_order_view_raises_for_invalid_arguments(others, message):
    with pytest.raises(ValueError, match=message):
        OrderView(**arguments(**others))


@pytest.mark.parametrize("positions", [False, True])
def test_order_view_outputs_equal_package(positions):
    given = arguments()
    layer = MultiHeadAttention(4, 1, bias=False)
    x = SinusoidalPositions(4)(given["x"][None]) if positions else given["x"][None]
    with torch.no_grad():
        for linear, name in ((layer.W_q, "W_q"), (layer.W_k, "W_k"), (layer.W_v, "W_v")):
            linear.weight.copy_(given[name])
        layer.W_o.weight.copy_(torch.eye(4))
        expected = layer(x, x, x)[0]
    given.pop("words")
    torch.testing.assert_close(outputs(**given, positions=positions), expected)


def test_order_view_output_has_picture_and_text():
    data, metadata = OrderView(**arguments(positions=True))._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "'we see you'" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_order_view_saved_state_has_the_words():
    state = saved_state(OrderView(**arguments()))["state"]
    assert (state["words"], state["order"], state["positions"]) == (WORDS, [0, 1, 2], False)


def test_order_view_raises_for_non_tensor_and_takes_integers():
    with pytest.raises(TypeError, match=r"^W_q must"):
        OrderView(**arguments(W_q=[[1.0]]))
    with pytest.raises(ValueError, match=r"^x\b"):
        OrderView(**arguments(x=torch.ones(())))
    whole = {name: torch.ones(4, 4, dtype=torch.int64) for name in ("W_q", "W_k", "W_v")}
    widget = OrderView(**arguments(x=torch.ones(3, 4, dtype=torch.int64), **whole))
    assert widget._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")
