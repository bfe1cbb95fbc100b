"""Chapter 5: does input feeding help, with which read-out, and up to which budget?"""

from __future__ import annotations

from attnbook.models.seq2seq import GRUEncoder, RecurrentEncoderDecoder
from experiments.compare import Comparison, Trial
from experiments.controls.readout import SIZE, ReadoutDecoder
from experiments.controls.translating import SPLIT, frequent_words, translation_trial


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, maxout = frequent_words(), task == "maxout"
    encoder = GRUEncoder(corpus.sizes[0], SIZE, SIZE, 1, 0.0, bidirectional=True)
    decoder = ReadoutDecoder(
        corpus.sizes[1],
        encoder.memory_size,
        asks="late",
        kind=task,
        word=maxout,
        feeding=contestant == "input feeding",
    )
    return translation_trial(RecurrentEncoderDecoder(encoder, decoder, {}), corpus, seed, 32, aligned=True)


COMPARISON = Comparison(
    question="Does input feeding change BLEU or alignment, and does this depend on the read-out or on the budget?",
    contestants={
        "input feeding": "each step of the recurrent cell sees the word and the read-out's last vector",
        "no input feeding": "each step sees the word alone",
    },
    tasks={
        "tanh": "the read-out tanh(W [c; s]), Luong et al. 2015, eq. 5",
        "maxout": "the read-out is a maxout of W [c; s; y] + b, Bahdanau et al. 2015, A.2.2, but with s after the step",
    },
    differs="the input of the recurrent cell",
    same="encoder, additive score, late query, read-out, sizes of 64, batches of 32, no dropout",
    refuted_by="a paired difference in BLEU whose interval is on one side of zero at all three budgets",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=160,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    seeds=5,
    tolerance=0.3,
    build=build,
)
