"""D2L's own classes beside ours, with copied weights: alike where D2L is right, and shown where it is not.

D2L 1.0.3 keeps encoder blocks in its package and decoders on its pages alone. The decoders here are built anew, on
D2L's blocks, from what the pages describe.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.bahdanau import Bahdanau, BahdanauDecoder
from attnbook.d2l_compat import import_d2l
from attnbook.data import Batch
from attnbook.masks import lengths_to_mask, masked_softmax
from attnbook.multihead import MultiHeadAttention
from attnbook.positional import SinusoidalPositions
from attnbook.scoring import AdditiveAttention, DotProductAttention
from attnbook.transformer import Transformer
from attnbook.transformer_layers import DecoderLayer, FeedForward
from tests.models import SOURCE_VOCABULARY, TARGET_VOCABULARY, random_batch

d2l = import_d2l()

D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS = 8, 2, 12, 2


def copy_weights(pairs: Mapping[Any, Any]) -> None:
    """From our layers to theirs."""
    with torch.no_grad():
        for ours, theirs in pairs.items():
            for name, parameter in ours.named_parameters():
                theirs.get_parameter(name).copy_(parameter)


def assert_alike(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def attentions(ours: MultiHeadAttention, theirs: nn.Module) -> dict[nn.Module, Any]:
    return {getattr(ours, name): getattr(theirs, name) for name in ("W_q", "W_k", "W_v", "W_o")}


# The parts


@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
def test_additive_attention_is_d2ls(lengths: list[int] | None) -> None:
    torch.manual_seed(0)
    ours, theirs = AdditiveAttention(3, 5, 6), d2l.AdditiveAttention(6, dropout=0)
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None if valid is None else lengths_to_mask(valid, 4).unsqueeze(1)
    data = [torch.randn(3, 2, 3), torch.randn(3, 4, 5), torch.randn(3, 4, 7)]
    theirs(*data, valid)  # its sizes are known from here on
    copy_weights({ours.W_q: theirs.W_q, ours.W_k: theirs.W_k, ours.w_v: theirs.w_v})
    found = []
    for attend in (lambda q, k, v: ours(q, k, v, mask), lambda q, k, v: theirs(q, k, v, valid)):
        inputs = [tensor.clone().requires_grad_() for tensor in data]
        answer = attend(*inputs)
        answer.square().sum().backward()
        found.append([answer, *(tensor.grad for tensor in inputs)])
    for mine, other in zip(*found, strict=True):
        assert_alike(mine, other)
    assert_alike(ours.W_q.weight.grad, theirs.W_q.weight.grad)  # type: ignore[arg-type]
    assert_alike(ours.w_v.weight.grad, theirs.w_v.weight.grad)  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", [None, [4, 1, 2], [[1, 2], [4, 3], [2, 2]]], ids=["none", "a row", "a query"])
def test_dot_product_attention_is_d2ls(lengths: list[Any] | None) -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 6), torch.randn(3, 4, 6), torch.randn(3, 4, 5)
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None
    if valid is not None:
        mask = lengths_to_mask(valid, 4)
        mask = mask.unsqueeze(1) if valid.dim() == 1 else mask
    theirs = d2l.DotProductAttention(0)
    seen: list[Tensor] = []
    ours = DotProductAttention()
    ours.observer = seen.append
    assert_alike(ours(query, key, value, mask), theirs(query, key, value, valid))
    assert_alike(seen[0][:, 0], theirs.attention_weights)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2], [[1, 2], [4, 3], [2, 2]]], ids=["none", "a row", "a query"])
def test_multi_head_attention_is_d2ls(lengths: list[Any] | None, bias: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(D_MODEL, NUM_HEADS, query_size=3, key_size=5, value_size=7, bias=bias)
    theirs = d2l.MultiHeadAttention(D_MODEL, NUM_HEADS, 0, bias=bias)
    data = [torch.randn(3, 2, 3), torch.randn(3, 4, 5), torch.randn(3, 4, 7)]
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None
    if valid is not None:
        mask = lengths_to_mask(valid, 4)
        mask = mask.unsqueeze(1) if valid.dim() == 1 else mask
    theirs(*data, valid)
    copy_weights(attentions(ours, theirs))
    assert_alike(ours(*data, mask), theirs(*data, valid))
    upstream = torch.randn(3, 2, D_MODEL)
    (ours(*data, mask) * upstream).sum().backward()
    (theirs(*data, valid) * upstream).sum().backward()
    for mine, other in attentions(ours, theirs).items():
        assert_alike(mine.weight.grad, other.weight.grad)  # type: ignore[arg-type]


def test_positions_and_feed_forward_are_d2ls() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 900, D_MODEL)
    torch.testing.assert_close(
        SinusoidalPositions(D_MODEL)(x), d2l.PositionalEncoding(D_MODEL, 0)(x), atol=1e-3, rtol=0
    )
    assert_alike(SinusoidalPositions(D_MODEL)(x[:, :20]), d2l.PositionalEncoding(D_MODEL, 0)(x[:, :20]))
    ours, theirs = FeedForward(D_MODEL, D_FF), d2l.PositionWiseFFN(D_FF, D_MODEL)
    theirs(x)
    copy_weights({ours.W_1: theirs.dense1, ours.W_2: theirs.dense2})
    assert_alike(ours(x), theirs(x))


# Bahdanau


class PageBahdanauDecoder(nn.Module):
    """The decoder of D2L's Bahdanau page, on D2L's attention: it has no mask but the source's lengths."""

    def __init__(self, vocab_size: int, embed_size: int, num_hiddens: int, num_layers: int) -> None:
        super().__init__()
        self.attention = d2l.AdditiveAttention(num_hiddens, dropout=0)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + num_hiddens, num_hiddens, num_layers)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def forward(self, target: Tensor, outputs: Tensor, hidden: Tensor, lengths: Tensor) -> Tensor:
        memory, steps = outputs.transpose(0, 1), []
        for word in self.embedding(target).unbind(1):
            context = self.attention(hidden[-1].unsqueeze(1), memory, memory, lengths).squeeze(1)
            step, hidden = self.rnn(torch.cat((context, word), -1).unsqueeze(0), hidden)
            steps.append(step[0])
        logits: Tensor = self.dense(torch.stack(steps, 1))
        return logits


