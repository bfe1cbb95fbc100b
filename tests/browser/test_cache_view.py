"""The cache widget in a browser without network: its bytes are those of the package."""

from __future__ import annotations

import re

import pytest

from attnbook.widgets.cache_view import PRESETS, CacheView, cache_bytes
from attnbook.widgets.static import saved_state, static_html, static_page

FIRST = {"layers": 4, "heads": 8, "groups": 2, "head_dim": 64, "length": 1000, "batch": 3, "bytes_per_number": 2}


@pytest.fixture
def page(tmp_path, open_page):
    def open_(**options):
        path = tmp_path / "cache.html"
        path.write_text(static_page(static_html(saved_state(CacheView(**FIRST))), title="Cache"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(".attnbook-cache output:not(:empty)")
        return watched

    return open_


def said(page):
    """The bytes that the widget says."""
    text = page.locator(".attnbook-cache output").inner_text()
    return int(re.search(r"holds ([\d,]+) bytes", text)[1].replace(",", ""))


def expected(**changes):
    sizes = FIRST | changes
    sizes.pop("heads")
    return cache_bytes(**sizes)


def slide(page, label, value):
    page.get_by_role("slider", name=label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


def test_the_bytes_equal_the_package(page):
    watched = page()
    assert said(watched.page) == expected()
    watched.page.get_by_role("combobox", name="Key-value heads").select_option("4")
    assert said(watched.page) == expected(groups=4)
    watched.page.get_by_role("combobox", name="Query heads").select_option("2")  # four groups no longer fit
    assert watched.page.get_by_role("combobox", name="Key-value heads").input_value() == "2"
    assert said(watched.page) == expected(groups=2)
    slide(watched.page, "Layers", 17)
    slide(watched.page, "Tokens so far", 13)
    slide(watched.page, "Sequences at once", 5)
    watched.page.get_by_role("combobox", name="Bytes of a number").select_option("4")
    watched.page.get_by_role("combobox", name="Size of a head").select_option("128")
    wanted = expected(groups=2, layers=17, length=8192, batch=32, bytes_per_number=4, head_dim=128)
    assert said(watched.page) == wanted
    watched.assert_quiet()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_the_model(page, name):
    watched = page()
    watched.page.get_by_role("combobox", name="Model").select_option(name)
    layers, heads, groups, head_dim = PRESETS[name]
    assert said(watched.page) == expected(layers=layers, groups=groups, head_dim=head_dim)
    assert watched.page.locator(".attnbook-cache .head").count() == heads
    assert watched.page.locator(".attnbook-cache .group").count() == groups
    bars = watched.page.eval_on_selector_all(
        ".attnbook-cache .bar", "nodes => nodes.map(n => +n.getAttribute('width'))"
    )
    assert bars[1] / bars[0] == pytest.approx(groups / heads, abs=0.01)


def test_the_keyboard_alone_is_enough(page):
    watched = page()
    watched.page.get_by_role("slider", name="Layers").focus()
    watched.page.keyboard.press("ArrowRight")
    assert said(watched.page) == expected(layers=5)
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Tab")
    assert watched.page.evaluate("document.activeElement.labels[0].innerText").startswith("Key-value heads")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    label = watched.page.locator(".attnbook-cache svg text").first.bounding_box()
    assert label["height"] >= 9, "labels must stay readable when the picture shrinks"
    assert watched.page.locator(".attnbook-cache").get_attribute("data-theme") == scheme


def test_a_change_of_the_model_is_drawn_in_every_view(page):
    """As in a live notebook, where a widget can stand in two cells and Python can set its numbers."""
    watched = page()
    texts = watched.page.evaluate(
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
          const said = () => views.map((el) => el.querySelector("output").textContent);
          model.set("layers", 5);
          const both = said();
          leave();
          model.set("layers", 6);
          return [both, said()];
        }"""
    )
    (first, second), (follows, stays) = texts
    assert first == second and "2 × 5 layers" in first
    assert "2 × 6 layers" in follows and "2 × 5 layers" in stays
