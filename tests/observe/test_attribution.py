"""Attribution measures compared with their formulas, computed by loops and by autograd."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention
from attnbook.attention.kernels import Attention
from attnbook.attention.masks import masked_softmax
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from attnbook.observe.attribution import attribute, by_gradient, by_value_norms, rollout, sum_of_largest_logits
from attnbook.observe.recorder import record_attention
from tests.support.small_models import build, random_batch

WIDTH, HEADS, TOKENS = 16, 4, 5
KEYS_ADDED = ("add_bias_kv", "add_zero_attn")


class SelfAttention(nn.Module):
    """Torch's module alone, as a model whose output is one tensor."""

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.attention(x, x, x)[0]
        return output


class Attending(nn.Module):
    """One self-attention, fused or written out; what it multiplied the values by can be asked for a gradient."""

    def __init__(self, written_out: bool = False, key_heads: int = HEADS) -> None:
        super().__init__()
        self.projections = nn.ModuleList(
            nn.Linear(WIDTH, heads * WIDTH // HEADS) for heads in (HEADS, key_heads, key_heads)
        )
        self.written_out = written_out
        self.kept: list[tuple[Tensor, Tensor]] = []

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (project(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for project in self.projections)
        if not self.written_out:
            return F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2)
        k, v = (each.repeat_interleave(HEADS // each.shape[1], 1) for each in (k, v))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        self.kept.append((weights, v))
        return (weights @ v).transpose(1, 2).flatten(2)


def model_of(attention: Callable[[], nn.Module]) -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), attention(), nn.GELU(), nn.Linear(WIDTH, 7)).eval()


def expected(model: nn.Sequential, x: Tensor) -> dict[str, Tensor]:
    """From a written-out model with the same parameters, in loops."""
    model[1].kept.clear()
    score = model(x).amax(-1).sum()
    weights, value = model[1].kept.pop()
    (gradient,) = torch.autograd.grad(score, weights)
    found = {"value norms": torch.zeros_like(weights), "gradient": torch.zeros_like(weights)}
    for b, h, i, j in torch.cartesian_prod(*(torch.arange(n) for n in weights.shape)).tolist():
        found["value norms"][b, h, i, j] = (weights[b, h, i, j] * value[b, h, j]).norm()
        found["gradient"][b, h, i, j] = max(0.0, (weights[b, h, i, j] * gradient[b, h, i, j]).item())
    return {name: each / each.sum(-1, keepdim=True).clamp(min=1e-30) for name, each in found.items()}


@pytest.mark.parametrize("written_out", [False, True])
@pytest.mark.parametrize("key_heads", [HEADS, 2])
def test_attribute_equals_the_formulas(written_out: bool, key_heads: int) -> None:
    model, twin = (model_of(lambda way=way: Attending(way, key_heads)) for way in (written_out, True))
    twin.load_state_dict(model.state_dict())
    x = torch.randn(2, TOKENS, WIDTH, generator=torch.manual_seed(2))
    model.train()
    before = torch.get_rng_state()
    found = attribute(model, x)
    assert torch.equal(before, torch.get_rng_state()) and model.training
    assert all(parameter.grad is None for parameter in model.parameters())
    for name, each in expected(twin, x).items():
        torch.testing.assert_close(found[name]["1"], each.detach(), atol=1e-5, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:.*nested tensor:UserWarning")
def test_attribute_traces_layers_of_torch() -> None:
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(2, TOKENS, WIDTH)
    found = attribute(model, x)
    assert list(found["gradient"]) == ["layers.0.self_attn", "layers.1.self_attn"]
    attention = model.layers[0].self_attn
    _, weights = attention(x, x, x, average_attn_weights=False)
    rows, bias = attention.in_proj_weight[2 * WIDTH :], attention.in_proj_bias[2 * WIDTH :]
    value = F.linear(x, rows, bias).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    torch.testing.assert_close(found["value norms"]["layers.0.self_attn"], by_value_norms(weights, value).detach())
    twin = model_of(lambda: Attending(written_out=True))  # the first layer's attention as the whole of a model
    alone = nn.Sequential(twin[0], Alone(attention), *twin[2:]).eval()
    twin[1].kept.clear()
    for projection, row in zip(twin[1].projections, range(0, 3 * WIDTH, WIDTH), strict=True):
        projection.weight.data, projection.bias.data = (
            each[row : row + WIDTH].detach() for each in (attention.in_proj_weight, attention.in_proj_bias)
        )
    through = nn.Sequential(*twin[:2], attention.out_proj, *twin[2:])
    for name, each in expected(through, x).items():
        torch.testing.assert_close(attribute(alone, x)[name]["1.attention"], each.detach(), atol=1e-5, rtol=1e-4)


class Alone(nn.Module):
    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.attention(x, x, x, need_weights=False)[0]
        return output


def test_attribute_uses_explain() -> None:
    model = model_of(lambda: Attending(written_out=True))
    x = torch.randn(1, TOKENS, WIDTH)
    explain: Callable[[Any], Tensor] = lambda output: output[0, 2, 3]  # noqa: E731
    found = attribute(model, x, explain=explain)["gradient"]["1"]
    assert found[0, :, 2].any() and not found[0, :, [0, 1, 3, 4]].any(), "other rows do not reach this logit"


def test_rollout_equals_product_of_layers_with_residuals() -> None:
    layers = [torch.rand(2, 3, 4, 4, generator=torch.manual_seed(i)).softmax(-1) for i in range(3)]
    whole = torch.eye(4).expand(2, 4, 4)
    for layer, found in zip(layers, rollout(layers), strict=True):
        whole = (0.5 * layer.mean(1) + 0.5 * torch.eye(4)) @ whole
        torch.testing.assert_close(found[:, 0], whole)
        torch.testing.assert_close(found.sum(-1), torch.ones(2, 1, 4))
    with pytest.raises(ValueError, match="layers"):
        rollout([torch.ones(1, 1, 2, 3)])


def test_shares_keep_rows_of_zeros() -> None:
    weights = torch.tensor([[0.0, 0.0], [0.25, 0.75]])
    assert by_value_norms(weights, torch.tensor([[3.0], [1.0]])).tolist() == [[0, 0], [0.5, 0.5]]
    assert by_gradient(weights, -torch.ones(2, 2)).tolist() == [[0, 0], [0, 0]]


def test_attribute_refuses_values_that_are_the_first_factor() -> None:
    class ValuesFirst(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.mT @ (x @ x.mT).softmax(-1).mT

    with pytest.raises(RuntimeError, match="weights before the values"):
        attribute(ValuesFirst(), torch.randn(2, 1, 5, 5), explain=torch.sum)


def test_attribute_refuses_models_without_attention() -> None:
    with pytest.raises(ValueError, match=r"model .*Sequential"):
        attribute(nn.Sequential(nn.Linear(2, 2)), torch.ones(1, 2))


@pytest.mark.parametrize("written_out", [False, True])
@pytest.mark.parametrize("around", [nullcontext, torch.no_grad, torch.inference_mode])
def test_attribute_supports_frozen_models(written_out: bool, around: Callable[[], Any]) -> None:
    model, x = model_of(lambda: Attending(written_out)), torch.randn(2, TOKENS, WIDTH)
    expected = attribute(model, x)
    model.requires_grad_(False)
    with around():
        found = attribute(model, x)
    for name, each in expected.items():
        torch.testing.assert_close(found[name]["1"], each["1"])
    assert expected["gradient"]["1"].any()


def test_attribute_uses_logits_of_language_models() -> None:
    model = LanguageModel(9, 8, [Block(8, GroupedAttention(8, 2, 1), SwiGLU(8, 12))])
    ids = torch.randint(9, (2, 5))
    found = attribute(model, ids)["gradient"]
    expected = attribute(model, ids, explain=lambda output: output[0].amax(-1).sum())["gradient"]
    assert list(found) == ["blocks.0.attention"]
    torch.testing.assert_close(found["blocks.0.attention"], expected["blocks.0.attention"])


def test_attribute_refuses_explain_without_graph() -> None:
    model, x = model_of(Attending), torch.randn(1, TOKENS, WIDTH)
    for explain in (lambda output: output, lambda output: 1.0, lambda output: torch.ones(())):
        with pytest.raises(ValueError, match="explain"):
            attribute(model, x, explain=explain)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"model .*dict"):
        sum_of_largest_logits({"loss": x})


@pytest.mark.parametrize("layers", [[], [torch.ones(3, 4, 4)], [torch.ones(1, 2, 4, 4), torch.ones(1, 2, 5, 5)]])
def test_rollout_refuses_layers_of_other_shapes(layers: list[Tensor]) -> None:
    with pytest.raises(ValueError, match="layers"):
        rollout(layers)


@pytest.mark.parametrize("family", ["bahdanau", "luong-dot-local-m-unfed", "transformer-sinusoidal"])
def test_attribute_has_names_and_shapes_of_a_record(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are called by ``attend`` and not as modules, one head has no axis of its own, and a decoder takes steps."""
    model, batch = build(family).eval(), random_batch([4, 3], [4, 3])
    found = attribute(model, batch)["gradient"]
    with record_attention(model) as record:
        model(batch)
    assert list(found) == list(record)
    kept: dict[str, list[Tensor]] = {}
    for name, module in model.named_modules():
        if isinstance(module, Attention):

            def weigh(scores: Tensor, mask: Tensor | None, name: str = name) -> Tensor:
                weights = masked_softmax(scores, mask)
                weights.retain_grad()
                kept.setdefault(name, []).append(weights)
                return weights

            monkeypatch.setattr(module, "softmax", weigh)
    sum_of_largest_logits(model(batch)).backward()
    for name, calls in kept.items():
        weights, gradient = (
            torch.cat([each if each.dim() == 4 else each.unsqueeze(1) for each in part], 2)
            for part in (calls, [call.grad for call in calls if call.grad is not None])
        )
        torch.testing.assert_close(found[name], by_gradient(weights.detach(), gradient), atol=1e-5, rtol=1e-4)


def test_measures_refuse_shapes_that_do_not_fit() -> None:
    weights, layer = torch.rand(2, 3, 4), torch.rand(1, 2, 3, 3)
    with pytest.raises(ValueError, match=r"value\.shape"):
        by_value_norms(weights, torch.rand(2, 3, 5))
    with pytest.raises(ValueError, match=r"gradient\.shape"):
        by_gradient(weights, torch.rand(4))
    with pytest.raises(TypeError, match=r"layers\[1\]"):
        rollout([layer, [1.0]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="model"):
        attribute(None)  # type: ignore[arg-type]
    assert len(rollout(each for each in (layer, layer))) == 2  # type: ignore[arg-type]


def test_attribute_is_unchanged_by_an_open_recording() -> None:
    """While a module of this package is observed, it computes its weights a second time."""
    model, batch = build("transformer-sinusoidal").eval(), random_batch([4, 3], [4, 3])
    expected = attribute(model, batch)["gradient"]
    with record_attention(model):
        found = attribute(model, batch)["gradient"]
    assert found.keys() == expected.keys()
    for name, each in expected.items():
        torch.testing.assert_close(found[name], each)


@pytest.mark.parametrize("options", [{"add_bias_kv": True}, {"add_zero_attn": True}, dict.fromkeys(KEYS_ADDED, True)])
def test_attribute_counts_keys_added_by_multihead_attention(options: dict[str, bool]) -> None:
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True, **options)
    x = torch.randn(2, 3, 8)
    model = SelfAttention(attention)
    found = attribute(model, x)
    with record_attention(model) as record:
        model(x)
    assert attention.in_proj_weight is not None and attention.in_proj_bias is not None
    value = F.linear(x, attention.in_proj_weight[16:], attention.in_proj_bias[16:])
    if attention.bias_v is not None:
        value = torch.cat([value, attention.bias_v.expand(2, 1, 8)], 1)
    if attention.add_zero_attn:
        value = torch.cat([value, torch.zeros(2, 1, 8)], 1)
    value = value.unflatten(-1, (2, 4)).transpose(1, 2)  # (batch, heads, keys, 4)
    weights = record["attention"].detach().requires_grad_()
    score = attention.out_proj((weights @ value).transpose(1, 2).flatten(2)).amax(-1).sum()
    (gradient,) = torch.autograd.grad(score, weights)
    torch.testing.assert_close(found["value norms"]["attention"], by_value_norms(weights, value).detach())
    torch.testing.assert_close(found["gradient"]["attention"], by_gradient(weights.detach(), gradient))


def test_attribute_works_inside_inference_mode() -> None:
    model = SelfAttention(nn.MultiheadAttention(8, 2, batch_first=True))
    x = torch.randn(2, 3, 8)
    expected = attribute(model, x)["gradient"]["attention"]
    with torch.inference_mode():
        found = attribute(model, x.clone())["gradient"]["attention"]
        with pytest.raises(ValueError, match="model"):
            attribute(SelfAttention(nn.MultiheadAttention(8, 2)), x)
    assert found.equal(expected)


@pytest.mark.parametrize("wrong", ["sparse", "complex", "integer"])
def test_measures_refuse_tensors_that_are_not_dense_floats(wrong: str) -> None:
    tensor = {
        "sparse": torch.eye(3).to_sparse(),
        "complex": torch.eye(3).to(torch.complex64),
        "integer": torch.eye(3).long(),
    }[wrong]
    with pytest.raises(TypeError, match="weights"):
        by_value_norms(tensor, torch.eye(3))
    with pytest.raises(TypeError, match="value"):
        by_value_norms(torch.eye(3), tensor)
    with pytest.raises(TypeError, match="gradient"):
        by_gradient(torch.eye(3), tensor)
    with pytest.raises(TypeError, match=r"layers\[0\]"):
        rollout([tensor])
    with pytest.raises(TypeError, match="logits"):
        sum_of_largest_logits(tensor)


def test_measures_refuse_shapes_without_rows_or_classes() -> None:
    with pytest.raises(ValueError, match=r"value\.shape"):
        by_value_norms(torch.tensor(1.0), torch.tensor(1.0))
    with pytest.raises(ValueError, match=r"gradient\.shape"):
        by_gradient(torch.tensor(1.0), torch.tensor(1.0))
    for layers in ([torch.ones(1, 0, 3, 3)], [torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3).double()]):
        with pytest.raises(ValueError, match="layers"):
            rollout(layers)
    with pytest.raises(ValueError, match=r"logits\.shape"):
        sum_of_largest_logits(torch.ones(2, 0))
    with pytest.raises(TypeError, match="explain"):
        attribute(model_of(Attending), torch.randn(1, TOKENS, WIDTH), explain=None)  # type: ignore[arg-type]
