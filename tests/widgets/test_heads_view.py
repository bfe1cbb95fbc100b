"""Tests of the heads widget's Python side: errors and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.static import saved_state

WEIGHTS = torch.tensor([[[0.5, 0.5], [0.1, 0.9]], [[1.0, 0.0], [0.0, 1.0]], [[0.2, 0.8], [0.3, 0.7]]])
SCORES = torch.tensor([1.0, 5.0, 7.0, 20.0, 9.0, 30.0, 44.0, 80.5])


def layer(**changes):
    return HeadLayer(**({"weights": WEIGHTS, "scores": SCORES, "query": ["x", "y"], "key": ["a", "$"]} | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": WEIGHTS[0]}, "weights"),
        ({"key": ["a"]}, "weights"),
        ({"weights": WEIGHTS[:1].expand(9, 2, 2)}, "^weights must"),
        ({"scores": SCORES[:4]}, "scores"),
        ({"scores": SCORES.where(SCORES > 2, torch.nan)}, "scores must be finite, got nan"),
    ],
)
def test_heads_view_layer_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        layer(**changes)


@pytest.mark.parametrize(
    ("layers", "options", "message"),
    [
        ({}, {}, "layers must"),
        ({"one": layer()}, {"layer": "two"}, "^layer must"),
        ({"one": layer()}, {"query": 2}, "^query must"),
        ({"one": layer()}, {"query": 1.0}, "^query must"),
        ({"one": layer(scores=SCORES - 2)}, {}, "scores of 'one' must"),
    ],
)
def test_heads_view_raises_for_invalid_arguments(layers, options, message):
    with pytest.raises(ValueError, match=message):
        HeadsView(layers, **options)


def test_heads_view_output_has_picture_and_text():
    data, metadata = HeadsView({"one": layer()}, query=1)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "3 heads of one" in data["text/plain"] and "BLEU is 80.5" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_heads_view_saved_state_has_every_set_of_heads():
    state = saved_state(HeadsView({"one": layer()}))["state"]
    assert state["layers"]["one"]["scores"] == SCORES.tolist()
    assert state["on"] == 7


@pytest.mark.parametrize(("name", "value"), [("weights", WEIGHTS.numpy()), ("scores", SCORES.numpy())])
def test_heads_view_raises_for_non_tensor(name, value):
    with pytest.raises(TypeError, match=name):
        layer(**{name: value})
