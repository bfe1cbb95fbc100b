"""Multi-head attention equals torch's, also in pieces with a cache, in 16 bits, and while it is observed."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention import kernels
from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.observe.recorder import record_attention

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
    """Gradients by the names of our parameters."""
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
def test_multi_head_attention_equals_torch_in_outputs_weights_and_gradients(
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
    any_mask[..., 0] = True  # torch's result for a fully masked row is undefined
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
@settings(max_examples=40)
def test_multi_head_attention_equals_formula_for_any_sizes_and_masks(
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
def test_multi_head_attention_returns_bias_for_fully_masked_row(dtype: torch.dtype, recorded: bool) -> None:
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


def test_causal_flag_equals_causal_mask() -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2)
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(ours(x, x, x, causal=True), ours(x, x, x, causal_mask(5).unsqueeze(0)))
    last = x[:, 3:]
    torch.testing.assert_close(ours(last, x, x, causal=True), ours(last, x, x, causal_mask(2, 5).unsqueeze(0)))
    padding = torch.tensor([[[True, True, True, True, False]], [[True, True, False, False, False]]])
    torch.testing.assert_close(ours(x, x, x, padding, causal=True), ours(x, x, x, padding & causal_mask(5)))


def test_rotary_attention_depends_only_on_distances() -> None:
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


def test_multi_head_attention_passes_gradcheck() -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(6, 3, query_size=2, key_size=3, value_size=4, rotary=True).double()
    sizes = ((3, 2), (4, 3), (4, 4))
    inputs = tuple(torch.randn(2, *size, dtype=torch.float64, requires_grad=True) for size in sizes)
    mask = torch.tensor([[[True, True, False, True]], [[False, False, False, False]]])
    assert torch.autograd.gradcheck(lambda q, k, v: ours(q, k, v, mask), inputs)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_multi_head_attention_in_16_bits_is_close_to_fp32(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(16, 4, rotary=True)
    x = torch.randn(2, 6, 16)
    expected = ours(x, x, x, causal=True)
    output = ours.to(dtype)(x.to(dtype), x.to(dtype), x.to(dtype), causal=True)
    assert output.dtype == dtype
    torch.testing.assert_close(output.float(), expected, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("autocast", [False, True])
def test_multi_head_attention_in_16_bits_rounds_once(autocast: bool) -> None:
    layer = MultiHeadAttention(16, 2).to(torch.bfloat16)
    x = torch.randn(2, 5, 16).to(torch.bfloat16)
    key, value = (part.float() for part in layer.project_key_value(x, x))
    query = layer.W_q(x).view(2, 5, 2, 8).transpose(1, 2).float()
    pooled = F.scaled_dot_product_attention(query, key, value).to(torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        assert torch.equal(layer(x, x, x), layer.W_o(pooled.transpose(1, 2).flatten(2)))


def test_multi_head_attention_propagates_nan_query() -> None:
    """The fused CPU kernel would treat its row as fully masked and return zeros."""
    layer, x = MultiHeadAttention(8, 2), torch.randn(1, 3, 8)
    broken = x.clone()
    broken[0, 1, 0] = math.nan
    answer = layer(broken, x, x)
    assert answer[0, 1].isnan().all() and answer[0, [0, 2]].isfinite().all()


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rotary", [False, True])
def test_observer_does_not_change_output(causal: bool, rotary: bool, dropout: float) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, dropout=dropout, rotary=rotary)
    x = torch.randn(3, 4, 8)
    mask = (torch.arange(4) < torch.tensor([[4], [2], [0]])).unsqueeze(1)
    outputs, seen = [], list[Tensor]()
    for observer in (None, seen.append):
        ours.observer = observer
        torch.manual_seed(1)
        outputs.append((ours(x, x, x, causal=causal), ours(x, x, x, mask, causal=causal)))
    assert all(torch.equal(a, b) for a, b in zip(*outputs, strict=True)) and len(seen) == 2


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rotary", [False, True])
def test_observed_weights_reproduce_output(causal: bool, rotary: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, rotary=rotary)
    x = torch.randn(3, 4, 8)
    seen: list[Tensor] = []
    ours.observer = seen.append
    output = ours(x, x, x, causal=causal)
    values = ours.W_v(x).view(3, 4, 2, 4)
    torch.testing.assert_close(ours.W_o(torch.einsum("bhqk,bkhd->bqhd", seen[0], values).reshape(3, 4, 8)), output)
    assert not seen[0].requires_grad and seen[0].shape == (3, 2, 4, 4)
    assert bool(seen[0].triu(1).any()) != causal


@given(cuts=st.lists(st.integers(1, 3), min_size=1, max_size=5), rotary=st.booleans(), padded=st.booleans())
@settings(max_examples=40)
def test_attention_with_cache_equals_whole_sequence(cuts: list[int], rotary: bool, padded: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, rotary=rotary).double()
    length = sum(cuts)
    x = torch.randn(2, length, 8, dtype=torch.float64)
    mask = None
    if padded:
        mask = (torch.arange(length) < torch.tensor([[length], [max(1, length - 2)]])).unsqueeze(1)
    whole = ours(x, x, x, mask, causal=True)
    cached, pieces, end = None, [], 0
    for piece in x.split(cuts, 1):
        cached = ours.project_key_value(piece, piece, cached)
        end += piece.shape[1]
        pieces.append(ours.attend(piece, cached, None if mask is None else mask[..., :end], causal=True))
    torch.testing.assert_close(torch.cat(pieces, 1), whole)


def test_attend_is_not_causal_by_default() -> None:
    layer, x = MultiHeadAttention(8, 2), torch.randn(2, 4, 8)
    projected = layer.project_key_value(x, x)
    torch.testing.assert_close(layer.attend(x, projected), layer(x, x, x))
    torch.testing.assert_close(layer.attend(x, projected, causal=True), layer(x, x, x, causal=True))


def test_attend_rejects_keys_and_values_of_batch_one() -> None:
    layer, x = MultiHeadAttention(8, 2), torch.randn(2, 4, 8)
    keys, values = layer.project_key_value(x, x)
    with pytest.raises(ValueError, match=r"keys must .* got 1"):
        layer.attend(x, (keys[:1], values))
    with pytest.raises(ValueError, match=r"values must .* got 1"):
        layer.attend(x, (keys, values[:1]))


def test_replaced_softmax_gets_dropout_and_needed_gradients() -> None:
    layer, x, graded = MultiHeadAttention(8, 2, dropout=0.5), torch.randn(1, 3, 8), []

    def mean(scores: Tensor, mask: Tensor | None) -> Tensor:
        graded.append(torch.is_grad_enabled())
        return torch.full_like(scores, 1 / 3)

    layer.softmax = mean  # type: ignore[method-assign]
    value = layer.project_key_value(x, x)[1]
    for dropout in (0.5, 0.0):
        layer.train(dropout > 0)
        torch.manual_seed(0)
        weights = F.dropout(torch.full((1, 2, 3, 3), 1 / 3), dropout)
        torch.manual_seed(0)
        torch.testing.assert_close(layer(x, x, x), layer.W_o((weights @ value).transpose(1, 2).flatten(2)))
    with torch.no_grad():
        layer(x, x, x)
    assert graded == [True, True, False]


def test_rotary_queries_start_at_zero_without_causal() -> None:
    ours, x = MultiHeadAttention(8, 2, rotary=True), torch.randn(2, 4, 8)
    torch.testing.assert_close(ours(x[:, :2], x, x), ours(x, x, x)[:, :2])
    torch.testing.assert_close(ours(x, x, x)[:, -1], ours(x, x, x, causal=True)[:, -1])  # the last query sees all keys


def test_observed_weights_in_16_bits_are_computed_in_fp32() -> None:
    ours = MultiHeadAttention(16, 2).to(torch.bfloat16)
    x = 8 * torch.randn(2, 5, 16).to(torch.bfloat16)
    seen: list[Tensor] = []
    ours.observer = seen.append
    ours(x, x, x)
    query, key = (part.float() for part in (ours.split(ours.W_q(x)), ours.project_key_value(x, x)[0]))
    expected = (query @ key.transpose(-2, -1) / 8**0.5).softmax(-1)
    assert seen[0].equal(expected.to(torch.bfloat16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_multi_head_dropout_applies_only_in_training(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, dropout=0.5).to(dtype)
    x = torch.randn(2, 5, 8).to(dtype)
    seen: list[Tensor] = []
    ours.observer = seen.append
    dropped = ours(x, x, x), ours(x, x, x)
    assert not torch.equal(*dropped)
    assert torch.equal(seen[0], seen[1]), "weights are shown before dropout"
    ours.eval()
    assert torch.equal(ours(x, x, x), ours(x, x, x))


@pytest.mark.slow
def test_multi_head_attention_compiles_with_dynamic_length() -> None:
    """Comparing two traced lengths gives a symbolic bool, which torch's fused function rejects."""
    attention, x = MultiHeadAttention(8, 2).eval(), torch.randn(1, 5, 8)
    compiled = torch.compile(attention, backend="eager", fullgraph=True, dynamic=True)
    for length in (5, 3):
        part = x[:, :length]
        torch.testing.assert_close(compiled(part, part, part, causal=True), attention(part, part, part, causal=True))


