"""Tests of the softmax widget's Python side: entropy, derivative, errors, and output without scripts."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.widgets.softmax_view import SoftmaxView, entropy, softmax_derivative
from attnbook.widgets.static import saved_state

torch.manual_seed(0)
SIZES = [1, 4, 16]
PRODUCTS = torch.randn(2, 3, 5) * torch.tensor(SIZES).sqrt()[:, None]


def view(products=PRODUCTS, sizes=SIZES, **changes):
    return SoftmaxView(products, sizes, **({"size": 4} | changes))


def test_entropy_of_equal_and_of_single_weights():
    assert float(entropy(torch.full((8,), 1 / 8))) == pytest.approx(math.log(8))
    assert float(entropy(torch.tensor([0.0, 1.0, 0.0]))) == 0


def test_softmax_derivative_equals_autograd():
    scores = torch.randn(6, dtype=torch.double)
    found = torch.autograd.functional.jacobian(lambda s: s.softmax(0), scores)
    torch.testing.assert_close(softmax_derivative(scores.softmax(0)), found)


def test_softmax_derivative_is_bounded():
    weights = torch.randn(10_000, 6).mul(5).softmax(-1)
    assert softmax_derivative(weights).flatten(1).norm(dim=1).max() <= 0.5
    assert softmax_derivative(torch.tensor([0.5, 0.5])).norm() == 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": [4, 1, 16]}, "sizes must"),
        ({"sizes": []}, "sizes must"),
        ({"products": PRODUCTS[0]}, "products must have shape"),
        ({"products": PRODUCTS[:0]}, "products"),
        ({"products": PRODUCTS[:, :2]}, "products must have shape"),
        ({"products": PRODUCTS * math.inf}, "products must be finite"),
        ({"size": 5}, "^size must"),
        ({"temperature": 0.0}, "^temperature must"),
    ],
)
def test_softmax_view_raises_for_invalid_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        view(**changes)


@pytest.mark.parametrize(("scaled", "divisor"), [(False, 3.0), (True, 6.0)])
def test_softmax_view_first_weights_equal_softmax(scaled, divisor):
    weights = view(temperature=3.0, scaled=scaled).weights()
    torch.testing.assert_close(weights, (PRODUCTS[0, 1] / divisor).softmax(0), atol=1e-4, rtol=0)


def test_softmax_view_output_has_picture_and_text():
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "5 keys of size 4" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_softmax_view_saved_state_has_the_products():
    state = saved_state(view())["state"]
    assert state["sizes"] == SIZES
    torch.testing.assert_close(torch.tensor(state["products"]), PRODUCTS, atol=1e-4, rtol=0)


def test_softmax_view_raises_for_non_tensor():
    with pytest.raises(TypeError, match=r"^products must"):
        view(products=PRODUCTS.numpy())
