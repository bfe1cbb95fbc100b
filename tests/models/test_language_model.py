"""Language models: parts equal their formulas, and decoding with a cache equals the whole text."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from attnbook.attention.causal import GroupedAttention
from attnbook.attention.positional import sinusoidal_table
from attnbook.models.language_model import Block, LanguageModel, MixtureOfExperts, SwiGLU
from attnbook.models.transformer import FeedForward
from attnbook.observe.recorder import record_attention
from tests.support.causal_attentions import KINDS


@pytest.fixture(params=KINDS)
def model(request):
    torch.manual_seed(0)
    made = KINDS[request.param]
    blocks = [Block(16, made(), SwiGLU(16, 24)) for _ in range(2)]
    return LanguageModel(20, 16, blocks, sinusoidal=request.param == "multi-query").eval()


@torch.no_grad()
def test_language_model_with_past_equals_whole_text(model):
    ids = torch.randint(20, (3, 9))
    at_once, kept = model(ids)
    past, logits = None, []
    for piece in ids.split([1, 4, 1, 3], 1):
        part, past = model(piece, past)
        logits.append(part)
    assert torch.allclose(at_once, torch.cat(logits, 1), atol=1e-5)
    for whole, grown in zip(kept, past, strict=True):
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(whole, grown, strict=True))


@torch.no_grad()
def test_swiglu_equals_formula():
    layer, x = SwiGLU(4, 6), torch.randn(3, 4)
    gate = x @ layer.W_1.weight.T
    hidden = gate / (1 + torch.exp(-gate)) * (x @ layer.W_3.weight.T)
    torch.testing.assert_close(layer(x), hidden @ layer.W_2.weight.T)


@torch.no_grad()
@pytest.mark.parametrize("sinusoidal", [False, True])
def test_language_model_equals_its_equations(sinusoidal):
    """Embeddings times the root of their size, two residual sublayers after a norm, and the embedding table as head."""
    block = Block(8, GroupedAttention(8, 2, 1), SwiGLU(8, 12))
    model, ids = LanguageModel(9, 8, [block], sinusoidal=sinusoidal), torch.randint(9, (2, 5))

    def normalize(x):
        return x / (x.square().mean(-1, keepdim=True) + torch.finfo(x.dtype).eps).sqrt()

    x = model.embedding.weight[ids] * 8**0.5
    x = x + sinusoidal_table(5, 8) if sinusoidal else x
    x = x + block.attention(normalize(x))[0]
    x = x + block.feed_forward(normalize(x))
    torch.testing.assert_close(model(ids)[0], normalize(x) @ model.embedding.weight.T)


@torch.no_grad()
def test_language_model_is_causal(model):
    ids = torch.randint(20, (2, 8))
    other = ids.clone()
    other[:, 5] = (ids[:, 5] + 1) % 20
    before, after = model(ids)[0], model(other)[0]
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.allclose(before[:, 5:], after[:, 5:], atol=1e-3)


@torch.no_grad()
def test_language_model_mask_replaces_causal_mask(model):
    ids = torch.randint(20, (2, 8))
    window = torch.ones(8, 8, dtype=torch.bool).tril().triu(-2)
    alone = torch.eye(8, dtype=torch.bool)
    assert torch.allclose(model(ids, mask=torch.ones(8, 8, dtype=torch.bool).tril())[0], model(ids)[0], atol=1e-6)
    assert not torch.allclose(model(ids, mask=window)[0], model(ids)[0], atol=1e-3)
    mixed = ids.clone()
    mixed[:, :7] = ids[:, :7].flip(1)
    assert torch.allclose(model(ids, mask=alone)[0][:, 7], model(mixed, mask=alone)[0][:, 7], atol=1e-5)


@torch.no_grad()
def test_record_attention_records_language_model(model):
    """Rows are causal and sum to 1, and the values weighted by them give the module's output."""
    ids = torch.randint(20, (2, 7))
    attention, inputs = model.blocks[0].attention, []
    attention.register_forward_hook(lambda module, args, output: inputs.append((args[0], output[0])))
    with record_attention(model) as record:
        model(ids)
    weights = record["blocks.0.attention"]
    assert list(record) == ["blocks.0.attention", "blocks.1.attention"]
    assert torch.allclose(weights.sum(-1), torch.ones(())) and (weights.triu(1) == 0).all()
    if isinstance(attention, GroupedAttention):
        x, output = inputs[0]
        values = attention.W_v(x).unflatten(-1, (attention.num_groups, -1)).transpose(1, 2)
        values = values.repeat_interleave(attention.num_heads // attention.num_groups, dim=1)
        assert torch.allclose(attention.W_o((weights @ values).transpose(1, 2).flatten(2)), output, atol=1e-5)


def test_mixture_of_experts_routes_tokens_and_trains_the_router():
    layer = MixtureOfExperts(8, [FeedForward(8, 12) for _ in range(3)])
    x = torch.randn(2, 10, 8)
    output = layer(x)
    p = layer.router(x).softmax(-1)
    for token, chances, got in zip(x.flatten(0, 1), p.flatten(0, 1), output.flatten(0, 1), strict=True):
        best = int(chances.argmax())
        assert torch.allclose(got, chances[best] * layer.experts[best](token), atol=1e-6)
    output.sum().backward()
    assert layer.router.weight.grad.abs().sum() > 0


def test_mixture_of_experts_balance_is_one_for_equal_shares():
    layer = MixtureOfExperts(4, [nn.Identity() for _ in range(4)])
    with torch.no_grad():
        layer.router.weight.copy_(9 * torch.eye(4))
    layer(torch.eye(4))
    assert float(layer.balance.detach()) == pytest.approx(1.0, abs=1e-5)
    layer(torch.eye(4)[:1].expand(8, -1))
    assert float(layer.balance.detach()) > 3.9


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: SwiGLU(8, 0), "d_ff"),
        (lambda: MixtureOfExperts(8, []), "experts"),
        (lambda: LanguageModel(-1, 8, []), "vocab_size"),
        (lambda: LanguageModel(5, 0, []), "d_model"),
    ],
)
def test_language_model_parts_reject_invalid_sizes(make, argument):
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make()


