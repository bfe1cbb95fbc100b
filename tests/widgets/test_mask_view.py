"""Tests of the mask widget's Python side: weights of masked scores, and output without scripts."""

from __future__ import annotations

import pytest
import torch

from attnbook.attention.masks import masked_softmax
from attnbook.widgets.mask_view import PRECISIONS, MaskView, filled_weights

SCORES = torch.tensor([1.0, 2.0, 3.0, 4.0])
SOME, NONE = torch.tensor([True, True, False, False]), torch.zeros(4, dtype=torch.bool)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("allowed", [SOME, NONE])
def test_lowest_number_and_product_equal_masked_softmax(precision, allowed):
    found = filled_weights(SCORES, allowed, fill="lowest", precision=precision, after=True)
    assert torch.equal(found, masked_softmax(SCORES.to(PRECISIONS[precision]), allowed))


def test_fully_masked_row_is_uniform_or_nan():
    assert filled_weights(SCORES, NONE).tolist() == [0.25] * 4
    assert filled_weights(SCORES, NONE, fill="-inf").isnan().all()
    assert filled_weights(SCORES, NONE, precision="float16").isnan().all()


def test_mask_view_output_has_picture_and_text():
    data, _ = MaskView()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "two are masked" in data["text/plain"]