@pytest.mark.parametrize("num_layers", [1, 2])
def test_bahdanau_is_d2ls_where_no_source_is_padded(num_layers: int) -> None:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"embed_size": 6, "num_hiddens": 8, "num_layers": num_layers}
    ours = Bahdanau(SOURCE_VOCABULARY, TARGET_VOCABULARY, dropout=0, **sizes)
    mine = ours.decoder
    assert isinstance(mine, BahdanauDecoder)
    encoder = d2l.Seq2SeqEncoder(SOURCE_VOCABULARY, *sizes.values())
    decoder = PageBahdanauDecoder(TARGET_VOCABULARY, *sizes.values())
    batch = random_batch((5, 5, 5), (4, 2, 6))
    lengths = torch.tensor([5, 5, 5])
    decoder(batch.target_in, *encoder(batch.source), lengths)
    copy_weights(
        {
            ours.encoder.embedding: encoder.embedding,
            ours.encoder.rnn: encoder.rnn.rnn,
            mine.embedding: decoder.embedding,
            mine.cross_attention.W_q: decoder.attention.W_q,
            mine.cross_attention.W_k: decoder.attention.W_k,
            mine.cross_attention.w_v: decoder.attention.w_v,
            ours.head: decoder.dense,
        }
    )
    with torch.no_grad():
        for layer, cell in enumerate(mine.stack.cells):
            for name, parameter in cell.named_parameters():
                decoder.rnn.get_parameter(f"{name}_l{layer}").copy_(parameter)
    assert_alike(ours(batch), decoder(batch.target_in, *encoder(batch.source), lengths))


def test_d2ls_recurrent_encoder_reads_padding_and_ours_does_not() -> None:
    torch.manual_seed(0)
    theirs = d2l.Seq2SeqEncoder(SOURCE_VOCABULARY, 6, 8, 1)
    ours = Bahdanau(SOURCE_VOCABULARY, TARGET_VOCABULARY, embed_size=6, num_hiddens=8, dropout=0).encoder
    source = torch.tensor([[5, 6, 7]])
    wider = torch.tensor([[5, 6, 7, 0, 0]])
    with torch.no_grad():
        assert float((theirs(wider)[1] - theirs(source)[1]).abs().max()) > 0.05
    short, long = lengths_to_mask(torch.tensor([3]), 3), lengths_to_mask(torch.tensor([3]), 5)
    assert_alike(ours(wider, long)[1], ours(source, short)[1])


