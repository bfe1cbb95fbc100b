"""The flash widget's Python side: what it refuses, and what a page without scripts gets."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.flash_view import FlashView
from attnbook.widgets.static import saved_state

SCORES, VALUES = torch.randn(8, 8), torch.randn(8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": torch.randn(8, 7)}, "scores"),
        ({"values": torch.randn(7)}, "values"),
        ({"values": VALUES * torch.nan}, "scores and values must be finite"),
        ({"tile": 3}, "tile"),
        ({"tile": 4, "done": 5}, "^done must"),
        ({"query": 8}, "^query must"),
    ],
)
def test_flash_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        FlashView(**{"scores": SCORES, "values": VALUES} | changes)


@pytest.mark.parametrize("done", [0, 3])
def test_flash_view_output_has_picture_and_text(done):
    widget = FlashView(SCORES, VALUES, tile=4, done=done)
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "4 by 4" in data["text/plain"]
    assert saved_state(widget)["state"]["done"] == done


def test_flash_view_raises_for_non_tensor():
    with pytest.raises(TypeError, match=r"^scores must"):
        FlashView(SCORES.tolist(), VALUES)
