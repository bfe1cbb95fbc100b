"""record_attention on modules of other authors: the weights are exact and the model computes the same numbers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention

from attnbook.observe.recorder import join_calls, record_attention
from tests.support.foreign_models import (
    BATCH,
    HEADS,
    KEYS,
    QUERIES,
    WIDTH,
    Fused,
    WrittenOut,
    assert_same_numbers,
    inputs,
)

MASKS = {
    "none": (None, torch.ones(1, dtype=torch.bool), 0.0),
    "boolean": ((allowed := torch.rand(BATCH, 1, QUERIES, KEYS, generator=torch.manual_seed(1)) > 0.4), allowed, 0.0),
    "an empty row": ((empty := torch.arange(QUERIES)[:, None].expand(-1, KEYS) > 0), empty, 0.0),
    "additive": (
        (bias := torch.randn(BATCH, HEADS, QUERIES, KEYS, generator=torch.manual_seed(2))),
        torch.ones(1).bool(),
        bias,
    ),
    "minus infinity": (torch.zeros(QUERIES, KEYS).masked_fill(~empty, -torch.inf), empty, 0.0),
}


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("mask", MASKS)
def test_record_of_fused_attention_with_masks(mask: str, train: bool) -> None:
    model = Fused().train(train)
    x, memory = inputs()
    given, allowed, bias = MASKS[mask]
    seen = assert_same_numbers(model, x, memory, given)
    torch.testing.assert_close(seen["Fused"], model.weights(x, memory, allowed, bias))


@pytest.mark.parametrize("options", [{"is_causal": True}, {"scale": 0.3}, {"enable_gqa": True, "num_key_heads": 2}])
def test_record_of_fused_attention_with_options(options: dict[str, Any]) -> None:
    model = Fused(**options)
    x, _ = inputs()
    seen = assert_same_numbers(model, x)
    causal = torch.ones(QUERIES, QUERIES).tril().bool() if "is_causal" in options else torch.ones(1).bool()
    torch.testing.assert_close(seen["Fused"], model.weights(x, x, causal))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_record_of_other_dtypes(dtype: torch.dtype) -> None:
    model = Fused().to(dtype)
    x, memory = (each.to(dtype) for each in inputs())
    weights = assert_same_numbers(model, x, memory)["Fused"]
    assert weights.dtype == (torch.float32 if dtype == torch.bfloat16 else dtype)
    torch.testing.assert_close(weights.float(), model.weights(x, memory, torch.ones(1).bool()), atol=1e-6, rtol=1e-5)


def test_record_under_autocast() -> None:
    model = Fused()
    x, memory = inputs()
    with torch.autocast("cpu", torch.bfloat16):
        weights = assert_same_numbers(model, x, memory)["Fused"]
        expected = model.weights(x, memory, torch.ones(1).bool())
    torch.testing.assert_close(weights, expected, atol=1e-6, rtol=1e-5)


PRODUCTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "matmul": torch.matmul,
    "matmul by name": lambda a, b: torch.matmul(input=a, other=b),
    "@": lambda a, b: a @ b,
    "einsum": lambda a, b: torch.einsum("bhqk,bhkd->bhqd", a, b),
    "linalg.matmul": torch.linalg.matmul,
    "bmm": lambda a, b: torch.bmm(a.flatten(0, 1), b.flatten(0, 1)).unflatten(0, a.shape[:2]),
    "baddbmm": lambda a, b: torch.baddbmm(
        torch.zeros_like(b.flatten(0, 1)[:, :1]), a.flatten(0, 1), b.flatten(0, 1)
    ).unflatten(0, a.shape[:2]),
    "values first": lambda a, b: (b.mT @ a.mT).mT,
    "values first, contiguous": lambda a, b: (b.mT @ a.mT.contiguous()).mT,
    "values first, bmm": lambda a, b: torch.bmm(b.flatten(0, 1).mT, a.flatten(0, 1).mT).mT.unflatten(0, a.shape[:2]),
    "values first, einsum": lambda a, b: torch.einsum("bhdk,bhkq->bhqd", b.mT, a.mT),
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_record_of_explicit_attention(product: str) -> None:
    model = WrittenOut(PRODUCTS[product])
    x, memory = inputs()
    mask = MASKS["boolean"][0]
    seen = assert_same_numbers(model, x, memory, mask)
    torch.testing.assert_close(seen["WrittenOut"], model.weights(x, memory, mask))


def test_record_includes_masks_after_the_softmax() -> None:
    class Late(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            q, k, v = self.split(x, x)
            scores = (q @ k.mT).masked_fill(torch.arange(QUERIES)[:, None] < 1, -torch.inf)
            self.used = scores.softmax(-1).nan_to_num(0.0).tril()
            return (self.used @ v).transpose(1, 2).flatten(2)

    model = Late()
    seen = assert_same_numbers(model, inputs()[0])
    assert torch.equal(seen["Late"], model.used) and not seen["Late"][:, :, 0].any()


class Textbook(nn.Module):
    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return torch.bmm((query @ key.mT).softmax(2), value)


def test_record_adds_a_head_axis() -> None:
    x, memory = inputs()
    model = Textbook()
    with record_attention(model) as record:
        model(x, memory, memory)
    torch.testing.assert_close(record["Textbook"], (x @ memory.mT).softmax(-1).unsqueeze(1))


def multi_head_inputs() -> dict[str, Tensor]:
    x, memory = inputs()
    padding = torch.zeros(BATCH, KEYS, dtype=torch.bool)
    padding[0, 4:] = padding[2] = True  # the last sentence has no key at all
    return {"query": x, "key": memory, "value": memory, "key_padding_mask": padding}


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
def test_record_of_torch_multihead_attention(train: bool, need_weights: bool) -> None:
    model = nn.MultiheadAttention(WIDTH, HEADS, dropout=0.3, batch_first=True).train(train)
    given = multi_head_inputs() | {"need_weights": need_weights}
    if need_weights:
        given["key_padding_mask"][2, 0] = False  # torch itself gives NaN to a row without keys
    seen = assert_same_numbers(model, **given)["MultiheadAttention"]
    given["key_padding_mask"][2, 0] = False
    _, expected = model.eval()(**given | {"need_weights": True}, average_attn_weights=False)
    rows = slice(None) if need_weights else slice(2)
    torch.testing.assert_close(seen[rows], expected[rows])
    assert need_weights or not seen[2].any()


@pytest.mark.parametrize("options", [{"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 6, "vdim": 9}])
def test_record_of_torch_multihead_attention_with_options(options: dict[str, Any]) -> None:
    model = nn.MultiheadAttention(WIDTH, HEADS, **options)
    x = inputs()[0][0]  # a sequence without a batch
    key, value = (torch.randn(KEYS, options.get(size, WIDTH)) for size in ("kdim", "vdim"))
    seen = assert_same_numbers(model, x, key, value, need_weights=False)["MultiheadAttention"]
    _, expected = model(x, key, value, average_attn_weights=False)
    torch.testing.assert_close(seen, expected.unsqueeze(0))


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
@pytest.mark.parametrize("mask", ["key_padding_mask", "attn_mask"])
def test_record_of_row_without_key_has_the_key_that_torch_adds(option: str, mask: str) -> None:
    model, (x, memory) = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, **{option: True}), inputs()
    hidden = torch.ones(BATCH, KEYS) if mask == "key_padding_mask" else torch.ones(QUERIES, KEYS)
    seen = assert_same_numbers(model, x, memory, memory, need_weights=False, **{mask: hidden.bool()})
    assert (seen["MultiheadAttention"] == torch.tensor([0.0] * KEYS + [1.0])).all()


def transformer(train: bool) -> tuple[nn.Transformer, dict[str, Tensor]]:
    torch.manual_seed(3)
    model = nn.Transformer(WIDTH, HEADS, 2, 2, 2 * WIDTH, dropout=0.2, batch_first=True)
    target, source = inputs()
    padding = torch.arange(KEYS) >= torch.tensor([[4], [7], [2]])
    causal = nn.Transformer.generate_square_subsequent_mask(QUERIES)
    masks = {"src_key_padding_mask": padding, "memory_key_padding_mask": padding, "tgt_mask": causal}
    return model.train(train), {"src": source, "tgt": target, **masks}


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning", "ignore:enable_nested_tensor:UserWarning")
def test_record_of_torch_transformer_with_and_without_fast_path(train: bool, grad: bool) -> None:
    model, given = transformer(train)
    with torch.set_grad_enabled(grad):
        seen = assert_same_numbers(model, **given)
    cross = [f"decoder.layers.{i}.multihead_attn" for i in range(2)]
    own = [f"{side}.layers.{i}.self_attn" for side in ("encoder", "decoder") for i in range(2)]
    assert sorted(seen) == sorted([*own, *cross])
    source, target, padding = given["src"], given["tgt"], given["src_key_padding_mask"]
    attention = model.eval().encoder.layers[0].self_attn
    _, first = attention(source, source, source, key_padding_mask=padding, average_attn_weights=False)
    torch.testing.assert_close(seen["encoder.layers.0.self_attn"], first)
    layer = model.decoder.layers[0]
    attended, first = layer.self_attn(*(target,) * 3, attn_mask=given["tgt_mask"], average_attn_weights=False)
    torch.testing.assert_close(seen["decoder.layers.0.self_attn"], first)
    if not train:
        memory, query = model.encoder(source, src_key_padding_mask=padding), layer.norm1(target + attended)
        _, first = layer.multihead_attn(query, memory, memory, key_padding_mask=padding, average_attn_weights=False)
        torch.testing.assert_close(seen[cross[0]], first)
    for name in cross:
        torch.testing.assert_close(seen[name].sum(-1), torch.ones(BATCH, HEADS, QUERIES))
        assert not seen[name][padding[:, None, None].expand_as(seen[name])].any()


class Masked(nn.Module):
    """Written-out attention with dropout, and a mask over heads after it."""

    def __init__(self, dropout: Callable[..., Tensor], p: float) -> None:
        super().__init__()
        self.dropout, self.p = dropout, p
        self.head_mask = torch.tensor([0.0, 1.0]).view(1, 2, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        weights = (x @ x.transpose(-2, -1)).softmax(-1)
        weights = self.dropout(weights, self.p, self.training) * self.head_mask
        return weights @ x


def dropout_by_name(weights: Tensor, p: float, training: bool) -> Tensor:
    return torch.dropout(input=weights, p=p, train=training)


@pytest.mark.parametrize("dropout", [F.dropout, torch.dropout, dropout_by_name])
@pytest.mark.parametrize(("p", "training"), [(0.5, False), (0.0, True)])
def test_record_includes_head_mask_after_dropout_that_drops_nothing(
    dropout: Callable[..., Tensor], p: float, training: bool
) -> None:
    model = Masked(dropout, p).train(training)
    with record_attention(model) as record:
        model(torch.randn(3, 2, 4, 5))
    weights = record["Masked"]
    assert (weights[:, 0] == 0).all()
    torch.testing.assert_close(weights[:, 1].sum(-1), torch.ones(3, 4))


@pytest.mark.parametrize(
    "dropout",
    [
        F.dropout,
        lambda x, p, training: F.dropout(x, p, training, inplace=True),
        lambda x, p, training: F.dropout(F.dropout(x, p, training), 0.0, training),
    ],
    ids=["plain", "in place", "before one that drops nothing"],
)
def test_record_has_weights_before_dropout_that_drops(dropout: Callable[..., Tensor]) -> None:
    model = Masked(dropout, 0.5).train()
    with record_attention(model) as record:
        model(torch.randn(3, 2, 4, 5))
    torch.testing.assert_close(record["Masked"].sum(-1), torch.ones(3, 2, 4))


def test_record_has_weights_before_they_are_rounded_or_overwritten() -> None:
    class Careless(nn.Module):
        def forward(self, x: Tensor, dtype: torch.dtype) -> Tensor:
            weights = (x @ x.mT).softmax(-1).to(dtype)
            pooled = weights @ x.to(dtype)
            weights.zero_()
            return pooled

    x = torch.randn(2, 3, 4, 5)
    with record_attention(Careless()) as record:
        for dtype in (torch.bfloat16, torch.float32):
            record.model(x, dtype)
            assert torch.equal(record["Careless"], (x @ x.mT).softmax(-1))


class Recursive(nn.Module):
    """A model that calls itself before its own attention."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor, depth: int = 0) -> Tensor:
        first: Tensor = self.attention(x, x, x)[0]
        return self(first, depth - 1) if depth else first


