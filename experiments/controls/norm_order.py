"""Chapter 8: norm before or after the sum, with and without a long warm-up, in a stack of six layers."""

from __future__ import annotations

from dataclasses import replace

from attnbook.models.transformer import Transformer
from experiments.compare import Comparison, Trial
from experiments.controls.translating import translation_trial, words_backwards

LONG = 100  # steps of the long warm-up
KINDS = {  # pre-norm, steps of warm-up
    "post-norm": (False, 1),
    "post-norm, warm-up": (False, LONG),
    "pre-norm": (True, 1),
    "pre-norm, warm-up": (True, LONG),
}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (pre_norm, warmup) = words_backwards(), KINDS[contestant]
    model = Transformer(*corpus.sizes, d_model=32, num_heads=2, d_ff=64, num_layers=6, dropout=0.0, pre_norm=pre_norm)
    return replace(translation_trial(model, corpus, seed, 64, aligned=False), warmup=warmup)


COMPARISON = Comparison(
    question="Which of post-norm and pre-norm learns in six layers, and what does a warm-up change?",
    contestants={
        "post-norm": "norm after the sum, no warm-up",
        "post-norm, warm-up": f"norm after the sum, the learning rate rises over {LONG} steps",
        "pre-norm": "norm before the sublayer, no warm-up",
        "pre-norm, warm-up": f"norm before the sublayer, the learning rate rises over {LONG} steps",
    },
    differs="the place of the norm, and the warm-up",
    same="six layers on each side, d_model 32, 2 heads, d_ff 64, batches of 64 words, no dropout",
    refuted_by="post-norm without warm-up that reaches pre-norm after 300 steps, at some learning rate",
    split={
        "train": "7,600 words of 3 to 6 letters out of 12, to be written backwards",
        "valid": "400 other words",
        "test": "400 further words",
    },
    metric="exact",
    unit="% of words right to the last letter",
    steps=300,
    rates=(5e-4, 1.25e-3, 3e-3, 7.5e-3),
    tolerance=0.5,
    build=build,
)
