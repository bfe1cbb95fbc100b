"""Does the later query help, or the read-out? Both are varied independently, with and without input feeding."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention.scoring import AdditiveAttention
from attnbook.models.luong import LuongState
from attnbook.models.seq2seq import CellStack, GRUEncoder, RecurrentDecoder, RecurrentEncoderDecoder
from attnbook.training.optim import linear_decay
from experiments.controls.bench import fit, frequent, judge, misaligned

QUESTION = "Asking with the state before or after the step, and what the output layer sees: which of them matters?"
STEPS, SIZE = 160, 64


class CrossedDecoder(RecurrentDecoder):
    r"""A decoder whose query time and read-out can be chosen independently.

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        memory_size: size of an encoder state.
        asks: "early", with :math:`s_{t-1}`, or "late", with :math:`s_t`.
        readout: "state", :math:`\tanh(W_c [c_t; s_t])` (Luong et al. 2015, eq. 5), or "maxout" of :math:`s_t`, the last
            word and :math:`c_t` (Bahdanau et al. 2015, A.2.2).
        feeding: feed the read-out's vector to the next step (input feeding).
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        num_hiddens: int,
        memory_size: int,
        *,
        asks: str,
        readout: str,
        feeding: bool,
    ) -> None:
        super().__init__(vocab_size, embed_size, dropout=0.0)
        self.cross_attention = AdditiveAttention(num_hiddens, memory_size, num_hiddens)
        self.stack = CellStack(embed_size + (num_hiddens if feeding else 0), num_hiddens, 1, 0.0)
        self.asks, self.readout, self.feeding = asks, readout, feeding
        seen = memory_size + num_hiddens
        self.W_c = nn.Linear(seen, num_hiddens, bias=False) if readout == "state" else None
        self.maxout = nn.Linear(seen + embed_size, 2 * num_hiddens) if readout == "maxout" else None
        self.feature_size = num_hiddens

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> LuongState:
        fed = hidden.new_zeros(hidden.shape[0], hidden.shape[2] if self.feeding else 0)
        return LuongState(memory, memory_mask, 0, hidden, self.cross_attention.project_key(memory), fed)

    def forward(self, target_in: Tensor, state: LuongState) -> tuple[Tensor, LuongState]:
        hidden, fed, features = state.hidden.unbind(1), state.fed, []
        mask = state.memory_mask.unsqueeze(1)
        for word in self.embedding(target_in).unbind(1):
            before = hidden[-1]
            hidden = self.stack(torch.cat((word, fed), -1), hidden)
            query = before if self.asks == "early" else hidden[-1]
            context = self.cross_attention.attend(query.unsqueeze(1), state.key, state.memory, mask).squeeze(1)
            features.append(self.read_out(hidden[-1], word, context))
            fed = features[-1] if self.feeding else fed
        return torch.stack(features, 1), replace(state, hidden=torch.stack(hidden, 1), fed=fed)

    def read_out(self, after: Tensor, word: Tensor, context: Tensor) -> Tensor:
        if self.W_c is not None:
            return torch.tanh(self.W_c(torch.cat((context, after), -1)))
        assert self.maxout is not None
        return self.maxout(torch.cat((after, word, context), -1)).unflatten(-1, (-1, 2)).amax(-1)


def cases() -> list[dict[str, Any]]:
    chosen = product(("early", "late"), ("state", "maxout"), (False, True), range(5))
    return [{"asks": a, "readout": r, "feeding": f, "seed": s} for a, r, f, s in chosen]


def measure(asks: str, readout: str, feeding: bool, seed: int) -> dict[str, Any]:
    task = frequent()
    torch.manual_seed(seed)
    encoder = GRUEncoder(task.sizes[0], SIZE, SIZE, 1, 0.0, bidirectional=True)
    decoder = CrossedDecoder(
        task.sizes[1], SIZE, SIZE, encoder.memory_size, asks=asks, readout=readout, feeding=feeding
    )
    model = RecurrentEncoderDecoder(encoder, decoder, {})
    rate = linear_decay(0.014, warmup=20, total=STEPS)
    losses = fit(model, task, steps=STEPS, lr=rate, batch_size=32, seed=seed)
    return {
        **judge(model, task.held_out, task),
        "alignment_error_rate": misaligned(model, task.held_out, task),
        "loss": round(sum(losses[-20:]) / 20, 4),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }
