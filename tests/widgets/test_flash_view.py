"""Tests of the flash-attention widget's Python side: errors and output without scripts."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import torch

from attnbook.widgets.flash_view import FlashView
from attnbook.widgets.static import saved_state

NUMBERS = {"query": torch.randn(6), "key": torch.randn(6), "value": torch.randn(6)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query": torch.randn(7)}, "query"),
        ({"key": torch.randn(6, 1)}, "key"),
        ({"value": torch.full((6,), torch.nan)}, "value must be finite, got nan"),
        ({"tile": 4}, "tile"),
        ({"tile": 3, "step": 17}, "^step must"),
    ],
)
def test_flash_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        FlashView(**NUMBERS | changes)


@pytest.mark.parametrize("step", [0, 3, 16])
def test_flash_view_output_has_picture_and_text(step):
    widget = FlashView(**NUMBERS, tile=3, step=step)
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "3 by 3" in data["text/plain"]
    state = saved_state(widget)["state"]
    assert state["step"] == step
    assert state["query"] == pytest.approx(NUMBERS["query"].tolist(), abs=0.051)


def test_flash_view_picture_has_running_numbers_of_softmax():
    axes, texts = Mock(), []
    axes.text = lambda x, y, text, **_: texts.append(text)
    query, key, value = (numbers.round(decimals=1) for numbers in NUMBERS.values())
    FlashView(query, key, value, tile=3, step=4).draw(axes)
    scores = query[:3, None] * key[:3]
    sums = (scores - scores.amax(-1, keepdim=True)).exp()
    for number in (*scores.amax(-1), *sums.sum(-1), *(sums @ value[:3])):
        assert any(text in texts for text in (f"{float(number):.2f}", f"{float(number):.1f}"))


def test_flash_view_raises_for_non_tensor():
    with pytest.raises(TypeError, match=r"^query must"):
        FlashView(**NUMBERS | {"query": [0.0] * 6})
