"""Run ``nn.GRU`` over padded sentences, so that each ends at its last real token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook._internal.tracing import has_values


def run_gru(rnn: nn.GRU, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Run a GRU up to the last real token of each row.

    Args:
        rnn: the network, batch-first.
        x: ``(batch, length, input_size)``.
        mask: ``(batch, length)`` bool, True = a real token; padding on the right.

    Returns:
        outputs ``(batch, length, directions * num_hiddens)`` and final hidden states
        ``(num_layers * directions, batch, num_hiddens)``.
    """
    run = run_packed if mask.device.type == "cpu" and has_values(mask) else run_padded
    return run(rnn, x, mask)


def run_packed(rnn: nn.GRU, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Run a GRU over packed sentences, which requires the lengths on the CPU."""
    # Packing rejects an empty sentence: it gets one step, and the encoder zeroes the result.
    packed = pack_padded_sequence(x, mask.sum(1).clamp(min=1), batch_first=True, enforce_sorted=False)
    output, hidden = rnn(packed)
    padded, _ = pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
    return padded, hidden


def run_padded(rnn: nn.GRU, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the result of ``run_packed`` without the lengths on the CPU.

    To read the lengths, the CPU would have to wait for a GPU, and ``torch.export`` has no values to read. Each
    direction continues into the padding, where its states are ignored. For the backward direction, every sentence is
    reversed in place.
    """
    lengths = mask.sum(1, keepdim=True)  # (batch, 1)
    last = (lengths - 1).clamp(min=0)  # (batch, 1)
    steps = torch.arange(x.shape[1], device=x.device)
    backwards = torch.where(steps < lengths, last - steps, steps)  # (batch, length)
    final: list[Tensor] = []
    for layer in range(rnn.num_layers):
        x = functional.dropout(x, rnn.dropout, rnn.training) if layer else x
        outputs: list[Tensor] = []
        for weights in rnn.all_weights[len(final) : len(final) + (2 if rnn.bidirectional else 1)]:
            is_backward = len(outputs) > 0
            states = run_direction(_take(x, backwards) if is_backward else x, weights)
            outputs.append(_take(states, backwards) if is_backward else states)
            final.append(_take(states, last).squeeze(1))
        x = torch.cat(outputs, -1)  # (batch, length, directions * num_hiddens)
    return x, torch.stack(final)


def run_direction(x: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """Run one layer of a GRU in one direction: ``(batch, length, size)`` -> ``(batch, length, num_hiddens)``."""
    # cuDNN requires the weights of a call to be contiguous; a module has one contiguous block for all layers.
    flat = torch.cat([weight.flatten() for weight in weights]).split([weight.numel() for weight in weights])
    contiguous = [part.view_as(weight) for part, weight in zip(flat, weights, strict=True)]
    start = x.new_zeros(1, x.shape[0], weights[1].shape[1])
    # cuDNN has a backward pass in train mode only; without dropout the mode changes nothing else.
    states, _ = torch.gru(x, start, contiguous, True, 1, 0.0, torch.is_grad_enabled(), False, True)
    return states


def _take(x: Tensor, positions: Tensor) -> Tensor:
    """``(batch, length, size)``, ``(batch, count)`` -> ``(batch, count, size)``"""
    return x.gather(1, positions.unsqueeze(-1).expand(-1, -1, x.shape[2]))
