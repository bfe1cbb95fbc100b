"""The cache widget in a browser without network: its bytes are those of the package."""

from __future__ import annotations

import re

import pytest

from attnbook.widgets.cache_view import PRESETS, CacheView, cache_bytes
from tests.browser.widgets import said, slide

FIRST = {"layers": 4, "heads": 8, "groups": 2, "head_dim": 64, "length": 1000, "batch": 3, "bytes_per_number": 2}


@pytest.fixture(scope="module")
def widget():
    return CacheView(**FIRST)


def bytes_said(page):
    return int(re.search(r"holds ([\d,]+) bytes", said(page))[1].replace(",", ""))


def expected(**changes):
    sizes = FIRST | changes
    sizes.pop("heads")
    return cache_bytes(**sizes)


def test_bytes_equal_package(page):
    assert bytes_said(page) == expected()
    page.get_by_role("combobox", name="Key-value heads").select_option("4")
    assert bytes_said(page) == expected(groups=4)
    page.get_by_role("combobox", name="Query heads").select_option("2")  # four groups no longer fit
    assert page.get_by_role("combobox", name="Key-value heads").input_value() == "2"
    assert bytes_said(page) == expected(groups=2)
    slide(page, "Layers", 17)
    slide(page, "Tokens", 13)
    slide(page, "Sequences", 5)
    page.get_by_role("combobox", name="Bytes per number").select_option("4")
    page.get_by_role("combobox", name="Head size").select_option("128")
    wanted = expected(groups=2, layers=17, length=8192, batch=32, bytes_per_number=4, head_dim=128)
    assert bytes_said(page) == wanted


@pytest.mark.parametrize("name", PRESETS)
def test_preset_sets_model_sizes(page, name):
    page.get_by_role("combobox", name="Model").select_option(name)
    layers, heads, groups, head_dim = PRESETS[name]
    assert bytes_said(page) == expected(layers=layers, groups=groups, head_dim=head_dim)
    assert page.locator(".cache .head").count() == heads
    assert page.locator(".cache .group").count() == groups
    bars = page.eval_on_selector_all(".cache .bar", "nodes => nodes.map(n => +n.getAttribute('width'))")
    assert bars[1] / bars[0] == pytest.approx(groups / heads, abs=0.01)


def test_model_change_updates_every_view(page):
    """As in a live notebook, where a widget can stand in two cells and Python can set its numbers."""
    texts = page.evaluate(
        """async () => {
          const source = JSON.parse(document.querySelector("[data-attnbook-module]").textContent);
          const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
          const { default: widget } = await import(url);
          const { state } = JSON.parse(document.querySelector("[data-attnbook-state]").textContent);
          const events = new EventTarget();
          const model = {
            get: (name) => state[name],
            set: (name, value) => { state[name] = value; events.dispatchEvent(new Event(`change:${name}`)); },
            on: (names, draw) => names.split(" ").forEach((name) => events.addEventListener(name, draw)),
            off: (names, draw) => names.split(" ").forEach((name) => events.removeEventListener(name, draw)),
            save_changes() {},
          };
          const views = [0, 1].map(() => document.body.appendChild(document.createElement("div")));
          const [, leave] = views.map((el) => widget.render({ model, el }));
          const outputs = views.map((el) => el.firstChild.shadowRoot.querySelector("output"));
          const said = () => outputs.map((output) => output.textContent);
          model.set("layers", 5);
          const both = said();
          leave();
          model.set("layers", 6);
          const one = said();
          for (const el of views) el.remove();
          return [both, one];
        }"""
    )
    (first, second), (follows, stays) = texts
    assert first == second and "2 × 5 layers" in first
    assert "2 × 6 layers" in follows and "2 × 5 layers" in stays
