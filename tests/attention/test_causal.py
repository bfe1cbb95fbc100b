"""Grouped, latent and differential attention equal their formulas and reject what does not fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.observe.recorder import record_attention
from tests.support.causal_attentions import KINDS


@pytest.mark.parametrize("rotary", [False, True])
def test_grouped_attention_with_all_groups_equals_multi_head(rotary):
    ours = GroupedAttention(16, 4, 4, rotary=rotary)
    theirs = MultiHeadAttention(16, 4, bias=False, rotary=rotary)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 7, 16)
    assert torch.allclose(ours(x)[0], theirs(x, x, x, causal=True), atol=1e-6)


def test_grouped_attention_shares_keys_and_values():
    grouped, full = GroupedAttention(16, 4, 2), GroupedAttention(16, 4, 4)
    with torch.no_grad():
        for name in ("W_q", "W_o"):
            getattr(full, name).weight.copy_(getattr(grouped, name).weight)
        for name in ("W_k", "W_v"):
            shared = getattr(grouped, name).weight.unflatten(0, (2, -1)).repeat_interleave(2, 0)
            getattr(full, name).weight.copy_(shared.flatten(0, 1))
    x = torch.randn(2, 7, 16)
    assert torch.allclose(grouped(x)[0], full(x)[0], atol=1e-6)


@torch.no_grad()
def test_latent_attention_equals_formula():
    layer, x = LatentAttention(16, 4, latent_size=6, rotary_size=4), torch.randn(1, 5, 16)
    output, (c, turned) = layer(x)
    assert torch.equal(c, layer.W_c(x)) and torch.equal(turned, layer.rotary(layer.W_r(x)))
    heads = []
    for i in range(4):
        q = layer.W_q(x)[0, :, 8 * i : 8 * i + 8]
        k = c[0] @ layer.W_k.weight[4 * i : 4 * i + 4].T
        scores = (q[:, :4] @ k.T + layer.rotary(q[:, 4:]) @ turned[0].T) / math.sqrt(8)
        scores = scores.masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), -torch.inf)
        heads.append(scores.softmax(-1) @ c[0] @ layer.W_v.weight[4 * i : 4 * i + 4].T)
    assert torch.allclose(output[0], layer.W_o(torch.cat(heads, -1)), atol=1e-6)


@torch.no_grad()
def test_differential_attention_equals_formula():
    layer, x = DifferentialAttention(16, 2, lambda_init=0.3), torch.randn(1, 5, 16)
    layer.lambda_.fill_(0.6)
    heads = []
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    for i in range(2):
        weights = []
        for part in (2 * i, 2 * i + 1):
            q, k = (layer.rotary(W(x)[0, :, 4 * part : 4 * part + 4]) for W in (layer.W_q, layer.W_k))
            weights.append((q @ k.T / 2).masked_fill(hidden, -torch.inf).softmax(-1))
        pooled = (weights[0] - 0.6 * weights[1]) @ layer.W_v(x)[0, :, 8 * i : 8 * i + 8]
        heads.append(0.7 * F.rms_norm(pooled, (8,)))
    assert torch.allclose(layer(x)[0][0], layer.W_o(torch.cat(heads, -1)), atol=1e-5)


def test_differential_attention_is_recorded_as_one_module() -> None:
    """A record has both weights of each head in turn, also for a single token."""
    layer = DifferentialAttention(16, 2, lambda_init=0.3)
    for length in (5, 1):
        x = torch.randn(2, length, 16)
        with record_attention(layer) as record:
            layer(x)
        (weights,) = record.values()
        assert weights.shape == (2, 4, length, length)
        q, k = (layer.rotary(W(x).unflatten(-1, (4, 4)).transpose(1, 2), 0) for W in (layer.W_q, layer.W_k))
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        expected = (q @ k.mT / 2).masked_fill(hidden, -math.inf).softmax(-1)
        torch.testing.assert_close(weights, expected)


def test_qk_norm_removes_the_length_of_queries():
    layer, x = GroupedAttention(16, 4, 4, rotary=False, qk_norm=True), torch.randn(2, 5, 16)
    before = layer(x)[0]
    with torch.no_grad():
        layer.W_q.weight.mul_(10)
    assert torch.allclose(before, layer(x)[0], atol=1e-4)


@pytest.mark.parametrize("name", KINDS)
def test_causal_attention_rejects_invalid_mask(name):
    """A floating-point mask would be added to the scores."""
    layer, x = KINDS[name](), torch.randn(2, 5, 16)
    with pytest.raises(TypeError, match=r"^mask\b"):
        layer(x, None, torch.ones(5, 5).tril())
    for shape in ((2, 4), (5,), ()):
        with pytest.raises(ValueError, match=r"^mask\b"):
            layer(x, None, torch.ones(shape, dtype=torch.bool))


def test_differential_attention_accepts_integer_lambda_init():
    assert DifferentialAttention(16, 2, lambda_init=0)(torch.randn(1, 3, 16))[0].shape == (1, 3, 16)


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_causal_attention_rejects_invalid_tokens_and_past(make: Callable[[], nn.Module]) -> None:
    module, x = make(), torch.zeros(2, 3, 16)
    _, cache = module(x)
    for wrong in (x[0], x[..., :8]):
        with pytest.raises(ValueError, match=r"^x\b"):
            module(wrong)
    with pytest.raises(TypeError, match=r"^x\b"):
        module(x.long())
    with pytest.raises(ValueError, match=r"^past\b"):
        module(x[:1], cache)
    for wrong in ("cache", (1, 2), (cache[0], None)):
        with pytest.raises(TypeError, match=r"^past\b"):
            module(x, wrong)
    with pytest.raises(ValueError, match=r"^past\b"):
        module(x, (cache[0], cache[1][:1]))


@pytest.mark.parametrize(
    ("argument", "make"),
    [
        ("num_heads", lambda: GroupedAttention(16, 3, 3)),
        ("num_groups", lambda: GroupedAttention(16, 4, 3)),
        ("num_heads", lambda: GroupedAttention(6, 2, 1)),
        ("latent_size", lambda: LatentAttention(16, 4, 0, 4)),
        ("num_heads", lambda: LatentAttention(16, 3, 6, 4)),
        ("num_heads", lambda: DifferentialAttention(16, 16)),
        ("num_heads", lambda: DifferentialAttention(12, 2)),
        ("lambda_init", lambda: DifferentialAttention(8, 1, "a")),  # type: ignore[arg-type]
        ("lambda_init", lambda: DifferentialAttention(8, 1, math.nan)),
        *(("rotary_size", lambda n=n: LatentAttention(8, 2, 4, n)) for n in (0, -1, 2.5, 3, None, "2", math.inf)),
    ],
)
def test_causal_attention_rejects_invalid_sizes(argument: str, make: Callable[[], nn.Module]) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make()