ONES = torch.ones(2, 3, 8)


@pytest.mark.parametrize(
    ("error", "argument", "call"),
    [
        (ValueError, "num_heads", lambda _: MultiHeadAttention(8, 3)),
        (ValueError, "num_heads", lambda _: MultiHeadAttention(8, 0)),
        (ValueError, "d_model", lambda _: MultiHeadAttention(0, 1)),
        (ValueError, "query_size", lambda _: MultiHeadAttention(8, 2, query_size=0)),
        (ValueError, "key_size", lambda _: MultiHeadAttention(8, 2, key_size=0)),
        (ValueError, "value_size", lambda _: MultiHeadAttention(8, 2, value_size=-1)),
        (ValueError, "dropout", lambda _: MultiHeadAttention(8, 2, dropout=1.5)),
        (
            ValueError,
            "num_heads",
            lambda _: MultiHeadAttention(6, 2, rotary=True),
        ),
        (ValueError, "query", lambda m: m(ONES[..., :5], ONES, ONES)),
        (ValueError, "key", lambda m: m(ONES, ONES[..., :5], ONES)),
        (ValueError, "value", lambda m: m(ONES, ONES, ONES[..., :5])),
        (ValueError, "value", lambda m: m(ONES, ONES, ONES[:, :2])),
        (ValueError, "key", lambda m: m(ONES, ONES[:1], ONES[:1])),
        (ValueError, "query", lambda m: m(ONES[0], ONES, ONES)),
        (
            ValueError,
            "mask",
            lambda m: m(ONES, ONES, ONES, torch.ones(2, 3, dtype=torch.bool)),
        ),
        (
            ValueError,
            "mask",
            lambda m: m(ONES, ONES, ONES, torch.ones(2, 2, 3, 3, dtype=torch.bool)),
        ),
        (TypeError, "key", lambda m: m(ONES, ONES.long(), ONES)),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, torch.zeros(2, 3, 3))),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, [[[True]]])),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, torch.ones(1, 3, 3).long())),
        (
            ValueError,
            "query",
            lambda m: m(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
        (
            ValueError,
            "query",
            lambda _: MultiHeadAttention(8, 2, rotary=True)(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
    ],
)
def test_multi_head_attention_rejects_invalid_arguments(
    error: type[Exception], argument: str, call: Callable[[MultiHeadAttention], Tensor]
) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call(MultiHeadAttention(8, 2))


@pytest.mark.parametrize("causal", [False, True])
def test_recorded_weights_are_nan_exactly_where_the_output_is(causal: bool) -> None:
    attention = MultiHeadAttention(8, 2)
    query, key = torch.randn(1, 4, 8), torch.randn(1, 4, 8)
    fine = attention(query, key, key, causal=causal)
    query[0, 1] = math.nan
    with record_attention(nn.ModuleDict({"attention": attention})) as record:
        output = attention(query, key, key, causal=causal)
        weights = record["attention"]
    assert output[0].isnan().all(1).tolist() == weights[0, 0].isnan().any(1).tolist() == [False, True, False, False]
    rows = [0, 2, 3]
    torch.testing.assert_close(output[:, rows], fine[:, rows])


@pytest.mark.parametrize("causal", [False, True])
def test_recorded_weights_in_fp16_reproduce_output_of_large_scores(causal: bool) -> None:
    """fp16 ends at 65,504; the fused kernel computes scores in fp32, and so does the record."""
    attention = MultiHeadAttention(64, 1, bias=False).eval()
    with torch.no_grad():
        for layer in (attention.W_q, attention.W_k, attention.W_v, attention.W_o):
            layer.weight.copy_(torch.eye(64))
    attention.half()
    x = 100 * torch.randn(1, 5, 64).half()
    assert not (x @ x.transpose(1, 2)).isfinite().all()
    with record_attention(nn.ModuleDict({"it": attention})) as record:
        output = attention(x, x, x, causal=causal)
        weights = record["it"][0, 0]
    assert weights.dtype == torch.float16
    torch.testing.assert_close(weights.float() @ x[0].float(), output[0].float(), rtol=1e-2, atol=0.2)


def test_multi_head_attention_in_fp16_uses_fused_kernel_for_large_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attention = MultiHeadAttention(64, 1).half()
    monkeypatch.setattr(kernels, "_weights", lambda *_: pytest.fail("took the explicit path, which is for NaN"))
    q = torch.full((1, 64, 64), 20.0).half()
    with torch.no_grad():
        attention.W_q.weight.copy_(torch.eye(64))
        attention.W_q.bias.zero_()
    assert not q.sum().isfinite()
    attention(q, q, q)


def test_multi_head_attention_computes_shapes_on_meta_device() -> None:
    x = torch.zeros(2, 3, 8, device="meta")
    assert MultiHeadAttention(8, 2).to("meta")(x, x, x).shape == x.shape


@pytest.mark.parametrize("value", [0, -1, 2.5, None, "2", True, float("inf"), torch.tensor(1.0)])
def test_multi_head_attention_rejects_invalid_sizes(value: object) -> None:
    with pytest.raises(ValueError, match=r"^num_heads\b"):
        MultiHeadAttention(8, value)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^d_model\b"):
        MultiHeadAttention(value, 1)  # type: ignore[arg-type]
