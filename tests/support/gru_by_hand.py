"""Recurrent networks by their equations, one vector at a time, with our weights but none of our code."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attnbook.models.seq2seq import CellStack, GRUEncoder

Gates = tuple[Tensor, Tensor, Tensor, Tensor]


def gru_step(x: Tensor, h: Tensor, gates: Gates) -> Tensor:
    """Cho et al. 2014, eq. 5 to 8, and Bahdanau et al. 2015, A.1.1, as implemented in torch.nn.GRU.

    Its update gate is one minus the papers', and its reset gate acts after the matrix product, r * (U h), where
    the papers have U (r * h).
    """
    w_input, w_hidden, b_input, b_hidden = gates
    r_x, z_x, n_x = (w_input @ x + b_input).chunk(3)
    r_h, z_h, n_h = (w_hidden @ h + b_hidden).chunk(3)
    r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
    return (1 - z) * torch.tanh(n_x + r * n_h) + z * h


def gates_of(rnn: nn.GRU, layer: int, *, backward: bool = False) -> Gates:
    suffix = f"_l{layer}" + ("_reverse" if backward else "")
    weights = [getattr(rnn, name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    return weights[0], weights[1], weights[2], weights[3]


def run(inputs: Sequence[Tensor], gates: Gates) -> list[Tensor]:
    """All hidden states, from zeros."""
    h = torch.zeros_like(gates[1][0])
    states = []
    for x in inputs:
        h = gru_step(x, h, gates)
        states.append(h)
    return states


def read(encoder: GRUEncoder, ids: Sequence[int]) -> tuple[list[Tensor], list[Tensor]]:
    """One sentence: the top layer's state at every token, and the decoder's first state in every layer."""
    states = [encoder.embedding.weight[i] for i in ids]
    first = []
    for layer in range(encoder.rnn.num_layers):
        forward = run(states, gates_of(encoder.rnn, layer))
        if encoder.bridge is None:
            first.append(forward[-1])
            states = forward
            continue
        backward = run(states[::-1], gates_of(encoder.rnn, layer, backward=True))[::-1]
        bridge = encoder.bridge[layer]
        assert isinstance(bridge, nn.Linear)
        first.append(torch.tanh(bridge.weight @ backward[0] + bridge.bias))  # s_0 = tanh(W_s h_1)
        states = [torch.cat(both) for both in zip(forward, backward, strict=True)]
    return states, first


def step_stack(stack: CellStack, x: Tensor, hidden: Sequence[Tensor]) -> list[Tensor]:
    """One step of every layer, from the lowest."""
    states: list[Tensor] = []
    for cell, h in zip(stack.cells, hidden, strict=True):
        assert isinstance(cell, nn.GRUCell)
        x = gru_step(x, h, (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh))
        states.append(x)
    return states


def softmax(scores: Sequence[Tensor]) -> list[Tensor]:
    powers = [torch.exp(score) for score in scores]
    total = sum(powers, torch.zeros(()))
    return [power / total for power in powers]


def weighted_sum(weights: Sequence[Tensor], vectors: Sequence[Tensor]) -> Tensor:
    """Zeros if there is nothing to sum."""
    total = torch.zeros_like(vectors[0])
    for weight, vector in zip(weights, vectors, strict=True):
        total = total + weight * vector
    return total
