"""Kernel regression equals its definition, and its weights are never NaN for finite inputs."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnbook.attention.pooling import (
    Kernel,
    NadarayaWatson,
    average_pooling,
    boxcar,
    epanechnikov,
    gaussian,
    leave_one_out_mask,
    nadaraya_watson,
    nadaraya_watson_weights,
)

X = torch.tensor([0.0, 1.0, 2.5])

KERNELS: dict[Kernel, Callable[[float], float]] = {
    gaussian: lambda u: math.exp(-u * u / 2) / math.sqrt(2 * math.pi),
    boxcar: lambda u: 0.5 if abs(u) <= 1 else 0.0,
    epanechnikov: lambda u: 0.75 * (1 - u * u) if abs(u) <= 1 else 0.0,
}

inputs = st.lists(st.floats(-4, 4, width=32), min_size=1, max_size=6)
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)


@kernels
@given(query=inputs, key=inputs, width=st.floats(0.3, 5))
@settings(max_examples=30)
def test_nadaraya_watson_equals_definition(kernel: Kernel, query: list[float], key: list[float], width: float) -> None:
    value = [math.sin(3 * x) + i for i, x in enumerate(key)]
    queries, keys, values = (torch.tensor(numbers, dtype=torch.float64) for numbers in (query, key, value))
    predicted = nadaraya_watson(queries, keys, values, kernel, width=width)
    for x, found in zip(query, predicted.tolist(), strict=True):
        similarity = [KERNELS[kernel]((x - x_i) / width) for x_i in key]
        total = sum(similarity)
        expected = sum(k * y for k, y in zip(similarity, value, strict=True)) / total if total else 0.0
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@kernels
def test_kernels_integrate_to_one(kernel: Kernel) -> None:
    u = torch.linspace(-8, 8, 160_001, dtype=torch.float64)
    assert float(torch.trapezoid(kernel(u), u)) == pytest.approx(1, abs=1e-4)
    torch.testing.assert_close(kernel(u), kernel(-u))


@kernels
def test_kernels_accept_integer_distances(kernel: Kernel) -> None:
    distance = torch.arange(-2, 3)
    torch.testing.assert_close(kernel(distance), kernel(distance.float()))


@kernels
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_nadaraya_watson_weights_sum_to_one_or_zero(kernel: Kernel, dtype: torch.dtype) -> None:
    query = torch.tensor([-3e4, -300.0, -1.0, 0.5, 300.0, 3e4]).to(dtype)
    weights = nadaraya_watson_weights(query, X.to(dtype), kernel)
    sums = weights.float().sum(-1)
    reached = torch.ones(6, dtype=torch.bool) if kernel is gaussian else torch.tensor([0, 0, 1, 1, 0, 0]).bool()
    if kernel is epanechnikov:
        reached[2] = False  # at distance 1 exactly
    torch.testing.assert_close(sums, reached.float(), atol=1e-2, rtol=0)


def test_gaussian_weights_reach_distant_keys() -> None:
    weights = nadaraya_watson_weights(torch.tensor([-1e30, 50.0, 1e30]), X, width=0.01)
    assert weights.argmax(-1).tolist() == [0, 2, 0]  # so far out, all keys look equally near: the first is the largest
    torch.testing.assert_close(weights[0], torch.full((3,), 1 / 3))
    assert weights[1].tolist() == [0, 0, 1]


def test_gaussian_weights_do_not_overflow() -> None:
    weights = nadaraya_watson_weights(torch.tensor([4e4]).half(), torch.tensor([0.0, 64.0]).half())
    assert weights.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("kernel", [gaussian, epanechnikov])
def test_nadaraya_watson_propagates_nan_query(kernel: Kernel) -> None:
    assert nadaraya_watson(torch.tensor([math.nan]), X, X, kernel).isnan().all()


@pytest.mark.parametrize("width", [1e-40, 1e-30, 1e30, 1e38, math.inf])
@kernels
def test_gaussian_weights_with_extreme_widths_are_finite(kernel: Kernel, width: float) -> None:
    weights = nadaraya_watson_weights(torch.tensor([1.0, 1.6]), torch.tensor([1.0, 2.0]), kernel, width=width)
    between = 1.0 if kernel is gaussian else 0.0  # kernels with bounded support are zero there
    expected = [[0.5, 0.5], [0.5, 0.5]] if width > 1 else [[1.0, 0.0], [0.0, between]]
    assert weights.tolist() == expected
    nowhere = nadaraya_watson_weights(torch.tensor([torch.nan, torch.inf]), torch.tensor([1.0, 2.0]), width=width)
    assert nowhere[0].isnan().all() and (nowhere[1].isnan().all() or width == math.inf)


def test_nadaraya_watson_default_width_is_one() -> None:
    value = torch.tensor([1.0, 2.0, 6.0])
    assert torch.equal(nadaraya_watson(X, X, value), nadaraya_watson(X, X, value, width=1.0))
    torch.testing.assert_close(NadarayaWatson()(X, X, value), nadaraya_watson(X, X, value, width=1.0))


def test_average_pooling_equals_very_wide_kernel() -> None:
    value = torch.tensor([1.0, 2.0, 6.0])
    assert average_pooling(torch.zeros(4), value).tolist() == [3.0] * 4
    torch.testing.assert_close(nadaraya_watson(X, X, value, width=1e4), average_pooling(X, value))


@pytest.mark.parametrize("w", [0.7, -0.7])
def test_nadaraya_watson_module_has_width_one_over_w(w: float) -> None:
    query, value = torch.tensor([0.2, 3.0]), torch.tensor([1.0, -1.0, 2.0])
    model = NadarayaWatson(w)
    torch.testing.assert_close(model(query, X, value), nadaraya_watson(query, X, value, width=1 / abs(w)))


def test_nadaraya_watson_module_passes_gradcheck() -> None:
    model = NadarayaWatson(1.3).double()
    query, value = torch.tensor([0.2, 3.0], dtype=torch.float64), torch.tensor([1.0, -1.0, 2.0], dtype=torch.float64)

    def predict(w: Tensor) -> Tensor:
        predicted: Tensor = torch.func.functional_call(model, {"w": w}, (query, X.double(), value))
        return predicted

    assert torch.autograd.gradcheck(predict, torch.tensor(1.3, dtype=torch.float64, requires_grad=True))


def test_leave_one_out_mask_excludes_only_the_diagonal() -> None:
    assert leave_one_out_mask(2).tolist() == [[False, True], [True, False]]
    assert leave_one_out_mask(2, device=torch.device("meta")).is_meta
    mask = leave_one_out_mask(3)
    assert mask.tolist() == [[False, True, True], [True, False, True], [True, True, False]]
    value = torch.tensor([1.0, 5.0, -2.0])
    model = NadarayaWatson(2.0)
    predicted = model(X, X, value, mask)
    for i in range(3):
        others = [j for j in range(3) if j != i]
        torch.testing.assert_close(predicted[i], model(X[i : i + 1], X[others], value[others])[0])


def test_leave_one_out_loss_has_an_inner_optimum() -> None:
    torch.manual_seed(0)
    x = torch.rand(40) * 5
    y = 2 * torch.sin(x) + x**0.8 + 0.5 * torch.randn(40)

    def loss(w: float, mask: Tensor | None) -> float:
        with torch.no_grad():
            return float(((NadarayaWatson(w)(x, x, y, mask) - y) ** 2).mean())

    candidates = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1e3, 1e6]
    honest = [loss(w, leave_one_out_mask(40)) for w in candidates]
    memorised = [loss(w, None) for w in candidates]
    assert 0 < honest.index(min(honest)) < len(candidates) - 3
    assert memorised == sorted(memorised, reverse=True) and memorised[-1] < 1e-6


def test_nadaraya_watson_module_returns_zero_for_fully_masked_query() -> None:
    model = NadarayaWatson()
    predicted = model(X[:1], X, X + 1, torch.zeros(1, 3, dtype=torch.bool))
    predicted.sum().backward()
    assert predicted.tolist() == [0.0]
    assert model.w.grad is not None and model.w.grad.item() == 0.0


@pytest.mark.parametrize(
    ("error", "argument", "call"),
    [
        (ValueError, "width", lambda: nadaraya_watson(X, X, X, width=0)),
        (
            ValueError,
            "width",
            lambda: nadaraya_watson(X, X, X, width=1e-60),
        ),
        (ValueError, "width", lambda: nadaraya_watson(X, X, X, width=math.nan)),
        (ValueError, "query", lambda: nadaraya_watson(X[:, None], X, X)),
        (ValueError, "key", lambda: nadaraya_watson_weights(X, X[:0])),
        (ValueError, "query", lambda: nadaraya_watson_weights(X[:0], X)),
        (ValueError, "query", lambda: average_pooling(X[:0], X)),
        (ValueError, "query", lambda: NadarayaWatson().weights(X[:0], X)),
        (ValueError, "key", lambda: NadarayaWatson().weights(X, X[:0])),
        (ValueError, "value", lambda: nadaraya_watson(X, X, X[:0])),
        (TypeError, "value", lambda: average_pooling(X, X.long())),
        (TypeError, "query", lambda: nadaraya_watson(X.long(), X, X)),
        (TypeError, "key", lambda: nadaraya_watson(X, X.double(), X)),
        (TypeError, "query", lambda: NadarayaWatson()(X.double(), X, X)),
        (ValueError, "value", lambda: nadaraya_watson(X, X, X[:2])),
        (ValueError, "value", lambda: average_pooling(X, X[None])),
        (ValueError, "value", lambda: NadarayaWatson()(X, X, X[:2])),
        (TypeError, "mask", lambda: NadarayaWatson()(X, X, X, torch.ones(3, 3).long())),
        (ValueError, "w", lambda: NadarayaWatson(math.nan)),
        (ValueError, "w", lambda: NadarayaWatson("1")),
        (ValueError, "count", lambda: leave_one_out_mask(1)),
        (ValueError, "count", lambda: leave_one_out_mask(2.5)),
        (ValueError, "kernel", lambda: nadaraya_watson(X, X, X, "gaussian")),
        (ValueError, "kernel", lambda: nadaraya_watson(X, X, X, lambda distance: distance.abs().mean(0))),
        (TypeError, "query", lambda: nadaraya_watson([1.0], X, X)),
        (TypeError, "value", lambda: average_pooling(X, [1.0])),
        (TypeError, "value", lambda: nadaraya_watson(X, X, [1.0])),
        (TypeError, "value", lambda: NadarayaWatson()(X, X, [1.0])),
    ],
)
def test_pooling_rejects_invalid_arguments(error: type[Exception], argument: str, call: Callable[[], Tensor]) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
def test_nadaraya_watson_weights_reject_invalid_width(value: object) -> None:
    with pytest.raises(ValueError, match=r"^width\b"):
        nadaraya_watson_weights(torch.ones(2), torch.ones(2), width=value)  # type: ignore[arg-type]


def test_nadaraya_watson_weights_pass_a_gradient_to_the_width() -> None:
    width = torch.tensor(2.0, requires_grad=True)
    nadaraya_watson_weights(torch.zeros(1), torch.tensor([0.0, 1.0]), width=width)[0, 0].backward()  # type: ignore[arg-type]
    assert width.grad is not None and width.grad != 0


@pytest.mark.parametrize("kernel", [gaussian, boxcar, epanechnikov])
def test_nadaraya_watson_weights_propagate_nan_for_every_kernel(kernel: Callable[[Tensor], Tensor]) -> None:
    weights = nadaraya_watson_weights(torch.tensor([torch.nan, 0.0]), torch.tensor([0.0, 5.0]), kernel)
    assert weights[0].isnan().all() and weights[1].isfinite().all()