def test_record_keeps_every_call_of_a_model_that_calls_itself() -> None:
    model, x = Recursive().eval(), torch.randn(2, 3, 8)
    with record_attention(model) as record:
        model(x, depth=2)
        assert list(record) == ["attention", "attention#2", "attention#3"]
        outer = record["attention"]
        model(x)
        assert list(record) == ["attention"]
        assert record["attention"].equal(outer)


class FusedAlone(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x, x, x)


def test_record_gives_shapes_on_the_meta_device() -> None:
    with record_attention(FusedAlone()) as record:
        record.model(torch.zeros(2, 3, 4, 5, device="meta"))
    assert record["FusedAlone"].shape == (2, 3, 4, 4) and record["FusedAlone"].is_meta


@pytest.mark.parametrize(
    ("calls", "error"), [([], ValueError), ([torch.ones(())], ValueError), ([None], TypeError), (None, TypeError)]
)
def test_join_calls_names_what_it_cannot_join(calls: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^seen"):
        join_calls(calls, "seen")


def test_interrupt_inside_the_model_restores_torch() -> None:
    class Stopped(nn.Module):
        stop = True

        def forward(self, x: Tensor) -> Tensor:
            if self.stop:
                raise KeyboardInterrupt
            return x

    model = nn.Sequential(Fused(), Stopped(), Fused())
    x, _ = inputs()
    with record_attention(model) as record:
        with pytest.raises(KeyboardInterrupt):
            model(x)
        assert list(record) == ["0"] and not torch.overrides._get_current_function_mode_stack()
        model[1].stop = False
        model(x)
        assert list(record) == ["0", "2"]
    assert nn.Module.__call__ is nn.Module._wrapped_call_impl


def test_recordings_of_two_models_and_nested_models() -> None:
    teacher, student = nn.Sequential(Fused()), nn.Sequential(Fused())
    x, memory = inputs()
    with record_attention(teacher) as first:
        with record_attention(student) as second, record_attention(teacher) as inner:
            teacher(x)
            student(memory)
        assert inner["0"].shape[2:] == (QUERIES, QUERIES) and second["0"].shape[2:] == (KEYS, KEYS) and not first
        teacher(memory)
        assert first["0"].shape[2:] == (KEYS, KEYS)
        copy.deepcopy(teacher)(x)
        assert first["0"].shape[2:] == (KEYS, KEYS), "a copy is another model"


def test_nested_recording_of_the_only_attention_leaves_the_outer_model_usable() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Textbook()

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x, x, x)

    model, x = Outer(), torch.randn(2, 5, 3)
    with record_attention(model) as outer:
        with record_attention(model.inner) as inner:
            model(x)
            assert list(inner) == ["Textbook"] and not outer
        model(x)
        assert list(outer) == ["inner"]


