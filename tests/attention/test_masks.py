"""Masks: True = may attend; nothing leaks through a mask, in any precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses import FakeTensorMode

from attnbook._internal.tracing import can_read, has_values, innermost
from attnbook.attention.masks import (
    causal_mask,
    check_right_padded,
    combine_masks,
    lengths_to_mask,
    masked_softmax,
)

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 2e-2, torch.float16: 2e-3}
SCORES = torch.zeros(2, 3, 4)

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4)
seeds = st.integers(0, 2**31 - 1)


def softmax_of_allowed(scores: Tensor, mask: Tensor) -> Tensor:
    """The definition, one number at a time."""
    rows = []
    for row, flags in zip(scores.reshape(-1, scores.shape[-1]).tolist(), mask.reshape(-1, mask.shape[-1]), strict=True):
        largest = max((a for a, allowed in zip(row, flags, strict=True) if allowed), default=0.0)
        powers = [math.exp(a - largest) if allowed else 0.0 for a, allowed in zip(row, flags, strict=True)]
        rows.append([power / (sum(powers) or 1.0) for power in powers])
    return torch.tensor(rows, dtype=torch.float64).reshape(scores.shape)


@given(shape=shapes, seed=seeds, dtype=st.sampled_from(FLOATS), spread=st.sampled_from([0.1, 3.0, 200.0]))
@settings(max_examples=60)
def test_masked_softmax_equals_softmax_over_allowed_scores(
    shape: list[int], seed: int, dtype: torch.dtype, spread: float
) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = (torch.randn(shape, generator=generator) * spread).to(dtype)
    mask = torch.rand(shape, generator=generator) < 0.6
    before = scores.clone()
    weights = masked_softmax(scores, mask)
    assert weights.dtype == dtype and weights.shape == scores.shape
    assert torch.equal(scores, before), "scores were changed in place"
    assert not weights[~mask].any()
    torch.testing.assert_close(weights.double(), softmax_of_allowed(scores, mask), atol=TOLERANCE[dtype], rtol=0)


@given(shape=shapes, seed=seeds, data=st.data())
@settings(max_examples=30)
def test_masked_softmax_broadcasts_masks(shape: list[int], seed: int, data: st.DataObject) -> None:
    scores = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    kept = data.draw(st.integers(1, len(shape)))
    small = [data.draw(st.sampled_from([1, n])) for n in shape[-kept:]]
    mask = torch.rand(small, generator=torch.Generator().manual_seed(seed)) < 0.5
    assert torch.equal(masked_softmax(scores, mask), masked_softmax(scores, mask.expand(shape)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_masked_softmax_returns_zeros_and_zero_gradient_for_fully_masked_row(dtype: torch.dtype) -> None:
    scores = torch.randn(2, 3, 4).to(dtype).requires_grad_()
    mask = torch.ones(2, 3, 4, dtype=torch.bool)
    mask[0, 1] = mask[1, 2] = False
    weights = masked_softmax(scores, mask)
    assert not weights[0, 1].any() and not weights[1, 2].any()
    with torch.autograd.set_detect_anomaly(True):  # raises at an intermediate NaN, even if a mask hides it later
        (weights * torch.randn(2, 3, 4).to(dtype)).sum().backward()
    assert scores.grad is not None and torch.isfinite(scores.grad).all()
    assert not scores.grad[0, 1].any() and not scores.grad[1, 2].any()
    assert scores.grad[0, 0].any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_masked_softmax_distinguishes_very_low_scores_from_masked_ones(dtype: torch.dtype) -> None:
    """A mask by a constant such as -1e4 would let a hidden key win here."""
    low = torch.finfo(dtype).min / 2
    scores = torch.tensor([[low, low, 0.0]], dtype=dtype)
    assert masked_softmax(scores, torch.tensor([[True, True, False]])).tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("hidden", [math.inf, -math.inf, math.nan])
def test_masked_softmax_ignores_values_at_masked_keys(dtype: torch.dtype, hidden: float) -> None:
    scores = torch.tensor([[1.0, 2.0, hidden], [hidden, hidden, hidden]], dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = masked_softmax(scores, mask)
    expected = torch.tensor([1.0, 2.0], dtype=dtype).softmax(-1)
    assert torch.equal(weights.detach()[0, :2], expected) and not weights[1].any()
    weights[0, 0].backward()
    assert scores.grad is not None and torch.isfinite(scores.grad).all() and not scores.grad[1].any()


def test_masked_softmax_passes_gradcheck() -> None:
    scores = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(2, 3, 5) < 0.6
    mask[0, 0] = False
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


def test_masked_softmax_without_mask_equals_softmax() -> None:
    scores = torch.randn(2, 3, 4)
    assert torch.equal(masked_softmax(scores), scores.softmax(2))


@given(lengths=st.lists(st.integers(0, 6), min_size=1, max_size=5), spare=st.integers(0, 3))
@settings(max_examples=30)
def test_lengths_to_mask_marks_leading_positions(lengths: list[int], spare: int) -> None:
    width = max(lengths) + spare
    mask = lengths_to_mask(torch.tensor(lengths), width)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[i < length for i in range(width)] for length in lengths]
    assert torch.equal(lengths_to_mask(torch.tensor(lengths)), mask[:, : max(lengths)])


def test_lengths_to_mask_accepts_any_shape() -> None:
    assert lengths_to_mask(torch.tensor(2), 3).tolist() == [True, True, False]
    assert lengths_to_mask(torch.tensor([[1, 2], [0, 3]], dtype=torch.int32)).shape == (2, 2, 3)
    assert lengths_to_mask(torch.empty(0, dtype=torch.int64), 4).shape == (0, 4)
    assert lengths_to_mask(torch.empty(0, dtype=torch.int64)).shape == (0, 0)


@given(queries=st.integers(1, 6), cached=st.integers(0, 5))
@settings(max_examples=30)
def test_causal_mask_with_more_keys_treats_queries_as_last_positions(queries: int, cached: int) -> None:
    keys = queries + cached
    whole = causal_mask(keys)
    assert whole.dtype == torch.bool
    assert whole.tolist() == [[j <= i for j in range(keys)] for i in range(keys)]
    assert torch.equal(causal_mask(queries, keys), whole[cached:])


def test_causal_mask_accepts_zero_queries() -> None:
    assert causal_mask(0, 3).shape == (0, 3)


def test_masks_are_created_on_the_right_device() -> None:
    assert causal_mask(3, device=torch.device("meta")).is_meta
    lengths = torch.tensor([1, 2])
    with torch.device("meta"):  # the default device
        assert not lengths_to_mask(lengths).is_meta


@given(seed=seeds, count=st.integers(0, 4))
@settings(max_examples=20)
def test_combine_masks_equals_logical_and(seed: int, count: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    shapes = [(2, 1, 5), (1, 4, 5), (4, 5), (2, 4, 1)][:count]
    masks = [torch.rand(shape, generator=generator) < 0.7 for shape in shapes]
    combined = combine_masks(None, *masks, None)
    if not masks:
        assert combined is None
        return
    assert combined is not None
    assert torch.equal(combined, torch.stack(torch.broadcast_tensors(*masks)).all(0))


@pytest.mark.parametrize(
    ("error", "argument", "call"),
    [
        (TypeError, "mask", lambda: masked_softmax(SCORES, SCORES.long())),
        (TypeError, "mask", lambda: masked_softmax(SCORES, SCORES)),
        (TypeError, "masks", lambda: combine_masks(SCORES.to(torch.uint8))),
        (TypeError, "scores", lambda: masked_softmax(SCORES.long())),
        (
            ValueError,
            "mask",
            lambda: masked_softmax(SCORES, torch.ones(2, 3, dtype=torch.bool)),
        ),
        (
            ValueError,
            "mask",
            lambda: masked_softmax(SCORES, torch.ones(1, 2, 3, 4, dtype=torch.bool)),
        ),
        (TypeError, "lengths", lambda: lengths_to_mask(torch.ones(2))),
        (TypeError, "lengths", lambda: lengths_to_mask(torch.ones(2, dtype=torch.bool))),
        (ValueError, "lengths", lambda: lengths_to_mask(torch.tensor([2, -1]))),
        (
            ValueError,
            "lengths",
            lambda: lengths_to_mask(torch.tensor([1, 5]), 4),
        ),
        (
            ValueError,
            "max_length",
            lambda: lengths_to_mask(torch.tensor([1]), 2.5),  # type: ignore[arg-type]
        ),
        (ValueError, "keys", lambda: causal_mask(1, True)),
        (ValueError, "queries", lambda: causal_mask(3, 2)),
        (ValueError, "queries", lambda: causal_mask(-1)),
        (ValueError, "queries", lambda: causal_mask(2.5)),  # type: ignore[arg-type]
        (
            ValueError,
            "masks",
            lambda: combine_masks(torch.ones(2, 3, dtype=torch.bool), torch.ones(2, 4, dtype=torch.bool)),
        ),
    ],
)
def test_masks_reject_invalid_arguments(error: type[Exception], argument: str, call: Callable[[], Tensor]) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call()


def test_can_read_only_concrete_cpu_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on other devices, in meta or fake tensors, inside vmap, or while a model is compiled or exported."""
    plain, meta = torch.ones(2), torch.ones(2, device="meta")
    with FakeTensorMode():
        fake = torch.ones(2)
    assert has_values(plain) and can_read(plain)
    assert not has_values(meta) and not can_read(meta) and not has_values(fake) and not can_read(fake)
    seen: list[Tensor | None] = []

    def note(x: Tensor) -> Tensor:
        seen.append(innermost(x))
        return x.sum()

    torch.func.grad(note)(plain)
    torch.func.vmap(note)(plain)
    assert seen[0] is not None and seen[0].equal(plain) and seen[1] is None
    with monkeypatch.context() as patch:
        patch.setattr(torch.compiler, "is_exporting", lambda: True)
        assert not has_values(plain)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert has_values(plain) and not can_read(plain)


