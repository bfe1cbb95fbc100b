"""Chapter 5: which part of a read-out matters, and up to which budget? Crossed with the query time."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from attnbook.attention.scoring import AdditiveAttention
from attnbook.models.luong import LuongState
from attnbook.models.seq2seq import CellStack, GRUEncoder, RecurrentDecoder, RecurrentEncoderDecoder
from experiments.compare import Comparison, Trial
from experiments.controls.translating import SPLIT, frequent_words, translation_trial

SIZE = 64
KINDS = {  # hidden layer of the read-out, and whether it sees the last word
    "tanh": ("tanh", False),
    "tanh, with the word": ("tanh", True),
    "linear": ("linear", False),
    "maxout": ("maxout", False),
    "maxout, with the word": ("maxout", True),
    "direct": ("direct", False),
}


class ReadoutDecoder(RecurrentDecoder):
    """A decoder whose query, read-out and input feeding can be chosen independently.

    Args:
        vocab_size: number of target ids.
        memory_size: size of an encoder state.
        asks: "early", with the state before the step, or "late", with the state after it.
        kind: "tanh", "linear", "maxout", or "direct" for no hidden layer.
        word: whether the read-out sees the embedding of the last word.
        feeding: whether the next step sees the read-out's vector (input feeding).
    """

    def __init__(
        self, vocab_size: int, memory_size: int, *, asks: str, kind: str, word: bool, feeding: bool = False
    ) -> None:
        super().__init__(vocab_size, SIZE, dropout=0.0)
        seen = memory_size + SIZE + (SIZE if word else 0)
        self.feature_size = seen if kind == "direct" else SIZE
        self.fed_size = self.feature_size if feeding else 0
        self.cross_attention = AdditiveAttention(SIZE, memory_size, SIZE)
        self.stack = CellStack(SIZE + self.fed_size, SIZE, 1, 0.0)
        self.asks, self.kind, self.word, self.feeding = asks, kind, word, feeding
        self.hidden: nn.Module = nn.Linear(seen, SIZE, bias=False)
        if kind == "maxout":
            self.hidden = nn.Linear(seen, 2 * SIZE)
        if kind == "direct":
            self.hidden = nn.Identity()

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> LuongState:
        fed = hidden.new_zeros(hidden.shape[0], self.fed_size)
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
        seen = torch.cat((context, after, word) if self.word else (context, after), -1)
        hidden: Tensor = self.hidden(seen)
        if self.kind == "tanh":
            return torch.tanh(hidden)
        return hidden.unflatten(-1, (-1, 2)).amax(-1) if self.kind == "maxout" else hidden


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (kind, word) = frequent_words(), KINDS[contestant]
    encoder = GRUEncoder(corpus.sizes[0], SIZE, SIZE, 1, 0.0, bidirectional=True)
    decoder = ReadoutDecoder(corpus.sizes[1], encoder.memory_size, asks=task, kind=kind, word=word)
    return translation_trial(RecurrentEncoderDecoder(encoder, decoder, {}), corpus, seed, 32, aligned=True)


COMPARISON = Comparison(
    question="Which part of the read-out changes BLEU and alignment: its nonlinearity, the last word, or its size?",
    contestants={
        "tanh": "tanh(W [c; s]), Luong et al. 2015, eq. 5",
        "tanh, with the word": "tanh(W [c; s; y])",
        "linear": "W [c; s], no nonlinearity",
        "maxout": "the larger of each pair of entries of W [c; s] + b",
        "maxout, with the word": "maxout of W [c; s; y] + b: Bahdanau et al. 2015, A.2.2, but with s after the step",
        "direct": "[c; s] itself, no hidden layer",
    },
    tasks={"early": "the state before the step asks", "late": "the state after the step asks"},
    entries={"early": ("tanh", "maxout, with the word"), "late": tuple(KINDS)},
    differs="the layer between context and state and the output layer",
    same="encoder, additive score, recurrent cell, sizes of 64, batches of 32, no input feeding, no dropout",
    refuted_by="the same order of the read-outs at all three budgets",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=160,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
