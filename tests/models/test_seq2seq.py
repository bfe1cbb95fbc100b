"""Recurrent encoder and decoder without attention equal their equations, whatever the padding."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.masks import lengths_to_mask
from attnbook.data import Batch
from attnbook.models.gru_runner import run_packed, run_padded
from attnbook.models.seq2seq import CellStack, GRUEncoder, Seq2Seq, Seq2SeqDecoder
from tests.support import gru_by_hand as by_hand
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY

OPTIONS = [(1, False), (2, False), (1, True), (2, True)]
options = pytest.mark.parametrize(("num_layers", "bidirectional"), OPTIONS)


def encoder(num_layers: int, bidirectional: bool) -> GRUEncoder:
    torch.manual_seed(0)
    return GRUEncoder(SOURCE_VOCABULARY, 4, 6, num_layers, bidirectional=bidirectional).double()


@options
def test_gru_encoder_equals_equations_in_every_row(num_layers: int, bidirectional: bool, batch: Batch) -> None:
    reader = encoder(num_layers, bidirectional)
    memory, hidden = reader(batch.source, batch.source_mask)
    assert memory.shape == (3, 7, reader.memory_size) and hidden.shape == (3, num_layers, 6)
    for row, (ids, mask) in enumerate(zip(batch.source, batch.source_mask, strict=True)):
        states, first = by_hand.read(reader, ids[mask].tolist())
        torch.testing.assert_close(memory[row, : len(states)], torch.stack(states))
        torch.testing.assert_close(hidden[row], torch.stack(first))
        assert not memory[row, len(states) :].any()


@options
def test_seq2seq_equals_equations_in_every_row(num_layers: int, bidirectional: bool, batch: Batch) -> None:
    """s_t = GRU([E y_(t-1); c], s_(t-1)) with one c for all steps: the encoder's last state."""
    torch.manual_seed(0)
    model = Seq2Seq(
        SOURCE_VOCABULARY,
        TARGET_VOCABULARY,
        embed_size=4,
        num_hiddens=6,
        num_layers=num_layers,
        dropout=0,
        bidirectional=bidirectional,
    ).double()
    assert isinstance(model.decoder, Seq2SeqDecoder)
    logits = model(batch)
    for row, (source, mask) in enumerate(zip(batch.source, batch.source_mask, strict=True)):
        _, hidden = by_hand.read(model.encoder, source[mask].tolist())
        context = hidden[-1]
        for t, y in enumerate(batch.target_in[row].tolist()):
            x = torch.cat((model.decoder.embedding.weight[y], context))
            for layer in range(num_layers):
                hidden[layer] = by_hand.gru_step(x, hidden[layer], by_hand.gates_of(model.decoder.rnn, layer))
                x = hidden[layer]
            torch.testing.assert_close(logits[row, t], model.head.weight @ x + model.head.bias)


@options
def test_gru_encoder_returns_zeros_for_empty_sentence(num_layers: int, bidirectional: bool) -> None:
    reader = encoder(num_layers, bidirectional)
    source = torch.tensor([[5, 6, 7], [8, 9, 10]])
    mask = torch.tensor([[True, True, True], [False, False, False]])
    memory, hidden = reader(source, mask)
    assert not memory[1].any() and not hidden[1].any() and memory[0].all()
    (memory.sum() + hidden.sum()).backward()
    grad = reader.embedding.weight.grad
    assert grad is not None and torch.isfinite(grad).all()
    assert not grad[8:11].any() and grad[5:8].any(1).all()


@options
@pytest.mark.parametrize("training", [True, False])
def test_run_padded_equals_run_packed(num_layers: int, bidirectional: bool, training: bool, batch: Batch) -> None:
    reader = encoder(num_layers, bidirectional).train(training)
    x = torch.randn(3, 7, 4, dtype=torch.double, requires_grad=True)
    mask = batch.source_mask
    found: list[list[Tensor]] = []
    for run in (run_packed, run_padded):
        memory, hidden = run(reader.rnn, x, mask)
        memory = memory * mask.unsqueeze(-1)
        gradients = torch.autograd.grad(memory.sin().sum() + hidden.cos().sum(), [x, *reader.rnn.parameters()])
        found.append([memory, hidden, *gradients])
    torch.testing.assert_close(found[1], found[0])


def test_run_padded_drops_out_between_layers_in_training_only(batch: Batch) -> None:
    """With dropout 1, the second layer sees only zeros."""
    x, mask = torch.randn(3, 7, 4), batch.source_mask
    for training in (True, False):
        rnn = nn.GRU(4, 6, 2, batch_first=True, dropout=1.0).train(training)
        torch.testing.assert_close(run_padded(rnn, x, mask)[1], run_packed(rnn, x, mask)[1])
        assert torch.equal(run_padded(rnn, x, mask)[1][1], run_padded(rnn, 2 * x, mask)[1][1]) == training


@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_cell_stack_equals_torch_gru(num_layers: int) -> None:
    torch.manual_seed(0)
    library = nn.GRU(4, 6, num_layers, batch_first=True)
    stack = CellStack(4, 6, num_layers, dropout=0)
    with torch.no_grad():
        for layer, cell in enumerate(stack.cells):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(cell, name).copy_(getattr(library, f"{name}_l{layer}"))
    x, start = torch.randn(3, 5, 4), torch.randn(num_layers, 3, 6)
    expected, last = library(x, start)
    hidden: tuple[Tensor, ...] = start.unbind(0)
    tops = []
    for word in x.unbind(1):
        hidden = stack(word, hidden)
        tops.append(hidden[-1])
    torch.testing.assert_close(torch.stack(tops, 1), expected)
    torch.testing.assert_close(torch.stack(hidden), last)


def test_cell_stack_dropout_applies_between_layers_only() -> None:
    torch.manual_seed(0)
    x, hidden = torch.randn(200, 4), (torch.zeros(200, 6), torch.zeros(200, 6))
    stack = CellStack(4, 6, 2, dropout=0.5)
    low, high = stack(x, hidden)
    assert torch.equal(low, stack(x, hidden)[0]) and not torch.equal(high, stack(x, hidden)[1])
    assert low.all() and high.all()
    stack.eval()
    assert torch.equal(stack(x, hidden)[1], stack(x, hidden)[1])


def test_gru_encoder_rejects_left_padding() -> None:
    mask = torch.tensor([[True, False, True]])
    with pytest.raises(ValueError, match=r"^source_mask\b"):
        encoder(1, False)(torch.ones(1, 3, dtype=torch.int64), mask)
    encoder(1, False)(torch.ones(1, 3, dtype=torch.int64), lengths_to_mask(torch.tensor([2]), 3))
