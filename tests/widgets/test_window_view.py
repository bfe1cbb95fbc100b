"""Tests of the window widget's Python side: weights, errors, and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.attention.masks import masked_softmax
from attnbook.models.luong import local_gaussian, local_window
from attnbook.widgets.static import saved_state
from attnbook.widgets.window_view import WindowView

SOURCE, TARGET = ["a", "b", "c", "d"], ["x", "y", "$"]
SCORES = torch.tensor([[1.0, 0.0, -1.0, 2.0], [0.0, 0.0, 0.0, 0.0], [3.0, 1.0, 1.0, 0.0]])
CENTERS = torch.tensor([0.4, 1.6, 3.2])


def view(**changes):
    arguments = {"scores": SCORES, "centers": CENTERS, "source": SOURCE, "target": TARGET} | changes
    tensors = [arguments.pop(name) for name in ("scores", "centers", "source", "target")]
    return WindowView(*tensors, **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": "wide"}, "^window must"),
        ({"half_width": 0}, "^half_width must"),
        ({"half_width": 1.5}, "^half_width must"),
        ({"scores": SCORES[:2]}, "scores"),
        ({"centers": CENTERS[:2]}, "centers"),
        ({"step": 3}, "^step must"),
        ({"scores": SCORES.log()}, "scores must be finite"),
        ({"gold": [(0, 5)]}, "gold must"),
    ],
)
def test_window_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        view(**changes)


@pytest.mark.parametrize("window", ["global", "local-m", "local-p"])
def test_window_view_weights_equal_package(window):
    everywhere, weights = view(window=window, half_width=1, step=2).weights()
    torch.testing.assert_close(everywhere, SCORES[2].softmax(-1))
    center = CENTERS[2] if window == "local-p" else torch.tensor(2.0)
    expected = masked_softmax(SCORES[2], local_window(center, 1, 4)) if window != "global" else everywhere
    if window == "local-p":
        expected = expected * local_gaussian(center, 1, 4)
    torch.testing.assert_close(weights, expected)


def test_window_view_output_has_picture_and_text():
    data, metadata = view(step=2)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "4 tokens of a source sentence" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_window_view_saved_state_has_scores_and_links():
    state = saved_state(view(gold=[(3, 1), (0, 0)]))["state"]
    assert state["scores"] == SCORES.tolist()
    assert state["gold"] == [[0, 0], [3, 1]]


@pytest.mark.parametrize("name", ["scores", "centers"])
def test_window_view_raises_for_non_tensor(name):
    with pytest.raises(TypeError, match=name):
        view(**{name: CENTERS.tolist()})
