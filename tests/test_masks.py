"""True = may attend, everywhere; nothing leaks through a mask, in any precision."""

from __future__ import annotations

import math
from collections.abc import Callable

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
@settings(deadline=None, max_examples=60)
def test_masked_softmax_is_the_softmax_of_the_allowed_scores(
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
@settings(deadline=None, max_examples=30)
def test_a_mask_with_fewer_axes_or_with_ones_broadcasts(shape: list[int], seed: int, data: st.DataObject) -> None:
    scores = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    kept = data.draw(st.integers(1, len(shape)))
    small = [data.draw(st.sampled_from([1, n])) for n in shape[-kept:]]
    mask = torch.rand(small, generator=torch.Generator().manual_seed(seed)) < 0.5
    assert torch.equal(masked_softmax(scores, mask), masked_softmax(scores, mask.expand(shape)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_fully_masked_row_gives_zeros_and_a_zero_gradient(dtype: torch.dtype) -> None:
    scores = torch.randn(2, 3, 4).to(dtype).requires_grad_()
    mask = torch.ones(2, 3, 4, dtype=torch.bool)
    mask[0, 1] = mask[1, 2] = False
    weights = masked_softmax(scores, mask)
    assert not weights[0, 1].any() and not weights[1, 2].any()
    with torch.autograd.set_detect_anomaly(True):  # raises at a NaN on the way, though a mask hides it later
        (weights * torch.randn(2, 3, 4).to(dtype)).sum().backward()
    assert scores.grad is not None and torch.isfinite(scores.grad).all()
    assert not scores.grad[0, 1].any() and not scores.grad[1, 2].any()
    assert scores.grad[0, 0].any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_allowed_scores_may_be_as_low_as_the_precision_allows(dtype: torch.dtype) -> None:
    """A mask by a constant such as -1e4 would let a hidden key win here."""
    low = torch.finfo(dtype).min / 2
    scores = torch.tensor([[low, low, 0.0]], dtype=dtype)
    assert masked_softmax(scores, torch.tensor([[True, True, False]])).tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("hidden", [math.inf, -math.inf, math.nan])
def test_what_stands_at_a_forbidden_key_does_not_matter(dtype: torch.dtype, hidden: float) -> None:
    scores = torch.tensor([[1.0, 2.0, hidden], [hidden, hidden, hidden]], dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = masked_softmax(scores, mask)
    expected = torch.tensor([1.0, 2.0], dtype=dtype).softmax(-1)
    assert torch.equal(weights.detach()[0, :2], expected) and not weights[1].any()
    weights[0, 0].backward()
    assert scores.grad is not None and torch.isfinite(scores.grad).all() and not scores.grad[1].any()


def test_the_gradient_is_that_of_the_definition() -> None:
    scores = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(2, 3, 5) < 0.6
    mask[0, 0] = False
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


def test_without_a_mask_it_is_the_softmax() -> None:
    scores = torch.randn(2, 3, 4)
    assert torch.equal(masked_softmax(scores), scores.softmax(2))


@given(lengths=st.lists(st.integers(0, 6), min_size=1, max_size=5), spare=st.integers(0, 3))
@settings(deadline=None, max_examples=30)
def test_lengths_become_real_tokens_first(lengths: list[int], spare: int) -> None:
    width = max(lengths) + spare
    mask = lengths_to_mask(torch.tensor(lengths), width)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[i < length for i in range(width)] for length in lengths]
    assert torch.equal(lengths_to_mask(torch.tensor(lengths)), mask[:, : max(lengths)])


def test_lengths_of_any_shape() -> None:
    assert lengths_to_mask(torch.tensor(2), 3).tolist() == [True, True, False]
    assert lengths_to_mask(torch.tensor([[1, 2], [0, 3]], dtype=torch.int32)).shape == (2, 2, 3)
    assert lengths_to_mask(torch.empty(0, dtype=torch.int64), 4).shape == (0, 4)
    assert lengths_to_mask(torch.empty(0, dtype=torch.int64)).shape == (0, 0)


@given(queries=st.integers(1, 6), cached=st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_causal_queries_are_the_last_positions_of_the_keys(queries: int, cached: int) -> None:
    keys = queries + cached
    whole = causal_mask(keys)
    assert whole.dtype == torch.bool
    assert whole.tolist() == [[j <= i for j in range(keys)] for i in range(keys)]
    assert torch.equal(causal_mask(queries, keys), whole[cached:])


def test_no_query_is_a_causal_mask_too() -> None:
    assert causal_mask(0, 3).shape == (0, 3)


def test_masks_are_made_where_they_are_used() -> None:
    assert causal_mask(3, device=torch.device("meta")).is_meta
    lengths = torch.tensor([1, 2])
    with torch.device("meta"):  # where tensors are made by default
        assert not lengths_to_mask(lengths).is_meta


@given(seed=seeds, count=st.integers(0, 4))
@settings(deadline=None, max_examples=20)
def test_combined_masks_allow_what_every_one_allows(seed: int, count: int) -> None:
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
def test_bad_input_is_named(error: type[Exception], argument: str, call: Callable[[], Tensor]) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call()


def test_numbers_are_looked_at_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those of another device, of shapes alone, or of a batch that vmap hides; nor while a model is traced."""
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


def test_padding_stands_on_the_right_only() -> None:
    check_right_padded("mask", torch.tensor([[True, True, False, False], [True, True, True, True]]))
    for wrong in ([False, True, True, True], [True, True, False, True]):
        with pytest.raises(ValueError, match=r"^mask\b"):
            check_right_padded("mask", torch.tensor([[True] * 4, wrong]))
