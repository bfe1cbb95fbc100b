"""Bahdanau's model equals the equations of its paper, sentence by sentence and step by step."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from attnbook.data import Batch
from attnbook.models.bahdanau import Bahdanau, BahdanauDecoder
from tests.support import gru_by_hand as by_hand
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY


def model_of(num_layers: int, bidirectional: bool, readout: str) -> Bahdanau:
    torch.manual_seed(0)
    return Bahdanau(
        SOURCE_VOCABULARY,
        TARGET_VOCABULARY,
        embed_size=4,
        num_hiddens=6,
        num_layers=num_layers,
        dropout=0,
        bidirectional=bidirectional,
        readout=readout,
    ).double()


def maxout(x: Tensor) -> Tensor:
    """The larger of every two adjacent entries."""
    return torch.stack([torch.maximum(x[i], x[i + 1]) for i in range(0, len(x), 2)])


def translate_by_hand(model: Bahdanau, source: list[int], target: list[int]) -> tuple[list[Tensor], list[Tensor]]:
    """Logits and weights of every step (Bahdanau et al. 2015, A.1.2 and A.2.2).

    Ours has one layer or more, the library's gated unit (see ``by_hand.gru_step``), and biases where the library has.
    """
    decoder = model.decoder
    assert isinstance(decoder, BahdanauDecoder)
    attention = decoder.cross_attention
    memory, states = by_hand.read(model.encoder, source)
    logits, alignments = [], []
    for y in target:
        word, previous = decoder.embedding.weight[y], states[-1]  # E y_{i-1}, s_{i-1}
        energies = []
        for h in memory:  # e_ij = v_a tanh(W_a s_{i-1} + U_a h_j)
            hidden = torch.tanh(attention.W_q.weight @ previous + attention.W_k.weight @ h)
            energies.append(attention.w_v.weight[0] @ hidden)
        weights = by_hand.softmax(energies)
        context = by_hand.weighted_sum(weights, memory)  # c_i
        states = by_hand.step_stack(decoder.stack, torch.cat((context, word)), states)
        if decoder.maxout is None:
            readout = states[-1]
        else:  # t_i = max of pairs of U_o s_{i-1} + V_o E y_{i-1} + C_o c_i
            sizes = (len(previous), len(word), len(context))
            u, v, c = decoder.maxout.weight.split(sizes, 1)
            readout = maxout(u @ previous + v @ word + c @ context + decoder.maxout.bias)
        logits.append(model.head.weight @ readout + model.head.bias)
        alignments.append(torch.stack(weights))
    return logits, alignments


@pytest.mark.parametrize("readout", ["state", "maxout"])
@pytest.mark.parametrize(("num_layers", "bidirectional"), [(1, False), (2, False), (1, True), (2, True)])
def test_bahdanau_equals_equations_in_logits_and_weights(
    num_layers: int, bidirectional: bool, readout: str, batch: Batch
) -> None:
    model = model_of(num_layers, bidirectional, readout)
    decoder = model.decoder
    assert isinstance(decoder, BahdanauDecoder)
    seen: list[Tensor] = []
    decoder.cross_attention.observer = seen.append
    logits = model(batch)
    weights = torch.cat(seen, 2)[:, 0]  # (batch, target_len, source_len)
    for row in range(3):
        source = batch.source[row][batch.source_mask[row]].tolist()
        expected, alignment = translate_by_hand(model, source, batch.target_in[row].tolist())
        torch.testing.assert_close(logits[row], torch.stack(expected))
        torch.testing.assert_close(weights[row, :, : len(source)], torch.stack(alignment))
        assert not weights[row, :, len(source) :].any()


@pytest.mark.parametrize("readout", ["state", "maxout"])
def test_bahdanau_equals_equations_in_gradients(readout: str, batch: Batch) -> None:
    model = model_of(1, True, readout)
    upstream = torch.randn(*batch.target_in.shape, TARGET_VOCABULARY, dtype=torch.float64)
    (model(batch) * upstream).sum().backward()
    ours = {name: parameter.grad for name, parameter in model.named_parameters()}
    model.zero_grad()
    for row in range(3):
        source = batch.source[row][batch.source_mask[row]].tolist()
        expected, _ = translate_by_hand(model, source, batch.target_in[row].tolist())
        (torch.stack(expected) * upstream[row]).sum().backward()
    theirs = {name: parameter.grad for name, parameter in model.named_parameters()}
    torch.testing.assert_close(ours, theirs)


def test_bahdanau_projects_keys_once_per_source(batch: Batch) -> None:
    model = model_of(1, False, "state")
    decoder = model.decoder
    assert isinstance(decoder, BahdanauDecoder)
    calls: list[int] = []
    decoder.cross_attention.W_k.register_forward_hook(lambda *_: calls.append(1))
    state = model.encode(batch.source, batch.source_mask)
    for piece in batch.target_in.split(1, 1):
        _, state = model.decode(piece, state)
    assert len(calls) == 1


def test_bahdanau_rejects_unknown_readout() -> None:
    with pytest.raises(ValueError, match=r"^readout\b"):
        model_of(1, False, "deep")
