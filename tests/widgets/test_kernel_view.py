"""Tests of the kernel widget's Python side: errors and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.kernel_view import KernelView
from attnbook.widgets.static import saved_state

KEY = torch.tensor([0.0, 1.0, 2.5])
VALUE = torch.tensor([1.0, -1.0, 0.5])
GRID = torch.linspace(0, 3, 7)


def view(**changes):
    arguments = {"key": KEY, "value": VALUE, "grid": GRID, "truth": GRID, "query": 1.0, "width": 0.5} | changes
    tensors = [arguments.pop(name) for name in ("key", "value", "grid", "truth")]
    return KernelView(*tensors, **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": "triangle"}, "kernel must"),
        ({"width": 0.0}, "^width must"),
        ({"width": float("nan")}, "width must"),
        ({"width": float("inf")}, "^width must"),
        ({"query": float("nan")}, "^query must"),
        ({"key": KEY[:0], "value": VALUE[:0]}, "^key must"),
        ({"value": VALUE[:2]}, "value must"),
        ({"truth": GRID[:2]}, "truth must"),
        ({"value": torch.tensor([1.0, float("nan"), 0.0])}, "value must be finite, got nan"),
    ],
)
def test_kernel_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        view(**changes)


def test_kernel_view_output_has_picture_and_text():
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "3 noisy measurements" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_kernel_view_saved_state_has_the_data():
    state = saved_state(view())["state"]
    assert state["key"] == KEY.tolist()
    assert state["width"] == 0.5


@pytest.mark.parametrize("name", ["key", "value", "grid", "truth"])
def test_kernel_view_raises_for_non_tensor(name):
    with pytest.raises(TypeError, match=name):
        view(**{name: GRID.tolist()})