def test_record_has_checkpointed_calls_once() -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = Fused()

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = torch.utils.checkpoint.checkpoint(self.attention, x, use_reentrant=False)
            return result

    x, _ = inputs()
    assert assert_same_numbers(Checkpointed(), x)["attention"].shape == (BATCH, HEADS, QUERIES, QUERIES)


def test_probe_runs_compiled_models_uncompiled() -> None:
    model = nn.Sequential(Fused(), nn.Linear(WIDTH, WIDTH)).eval()
    x, _ = inputs()
    with record_attention(model) as record:
        expected = record.probe(x)
    compiled = torch.compile(model, backend="eager")
    compiled(x)
    with record_attention(compiled) as record:
        torch.testing.assert_close(record.probe(x), expected)
        with pytest.raises(ValueError, match="model"):
            compiled(x)
        record.pause()
        assert compiled(x).shape == x.shape


def test_recording_names_modules_with_hidden_weights() -> None:
    @torch.library.custom_op("flash_attn::_flash_attn_forward", mutates_args=())
    def kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v)

    class Hidden(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return torch.ops.flash_attn._flash_attn_forward(*self.split(x, x))

    x, _ = inputs()
    model = nn.Sequential(nn.Identity(), Hidden())
    hidden = pytest.raises(RuntimeError, match=r"^1 .*flash_attn")
    with hidden, record_attention(model) as record:
        record.probe(x)
    torch.testing.assert_close(model(x), kernel(*model[1].split(x, x)))


def test_recording_names_modules_with_flex_attention() -> None:
    class Flexible(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return flex_attention(*self.split(x, x))

    x, _ = inputs()
    model = nn.Sequential(nn.Identity(), Flexible())
    hidden = pytest.raises(RuntimeError, match=r"^1 .*flex_attention")
    with hidden, record_attention(model) as record:
        record.probe(x)


class Shared(nn.Module):
    """One layer, called twice, as in ALBERT and Universal Transformers."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.between = Fused(), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.between(self.layer(x)))


def test_record_names_every_call_of_a_shared_layer() -> None:
    torch.manual_seed(0)
    x, _ = inputs()
    model = Shared().eval()
    everywhere = torch.ones(1).bool()
    with torch.no_grad():
        expected = [model.layer.weights(each, each, everywhere) for each in (x, model.between(model.layer(x)))]
    seen = assert_same_numbers(model, x)
    assert list(seen) == ["layer", "layer#2"]
    for one, other in zip(seen.values(), expected, strict=True):
        torch.testing.assert_close(one, other)
    with record_attention(model) as record:
        model(x)
        assert list(record.probe(x)) == list(record.names) == ["layer", "layer#2"]
        with record.joined():
            model(x)
            model(x[:, -1:])  # a step of generation: a row of each call
        assert [weights.shape[2] for weights in record.values()] == [QUERIES + 1] * 2


def test_record_joins_steps_inside_a_model() -> None:
    class Stepwise(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return torch.cat([self.core(*self.split(row.unsqueeze(1), x)) for row in x.unbind(1)], 1)

        def core(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)

    x, _ = inputs()
    model = Stepwise()
    (weights,) = assert_same_numbers(model, x).values()
    torch.testing.assert_close(weights, model.weights(x, x, torch.ones(1).bool()))


def test_recording_refuses_foreign_models_without_attention() -> None:
    class Mixer(nn.Linear):
        pass

    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with pytest.raises(ValueError, match=r"model .*Sequential"), record_attention(model):
        pass
    mixer = Mixer(2, 2)
    with pytest.raises(ValueError, match=r"model .*Mixer"), record_attention(mixer):
        mixer(torch.ones(1, 2))


def test_record_has_four_axes_for_single_and_empty_inputs() -> None:
    class Pooling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            scores = x @ x[0] if x.dim() == 2 else x @ x.mT
            return scores.softmax(-1) @ x

    model = nn.Sequential(Pooling())
    for shape, expected in (((5, 4), (1, 1, 1, 5)), ((2, 0, 4), (2, 1, 0, 0))):
        with record_attention(model) as record:
            model(torch.randn(shape))
        assert record["0"].shape == expected
