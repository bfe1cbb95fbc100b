"""Scores and scored attention equal their formulas, with masks, dropout and observers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention, ScoredAttention
from tests.support.attention_scores import FLOATS, KEY_SIZE, KINDS, QUERY_SIZE, inputs


def one_score(attention: ScoredAttention, query: Tensor, key: Tensor) -> Tensor:
    """The formula a(q, k) for one query and one key."""
    if isinstance(attention, AdditiveAttention):
        hidden = attention.W_q.weight @ query + attention.W_k.weight @ key
        return attention.w_v.weight[0] @ torch.tanh(hidden)
    assert isinstance(attention, (DotProductAttention, GeneralAttention))
    product = query @ attention.W.weight @ key if isinstance(attention, GeneralAttention) else query @ key
    return product / math.sqrt(len(query)) if attention.scaled else product


def pooled_by_hand(attention: ScoredAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """The result for one batch of queries, with Python loops."""
    answer = torch.zeros(*query.shape[:2], value.shape[2], dtype=query.dtype)
    for b in range(query.shape[0]):
        for i in range(query.shape[1]):
            seen = [j for j in range(key.shape[1]) if mask[b, i, j]]
            if seen:
                scores = torch.stack([one_score(attention, query[b, i], key[b, j]) for j in seen])
                weights = scores.exp() / scores.exp().sum()
                answer[b, i] = sum(weights[n] * value[b, j] for n, j in enumerate(seen))
    return answer


kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@given(batch=st.integers(1, 3), queries=st.integers(1, 4), keys=st.integers(1, 5), seed=st.integers(0, 2**31))
@settings(max_examples=15)
def test_scored_attention_equals_formula(kind: str, batch: int, queries: int, keys: int, seed: int) -> None:
    attention, (query, key, value) = inputs(kind, batch, queries, keys, seed)
    mask = torch.rand(batch, queries, keys) < 0.7
    answer = attention(query, key, value, mask)
    torch.testing.assert_close(answer, pooled_by_hand(attention, query, key, value, mask))
    everything = torch.ones(batch, queries, keys, dtype=torch.bool)
    torch.testing.assert_close(attention(query, key, value), pooled_by_hand(attention, query, key, value, everything))


@kinds
def test_attend_with_projected_keys_equals_forward(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 2, 3, 4)
    mask = torch.tensor([[[True, True, True, False]], [[True, False, False, False]]])
    projected = attention.project_key(key)
    whole = attention(query, key, value, mask)
    steps = [attention.attend(query[:, i : i + 1], projected, value, mask) for i in range(3)]
    torch.testing.assert_close(torch.cat(steps, 1), whole)


@kinds
@pytest.mark.parametrize("dtype", FLOATS)
def test_scored_attention_returns_zeros_and_zero_gradient_for_fully_masked_row(kind: str, dtype: torch.dtype) -> None:
    attention, tensors = inputs(kind, 2, 2, 3)
    attention = attention.to(dtype)
    query, key, value = (tensor.to(dtype).requires_grad_() for tensor in tensors)
    mask = torch.tensor([[[True, True, False]], [[False, False, False]]])
    answer = attention(query, key, value, mask)
    answer.sum().backward()
    assert answer.dtype == dtype and torch.isfinite(answer).all() and not answer[1].any() and answer[0].all()
    for tensor in (query, key, value, *attention.parameters()):
        assert tensor.grad is not None and torch.isfinite(tensor.grad).all()
    assert query.grad is not None and key.grad is not None and value.grad is not None
    assert not query.grad[1].any() and not key.grad[1].any() and not value.grad[1].any()
    assert not key.grad[0, 2].any() and not value.grad[0, 2].any() and key.grad[0, 0].any()


def test_scored_attention_defaults_match_the_papers() -> None:
    """No dropout, no scale except for the dot product, no bias, and one score per pair."""
    attentions: dict[str, ScoredAttention] = {kind: make() for kind, (make, _) in KINDS.items()}
    of_ones_own = type("OnesOwn", (ScoredAttention,), {})()
    assert {attention.dropout.p for attention in (*attentions.values(), of_ones_own)} == {0.0}
    shapes = {
        kind: {name: tuple(parameter.shape) for name, parameter in attention.named_parameters()}
        for kind, attention in attentions.items()
    }
    assert shapes["general"] == shapes["scaled-general"] == {"W.weight": (QUERY_SIZE, KEY_SIZE)}
    assert shapes["additive"] == {"W_q.weight": (6, QUERY_SIZE), "W_k.weight": (6, KEY_SIZE), "w_v.weight": (1, 6)}
    general, scaled = attentions["general"], attentions["scaled-general"]
    scaled.load_state_dict(general.state_dict())
    query, key = torch.randn(1, 2, QUERY_SIZE), torch.randn(1, 3, QUERY_SIZE)
    torch.testing.assert_close(general.score(query, key), scaled.score(query, key) * math.sqrt(QUERY_SIZE))


@kinds
def test_attend_rejects_batch_of_one_and_scale_of_other_shape(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 2, 3, 4)
    projected = attention.project_key(key)
    with pytest.raises(ValueError, match=r"value must .* got 1"):
        attention.attend(query, projected, value[:1])
    with pytest.raises(ValueError, match=r"projected_key must .* got 1"):
        attention.attend(query, projected[:1], value)
    with pytest.raises(ValueError, match="scale must"):
        attention.attend(query, projected, value, scale=torch.ones(1, 3, 4, dtype=torch.float64))


def test_attend_with_scale_of_other_dtype_keeps_dtype() -> None:
    attention, tensors = inputs("dot", 1, 2, 3)
    query, key, value = (tensor.float() for tensor in tensors)
    seen: list[Tensor] = []
    attention.observer = seen.append
    answer = attention.attend(query, key, value, scale=torch.ones(1, 2, 3, dtype=torch.float64))
    assert answer.dtype == seen[0].dtype == torch.float32


def test_additive_score_equals_luongs_concat() -> None:
    attention, (query, key, _) = inputs("additive", 1, 2, 3)
    assert isinstance(attention, AdditiveAttention)
    joined = torch.cat((attention.W_q.weight, attention.W_k.weight), 1)  # W [q; k]
    pairs = torch.cat((query.unsqueeze(2).expand(-1, -1, 3, -1), key.unsqueeze(1).expand(-1, 2, -1, -1)), -1)
    expected = torch.tanh(pairs @ joined.T) @ attention.w_v.weight[0]
    torch.testing.assert_close(attention.score(query, attention.project_key(key)), expected)


def test_scaled_dot_product_has_unit_variance() -> None:
    torch.manual_seed(0)
    for size in (4, 64, 512):
        query, key = torch.randn(1, 300, size), torch.randn(1, 300, size)
        assert float(DotProductAttention(scaled=False).score(query, key).var()) == pytest.approx(size, rel=0.1)
        assert float(DotProductAttention().score(query, key).var()) == pytest.approx(1, rel=0.1)


@kinds
def test_scored_attention_observer_gets_detached_weights(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 2, 3, 4)
    mask = torch.tensor([[[True, True, True, False]], [[True, True, False, False]]])
    silent = attention(query, key, value, mask)
    seen: list[Tensor] = []
    attention.observer = seen.append
    assert torch.equal(attention(query, key, value, mask), silent)
    (weights,) = seen
    assert weights.shape == (2, 1, 3, 4) and not weights.requires_grad
    torch.testing.assert_close(weights[:, 0] @ value, silent.detach())


def test_attend_applies_scale_after_softmax() -> None:
    attention, (query, key, value) = inputs("general", 2, 3, 4)
    factors = torch.rand(2, 3, 4, dtype=torch.float64)
    weights = attention.score(query, attention.project_key(key)).softmax(-1) * factors
    torch.testing.assert_close(
        attention.attend(query, attention.project_key(key), value, scale=factors), weights @ value
    )


@kinds
def test_scored_attention_dropout_applies_to_weights_in_training(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 1, 200, 6)
    whole = attention(query, key, value)
    attention.dropout.p = 0.5
    attention.eval()
    assert torch.equal(attention(query, key, value), whole)
    attention.train()
    seen: list[Tensor] = []
    attention.observer = seen.append
    attention(query, key, torch.eye(6, dtype=torch.float64).expand(1, 6, 6))  # identity as values
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(1, 1, 200, dtype=torch.float64))
    dropped = attention(query, key, torch.eye(6, dtype=torch.float64).expand(1, 6, 6))
    kept = dropped != 0
    assert 0.4 < float(kept.double().mean()) < 0.6
    torch.testing.assert_close(dropped[kept], 2 * seen[0][:, 0][kept])


ONES = torch.ones(2, 3, 4)


@pytest.mark.parametrize(
    ("error", "argument", "call"),
    [
        (ValueError, "query", lambda dot: dot(ONES[0], ONES, ONES)),
        (ValueError, "key", lambda dot: dot(ONES, ONES[:1], ONES)),
        (ValueError, "value", lambda dot: dot(ONES, ONES, ONES[:, :2])),
        (
            ValueError,
            "query",
            lambda dot: dot(ONES[..., :2], ONES, ONES),
        ),
        (TypeError, "value", lambda dot: dot(ONES, ONES, ONES.long())),
        (
            ValueError,
            "mask",
            lambda dot: dot(ONES, ONES, ONES, torch.ones(2, 3, dtype=torch.bool)),
        ),
        (
            ValueError,
            "mask",
            lambda dot: dot(ONES, ONES, ONES, ONES.bool()),
        ),
        (TypeError, "mask", lambda dot: dot(ONES, ONES, ONES, torch.ones(2, 3, 3).long())),
        (TypeError, "mask", lambda dot: dot(ONES, ONES, ONES, torch.zeros(2, 3, 3))),
        (TypeError, "mask", lambda dot: dot(ONES, ONES, ONES, [[[True]]])),
        (
            ValueError,
            "query",
            lambda dot: AdditiveAttention(5, 4, 6)(ONES, ONES, ONES),
        ),
        (ValueError, "key", lambda dot: GeneralAttention(4, 5)(ONES, ONES, ONES)),
        (ValueError, "query", lambda dot: GeneralAttention(5, 4)(ONES, ONES, ONES)),
        (ValueError, "key", lambda dot: AdditiveAttention(4, 5, 6)(ONES, ONES, ONES)),
        (ValueError, "query_size", lambda dot: GeneralAttention(0, 5)),
        (ValueError, "key_size", lambda dot: GeneralAttention(5, 0)),
        (ValueError, "query_size", lambda dot: AdditiveAttention(0, 5, 6)),
        (ValueError, "key_size", lambda dot: AdditiveAttention(4, 0, 6)),
        (ValueError, "num_hiddens", lambda dot: AdditiveAttention(4, 5, 0)),
    ],
)
def test_scored_attention_rejects_invalid_arguments(
    error: type[Exception], argument: str, call: Callable[[DotProductAttention], Tensor]
) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call(DotProductAttention())


def test_dot_product_attention_rejects_true_as_dropout() -> None:
    """``DotProductAttention(True)`` is meant for ``scaled``; every weight would be dropped."""
    with pytest.raises(ValueError, match=r"^dropout\b"):
        DotProductAttention(True)


MODULES = [DotProductAttention(), GeneralAttention(4, 4), AdditiveAttention(4, 4, 4)]


@pytest.mark.parametrize("module", MODULES)
def test_scored_attention_requires_one_dtype_unless_under_autocast(module: ScoredAttention) -> None:
    x = torch.randn(1, 3, 4)
    for tensors, name in (((x, x.double(), x), "key"), ((x, x, x.bfloat16()), "value")):
        with pytest.raises(TypeError, match=rf"^{name}\b"):
            module(*tensors)
    with torch.autocast("cpu", torch.bfloat16):
        assert module(x, x, x.bfloat16()).shape == x.shape


def test_scored_attention_rejects_lists() -> None:
    with pytest.raises(TypeError, match=r"^key\b"):
        DotProductAttention()(torch.zeros(1, 1, 1), [[[0.0]]], torch.zeros(1, 1, 1))


@pytest.mark.parametrize("module", MODULES)
def test_scored_attention_computes_shapes_on_meta_device(module: ScoredAttention) -> None:
    x = torch.zeros(2, 3, 4, device="meta")
    assert copy.deepcopy(module).to("meta")(x, x, x).shape == x.shape
    with pytest.raises(TypeError, match=r"^key\b"):
        DotProductAttention()(x, x.double(), x)


@pytest.mark.parametrize("value", [0, -1, 2.5, None, "2", float("inf")])
@pytest.mark.parametrize(
    ("argument", "make"),
    [
        ("query_size", lambda size: GeneralAttention(size, 4)),
        ("num_hiddens", lambda size: AdditiveAttention(4, 4, size)),
    ],
)
def test_scored_attention_rejects_invalid_sizes(argument: str, make: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make(value)
