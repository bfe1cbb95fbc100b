"""What makes the translator of an hour good? Its recipe, and the recipe with one thing taken back."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from attnbook.data import Batches
from attnbook.evaluation import evaluate
from attnbook.optim import linear_decay
from attnbook.training import train
from attnbook.transformer import Transformer
from experiments.corpora import CORPORA, Vocabularies
from experiments.plan import BEST

QUESTION = "Real sentences, 300 steps: what do pre-norm, a shared vocabulary and the rate each bring?"
STEPS, WARMUP = 300, 100
VALID = 400  # examples that are translated
RECIPE: dict[str, Any] = {"pre_norm": True, "shared": True, "lr": BEST.lr}
TAKEN_BACK: dict[str, dict[str, Any]] = {
    "the recipe": {},
    "post-norm": {"pre_norm": False},
    "two vocabularies": {"shared": False},
    "half the rate": {"lr": BEST.lr / 2},
}


def cases() -> list[dict[str, Any]]:
    return [{"case": case, "seed": seed} for seed in range(3) for case in TAKEN_BACK]


def measure(case: str, seed: int) -> dict[str, Any]:
    recipe = RECIPE | TAKEN_BACK[case]
    corpus_name = BEST.corpus if recipe["shared"] else "tatoeba-french-bpe"
    corpus, vocabularies = read(corpus_name)
    torch.manual_seed(seed)
    options = BEST.options | {name: recipe[name] for name in ("pre_norm", "shared")}
    model = Transformer(*map(len, vocabularies), **options)
    batches = Batches(corpus.train, *vocabularies, max_tokens=BEST.max_tokens, seed=seed)
    schedule = linear_decay(recipe["lr"], total=STEPS, warmup=WARMUP)
    for step in train(model, batches, steps=STEPS, lr=schedule, label_smoothing=BEST.label_smoothing, seed=seed):
        last = step.loss
    figures = evaluate(model, corpus.held_out["valid"][:VALID], *vocabularies, max_length=80, batch_size=128).figures
    return {"bleu": figures["bleu"], "chrf": figures["chrf"], "loss": round(last, 4)}


@cache
def read(name: str) -> tuple[Any, Vocabularies]:
    return CORPORA[name]()
