"""Language models: each part against plain formulas, and step by step as at once."""

from __future__ import annotations

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.models.language_model import Block, LanguageModel, MixtureOfExperts, SwiGLU
from attnbook.models.transformer import FeedForward
from attnbook.observe.recorder import record_attention

ATTENTIONS = {
    "multi-head": lambda: GroupedAttention(16, 4, 4),
    "grouped": lambda: GroupedAttention(16, 4, 2, qk_norm=True),
    "multi-query": lambda: GroupedAttention(16, 4, 1, rotary=False),
    "latent": lambda: LatentAttention(16, 4, latent_size=6, rotary_size=4),
    "differential": lambda: DifferentialAttention(16, 2),
}


@pytest.fixture(params=ATTENTIONS)
def model(request):
    torch.manual_seed(0)
    made = ATTENTIONS[request.param]
    blocks = [Block(16, made(), SwiGLU(16, 24)) for _ in range(2)]
    return LanguageModel(20, 16, blocks, sinusoidal=request.param == "multi-query").eval()


@torch.no_grad()
def test_step_by_step_is_as_at_once(model):
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
def test_nothing_is_seen_before_its_time(model):
    ids = torch.randint(20, (2, 8))
    other = ids.clone()
    other[:, 5] = (ids[:, 5] + 1) % 20
    before, after = model(ids)[0], model(other)[0]
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.allclose(before[:, 5:], after[:, 5:], atol=1e-3)


@torch.no_grad()
def test_a_mask_takes_the_place_of_the_causal_one(model):
    ids = torch.randint(20, (2, 8))
    window = torch.ones(8, 8, dtype=torch.bool).tril().triu(-2)
    alone = torch.eye(8, dtype=torch.bool)
    assert torch.allclose(model(ids, mask=torch.ones(8, 8, dtype=torch.bool).tril())[0], model(ids)[0], atol=1e-6)
    assert not torch.allclose(model(ids, mask=window)[0], model(ids)[0], atol=1e-3)
    mixed = ids.clone()
    mixed[:, :7] = ids[:, :7].flip(1)
    assert torch.allclose(model(ids, mask=alone)[0][:, 7], model(mixed, mask=alone)[0][:, 7], atol=1e-5)


@torch.no_grad()
def test_its_attention_is_watched(model):
    """Row ``i`` is what the text up to ``i`` gives its last token; the values so weighted are the module's output."""
    ids = torch.randint(20, (2, 7))
    attention, inputs = model.blocks[0].attention, []
    attention.register_forward_hook(lambda module, args, output: inputs.append((args[0], output[0])))
    with record_attention(model) as record:
        model(ids)
    weights = record["blocks.0.attention"]
    assert {name.removesuffix("#2") for name in record} == {"blocks.0.attention", "blocks.1.attention"}
    assert torch.allclose(weights.sum(-1), torch.ones(())) and (weights.triu(1) == 0).all()
    if isinstance(attention, GroupedAttention):
        x, output = inputs[0]
        values = attention.W_v(x).unflatten(-1, (attention.num_groups, -1)).transpose(1, 2)
        values = values.repeat_interleave(attention.num_heads // attention.num_groups, dim=1)
        assert torch.allclose(attention.W_o((weights @ values).transpose(1, 2).flatten(2)), output, atol=1e-5)


@pytest.mark.parametrize("rotary", [False, True])
def test_as_many_groups_as_heads_are_multi_head_attention(rotary):
    ours = GroupedAttention(16, 4, 4, rotary=rotary)
    theirs = MultiHeadAttention(16, 4, bias=False, rotary=rotary)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 7, 16)
    assert torch.allclose(ours(x)[0], theirs(x, x, x, causal=True), atol=1e-6)


def test_a_group_s_heads_share_its_keys_and_values():
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
def test_latent_attention_is_its_formula():
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
def test_differential_attention_is_its_formula():
    layer, x = DifferentialAttention(16, 2, start=0.3), torch.randn(1, 5, 16)
    layer.share.fill_(0.6)
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


def test_qk_norm_makes_scores_forget_how_long_queries_are():
    layer, x = GroupedAttention(16, 4, 4, rotary=False, qk_norm=True), torch.randn(2, 5, 16)
    before = layer(x)[0]
    with torch.no_grad():
        layer.W_q.weight.mul_(10)
    assert torch.allclose(before, layer(x)[0], atol=1e-4)


def test_experts_get_their_tokens_and_the_router_a_gradient():
    layer = MixtureOfExperts(8, [FeedForward(8, 12) for _ in range(3)])
    x = torch.randn(2, 10, 8)
    output = layer(x)
    p = layer.router(x).softmax(-1)
    for token, chances, got in zip(x.flatten(0, 1), p.flatten(0, 1), output.flatten(0, 1), strict=True):
        best = int(chances.argmax())
        assert torch.allclose(got, chances[best] * layer.experts[best](token), atol=1e-6)
    output.sum().backward()
    assert layer.router.weight.grad.abs().sum() > 0


def test_balance_is_one_where_all_experts_get_as_many():
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
        (lambda: GroupedAttention(16, 3, 3), "num_heads"),
        (lambda: GroupedAttention(16, 4, 3), "num_groups"),
        (lambda: LatentAttention(16, 4, 0, 4), "latent_size"),
        (lambda: LatentAttention(16, 3, 6, 4), "num_heads"),
        (
            lambda: DifferentialAttention(16, 16),
            "num_heads",
        ),
        (lambda: SwiGLU(8, 0), "d_ff"),
        (lambda: MixtureOfExperts(8, []), "experts"),
        (lambda: LanguageModel(-1, 8, []), "vocab_size"),
        (lambda: LanguageModel(5, 0, []), "d_model"),
    ],
)
def test_bad_sizes_are_named(make, argument):
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make()


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_mask_is_boolean_and_fits(name):
    """One of numbers would be added to the scores."""
    layer, x = ATTENTIONS[name](), torch.randn(2, 5, 16)
    with pytest.raises(TypeError, match=r"^mask\b"):
        layer(x, None, torch.ones(5, 5).tril())
    with pytest.raises(ValueError, match=r"^mask\b"):
        layer(x, None, torch.ones(2, 4, dtype=torch.bool))


def test_a_share_may_start_at_a_whole_number():
    assert DifferentialAttention(16, 2, start=0)(torch.randn(1, 3, 16))[0].shape == (1, 3, 16)


def test_ids_and_a_past_that_do_not_fit_are_named(model):
    ids = torch.randint(20, (2, 5))
    with pytest.raises(ValueError, match=r"^ids\b"):
        model(ids.clone().fill_(20))
    with pytest.raises(ValueError, match=r"^ids\b"):
        model(ids[0])
    with pytest.raises(TypeError, match=r"^ids\b"):
        model(ids.float())
    with pytest.raises(ValueError, match=r"^past\b"):
        model(ids, model(ids)[1][:1])


def test_a_model_with_experts_can_be_copied_after_a_step_and_computes_in_16_bits():
    model = LanguageModel(9, 8, [Block(8, GroupedAttention(8, 2, 1), MixtureOfExperts(8, [SwiGLU(8, 4)] * 2))])
    ids = torch.randint(9, (2, 5))
    logits = model(ids)[0]
    copied = copy.deepcopy(model)
    assert torch.equal(copied(ids)[0], logits) and model.blocks[0].feed_forward.balance.requires_grad
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.allclose(model(ids)[0].float(), logits, atol=0.1)
