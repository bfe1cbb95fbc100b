"""Chapter 5: which part of a read-out matters, and up to which budget? Crossed with the query time."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attnbook.models.seq2seq import GRUEncoder, RecurrentEncoderDecoder
from experiments.compare import Comparison, Trial
from experiments.controls.crossed import CrossedDecoder
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


class ReadoutDecoder(CrossedDecoder):
    """A decoder whose read-out can be chosen independently of its query time.

    Args:
        vocab_size: number of target ids.
        memory_size: size of an encoder state.
        asks: "early", with the state before the step, or "late", with the state after it.
        kind: "tanh", "linear", "maxout", or "direct" for no hidden layer.
        word: whether the read-out sees the embedding of the last word.
    """

    def __init__(self, vocab_size: int, memory_size: int, *, asks: str, kind: str, word: bool) -> None:
        super().__init__(vocab_size, SIZE, SIZE, memory_size, asks=asks, readout="none", feeding=False)
        seen = memory_size + SIZE + (SIZE if word else 0)
        self.kind, self.word = kind, word
        self.hidden: nn.Module = nn.Linear(seen, SIZE, bias=False)
        if kind == "maxout":
            self.hidden = nn.Linear(seen, 2 * SIZE)
        if kind == "direct":
            self.hidden, self.feature_size = nn.Identity(), seen

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