def test_check_right_padded_rejects_padding_before_a_token() -> None:
    check_right_padded("mask", torch.tensor([[True, True, False, False], [True, True, True, True]]))
    for wrong in ([False, True, True, True], [True, True, False, True]):
        with pytest.raises(ValueError, match=r"^mask\b"):
            check_right_padded("mask", torch.tensor([[True] * 4, wrong]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_masked_softmax_accepts_finfo_min_as_score(dtype: torch.dtype) -> None:
    lowest = torch.full((1, 4), torch.finfo(dtype).min, dtype=dtype)
    mask = torch.tensor([[True, True, False, False]])
    assert masked_softmax(lowest, mask).tolist() == [[0.5, 0.5, 0, 0]]
    assert masked_softmax(lowest, torch.zeros(1, 4, dtype=torch.bool)).tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize("value", ["1", 1.5, np.float32(1), [1], True, -1, torch.tensor(1.0)])
def test_causal_mask_rejects_invalid_count(value: object) -> None:
    with pytest.raises(ValueError, match=r"^queries\b"):
        causal_mask(value)  # type: ignore[arg-type]


def test_causal_mask_accepts_numpy_and_tensor_counts() -> None:
    assert causal_mask(np.int64(2)).equal(causal_mask(torch.tensor(2)))  # type: ignore[arg-type]
    assert causal_mask(2).equal(causal_mask(2, 2))


@pytest.mark.parametrize("value", [True, 2.5])
def test_lengths_to_mask_rejects_invalid_max_length(value: object) -> None:
    with pytest.raises(ValueError, match=r"^max_length\b"):
        lengths_to_mask(torch.tensor([1]), value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("lengths", lambda: lengths_to_mask([1, 2])),  # type: ignore[arg-type]
        ("scores", lambda: masked_softmax([[0.0]])),  # type: ignore[arg-type]
        ("masks", lambda: combine_masks([True])),  # type: ignore[arg-type]
    ],
)
def test_masks_reject_lists(argument: str, call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=rf"^{argument}\b"):
        call()
