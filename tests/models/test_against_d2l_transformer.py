"""Compare with D2L's Transformer and copied weights: equal in train mode; D2L's leaks in eval mode.

D2L 1.0.3 has encoder blocks in its package but decoders only on its pages. The decoder is rebuilt here with D2L's
blocks, from the page's description.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.data import Batch
from attnbook.models.transformer import DecoderLayer, Transformer
from tests.support.d2l_reference import (
    D_FF,
    D_MODEL,
    NUM_HEADS,
    NUM_LAYERS,
    assert_alike,
    attentions,
    copy_weights,
    d2l,
)
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, random_batch


class PageDecoderBlock(nn.Module):
    """One block of the decoder on D2L's Transformer page; ``state`` is [memory, lengths, what each block has seen]."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index
        self.attention1 = d2l.MultiHeadAttention(D_MODEL, NUM_HEADS, 0, bias=True)
        self.attention2 = d2l.MultiHeadAttention(D_MODEL, NUM_HEADS, 0, bias=True)
        self.addnorm1, self.addnorm2, self.addnorm3 = (d2l.AddNorm(D_MODEL, 0) for _ in range(3))
        self.ffn = d2l.PositionWiseFFN(D_FF, D_MODEL)

    def forward(self, x: Tensor, state: list[Any]) -> Tensor:
        memory, lengths, seen = state
        seen[self.index] = x if seen[self.index] is None else torch.cat((seen[self.index], x), 1)
        past = seen[self.index]
        # In training query t may see t keys; otherwise there is no limit, since one token at a time is expected.
        limits = torch.arange(1, x.shape[1] + 1).repeat(len(x), 1) if self.training else None
        y = self.addnorm1(x, self.attention1(x, past, past, limits))
        z = self.addnorm2(y, self.attention2(y, memory, memory, lengths))
        result: Tensor = self.addnorm3(z, self.ffn(z))
        return result


class PageDecoder(nn.Module):
    """The decoder of that page. The first token of every call has position 0, unless ``position`` is given."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TARGET_VOCABULARY, D_MODEL)
        self.pos_encoding = d2l.PositionalEncoding(D_MODEL, 0)
        self.blks = nn.ModuleList(PageDecoderBlock(index) for index in range(NUM_LAYERS))
        self.dense = nn.Linear(D_MODEL, TARGET_VOCABULARY)

    def forward(self, target: Tensor, state: list[Any], position: int = 0) -> Tensor:
        x = self.embedding(target) * math.sqrt(D_MODEL)
        before = x.new_zeros(len(x), position, D_MODEL)
        x = self.pos_encoding(torch.cat((before, x), 1))[:, position:]
        for block in self.blks:
            x = block(x, state)
        logits: Tensor = self.dense(x)
        return logits


class Both:
    """Our Transformer and D2L's, with the same weights, and a batch with padding."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.batch: Batch = random_batch((5, 1, 7), (6, 6, 6))
        self.lengths = self.batch.source_mask.sum(1)
        sizes: dict[str, Any] = {"d_model": D_MODEL, "num_heads": NUM_HEADS, "d_ff": D_FF, "num_layers": NUM_LAYERS}
        self.ours = Transformer(SOURCE_VOCABULARY, TARGET_VOCABULARY, dropout=0, **sizes)
        with torch.no_grad():
            for name, parameter in self.ours.named_parameters():
                if parameter.dim() == 1:  # away from zeros and ones, where a mistake would not show
                    parameter.add_(0.3 * torch.randn_like(parameter))
                elif "W_q" in name or "W_k" in name:  # so that attention is far from uniform, and the past matters
                    parameter.mul_(2)
        self.encoder = d2l.TransformerEncoder(SOURCE_VOCABULARY, D_MODEL, D_FF, NUM_HEADS, NUM_LAYERS, 0, True)
        self.decoder = PageDecoder()
        self.teacher_forcing()  # initializes D2L's lazy layers
        pairs: dict[nn.Module, Any] = {
            self.ours.source_embedding: self.encoder.embedding,
            self.ours.target_embedding: self.decoder.embedding,
            self.ours.head: self.decoder.dense,
        }
        mine: Any
        theirs: Any
        for mine, theirs in zip(self.ours.encoder, self.encoder.blks, strict=True):
            pairs |= attentions(mine.self_attention, theirs.attention)
            pairs |= {mine.add_norm_1.norm: theirs.addnorm1.ln, mine.add_norm_2.norm: theirs.addnorm2.ln}
            pairs |= {mine.feed_forward.W_1: theirs.ffn.dense1, mine.feed_forward.W_2: theirs.ffn.dense2}
        for mine, theirs in zip(self.ours.decoder, self.decoder.blks, strict=True):
            pairs |= attentions(mine.self_attention, theirs.attention1)
            pairs |= attentions(mine.cross_attention, theirs.attention2)
            for number in (1, 2, 3):
                pairs[getattr(mine, f"add_norm_{number}").norm] = getattr(theirs, f"addnorm{number}").ln
            pairs |= {mine.feed_forward.W_1: theirs.ffn.dense1, mine.feed_forward.W_2: theirs.ffn.dense2}
        copy_weights(pairs)

    def start(self) -> list[Any]:
        return [self.encoder(self.batch.source, self.lengths), self.lengths, [None] * NUM_LAYERS]

    def teacher_forcing(self, target: Tensor | None = None) -> Tensor:
        logits: Tensor = self.decoder(self.batch.target_in if target is None else target, self.start())
        return logits

    def stepwise(self, *, pass_positions: bool) -> Tensor:
        """Predict as D2L does: in eval mode, one token per call, keeping the state."""
        self.decoder.eval()
        state = self.start()
        words = self.batch.target_in.split(1, 1)
        return torch.cat([self.decoder(y, state, t if pass_positions else 0) for t, y in enumerate(words)], 1)


