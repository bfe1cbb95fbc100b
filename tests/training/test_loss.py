"""The cross-entropy, at once and in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from attnbook.training import loss
from attnbook.training.loss import cross_entropy


@pytest.fixture(autouse=True, params=["at once", "blocks of two rows"])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run every test twice: its logits count as small, and as too large for the cache."""
    if request.param != "at once":
        monkeypatch.setattr(loss, "_is_large", lambda _: True)
        monkeypatch.setattr(loss, "LOSS_BLOCK_BYTES", 2 * 7 * 4)
    return str(request.param)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_cross_entropy_equals_its_formula_over_real_tokens(smoothing: float) -> None:
    torch.manual_seed(0)
    logits, target = torch.randn(3, 5, 7), torch.randint(7, (3, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
    total = 0.0
    for b in range(3):
        for t in range(5):
            if mask[b, t]:
                p = logits[b, t].exp() / logits[b, t].exp().sum()
                for v in range(7):
                    q = (1 - smoothing) * (v == int(target[b, t])) + smoothing / 7
                    total -= q * math.log(float(p[v]))
    summed = cross_entropy(logits, target, mask, label_smoothing=smoothing, reduction="sum")
    assert float(summed) == pytest.approx(total, rel=1e-5)
    mean = cross_entropy(logits, target, mask, label_smoothing=smoothing)
    assert float(mean) == pytest.approx(total / 8, rel=1e-5)
    library = F.cross_entropy(logits[mask], target[mask], label_smoothing=smoothing)
    torch.testing.assert_close(mean, library)
    torch.testing.assert_close(cross_entropy(logits[mask], target[mask], label_smoothing=smoothing), library)


def test_cross_entropy_ignores_padding_in_loss_and_gradient() -> None:
    torch.manual_seed(0)
    logits, target = torch.randn(2, 4, 6, requires_grad=True), torch.randint(6, (2, 4))
    mask = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0]]).bool()
    loss = cross_entropy(logits, target, mask, label_smoothing=0.1)
    (gradient,) = torch.autograd.grad(loss, logits)
    assert gradient[~mask].abs().max() == 0 and gradient[mask].abs().min() > 0
    changed = logits.detach().clone()
    changed[~mask] = 1e4
    other = torch.where(mask, target, (target + 1) % 6)
    assert torch.equal(cross_entropy(changed, other, mask, label_smoothing=0.1), loss)


def test_cross_entropy_is_zero_without_real_tokens_and_fp32_for_bf16() -> None:
    logits, target = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64)
    assert float(cross_entropy(logits, target, torch.zeros(2, 3, dtype=torch.bool))) == 0
    assert float(cross_entropy(logits[:0], target[:0])) == 0
    assert cross_entropy(logits.bfloat16(), target).dtype == torch.float32


def test_cross_entropy_accepts_any_padding_id_and_small_integers() -> None:
    logits, target, mask = torch.randn(3, 4), torch.tensor([1, 2, 99]), torch.tensor([True, True, False])
    expected = cross_entropy(logits[:2], target[:2])
    assert torch.equal(cross_entropy(logits, target, mask), expected)
    assert torch.equal(cross_entropy(logits, target.int(), mask), expected)
    assert torch.equal(cross_entropy(logits[0], target[0]), cross_entropy(logits[:1], target[:1]))


def test_cross_entropy_names_invalid_argument() -> None:
    logits, target, mask = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64), torch.ones(2, 3).bool()
    with pytest.raises(ValueError, match="target"):
        cross_entropy(logits, torch.zeros(2, 4, dtype=torch.int64), mask)
    with pytest.raises(TypeError, match="mask"):
        cross_entropy(logits, target, mask.float())
    with pytest.raises(ValueError, match="mask"):
        cross_entropy(logits, target, mask[:, :2])
    with pytest.raises(TypeError, match="target"):
        cross_entropy(logits, target.float())
    with pytest.raises(TypeError, match="logits"):
        cross_entropy(logits.long(), target)
    for wrong in (4, -1, -100):  # -100: torch would ignore such a token, but it would be counted
        with pytest.raises(ValueError, match="target"):
            cross_entropy(logits, target.index_fill(1, torch.tensor([2]), wrong))
    with pytest.raises(ValueError, match="label_smoothing"):
        cross_entropy(logits, target, mask, label_smoothing=1)
    with pytest.raises(ValueError, match="reduction"):
        cross_entropy(logits, target, mask, reduction="none")


def test_cross_entropy_names_argument_that_is_not_a_tensor() -> None:
    logits, target = torch.zeros(1, 3), torch.tensor([1])
    for arguments, name in (
        (([0.0], target, None), "logits"),
        ((logits, [1], None), "target"),
        ((logits, target, [True]), "mask"),
    ):
        with pytest.raises(TypeError, match=name):
            cross_entropy(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_cross_entropy_of_large_logits_equals_library(smoothing: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    logits = (5 * torch.randn(3, 5, 7)).to(dtype).requires_grad_()
    target, mask = torch.randint(7, (3, 5)), torch.rand(3, 5) < 0.7
    ours = cross_entropy(logits, target, mask, label_smoothing=smoothing)
    (gradient,) = torch.autograd.grad(ours / 3, logits, retain_graph=True)
    (again,) = torch.autograd.grad(ours / 3, logits)
    exact = logits.detach().double().requires_grad_()
    library = F.cross_entropy(exact[mask], target[mask], label_smoothing=smoothing)
    (expected,) = torch.autograd.grad(library / 3, exact)
    assert gradient.dtype == dtype and torch.equal(gradient, again)
    tolerance = {torch.float32: 1e-6, torch.float64: 1e-14, torch.bfloat16: 1e-3}[dtype]
    torch.testing.assert_close(ours.double(), library, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(gradient.double(), expected, rtol=8 * tolerance, atol=tolerance)


def test_cross_entropy_survives_non_finite_padding_and_very_large_logits() -> None:
    logits, target = torch.tensor([[1e30, 0.0, -1e30], [math.nan, math.inf, 0.0]]), torch.tensor([0, 1])
    assert float(cross_entropy(logits, target, torch.tensor([True, False]))) == 0
    assert math.isnan(float(cross_entropy(logits, target)))


def test_cross_entropy_of_large_logits_works_in_functional_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    logits, target = torch.randn(40, 8000), torch.randint(8000, (40,))
    assert logits.nbytes > loss.LOSS_BLOCK_BYTES
    leaf = logits.clone().requires_grad_()
    (expected,) = torch.autograd.grad(cross_entropy(leaf, target), leaf)
    torch.testing.assert_close(torch.func.grad(cross_entropy)(logits, target), expected)


@pytest.mark.parametrize("wrap", [partial(torch.compile, backend="eager"), torch.func.vmap])
def test_cross_entropy_rejects_negative_ids_where_values_cannot_be_read(
    wrap: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    logits, target = torch.zeros(1, 2, 5), torch.tensor([[1, -100]])
    with pytest.raises((IndexError, RuntimeError)):
        wrap(cross_entropy)(logits, target)
    assert float(wrap(cross_entropy)(logits, target, target >= 0)) == pytest.approx(math.log(5))


def test_cross_entropy_can_be_differentiated_twice() -> None:
    torch.manual_seed(0)
    weight, x = torch.randn(4, 7, dtype=torch.float64, requires_grad=True), torch.randn(5, 4, dtype=torch.float64)
    target, mask = torch.randint(7, (5,)), torch.tensor([True, True, False, True, True])
    assert torch.autograd.gradgradcheck(lambda w: cross_entropy(x @ w, target, mask, label_smoothing=0.1), weight)
