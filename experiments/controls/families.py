"""Chapter 9: which kind of model translates best when each has its own learning rate?"""

from __future__ import annotations

from experiments.compare import Comparison, Trial
from experiments.controls.translating import new_combinations, translation_trial
from experiments.plan import GRAMMAR_FAMILIES

FAMILIES = {
    "no attention": "no-attention",
    "Bahdanau": "bahdanau",
    "Luong": "luong-general-scaled",
    "Transformer": "transformer",
}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = new_combinations()
    kind, options, _, _ = GRAMMAR_FAMILIES[FAMILIES[contestant]]
    return translation_trial(kind(*corpus.sizes, **options), corpus, seed, 96, aligned=False)


COMPARISON = Comparison(
    question="Which kind of model translates new combinations best, at its own learning rate and for each budget?",
    contestants={
        "no attention": "encoder and decoder of GRUs, a single vector between them",
        "Bahdanau": "the same with additive attention",
        "Luong": "the same with Luong's general score, divided by the square root of the size, and input feeding",
        "Transformer": "two layers on each side, d_model 104, 4 heads, norm after each sum",
    },
    differs="the kind of model; the sizes give each about the same number of parameters",
    same="50,000 sentence pairs of the grammar, batches of 96, dropout 0.1, greedy search",
    refuted_by="at one of the two larger budgets, two models with attention that are further apart than either is "
    "from the model without it",
    split={
        "train": "50,000 sentence pairs of the grammar",
        "valid": "400 pairs with other source sentences",
        "test": "400 sentences with combinations of words that do not occur in training",
    },
    metric="bleu",
    unit="BLEU",
    steps=390,
    rates=(1.5e-3, 3e-3, 6e-3, 1.2e-2),
    warmup=50,
    tolerance=0.3,
    build=build,
)
