"""The mask widget in a browser without network: its weights equal torch's, including NaN."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.mask_view import FILLS, PRECISIONS, SCORES, MaskView, filled_weights
from tests.browser.widgets import said


@pytest.fixture(scope="module")
def widget():
    return MaskView()


def found(page):
    listed = re.match(r"Weights (.*?)\. [A-Z\d]", said(page))[1]
    return torch.tensor([float(number) for number in listed.split(", ")])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("allowed", [(True, True, False, False), (False,) * 4])
def test_weights_are_those_of_torch(page, precision, allowed):
    page.get_by_label("Precision").select_option(precision)
    for i, on in enumerate(allowed):
        page.get_by_label(f"key {i + 1} is real").set_checked(on)
    for scores, numbers in SCORES.items():
        page.locator("select").nth(2).select_option(scores)
        for fill in FILLS:
            page.get_by_label("Fill value").select_option(fill)
            for after in (False, True):
                page.get_by_label("multiply by mask after softmax").set_checked(after)
                wanted = filled_weights(
                    torch.tensor(numbers), torch.tensor(allowed), fill=fill, precision=precision, after=after
                )
                torch.testing.assert_close(found(page), wanted.float(), atol=0.008, rtol=0, equal_nan=True)


def test_message_names_the_fault(page):
    for i in range(2):
        page.get_by_label(f"key {i + 1} is real").set_checked(False)
    assert "mean of the padding" in said(page)
    page.get_by_label("Fill value").select_option("-inf")
    assert "0/0" in said(page)
    page.get_by_label("Fill value").select_option("lowest")
    page.get_by_label("multiply by mask after softmax").set_checked(True)
    assert "all weights are 0" in said(page)


@pytest.mark.parametrize(("masked", "left"), [(2, "0.33"), (0, "0.00")])
def test_message_names_weight_that_the_multiplication_loses(page, masked, left):
    for i in range(4):
        page.get_by_label(f"key {i + 1} is real").set_checked(i < 2 if masked else i > 0)
    page.get_by_label("Precision").select_option("float32")
    page.locator("select").nth(2).select_option("very low")
    page.get_by_label("Fill value").select_option("-1e6")
    page.get_by_label("multiply by mask after softmax").set_checked(True)
    assert f"sum to only {left}" in said(page)
