"""The weights widget in a browser: the prediction follows the weights."""

from __future__ import annotations

import math
import re

import pytest

from attnbook.widgets.weights_view import Weighed, WeightsView
from tests.browser.widgets import said

WEIGHTS, PIECES, BIAS = [0.7, 0.2, 0.1], [4.0, -2.0, 1.0], -0.5


@pytest.fixture(scope="module")
def widget():
    sentences = {
        "first": Weighed(["she", "<b>not", "here"], WEIGHTS, PIECES),
        "second": Weighed(["yes"], [1.0], [-3.0]),
    }
    return WeightsView(sentences, bias=BIAS, question="“Negated” has the probability")


def percents(page):
    return [float(number) for number in re.findall(r"([\d.]+) %", said(page))]


def expected(weights, pieces=PIECES):
    return 100 / (1 + math.exp(-BIAS - sum(w * z for w, z in zip(weights, pieces, strict=True))))


def shares(page):
    widths = page.locator(".weights .bar").evaluate_all("all => all.map(n => +n.getAttribute('width'))")
    return [width / 300 for width in widths]


def test_even_and_learned_weights(page):
    assert percents(page) == pytest.approx([expected(WEIGHTS)] * 2, abs=0.06)
    page.get_by_role("button", name="Make even").click()
    assert percents(page) == pytest.approx([expected([1 / 3] * 3), expected(WEIGHTS)], abs=0.06)
    page.get_by_role("button", name="As learned").click()
    assert shares(page) == pytest.approx(WEIGHTS, abs=0.001)


def test_shuffled_weights_are_a_permutation(page):
    seen = set()
    for _ in range(30):
        page.get_by_role("button", name="Shuffle").click()
        now = shares(page)
        assert sorted(now) == pytest.approx(sorted(WEIGHTS), abs=0.001)
        assert percents(page)[0] == pytest.approx(expected(now), abs=0.06)
        seen.add(tuple(now))
    assert len(seen) > 2


def test_another_sentence_has_its_own_weights_and_shows_words_as_text(page):
    assert "<b>not" in page.locator(".weights svg").text_content()
    page.get_by_role("combobox", name="Sentence").select_option("1")
    assert percents(page) == pytest.approx([expected([1.0], [-3.0])] * 2, abs=0.06)
