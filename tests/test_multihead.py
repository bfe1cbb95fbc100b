"""Multi-head attention is the library's: with any sizes, masks and precision, with its gradients."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def from_library(theirs: nn.MultiheadAttention) -> MultiHeadAttention:
    """Ours, with a copy of the library's weights."""
    d_model = theirs.embed_dim
    ours = MultiHeadAttention(
        d_model,
        theirs.num_heads,
        key_size=theirs.kdim,
        value_size=theirs.vdim,
        bias=theirs.in_proj_bias is not None,
    ).double()
    if theirs.in_proj_weight is not None:
        weights = theirs.in_proj_weight.chunk(3)
    else:
        weights = (theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight)
    with torch.no_grad():
        for layer, weight in zip((ours.W_q, ours.W_k, ours.W_v), weights, strict=True):
            layer.weight.copy_(weight)
        ours.W_o.weight.copy_(theirs.out_proj.weight)
        if theirs.in_proj_bias is not None:
            for layer, bias in zip((ours.W_q, ours.W_k, ours.W_v), theirs.in_proj_bias.chunk(3), strict=True):
                layer.bias.copy_(bias)
            ours.W_o.bias.copy_(theirs.out_proj.bias)
    return ours


def gradients(module: nn.Module, *inputs: Tensor) -> dict[str, Tensor]:
    """By the names that our parameters have."""
    found = {f"input {i}": tensor.grad for i, tensor in enumerate(inputs)}
    if isinstance(module, MultiHeadAttention):
        found |= {name: parameter.grad for name, parameter in module.named_parameters()}
    else:
        assert isinstance(module, nn.MultiheadAttention)
        if module.in_proj_weight is not None:
            assert module.in_proj_weight.grad is not None
            for name, grad in zip("qkv", module.in_proj_weight.grad.chunk(3), strict=True):
                found[f"W_{name}.weight"] = grad
        else:
            for name in "qkv":
                found[f"W_{name}.weight"] = getattr(module, f"{name}_proj_weight").grad
        found["W_o.weight"] = module.out_proj.weight.grad
        if module.in_proj_bias is not None:
            assert module.in_proj_bias.grad is not None
            for name, grad in zip("qkv", module.in_proj_bias.grad.chunk(3), strict=True):
                found[f"W_{name}.bias"] = grad
            found["W_o.bias"] = module.out_proj.bias.grad
    return {name: grad for name, grad in found.items() if grad is not None}


@pytest.mark.parametrize("recorded", [False, True], ids=["fused", "recorded"])
@pytest.mark.parametrize("masked", ["open", "padding", "causal", "any"])
@pytest.mark.parametrize(
    ("d_model", "num_heads", "key_size", "value_size", "bias"),
    [(12, 3, 12, 12, True), (12, 3, 12, 12, False), (8, 2, 5, 7, True), (7, 1, 7, 7, True), (6, 6, 6, 6, True)],
)
def test_outputs_weights_and_gradients_are_those_of_torch(
    d_model: int, num_heads: int, key_size: int, value_size: int, bias: bool, masked: str, recorded: bool
) -> None:
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(
        d_model, num_heads, bias=bias, kdim=key_size, vdim=value_size, batch_first=True, dtype=torch.float64
    )
    if bias:  # the library starts its biases at zero, where a mistake would not show
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    ours = from_library(theirs)
    batch, queries = 3, 5
    keys = queries if masked == "causal" else 6
    sizes = ((queries, d_model), (keys, key_size), (keys, value_size))
    data = [torch.randn(batch, *size, dtype=torch.float64) for size in sizes]
    mine, library = ([tensor.clone().requires_grad_() for tensor in data] for _ in range(2))
    any_mask = torch.rand(batch, queries, keys) < 0.6
    any_mask[..., 0] = True  # where a row may see nothing, torch has no defined answer
    mask: Tensor | None
    if masked == "open":
        mask, ignored = None, {}
    elif masked == "padding":
        mask = (torch.arange(keys) < torch.tensor([[6], [1], [3]])).unsqueeze(1)
        ignored = {"key_padding_mask": ~mask.squeeze(1)}
    elif masked == "causal":
        mask = causal_mask(queries).unsqueeze(0)
        ignored = {"attn_mask": ~mask[0]}
    else:
        mask, ignored = any_mask, {"attn_mask": ~any_mask.repeat_interleave(num_heads, 0)}
    seen: list[Tensor] = []
    ours.observer = seen.append if recorded else None
    output = ours(*mine, mask)
    expected, weights = theirs(*library, average_attn_weights=False, **ignored)
    torch.testing.assert_close(output, expected)
    if recorded:
        torch.testing.assert_close(seen[0], weights)
    upstream = torch.randn_like(output)
    (output * upstream).sum().backward()
    (expected * upstream).sum().backward()
    torch.testing.assert_close(gradients(ours, *mine), gradients(theirs, *library))


