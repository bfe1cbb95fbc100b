"""The layer widget in a browser without network: every value it shows is one that the package computes."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from attnbook.attention.positional import sinusoidal_table
from attnbook.models.transformer import EncoderLayer
from attnbook.observe.recorder import record_attention
from attnbook.widgets.layer_view import LayerView
from tests.browser.widgets import said

TOKENS = ["the", "dog", "sees", "the", "cat"]
torch.manual_seed(0)
EMBEDDING = torch.randn(3, 8)[[0, 1, 2, 0, 1]] / math.sqrt(8)
LAYER = EncoderLayer(d_model=8, num_heads=2, d_ff=12, dropout=0.0)
for parameter in LAYER.parameters():
    nn.init.normal_(parameter, mean=0.2, std=0.5)


def expected(positions=True):
    """What the package computes, by the widget's steps and titles."""
    layer, found = LAYER, {}
    with torch.no_grad(), record_attention(layer) as record:
        x = EMBEDDING * math.sqrt(8) + positions * sinusoidal_table(5, 8)
        attention = layer.self_attention
        out = layer(x[None], torch.ones(1, 1, 5, dtype=torch.bool))[0]
        found[0, "times √8"] = EMBEDDING * math.sqrt(8)
        found[1, "sum: input of the layer"] = x
        for name, projection in (("queries Q", "W_q"), ("keys K", "W_k"), ("values V", "W_v")):
            found[2, name] = getattr(attention, projection)(x)
        for head, weights in enumerate(record["self_attention"][0]):
            found[4, f"weights of head {head + 1}"] = weights
        attended = attention(x[None], x[None], x[None])[0]
        found[5, "times W_o"] = attended
        found[6, "plus attention"] = x + attended
        y = found[6, "normalized"] = layer.add_norm_1.norm(x + attended)
        found[7, "hidden, after ReLU"] = layer.feed_forward.W_1(y).relu()
        found[7, "projected back"] = layer.feed_forward(y)
        found[8, "normalized: output of the layer"] = out
    return found


@pytest.fixture(scope="module")
def widget():
    return LayerView(TOKENS, EMBEDDING, LAYER)


def maps(page):
    """The values of every heatmap in sight, by its title without the shape."""
    shown = page.evaluate("""() => {
        const root = document.querySelector("[data-lm-suppress-shortcuts]").shadowRoot;
        const titles = [...root.querySelectorAll('svg text.title')].map((n) => n.textContent);
        const groups = [...root.querySelectorAll('g.map')];
        return titles.map((t, i) => [t, [...groups[i].querySelectorAll('rect title')].map((n) => n.textContent)]);
    }""")
    return {
        title.rsplit(" (", 1)[0]: torch.tensor([float(cell.rsplit(": ", 1)[1]) for cell in cells]).view(5, -1)
        for title, cells in shown
    }


@pytest.mark.parametrize("positions", [True, False])
def test_every_value_is_the_packages(page, positions):
    if not positions:
        page.get_by_label("with positions").uncheck()
    seen = {}
    for step in range(9):
        assert said(page).startswith(f"Step {step + 1} of 9")
        seen |= {(step, title): values for title, values in maps(page).items()}
        page.get_by_role("button", name="Next").click()
    for key, values in expected(positions).items():
        torch.testing.assert_close(seen[key], values, atol=2e-3, rtol=0)


def test_positions_tell_two_equal_words_apart(page):
    page.get_by_label("Follow the token").select_option("3")
    assert "equal to that of the other “the”" in said(page)
    page.get_by_role("button", name="Next").click()
    assert "different from that" in said(page)
    page.get_by_label("with positions").uncheck()
    assert "Positions are off" in said(page) and "equal to that" in said(page)
    page.get_by_role("slider").press("End")
    assert "Step 9 of 9" in said(page) and "equal to that" in said(page)