def test_language_model_rejects_invalid_ids_and_past(model):
    ids = torch.randint(20, (2, 5))
    with pytest.raises(ValueError, match=r"^ids\b"):
        model(ids.clone().fill_(20))
    with pytest.raises(ValueError, match=r"^ids\b"):
        model(ids[0])
    with pytest.raises(TypeError, match=r"^ids\b"):
        model(ids.float())
    with pytest.raises(ValueError, match=r"^past\b"):
        model(ids, model(ids)[1][:1])


def test_mixture_of_experts_supports_deepcopy_and_autocast():
    model = LanguageModel(9, 8, [Block(8, GroupedAttention(8, 2, 1), MixtureOfExperts(8, [SwiGLU(8, 4)] * 2))])
    ids = torch.randint(9, (2, 5))
    logits = model(ids)[0]
    copied = copy.deepcopy(model)
    assert torch.equal(copied(ids)[0], logits) and model.blocks[0].feed_forward.balance.requires_grad
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.allclose(model(ids)[0].float(), logits, atol=0.1)


def test_language_model_rejects_past_that_is_not_a_sequence() -> None:
    model = LanguageModel(7, 4, [Block(4, GroupedAttention(4, 2, 1), SwiGLU(4, 4))])
    with pytest.raises(TypeError, match=r"^past\b"):
        model(torch.tensor([[4, 5]]), 5)


@pytest.mark.parametrize("shape", [(4,), (0, 4), (2, 0, 4), (1, 1, 1, 4)])
def test_mixture_of_experts_accepts_any_number_of_tokens(shape):
    experts = MixtureOfExperts(4, (nn.Linear(4, 4) for _ in range(2)))
    assert experts(torch.ones(shape)).shape == shape
    assert float(experts.balance.detach()) == 0 if 0 in shape else float(experts.balance.detach()) > 0