def heads_by_hand(ours: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """The paper's 3.2.2, one head after the other."""
    d_model = ours.W_o.in_features
    size = d_model // ours.num_heads
    heads = []
    for i in range(ours.num_heads):
        rows = slice(i * size, (i + 1) * size)
        q, k, v = (
            x @ layer.weight[rows].T + (layer.bias[rows] if layer.bias is not None else 0)
            for x, layer in ((query, ours.W_q), (key, ours.W_k), (value, ours.W_v))
        )
        powers = torch.exp(torch.einsum("bqd,bkd->bqk", q, k) / math.sqrt(size)) * mask
        total = powers.sum(-1, keepdim=True)
        heads.append(torch.einsum("bqk,bkd->bqd", powers / total.where(total > 0, 1), v))
    output: Tensor = ours.W_o(torch.cat(heads, -1))
    return output


@given(
    num_heads=st.integers(1, 3),
    head_dim=st.integers(1, 5),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
    lengths=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    batch=st.integers(1, 3),
    bias=st.booleans(),
    seed=st.integers(0, 2**31),
)
@settings(deadline=None, max_examples=40)
def test_any_sizes_lengths_and_masks(
    num_heads: int,
    head_dim: int,
    sizes: tuple[int, int, int],
    lengths: tuple[int, int],
    batch: int,
    bias: bool,
    seed: int,
) -> None:
    torch.manual_seed(seed)
    ours = MultiHeadAttention(
        num_heads * head_dim, num_heads, query_size=sizes[0], key_size=sizes[1], value_size=sizes[2], bias=bias
    ).double()
    queries, keys = lengths
    query = torch.randn(batch, queries, sizes[0], dtype=torch.float64)
    key = torch.randn(batch, keys, sizes[1], dtype=torch.float64)
    value = torch.randn(batch, keys, sizes[2], dtype=torch.float64)
    mask = torch.rand(batch, queries, keys) < 0.6  # whole rows may be False
    torch.testing.assert_close(ours(query, key, value, mask), heads_by_hand(ours, query, key, value, mask))
    shared = mask[:1, :1]
    torch.testing.assert_close(ours(query, key, value, shared), heads_by_hand(ours, query, key, value, shared))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("recorded", [False, True], ids=["fused", "recorded"])
def test_a_row_without_an_allowed_key_gives_the_bias_and_a_zero_gradient(dtype: torch.dtype, recorded: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2).to(dtype)
    nn.init.normal_(ours.W_o.bias)
    x = torch.randn(2, 3, 8, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[[True, True, False]], [[False, False, False]]])
    seen: list[Tensor] = []
    ours.observer = seen.append if recorded else None
    output = ours(x, x, x, mask)
    output.sum().backward()
    assert output.dtype == dtype and torch.isfinite(output).all()
    assert torch.equal(output[1], ours.W_o.bias.expand(3, 8))
    assert x.grad is not None and torch.isfinite(x.grad).all()
    assert not x.grad[1].any() and x.grad[0].any()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in ours.parameters())
    if recorded:
        assert not seen[0][1].any() and not seen[0][0, ..., 2].any()


def test_causal_is_the_causal_mask() -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2)
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(ours(x, x, x, causal=True), ours(x, x, x, causal_mask(5).unsqueeze(0)))
    last = x[:, 3:]
    torch.testing.assert_close(ours(last, x, x, causal=True), ours(last, x, x, causal_mask(2, 5).unsqueeze(0)))
    padding = torch.tensor([[[True, True, True, True, False]], [[True, True, False, False, False]]])
    torch.testing.assert_close(ours(x, x, x, padding, causal=True), ours(x, x, x, padding & causal_mask(5)))


def test_rotary_attention_knows_only_distances() -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, rotary=True).double()
    x = torch.randn(1, 4, 8, dtype=torch.float64)
    seen: list[Tensor] = []
    ours.observer = seen.append
    before = torch.randn(1, 3, 8, dtype=torch.float64)
    later = torch.cat((before, x), 1)
    hidden = (torch.arange(7) >= 3).view(1, 1, 7)
    torch.testing.assert_close(ours(later, later, later, hidden)[:, 3:], ours(x, x, x))
    assert not torch.allclose(ours(x, x, x).flip(1), ours(x.flip(1), x.flip(1), x.flip(1)))  # order does matter
    torch.testing.assert_close(seen[0][..., 3:, 3:], seen[1])


def test_the_gradient_passes_gradcheck() -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(6, 3, query_size=2, key_size=3, value_size=4, rotary=True).double()
    sizes = ((3, 2), (4, 3), (4, 4))
    inputs = tuple(torch.randn(2, *size, dtype=torch.float64, requires_grad=True) for size in sizes)
    mask = torch.tensor([[[True, True, False, True]], [[False, False, False, False]]])
    assert torch.autograd.gradcheck(lambda q, k, v: ours(q, k, v, mask), inputs)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision_is_near_fp32(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(16, 4, rotary=True)
    x = torch.randn(2, 6, 16)
    expected = ours(x, x, x, causal=True)
    output = ours.to(dtype)(x.to(dtype), x.to(dtype), x.to(dtype), causal=True)
    assert output.dtype == dtype
    torch.testing.assert_close(output.float(), expected, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("autocast", [False, True])
def test_16_bits_are_attended_in_fp32_and_rounded_once(autocast: bool) -> None:
    layer = MultiHeadAttention(16, 2).to(torch.bfloat16)
    x = torch.randn(2, 5, 16).to(torch.bfloat16)
    key, value = (part.float() for part in layer.project_key_value(x, x))
    query = layer.W_q(x).view(2, 5, 2, 8).transpose(1, 2).float()
    pooled = F.scaled_dot_product_attention(query, key, value).to(torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        assert torch.equal(layer(x, x, x), layer.W_o(pooled.transpose(1, 2).flatten(2)))


def test_a_query_that_is_nan_has_an_answer_that_is_nan() -> None:
    """On a CPU the fused softmax takes its row for one that may see nothing, and gives zeros."""
    layer, x = MultiHeadAttention(8, 2), torch.randn(1, 3, 8)
    broken = x.clone()
    broken[0, 1, 0] = math.nan
    answer = layer(broken, x, x)
    assert answer[0, 1].isnan().all() and answer[0, [0, 2]].isfinite().all()
