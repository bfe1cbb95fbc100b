"""The loss and the learning-rate schedules."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from attnbook.training.optim import constant, cross_entropy, linear_decay


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
    for wrong in (4, -1, -100):  # -100 is what the library would skip, and count
        with pytest.raises(ValueError, match="target"):
            cross_entropy(logits, target.index_fill(1, torch.tensor([2]), wrong))
    with pytest.raises(ValueError, match="label_smoothing"):
        cross_entropy(logits, target, mask, label_smoothing=1)
    with pytest.raises(ValueError, match="reduction"):
        cross_entropy(logits, target, mask, reduction="none")


def test_schedules_have_documented_values() -> None:
    assert [constant(2.0)(s) for s in (1, 5, 10**6)] == [2.0] * 3
    assert [constant(2.0, warmup=4)(s) for s in (1, 2, 4, 5)] == [0.5, 1.0, 2.0, 2.0]
    rate = linear_decay(1.0, warmup=4, total=13)
    assert [rate(s) for s in (1, 2, 3, 4)] == [0.25, 0.5, 0.75, 1.0]
    falling = [rate(s) for s in range(4, 15)]
    assert all(a > b for a, b in pairwise(falling)) and falling[-1] == pytest.approx(0)
    assert rate(9) == pytest.approx(0.5) and rate(100) == 0
    assert linear_decay(1.0, total=4)(1) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: constant(0), "peak"),
        (lambda: constant(1, warmup=-1), "warmup"),
        (lambda: linear_decay(1, warmup=5, total=5), "total"),
        (lambda: linear_decay(1, total=0), "total"),
    ],
)
def test_schedules_name_invalid_argument(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
def test_schedules_refuse_values_that_are_not_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="peak"):
        constant(value)
    with pytest.raises(ValueError, match="warmup"):
        constant(1.0, warmup=value)


def test_cross_entropy_names_argument_that_is_not_a_tensor() -> None:
    logits, target = torch.zeros(1, 3), torch.tensor([1])
    for arguments, name in (
        (([0.0], target, None), "logits"),
        ((logits, [1], None), "target"),
        ((logits, target, [True]), "mask"),
    ):
        with pytest.raises(TypeError, match=name):
            cross_entropy(*arguments)  # type: ignore[arg-type]
