"""Ablation of the parts of a Transformer."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attnbook.attention.positional import sinusoidal_table
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.transformer import EncoderLayer, Transformer
from attnbook.observe.ablation import PARTS, switched_off
from attnbook.observe.interventions import intervening
from tests.support.small_models import decode_in_pieces, random_batch

BATCH = random_batch([5, 5], [6, 6])
SIZES = {"d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2, "dropout": 0.0}
PAIRS = [(), *((part,) for part in PARTS), *combinations(PARTS, 2), PARTS]


def build(pre_norm: bool = False) -> Transformer:
    torch.manual_seed(0)
    model = Transformer(30, 30, **SIZES, pre_norm=pre_norm).eval()  # type: ignore[arg-type]
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, mean=0.05, std=0.25)
    return model


def attend(module: torch.nn.Module, x: Tensor, memory: Tensor, causal: bool, off: bool) -> Tensor:
    """Attention from its formula; off: its weights are zero, so that the bias of W_o is left."""
    if off:
        return module.W_o.bias.expand_as(x)
    projected = module.W_q(x), module.W_k(memory), module.W_v(memory)
    q, k, v = (rows.unflatten(-1, (2, 4)).transpose(1, 2) for rows in projected)
    scores = q @ k.mT / 2
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    return module.W_o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def by_hand(model: Transformer, parts: tuple[str, ...]) -> Tensor:
    """The logits of a model, written down a second time."""
    pre_norm, normed = model.config["pre_norm"], "norm" not in parts

    def normalize(x: Tensor, norm: torch.nn.Module) -> Tensor:
        return F.layer_norm(x, (8,), norm.weight, norm.bias)

    def before(x: Tensor, add_norm: torch.nn.Module) -> Tensor:
        return normalize(x, add_norm.norm) if pre_norm and normed else x

    def after(x: Tensor, output: Tensor, add_norm: torch.nn.Module) -> Tensor:
        total = output if "residual" in parts else x + output
        return normalize(total, add_norm.norm) if normed and not pre_norm else total

    def forward(x: Tensor, module: torch.nn.Module, side: str) -> Tensor:
        if f"{side}.feed_forward" in parts:
            return torch.zeros_like(x)
        return (x @ module.W_1.weight.T + module.W_1.bias).clamp(min=0) @ module.W_2.weight.T + module.W_2.bias

    def embed(table: torch.nn.Module, ids: Tensor) -> Tensor:
        x = table.weight[ids] * math.sqrt(8)
        return x if "positions" in parts else x + sinusoidal_table(ids.shape[1], 8)

    memory = embed(model.source_embedding, BATCH.source)
    for layer in model.encoder:
        off = "encoder.self_attention" in parts
        y = before(memory, layer.add_norm_1)
        memory = after(memory, attend(layer.self_attention, y, y, False, off), layer.add_norm_1)
        y = before(memory, layer.add_norm_2)
        memory = after(memory, forward(y, layer.feed_forward, "encoder"), layer.add_norm_2)
    memory = normalize(memory, model.encoder_norm) if pre_norm else memory
    x = embed(model.target_embedding, BATCH.target_in)
    for layer in model.decoder:
        off = "decoder.self_attention" in parts
        y = before(x, layer.add_norm_1)
        x = after(x, attend(layer.self_attention, y, y, True, off), layer.add_norm_1)
        off = "decoder.cross_attention" in parts
        x = after(x, attend(layer.cross_attention, before(x, layer.add_norm_2), memory, False, off), layer.add_norm_2)
        x = after(x, forward(before(x, layer.add_norm_3), layer.feed_forward, "decoder"), layer.add_norm_3)
    x = normalize(x, model.decoder_norm) if pre_norm else x
    return x @ model.head.weight.T + model.head.bias


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
@pytest.mark.parametrize("parts", PAIRS, ids="+".join)
@torch.no_grad()
def test_switched_off_equals_model_without_the_part(parts: tuple[str, ...], pre_norm: bool) -> None:
    model = build(pre_norm)
    whole = model(BATCH)
    with switched_off(model, parts):
        found = model(BATCH)
        assert torch.allclose(decode_in_pieces(model, BATCH, [1, 3, 2]), found, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(found, by_hand(model, parts), rtol=1e-4, atol=1e-4)
    assert torch.allclose(found, whole, atol=1e-3) == (not parts)
    assert torch.equal(model(BATCH), whole), "what was off stayed off"


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_switched_off_residual_keeps_dropout(pre_norm: bool) -> None:
    layer = EncoderLayer(8, 2, 12, dropout=1.0, pre_norm=pre_norm)
    model = build(pre_norm)
    model.encoder[0] = layer
    with switched_off(model, ["residual"]):
        assert not layer(torch.randn(2, 3, 8)).any()


def test_switched_off_names_an_unknown_part() -> None:
    with (
        pytest.raises(ValueError, match="part"),
        switched_off(build(), ["softmax"]),
    ):
        pass


def test_switched_off_refuses_another_model() -> None:
    with (
        pytest.raises(TypeError, match="model"),
        switched_off(Bahdanau(30, 30, embed_size=4, num_hiddens=4), ["decoder.cross_attention"]),  # type: ignore[arg-type]
    ):
        pass


@pytest.mark.slow
@torch.no_grad()
def test_switched_off_supports_compiled_models() -> None:
    model = build()
    parts = ["decoder.cross_attention", "norm"]
    with switched_off(model, parts):
        expected = model(BATCH)
    compiled = torch.compile(model, backend="eager")
    with switched_off(compiled, parts):  # type: ignore[arg-type]
        torch.testing.assert_close(compiled(BATCH), expected)


@pytest.mark.parametrize("parts", [None, "norm", 5])
def test_switched_off_refuses_parts_that_are_not_a_collection(parts: object) -> None:
    with pytest.raises(TypeError, match="parts"), switched_off(build(), parts):  # type: ignore[arg-type]
        pass


def test_intervening_refuses_a_call_inside_switched_off() -> None:
    model = build()
    with switched_off(model, ["encoder.self_attention"]):
        with pytest.raises(RuntimeError, match="switched_off"), intervening(model):
            pass
        with intervening(build()):  # another model
            pass
    with intervening(model), switched_off(model, ["encoder.self_attention"]):  # the inner one replaces the outer one
        pass


def test_switched_off_refuses_a_call_inside_another() -> None:
    model = build()
    with switched_off(model, ["positions"]):
        with pytest.raises(RuntimeError, match=r"parts.*positions"), switched_off(model, ["norm"]):
            pass
        with switched_off(build(), ["norm"]):  # another model
            pass
    with switched_off(model, ["norm"]):
        pass