# The Transformer


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
    """The decoder of that page. Every call gives its first token position 0, unless it is told where it stands."""

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
        self.teacher_forcing()  # their sizes are known from here on
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

    def stepwise(self, *, told_positions: bool) -> Tensor:
        """As D2L predicts: in eval mode, one token a call, the state kept."""
        self.decoder.eval()
        state = self.start()
        words = self.batch.target_in.split(1, 1)
        return torch.cat([self.decoder(y, state, t if told_positions else 0) for t, y in enumerate(words)], 1)


@pytest.fixture
def both() -> Both:
    return Both()


def test_the_encoder_is_d2ls(both: Both) -> None:
    theirs = both.encoder(both.batch.source, both.lengths)
    ours = both.ours.encode(both.batch.source, both.batch.source_mask).memory
    real = both.batch.source_mask
    assert_alike(ours[real], theirs[real])


def test_teacher_forcing_is_d2ls_in_train_mode(both: Both) -> None:
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
    """So that its step-by-step logits are not those it was trained with; told the position, they are. Ours are."""
    trained = both.teacher_forcing()
    predicted = both.stepwise(told_positions=False)
    assert_alike(predicted[:, :1], trained[:, :1])
    off = (predicted[:, 1:] - trained[:, 1:]).detach().abs().amax(-1)
    assert float(off.min()) > 0.01 and float(off.max()) > 0.3
    assert_alike(both.stepwise(told_positions=True), trained)

    both.ours.eval()
    state, steps = both.ours.encode(both.batch.source, both.batch.source_mask), []
    for word in both.batch.target_in.split(1, 1):
        logits, state = both.ours.decode(word, state)
        steps.append(logits)
    assert_alike(torch.cat(steps, 1), trained)


def test_d2l_leaks_the_future_when_it_is_not_training(both: Both) -> None:
    """In eval mode its decoder has no mask on the target: the last word changes the first logits."""
    changed = both.batch.target_in.clone()
    changed[:, -1] = (changed[:, -1] + 5) % TARGET_VOCABULARY
    assert torch.equal(both.teacher_forcing()[:, :-1], both.teacher_forcing(changed)[:, :-1]), "training is right"
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


# The smaller ones


def test_d2ls_masked_softmax_attends_where_nothing_may_be_seen_and_writes_on_its_input() -> None:
    scores = torch.randn(1, 1, 4)
    mine, theirs = scores.clone(), scores.clone()
    assert d2l.masked_softmax(theirs, torch.tensor([0])).tolist() == [[[0.25] * 4]]
    assert not torch.equal(theirs, scores), "its argument was overwritten"
    assert not masked_softmax(mine, torch.zeros(1, 1, 4, dtype=torch.bool)).any() and torch.equal(mine, scores)


def test_d2ls_masked_softmax_gives_nan_in_half_precision_where_nothing_may_be_seen() -> None:
    """Its -1e6 is minus infinity there."""
    scores = torch.zeros(1, 1, 4, dtype=torch.float16)
    assert d2l.masked_softmax(scores.clone(), torch.tensor([0])).isnan().all()
    assert not masked_softmax(scores, lengths_to_mask(torch.tensor([[0]]), 4)).any()


def test_d2ls_positions_have_neither_odd_sizes_nor_a_thousand_and_first() -> None:
    with pytest.raises(RuntimeError):
        d2l.PositionalEncoding(7, 0)
    with pytest.raises(RuntimeError):
        d2l.PositionalEncoding(8, 0)(torch.zeros(1, 1001, 8))
    assert SinusoidalPositions(7)(torch.zeros(1, 1001, 7)).shape == (1, 1001, 7)


def test_d2ls_attention_keeps_its_weights_and_their_graph() -> None:
    query = torch.randn(1, 2, 4, requires_grad=True)
    theirs, ours = d2l.DotProductAttention(0), DotProductAttention()
    theirs(query, query, query)
    ours(query, query, query)
    assert theirs.attention_weights.grad_fn is not None
    assert not any(isinstance(value, Tensor) for value in vars(ours).values())
