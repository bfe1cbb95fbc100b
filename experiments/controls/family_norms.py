"""Chapter 9: would the race of four families end otherwise with a pre-norm Transformer?"""

from __future__ import annotations

from dataclasses import replace

from attnbook.models.transformer import Transformer
from experiments.compare import Trial
from experiments.controls.families import COMPARISON as RACE
from experiments.controls.translating import new_combinations, translation_trial
from experiments.plan import GRAMMAR_FAMILIES


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = new_combinations()
    _, options, _, _ = GRAMMAR_FAMILIES["transformer"]
    model = Transformer(*corpus.sizes, **options, pre_norm=contestant == "pre-norm")
    return translation_trial(model, corpus, seed, 96, aligned=False)


COMPARISON = replace(
    RACE,
    question="How much does pre-norm change what the Transformer of the four families reaches with each budget?",
    contestants={
        "post-norm": "the Transformer of the four families: norm after each sum",
        "pre-norm": "the same sizes, norm before each sublayer and after the last one",
    },
    differs="the place of the norm",
    same=f"{RACE.same}; two layers on each side, d_model 104, 4 heads",
    refuted_by="a seed with which post-norm is level or ahead after a quarter of the steps, or after all 390",
    build=build,
)
