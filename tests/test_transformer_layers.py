"""The layers of a Transformer are their formulas and the paper's, with dropout wherever the paper has it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.data import Batch
from attnbook.models.transformer import AddNorm, DecoderLayer, EncoderLayer, FeedForward
from tests.support.small_transformers import D_FF, D_MODEL, NUM_HEADS, NUM_LAYERS, model_of


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_add_and_norm_is_its_formula(pre_norm: bool) -> None:
    torch.manual_seed(0)
    add_norm, sublayer = AddNorm(6, 0.0, pre_norm), nn.Linear(6, 6)
    nn.init.normal_(add_norm.norm.weight)
    nn.init.normal_(add_norm.norm.bias)

    def normalise(x: Tensor) -> Tensor:
        """Ba et al. 2016, eq. 4: the biased variance, epsilon under the root."""
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / torch.sqrt(variance + 1e-5) * add_norm.norm.weight + add_norm.norm.bias

    x = torch.randn(2, 3, 6)
    expected = x + sublayer(normalise(x)) if pre_norm else normalise(x + sublayer(x))
    torch.testing.assert_close(add_norm(x, sublayer), expected)


def test_feed_forward_is_its_formula_at_every_position_alone() -> None:
    torch.manual_seed(0)
    layer = FeedForward(4, 10)
    x = torch.randn(2, 3, 4)
    for b in range(2):
        for i in range(3):
            hidden = (layer.W_1.weight @ x[b, i] + layer.W_1.bias).clamp(min=0)
            torch.testing.assert_close(layer(x)[b, i], layer.W_2.weight @ hidden + layer.W_2.bias)


def test_a_layer_alone_is_the_papers_unless_told_otherwise() -> None:
    """Post-norm, no weight dropped, nothing turned: as in a whole model, which is torch's."""
    model = model_of()
    x = torch.randn(2, 3, D_MODEL, dtype=torch.float64)
    memory = torch.randn(2, 5, D_MODEL, dtype=torch.float64)
    for layer, given in ((model.encoder[0], (x,)), (model.decoder[0], (x, memory))):
        alone = type(layer)(D_MODEL, NUM_HEADS, D_FF, dropout=0.0).double()
        alone.load_state_dict(layer.state_dict())
        torch.testing.assert_close(alone(*given), layer(*given))


def test_dropout_is_on_embeddings_and_on_every_sublayer(batch: Batch) -> None:
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
def test_a_decoder_layer_goes_on_from_what_it_kept(rotary: bool) -> None:
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
def test_dropout_reaches_the_sum_with_positions(positions: str) -> None:
    model = model_of(positions=positions, dropout=0.3)
    both = [model.source_positions, model.target_positions]
    assert [layer.dropout.p for layer in both] == [0.3, 0.3]


def test_attention_dropout_reaches_every_attention() -> None:
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
def test_a_part_alone_names_a_size_below_one(argument: str, make: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        make()
