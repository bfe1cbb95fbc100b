"""The Transformer and its layers equal torch.nn's and the paper's formulas, with pre-norm and with post-norm."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import LearnedPositions, NoPositions, SinusoidalPositions
from attnbook.data import Batch
from attnbook.models.transformer import (
    AddNorm,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    Transformer,
    TransformerConfig,
)
from attnbook.training.checkpoint import read_checkpoint, save_checkpoint
from tests.support.small_models import TARGET_VOCABULARY
from tests.support.small_transformers import D_FF, D_MODEL, NUM_HEADS, NUM_LAYERS, model_of


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_add_norm_equals_formula(pre_norm: bool) -> None:
    torch.manual_seed(0)
    add_norm, sublayer = AddNorm(6, 0.0, pre_norm), nn.Linear(6, 6)
    nn.init.normal_(add_norm.norm.weight)
    nn.init.normal_(add_norm.norm.bias)

    def normalize(x: Tensor) -> Tensor:
        """Ba et al. 2016, eq. 4: the biased variance, epsilon under the root."""
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / torch.sqrt(variance + 1e-5) * add_norm.norm.weight + add_norm.norm.bias

    x = torch.randn(2, 3, 6)
    expected = x + sublayer(normalize(x)) if pre_norm else normalize(x + sublayer(x))
    torch.testing.assert_close(add_norm(x, sublayer), expected)


def test_feed_forward_equals_formula_at_every_position() -> None:
    torch.manual_seed(0)
    layer = FeedForward(4, 10)
    x = torch.randn(2, 3, 4)
    for b in range(2):
        for i in range(3):
            hidden = (layer.W_1.weight @ x[b, i] + layer.W_1.bias).clamp(min=0)
            torch.testing.assert_close(layer(x)[b, i], layer.W_2.weight @ hidden + layer.W_2.bias)


def test_layer_defaults_equal_those_of_a_whole_model() -> None:
    """Post-norm, no attention dropout, no rotation."""
    model = model_of()
    x = torch.randn(2, 3, D_MODEL, dtype=torch.float64)
    memory = torch.randn(2, 5, D_MODEL, dtype=torch.float64)
    for layer, given in ((model.encoder[0], (x,)), (model.decoder[0], (x, memory))):
        alone = type(layer)(D_MODEL, NUM_HEADS, D_FF, dropout=0.0).double()
        alone.load_state_dict(layer.state_dict())
        torch.testing.assert_close(alone(*given), layer(*given))


def test_transformer_dropout_applies_to_embeddings_and_sublayers(batch: Batch) -> None:
    """Vaswani et al. 2017, 5.4; with dropout 1 only the residual path is left."""
    model = model_of(dropout=1.0)
    state = model.encode(batch.source, batch.source_mask)
    assert torch.equal(state.memory[0, 0], state.memory[2, 6]), "nothing of the input is left"
    layer = EncoderLayer(D_MODEL, NUM_HEADS, D_FF, dropout=1.0)
    x = torch.randn(2, 3, D_MODEL)
    nothing_else = layer.add_norm_2.norm(layer.add_norm_1.norm(x))
    torch.testing.assert_close(layer(x, torch.ones(2, 1, 3, dtype=torch.bool)), nothing_else)
    model.eval()
    assert torch.equal(model(batch), model(batch))


@pytest.mark.parametrize("rotary", [False, True])
def test_decoder_layer_with_past_equals_whole_target(rotary: bool) -> None:
    torch.manual_seed(0)
    layer = DecoderLayer(8, 2, 16, dropout=0.1, rotary=rotary).eval()
    x, memory = torch.randn(2, 5, 8), torch.randn(2, 4, 8)
    mask = torch.tensor([[[True, True, True, False]], [[True, True, True, True]]])
    whole, kept = layer(x, memory, mask)
    first, past = layer(x[:, :2], memory, mask)
    rest, all_kept = layer(x[:, 2:], memory, mask, past=past)
    torch.testing.assert_close(torch.cat([first, rest], 1), whole)
    torch.testing.assert_close(all_kept, kept)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_transformer_dropout_applies_to_sum_with_positions(positions: str) -> None:
    model = model_of(positions=positions, dropout=0.3)
    both = [model.source_positions, model.target_positions]
    assert [layer.dropout.p for layer in both] == [0.3, 0.3]


def test_transformer_attention_dropout_applies_to_every_attention() -> None:
    model = model_of(attention_dropout=0.3)
    rates = [module.dropout for module in model.modules() if isinstance(module, MultiHeadAttention)]
    assert rates == [0.3] * (3 * NUM_LAYERS)


@pytest.mark.parametrize(
    ("argument", "make"),
    [
        ("d_ff", lambda: FeedForward(8, 0)),
        ("d_model", lambda: FeedForward(0, 8)),
        ("d_ff", lambda: EncoderLayer(8, 2, 0)),
        ("d_model", lambda: AddNorm(0, 0.1, False)),
    ],
)
def test_layers_reject_sizes_below_one(argument: str, make: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make()


def library_slice(theirs: Mapping[str, Tensor], ours: str) -> Tensor:
    """The part of torch.nn.Transformer that equals our parameter, such as decoder.1.cross_attention.W_q.weight."""
    side, layer, block, *inner, kind = ours.split(".")
    prefix = f"{side}.layers.{layer}"
    if block == "feed_forward":
        return theirs[f"{prefix}.linear{inner[0][-1]}.{kind}"]
    if block.startswith("add_norm"):
        return theirs[f"{prefix}.norm{block[-1]}.{kind}"]
    attention = {"self_attention": "self_attn", "cross_attention": "multihead_attn"}[block]
    if inner == ["W_o"]:
        return theirs[f"{prefix}.{attention}.out_proj.{kind}"]
    return theirs[f"{prefix}.{attention}.in_proj_{kind}"].chunk(3)["qkv".index(inner[0][-1])]


def library_of(model: Transformer, pre_norm: bool) -> nn.Transformer:
    """torch.nn.Transformer with a copy of our weights, and a final normalization only with pre-norm, as in ours."""
    options: dict[str, Any] = {"batch_first": True, "norm_first": pre_norm, "dtype": torch.float64, "dropout": 0.0}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(D_MODEL, NUM_HEADS, D_FF, **options),
        NUM_LAYERS,
        nn.LayerNorm(D_MODEL, dtype=torch.float64) if pre_norm else None,
        enable_nested_tensor=False,
    )
    theirs = nn.Transformer(D_MODEL, NUM_HEADS, NUM_LAYERS, NUM_LAYERS, D_FF, custom_encoder=encoder, **options)
    if not pre_norm:
        theirs.decoder.norm = None
    weights = dict(theirs.named_parameters())
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith(("encoder.", "decoder.")):
                library_slice(weights, name).copy_(parameter)
            elif name.startswith(("encoder_norm", "decoder_norm")):
                weights[name.replace("_", ".")].copy_(parameter)
    return theirs


def embed_by_hand(model: Transformer, side: str, ids: Tensor) -> Tensor:
    """Vaswani et al. 2017, 3.4 and 3.5."""
    x: Tensor = getattr(model, f"{side}_embedding").weight[ids] * math.sqrt(D_MODEL)
    positions = getattr(model, f"{side}_positions")
    if isinstance(positions, LearnedPositions):
        return x + positions.embedding.weight[: ids.shape[1]]
    table = [
        [(math.sin, math.cos)[c % 2](i / 10000 ** (2 * (c // 2) / D_MODEL)) for c in range(D_MODEL)]
        for i in range(ids.shape[1])
    ]
    return x + torch.tensor(table).to(x)  # rounded to fp32 once, as ours is


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_transformer_equals_torch_in_logits_and_gradients(
    pre_norm: bool, positions: str, tied: bool, batch: Batch
) -> None:
    model = model_of(pre_norm=pre_norm, positions=positions, tied=tied)
    theirs = library_of(model, pre_norm)
    padding = ~batch.source_mask
    upstream = torch.randn(*batch.target_in.shape, TARGET_VOCABULARY, dtype=torch.float64)

    logits = model(batch)
    (logits * upstream).sum().backward()
    ours = {name: parameter.grad for name, parameter in model.named_parameters()}

    model.zero_grad()
    features = theirs(
        embed_by_hand(model, "source", batch.source),
        embed_by_hand(model, "target", batch.target_in),
        tgt_mask=~causal_mask(batch.target_in.shape[1]),
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    expected = features @ model.head.weight.T + model.head.bias
    (expected * upstream).sum().backward()
    torch.testing.assert_close(logits, expected)

    library = {name: parameter.grad for name, parameter in theirs.named_parameters() if parameter.grad is not None}
    grads = {}
    for name, parameter in model.named_parameters():
        if name.startswith(("encoder.", "decoder.")):
            grads[name] = library_slice(library, name)
        elif name.startswith(("encoder_norm", "decoder_norm")):
            grads[name] = library[name.replace("_", ".")]
        else:  # embeddings and head: theirs went through these same parameters
            assert parameter.grad is not None and parameter.grad.any()
            grads[name] = parameter.grad
    torch.testing.assert_close(ours, grads)


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_transformer_equals_torch_in_attention_weights(pre_norm: bool, batch: Batch) -> None:
    """Of the first layer of the encoder, and of the first self-attention of the decoder."""
    model = model_of(pre_norm=pre_norm)
    theirs = library_of(model, pre_norm)
    seen: dict[str, Tensor] = {}
    for side in ("encoder", "decoder"):
        layer = getattr(model, side)[0]
        layer.self_attention.observer = lambda weights, side=side: seen.update({side: weights})
    model(batch)
    for side, ids in (("source", batch.source), ("target", batch.target_in)):
        coder = "encoder" if side == "source" else "decoder"
        layer = getattr(theirs, coder).layers[0]
        x = embed_by_hand(model, side, ids)
        x = layer.norm1(x) if pre_norm else x
        ignored = (
            {"key_padding_mask": ~batch.source_mask} if side == "source" else {"attn_mask": ~causal_mask(ids.shape[1])}
        )
        _, weights = layer.self_attn(x, x, x, average_attn_weights=False, **ignored)
        torch.testing.assert_close(seen[coder], weights)


def test_tied_head_shares_target_embedding() -> None:
    model = model_of(tied=True)
    assert model.head.weight is model.target_embedding.weight
    copied = copy.deepcopy(model)
    assert copied.head.weight is copied.target_embedding.weight and copied.head.weight is not model.head.weight
    assert copied.float().head.weight is copied.target_embedding.weight
    untied = model_of(tied=False)
    assert untied.head.weight is not untied.target_embedding.weight
    size = TARGET_VOCABULARY * D_MODEL
    assert sum(p.numel() for p in untied.parameters()) == sum(p.numel() for p in model.parameters()) + size


def test_shared_vocabulary_uses_one_embedding(batch: Batch, tmp_path: Path) -> None:
    sizes = {"d_model": D_MODEL, "num_heads": NUM_HEADS, "d_ff": D_FF, "num_layers": NUM_LAYERS, "dropout": 0.0}
    shared = Transformer(TARGET_VOCABULARY, TARGET_VOCABULARY, **sizes, shared=True)
    apart = Transformer(TARGET_VOCABULARY, TARGET_VOCABULARY, **sizes)
    apart.load_state_dict(shared.state_dict())
    assert torch.equal(shared(batch), apart(batch))
    size = TARGET_VOCABULARY * D_MODEL
    assert sum(p.numel() for p in apart.parameters()) == sum(p.numel() for p in shared.parameters()) + size
    shared(batch).square().mean().backward()
    apart(batch).square().mean().backward()
    both = apart.source_embedding.weight.grad + apart.target_embedding.weight.grad
    torch.testing.assert_close(shared.source_embedding.weight.grad, both)
    save_checkpoint(tmp_path / "m", shared)
    model = Transformer(TARGET_VOCABULARY, TARGET_VOCABULARY, **sizes, shared=True)
    read_checkpoint(tmp_path / "m").restore(model)
    assert model.source_embedding.weight is model.head.weight
    assert torch.equal(model.head.weight, shared.head.weight)
    with pytest.raises(ValueError, match=r"^source_vocab_size\b"):
        model_of(shared=True)


def test_transformer_default_config_is_the_papers_at_small_size() -> None:
    """The runs of the book use these defaults; other sizes would give other results."""
    sizes = {"d_model": 128, "num_heads": 4, "d_ff": 512, "num_layers": 2, "max_length": 512}
    paper = {"dropout": 0.1, "attention_dropout": 0.0, "pre_norm": False, "positions": "sinusoidal", "tied": True}
    vocabularies = {"source_vocab_size": 9, "target_vocab_size": 11}
    assert Transformer(9, 11).config == {**vocabularies, **sizes, **paper, "shared": False}


def test_decode_rejects_state_of_deeper_model(batch: Batch) -> None:
    state = model_of(num_layers=4).encode(batch.source, batch.source_mask)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        model_of(num_layers=3).decode(batch.target_in, state)


def test_transformer_initialization_matches_docstring() -> None:
    torch.manual_seed(0)
    model = Transformer(1000, 1000, d_model=64, num_heads=4, d_ff=128, num_layers=2)
    for embedding in (model.source_embedding, model.target_embedding):
        assert float(embedding.weight.detach().std()) == pytest.approx(64**-0.5, rel=0.02)
        assert float((embedding.weight.detach() * model.scale).var()) == pytest.approx(1, rel=0.04)
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and module is not model.head:
            bound = math.sqrt(6 / (module.in_features + module.out_features))
            assert float(module.weight.detach().abs().max()) == pytest.approx(bound, rel=0.01), name
            assert not module.bias.any()


def test_transformer_rotary_applies_only_to_self_attention() -> None:
    model = model_of(positions="rotary")
    rotary = [name for name, m in model.named_modules() if isinstance(m, MultiHeadAttention) and m.rotary is not None]
    assert len(rotary) == 2 * NUM_LAYERS and all(name.endswith("self_attention") for name in rotary)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_transformer_depends_on_word_order(positions: str) -> None:
    model = model_of(positions=positions)
    source, mask = torch.tensor([[5, 6, 7], [7, 6, 5]]), torch.ones(2, 3, dtype=torch.bool)
    memory = model.encode(source, mask).memory
    assert not torch.allclose(memory[0].flip(0), memory[1])


def test_transformer_projects_each_token_once(batch: Batch) -> None:
    model = model_of()
    lengths: dict[str, list[int]] = {"self": [], "cross": []}
    layer = model.decoder[0]
    assert isinstance(layer, DecoderLayer)
    layer.cross_attention.W_k.register_forward_hook(lambda _, x, __: lengths["cross"].append(x[0].shape[1]))
    layer.self_attention.W_k.register_forward_hook(lambda _, x, __: lengths["self"].append(x[0].shape[1]))
    state = model.encode(batch.source, batch.source_mask)
    for piece in batch.target_in.split([1, 1, 4], 1):
        _, state = model.decode(piece, state)
    assert lengths == {"self": [1, 1, 4], "cross": [7]}


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("positions", {"positions": "relative"}),
        ("num_heads", {"num_heads": 3}),
        ("num_heads", {"num_heads": 0}),
        ("d_model", {"d_model": -1}),
        ("d_ff", {"d_ff": 0}),
        ("max_length", {"max_length": 0}),
        *(("num_layers", {"num_layers": n}) for n in (0, "1", 1.5, [1], True, -1, None)),
        *(("max_length", {"max_length": n}) for n in (-1, 2.5, None, "2", math.inf)),
        ("d_model", {"d_model": 8.0}),
        *(
            (f"{kind}dropout", {f"{kind}dropout": p})
            for kind in ("", "attention_")
            for p in (math.nan, -0.1, 1.5, "0.1")
        ),
        (
            "num_heads",
            {"positions": "rotary", "num_heads": 8},
        ),
    ],
)
def test_transformer_rejects_invalid_options(argument: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        model_of(**options)


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("num_heads", {"d_model": 10, "num_heads": 4}),
        ("num_heads", {"num_heads": 0}),
        ("num_heads", {"d_model": 12, "num_heads": 4, "positions": "rotary"}),
        ("d_ff", {"d_ff": 0}),
    ],
)
def test_transformer_config_rejects_sizes_that_the_model_rejects(argument: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        TransformerConfig(9, 9, **options)


def test_decoder_layer_rejects_past_without_causal_mask() -> None:
    layer, memory, x = DecoderLayer(16, 4, 32), torch.randn(1, 4, 16), torch.randn(1, 5, 16)
    _, past = layer(x[:, :3], memory, causal=False)
    with pytest.raises(ValueError, match=r"^causal\b"):
        layer(x[:, 3:], memory, causal=False, past=past)


def test_transformer_rejects_sentences_beyond_max_length(batch: Batch) -> None:
    with pytest.raises(ValueError, match=r"^source\b"):
        model_of(positions="learned", max_length=6)(batch)
    model = model_of(positions="learned", max_length=7)
    state = model.encode(batch.source, batch.source_mask)
    _, state = model.decode(batch.target_in, state)
    with pytest.raises(ValueError, match=r"^target_in\b"):
        model.decode(batch.target_in[:, :2], state)


@pytest.mark.parametrize("dropout", [math.nan, -0.1, 1.5, None, "0.1"])
def test_layers_reject_dropout_that_is_not_a_probability(dropout: Any) -> None:
    for make in (partial(SinusoidalPositions, 8), NoPositions, partial(AddNorm, 8)):
        with pytest.raises(ValueError, match=r"^dropout\b"):
            make(dropout=dropout)
