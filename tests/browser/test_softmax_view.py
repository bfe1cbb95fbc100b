"""The softmax widget in a browser without network: drawing and text equal the package's computation."""

from __future__ import annotations

import itertools
import math
import re

import pytest
import torch

from attnbook.widgets.softmax_view import SoftmaxView, entropy, softmax_derivative
from tests.browser.widgets import said, slide, stand, write

torch.manual_seed(0)
SIZES = [1, 4, 16, 64, 256]
PRODUCTS = torch.randn(3, 5, 8) * torch.tensor(SIZES).sqrt()[:, None]
HEIGHT = 130 - 24


@pytest.fixture(scope="module")
def widget():
    return SoftmaxView(PRODUCTS, SIZES, size=16)


def bars(page):
    heights = page.eval_on_selector_all(".bar", "nodes => nodes.map(n => Number(n.getAttribute('height')))")
    return torch.tensor(heights) / HEIGHT


def numbers(page):
    """Largest weight, number of equal weights with the same entropy, and norm of the derivative."""
    text = said(page)
    found = re.search(r"weight is ([\d.]+), .* that of ([\d.]+) equal weights; .* norm ([\d.e-]+?)\.$", text)
    assert found, text
    return [float(number) for number in found.groups()]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("temperature", [0.05, 0.7, 20.0])
@pytest.mark.parametrize("index", [0, 2, 4])
def test_softmax_view_drawing_equals_package(page, index, temperature, scaled):
    slide(page, "Size d", index)
    slide(page, "Temperature", math.log2(temperature))
    page.get_by_label("Divide by √d").set_checked(scaled)
    divisor = temperature * (math.sqrt(SIZES[index]) if scaled else 1)
    weights = (PRODUCTS[0, index].double() / divisor).softmax(0)
    torch.testing.assert_close(bars(page).double(), weights, atol=0.01, rtol=0)
    largest, spread, norm = numbers(page)
    assert largest == pytest.approx(float(weights.max()), abs=0.005)
    assert spread == pytest.approx(math.exp(float(entropy(weights))), abs=0.03)
    derivative = torch.tensor([[_entry(weights, i, j) for j in range(8)] for i in range(8)]).norm()
    torch.testing.assert_close(derivative.double(), softmax_derivative(weights).norm(), atol=1e-6, rtol=0)
    assert norm == pytest.approx(float(derivative), rel=0.1, abs=0.001 if derivative > 0.001 else 1e-12)


def _entry(weights, i, j):
    """One entry of the derivative without the difference 1 - w of nearly equal numbers."""
    others = sum(float(w) for k, w in enumerate(weights) if k != i)
    return float(weights[i]) * (others if i == j else -float(weights[j]))


def test_another_query_shows_another_draw(page):
    for draw in (1, 2, 0):
        page.get_by_role("button", name="Another query").click()
        torch.testing.assert_close(bars(page), PRODUCTS[draw, 2].softmax(0), atol=0.01, rtol=0)


def test_curves_pass_through_dots(page):
    """At the hot end the weights are nearly equal: entropy at the top."""
    slide(page, "Temperature", math.log2(20))
    top = float(page.locator(".dot-entropy").get_attribute("cy"))
    assert top < 200
    last = page.locator(".entropy").get_attribute("d").split("L")[-1]
    assert float(last.split()[1]) == pytest.approx(top, abs=0.6)


@pytest.mark.parametrize("index", [1, 2, 3, 4])
def test_temperature_can_be_the_root_of_the_size(page, index):
    """As the division by the root, in every digit; and it can be 1 again."""
    slide(page, "Size d", index)
    page.get_by_label("Divide by √d").check()
    divided = numbers(page)
    page.get_by_label("Divide by √d").uncheck()
    slide(page, "Temperature", math.log2(SIZES[index]) / 2)
    assert numbers(page) == divided
    assert f"temperature {math.sqrt(SIZES[index]):.2f}," in said(page)
    page.get_by_role("slider", name="Temperature").press("ArrowLeft")
    assert numbers(page) != divided
    slide(page, "Temperature", 0)
    page.get_by_label("Divide by √d").check()
    assert numbers(page) == divided


def test_temperature_slider_ends_at_its_limits(page):
    for end, text in (("Home", "0.05"), ("End", "20.00")):
        slider = page.get_by_role("slider", name="Temperature")
        slider.press(end)
        assert slider.get_attribute("aria-valuetext") == text


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_labels_overlap_neither_each_other_nor_the_axes(widget, open_page, tmp_path, width):
    page = stand(open_page, write(widget, tmp_path), width=width).page
    boxes = page.locator(".figure :is(text, .axis)").evaluate_all(
        "all => all.map((node) => [node.textContent, node.getBoundingClientRect().toJSON()])"
    )
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        across = min(a["right"], b["right"]) - max(a["left"], b["left"])
        along = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
        assert across <= 0 or along <= 2, (one, other)
