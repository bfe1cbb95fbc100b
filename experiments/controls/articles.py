"""Is it the look at the noun that finds the article? Force the article's row onto *the*, or onto the noun."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import torch

from attnbook.data import Pair, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.observe.interventions import Cell, intervening
from attnbook.observe.recorder import record_attention
from attnbook.training.optim import linear_decay
from experiments.controls.bench import CROSS, Task, everyday, fit

QUESTION = "Does an article need its look at the noun? And do other words look at their next word too?"
SIZES = {"embed_size": 64, "num_hiddens": 96, "bidirectional": True, "dropout": 0.0}
EPOCHS = 2


@dataclass(frozen=True)
class Article:
    """A French article: its row, and the places of *the* and of the word behind it."""

    pair: Pair
    row: int
    the: int
    noun: int


def cases() -> list[dict[str, Any]]:
    return [{"readout": readout, "seed": seed} for seed in range(3) for readout in ("state", "maxout")]


def measure(readout: str, seed: int) -> dict[str, Any]:
    task = everyday()
    torch.manual_seed(seed)
    model = Bahdanau(*task.sizes, **SIZES, readout=readout)
    steps = EPOCHS * math.ceil(len(task.training) / 64)
    fit(model, task, steps=steps, lr=linear_decay(1.4e-2, warmup=50, total=steps), batch_size=64, seed=seed)
    found = [article for pair in task.held_out for article in articles(pair)]
    right = {name: 100 * forced(model.eval(), found, place, task) for name, place in PLACES.items()}
    return {
        "articles": len(found),
        "right": {name: round(share, 2) for name, share in right.items()},
        **looks(model, task),
    }


PLACES = {"as it is": None, "forced onto the": "the", "forced onto the noun": "noun"}


def sources(pair: Pair, row: int) -> set[int]:
    """The source places whose translation stands in a row."""
    return {i for i, j in pair.alignment if j == row}


def articles(pair: Pair) -> list[Article]:
    """The articles of a sentence that translate *the* and stand before a word with one source."""
    found = []
    for row in range(len(pair.target) - 1):
        own, following = sources(pair, row), sources(pair, row + 1)
        if {pair.source[i] for i in own} == {"the"} and len(own) == len(following) == 1:
            found.append(Article(pair, row, *own, *following))
    return found


@torch.no_grad()
def forced(model: EncoderDecoder, found: list[Article], place: str | None, task: Task) -> float:
    """Share of articles that are the most probable token, the tokens before them being the reference's."""
    right = 0
    for article in found:
        batch = collate([article.pair], *task.vocabularies)
        cells = [] if place is None else [Cell(CROSS, getattr(article, place), row=article.row, weight=1.0)]
        with intervening(model, cells=cells):
            logits = model(batch)[0, article.row]
        right += int(logits.argmax() == batch.target_out[0, article.row])
    return right / len(found)


@torch.no_grad()
def looks(model: EncoderDecoder, task: Task) -> dict[str, dict[str, float]]:
    """Where the largest weight of a row lies: its own source word, that of the next row, or elsewhere; in percent."""
    batch = collate(task.held_out, *task.vocabularies)
    with record_attention(model) as record:
        model(batch)
    counted: dict[str, Counter[str]] = {"articles": Counter(), "other words": Counter()}
    for weights, pair in zip(record[CROSS][:, 0], task.held_out, strict=True):
        rows = {article.row for article in articles(pair)}
        for row, place in enumerate(weights[: len(pair.target) - 1].argmax(-1).tolist()):
            if own := sources(pair, row):
                following = sources(pair, row + 1) - own
                where = "own" if place in own else "next" if place in following else "elsewhere"
                counted["articles" if row in rows else "other words"][where] += 1
    return {
        f"looks of {kind}": {where: round(100 * count / counts.total(), 2) for where, count in sorted(counts.items())}
        for kind, counts in counted.items()
    }
