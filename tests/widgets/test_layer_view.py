"""The layer widget's Python side: what it refuses, and what a page without scripts gets."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.models.transformer import EncoderLayer
from attnbook.widgets.layer_view import LayerView
from attnbook.widgets.static import saved_state

TOKENS = ["the", "dog", "sees"]


def layer(**changes: Any) -> EncoderLayer:
    return EncoderLayer(**({"d_model": 8, "num_heads": 2, "d_ff": 12, "dropout": 0.0} | changes))


def view(**changes: Any) -> LayerView:
    arguments: dict[str, Any] = {"tokens": TOKENS, "embedding": torch.ones(3, 8), "layer": layer()} | changes
    return LayerView(arguments.pop("tokens"), arguments.pop("embedding"), arguments.pop("layer"), **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": []}, "^tokens must"),
        ({"tokens": ["a"] * 9}, "tokens must"),
        ({"embedding": torch.ones(3, 4)}, "embedding"),
        ({"embedding": torch.ones(2, 8)}, "embedding must"),
        ({"layer": layer(d_model=16)}, "^layer must have d_model"),
        ({"layer": layer(pre_norm=True)}, "layer must be post-norm"),
        ({"layer": layer(rotary=True)}, "layer must be post-norm"),
        ({"step": 9}, "^step must"),
        ({"embedding": torch.full((3, 8), float("nan"))}, "embedding and layer must be finite"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        view(**changes)


def test_the_output_carries_a_picture_and_a_sentence() -> None:
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "3 tokens of 8 numbers each" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]
    view(tokens=["$\\frac$", "$", "a"])._repr_mimebundle_()  # text, and no formula


def test_the_saved_state_holds_the_weights() -> None:
    used = layer()
    state = saved_state(view(layer=used))["state"]
    assert state["tokens"] == TOKENS
    assert set(state["weights"]) == set(used.state_dict())
    torch.testing.assert_close(
        torch.tensor(state["weights"]["feed_forward.W_1.weight"]), used.feed_forward.W_1.weight, atol=1e-5, rtol=0
    )


def test_what_is_no_tensor_is_named() -> None:
    with pytest.raises(TypeError, match=r"^embedding\b"):
        view(embedding=[[1.0] * 8] * 3)
