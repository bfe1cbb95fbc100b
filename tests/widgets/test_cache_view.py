"""Tests of the cache widget's Python side: the formula, errors, and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.models.transformer import Transformer
from attnbook.widgets.cache_view import PRESETS, CacheView, cache_bytes
from attnbook.widgets.static import saved_state


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 0}, "^layers must"),
        ({"layers": 2.5}, "^layers must"),
        ({"layers": True}, "^layers must"),
        ({"length": 1 << 21}, "^length must"),
        ({"heads": 8, "groups": 3}, "^groups must"),
        ({"bytes_per_number": 3}, "^bytes_per_number must"),
    ],
)
def test_cache_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        CacheView(**changes)


def test_cache_size_formula_equals_cache_of_transformer():
    model = Transformer(20, 20, d_model=24, num_heads=3, num_layers=2).eval()
    source = torch.randint(4, 20, (5, 6))
    with torch.no_grad():
        state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        _, state = model.decode(torch.randint(4, 20, (5, 7)), state)
    kept = sum(t.numel() * t.element_size() for layer in state.target_cache for t in layer)
    assert kept == cache_bytes(layers=2, groups=3, head_dim=8, length=7, batch=5, bytes_per_number=4)


@pytest.mark.parametrize("name", PRESETS)
def test_cache_view_accepts_every_preset(name):
    layers, heads, groups, head_dim = PRESETS[name]
    assert CacheView(layers=layers, heads=heads, groups=groups, head_dim=head_dim).layers == layers


def test_cache_view_output_has_picture_and_text():
    data, metadata = CacheView(layers=80, heads=64, groups=8)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "80 layers" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert saved_state(CacheView(groups=4))["state"]["groups"] == 4
