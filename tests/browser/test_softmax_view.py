"""The softmax widget in a browser without network: what it draws and says is what the package computes."""

from __future__ import annotations

import math
import re

import pytest
import torch

from attnbook.widgets.softmax_view import SoftmaxView, entropy, softmax_derivative
from attnbook.widgets.static import saved_state, static_html, static_page

torch.manual_seed(0)
SIZES = [1, 4, 16, 64, 256]
PRODUCTS = torch.randn(3, 5, 8) * torch.tensor(SIZES).sqrt()[:, None]
HEIGHT = 130 - 24


@pytest.fixture
def page(tmp_path, open_page):
    def open_(**options):
        widget = SoftmaxView(PRODUCTS, SIZES, size=16)
        path = tmp_path / "softmax.html"
        path.write_text(static_page(static_html(saved_state(widget)), title="Softmax"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(".attnbook-softmax output:not(:empty)")
        return watched

    return open_


def set_range(page, label, value):
    page.get_by_role("slider", name=label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


def bars(page):
    heights = page.eval_on_selector_all(
        ".attnbook-softmax .bar", "nodes => nodes.map(n => Number(n.getAttribute('height')))"
    )
    return torch.tensor(heights) / HEIGHT


def said(page):
    """Largest weight, effective number of keys, and norm of the derivative."""
    text = page.locator(".attnbook-softmax output").inner_text()
    found = re.search(r"weight is ([\d.]+), spread as over ([\d.]+) equal ones; .* norm ([\d.e-]+?)\.$", text)
    assert found, text
    return [float(number) for number in found.groups()]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("temperature", [0.05, 0.7, 20.0])
@pytest.mark.parametrize("index", [0, 2, 4])
def test_the_drawing_equals_the_package(page, index, temperature, scaled):
    watched = page()
    set_range(watched.page, "Size d", index)
    set_range(watched.page, "Temperature", math.log(temperature))
    watched.page.get_by_label("Divide by √d").set_checked(scaled)
    divisor = temperature * (math.sqrt(SIZES[index]) if scaled else 1)
    weights = (PRODUCTS[0, index].double() / divisor).softmax(0)
    torch.testing.assert_close(bars(watched.page).double(), weights, atol=0.01, rtol=0)
    largest, spread, norm = said(watched.page)
    assert largest == pytest.approx(float(weights.max()), abs=0.005)
    assert spread == pytest.approx(math.exp(float(entropy(weights))), abs=0.03)
    derivative = torch.tensor([[_entry(weights, i, j) for j in range(8)] for i in range(8)]).norm()
    torch.testing.assert_close(derivative.double(), softmax_derivative(weights).norm(), atol=1e-6, rtol=0)
    assert norm == pytest.approx(float(derivative), rel=0.1, abs=0.001 if derivative > 0.001 else 1e-12)
    watched.assert_quiet()


def _entry(weights, i, j):
    """One entry of the derivative without the difference 1 - w of nearly equal numbers."""
    others = sum(float(w) for k, w in enumerate(weights) if k != i)
    return float(weights[i]) * (others if i == j else -float(weights[j]))


def test_another_query_shows_another_draw(page):
    watched = page()
    for draw in (1, 2, 0):
        watched.page.get_by_role("button", name="Another query").click()
        torch.testing.assert_close(bars(watched.page), PRODUCTS[draw, 2].softmax(0), atol=0.01, rtol=0)


def test_the_curves_pass_through_the_dots(page):
    """At the hot end the weights are nearly equal: entropy at the top."""
    watched = page()
    set_range(watched.page, "Temperature", math.log(20))
    top = float(watched.page.locator(".attnbook-softmax .dot-entropy").get_attribute("cy"))
    assert top < 200
    last = watched.page.locator(".attnbook-softmax .entropy").get_attribute("d").split("L")[-1]
    assert float(last.split()[1]) == pytest.approx(top, abs=0.6)


def test_the_keyboard_alone_is_enough(page):
    watched = page()
    watched.page.keyboard.press("Tab")
    assert watched.page.evaluate("document.activeElement.labels[0].innerText").startswith("Size d")
    watched.page.keyboard.press("End")
    assert watched.page.get_by_label("Size d").get_attribute("aria-valuetext") == "256"
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Home")
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Space")
    assert "temperature 0.05, divided by" in watched.page.locator(".attnbook-softmax output").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert watched.page.locator(".attnbook-softmax").get_attribute("data-theme") == scheme
    heights = [label.bounding_box()["height"] for label in watched.page.locator(".attnbook-softmax svg text").all()]
    assert min(heights) >= 9, "labels must stay readable when the picture shrinks"