@pytest.fixture
def both() -> Both:
    return Both()


def test_transformer_encoder_equals_d2l(both: Both) -> None:
    theirs = both.encoder(both.batch.source, both.lengths)
    ours = both.ours.encode(both.batch.source, both.batch.source_mask).memory
    real = both.batch.source_mask
    assert_alike(ours[real], theirs[real])


def test_teacher_forcing_equals_d2l_in_train_mode(both: Both) -> None:
    ours, theirs = both.ours(both.batch), both.teacher_forcing()
    assert_alike(ours, theirs)
    upstream = torch.randn_like(ours)
    (ours * upstream).sum().backward()
    (theirs * upstream).sum().backward()
    layer, block = both.ours.decoder[0], both.decoder.blks[0]
    assert isinstance(layer, DecoderLayer) and isinstance(block, PageDecoderBlock)
    for mine, other in attentions(layer.self_attention, block.attention1).items():
        torch.testing.assert_close(mine.weight.grad, other.weight.grad, atol=1e-4, rtol=1e-4)


def test_d2l_gives_every_predicted_token_position_zero(both: Both) -> None:
    """Its step-by-step logits therefore differ from those in training, unless it is given the position."""
    trained = both.teacher_forcing()
    predicted = both.stepwise(pass_positions=False)
    assert_alike(predicted[:, :1], trained[:, :1])
    off = (predicted[:, 1:] - trained[:, 1:]).detach().abs().amax(-1)
    assert float(off.min()) > 0.01 and float(off.max()) > 0.3
    assert_alike(both.stepwise(pass_positions=True), trained)

    both.ours.eval()
    state, steps = both.ours.encode(both.batch.source, both.batch.source_mask), []
    for word in both.batch.target_in.split(1, 1):
        logits, state = both.ours.decode(word, state)
        steps.append(logits)
    assert_alike(torch.cat(steps, 1), trained)


def test_d2l_leaks_the_future_in_eval_mode(both: Both) -> None:
    """In eval mode its decoder has no mask on the target: the last word changes the first logits."""
    changed = both.batch.target_in.clone()
    changed[:, -1] = (changed[:, -1] + 5) % TARGET_VOCABULARY
    assert torch.equal(both.teacher_forcing()[:, :-1], both.teacher_forcing(changed)[:, :-1]), "a leak in train mode"
    trained = both.teacher_forcing()
    both.decoder.eval()
    predicted = both.teacher_forcing().detach()
    assert float((predicted[:, 0] - both.teacher_forcing(changed).detach()[:, 0]).abs().max()) > 0.01
    assert float((predicted[:, :-1] - trained.detach()[:, :-1]).abs().max()) > 0.1

    for training in (True, False):
        both.ours.train(training)
        state = both.ours.encode(both.batch.source, both.batch.source_mask)
        first, other = (both.ours.decode(target, state)[0] for target in (both.batch.target_in, changed))
        assert torch.equal(first[:, :-1], other[:, :-1])
        assert_alike(first, trained)
