"""Tests of the scene widget's Python side: weights, errors, and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.scene_view import SceneView, saliency, scene_weights
from attnbook.widgets.static import saved_state

NAMES = ["cup", "book", "lamp"]
KEY = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
VALUE = torch.tensor([[0.0], [300.0], [1.0]])


def view(**changes):
    arguments = {
        "names": NAMES,
        "features": ["red", "printed"],
        "key": KEY,
        "value": VALUE,
        "offers": ["pages"],
        "query": torch.tensor([0.0, 1.0]),
        "pull": 1.0,
    } | changes
    positional = [arguments.pop(name) for name in ("names", "features", "key", "value", "offers")]
    return SceneView(*positional, **arguments)


def test_saliency_is_distance_from_mean_of_the_others():
    for i in range(3):
        others = [KEY[j] for j in range(3) if j != i]
        assert saliency(KEY)[i] == pytest.approx(float((KEY[i] - sum(others) / 2).norm()))
    assert saliency(KEY[:1]).tolist() == [0.0]
    assert saliency(torch.ones(4, 2)).tolist() == [0.0] * 4


def test_weights_are_a_softmax_of_both_cues():
    query = torch.tensor([0.5, 2.0])
    scores = [float(KEY[i] @ query) + 1.5 * float(saliency(KEY)[i]) for i in range(3)]
    torch.testing.assert_close(scene_weights(KEY, query, 1.5), torch.tensor(scores).softmax(0))


def test_scene_scores_equal_dot_product_of_longer_vectors():
    query = torch.tensor([0.5, 2.0, 1.5])
    key = torch.cat((KEY, saliency(KEY)[:, None]), -1)
    torch.testing.assert_close(scene_weights(KEY, query[:2], 1.5), (key @ query).softmax(0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["cup", "book", "elephant"]}, "^names must"),
        ({"names": ["cup", "cup", "book"]}, "^names must"),
        ({"key": KEY[:2]}, "key"),
        ({"value": VALUE[:, :0]}, "value"),
        ({"query": torch.zeros(3)}, "query"),
        ({"query": torch.tensor([0.0, float("nan")])}, "query must be finite"),
        ({"pull": -1.0}, "^pull must"),
        ({"pull": float("nan")}, "pull must"),
    ],
)
def test_scene_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        view(**changes)


def test_scene_view_raises_for_integer_tensors():
    with pytest.raises(TypeError, match="key"):
        view(key=KEY.long())


def test_scene_view_output_has_picture_and_text():
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "pool of light" in data["text/plain"] and "book" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_scene_view_saved_state_has_the_scene():
    state = saved_state(view())["state"]
    assert state["key"] == KEY.tolist()
    assert state["names"] == NAMES
    assert state["pull"] == 1.0


@pytest.mark.parametrize("name", ["key", "value", "query"])
def test_scene_view_raises_for_non_tensor(name):
    with pytest.raises(TypeError, match=name):
        view(**{name: [0.0, 1.0]})
