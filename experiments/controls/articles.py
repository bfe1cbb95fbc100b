"""Where must an article attend? Force its row onto the noun, onto *the*, onto another word, or onto the period."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.attention.masks import masked_softmax
from attnbook.data import Pair, collate
from attnbook.models.base import EncoderDecoder
from attnbook.observe.interventions import replaced
from attnbook.observe.recorder import record_attention
from experiments.controls.bench import CROSS, Task


@dataclass(frozen=True)
class Article:
    """A French article: its row, and the positions of *the* and of the word after it."""

    pair: Pair
    row: int
    the: int
    noun: int


PLACES = ("as it is", "noun", "the", "another word", "full stop")


def commonest(found: Sequence[Article]) -> float:
    """Share of the most frequent article, in percent: the accuracy of a model that ignores the source."""
    ((_, count),) = Counter(article.pair.target[article.row] for article in found).most_common(1)
    return round(100 * count / len(found), 2)


def sources(pair: Pair, row: int) -> set[int]:
    """The source positions that are aligned to a target row."""
    return {i for i, j in pair.alignment if j == row}


def articles(pair: Pair) -> list[Article]:
    """The articles of a sentence that translate *the*, and whose next word is aligned to one source word."""
    found = []
    for row in range(len(pair.target) - 1):
        own, following = sources(pair, row), sources(pair, row + 1)
        if {pair.source[i] for i in own} == {"the"} and len(own) == len(following) == 1:
            found.append(Article(pair, row, *own, *following))
    return found


class ForcedSoftmax:
    """A softmax for a step-by-step decoder that puts all weight of one row per sentence on one position."""

    def __init__(self, rows: Sequence[int], places: Sequence[int]) -> None:
        self.rows, self.places, self.step = torch.tensor(rows), torch.tensor(places), 0

    def __call__(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Scores ``(batch, 1, keys)`` -> weights of that shape."""
        weights = masked_softmax(scores, mask)
        forced = nn.functional.one_hot(self.places, scores.shape[-1]).to(weights.dtype).unsqueeze(1)
        here = (self.rows == self.step)[:, None, None]
        self.step += 1
        return torch.where(here, forced, weights)


def places(found: Sequence[Article], kind: str) -> list[int]:
    """The source position that each article's row is forced onto; "another word" is random, with a fixed seed."""
    draws = random.Random(0)
    others = [
        draws.choice([i for i in range(len(article.pair.source)) if i not in (article.the, article.noun)])
        for article in found
    ]
    return {
        "noun": [article.noun for article in found],
        "the": [article.the for article in found],
        "another word": others,
        "full stop": [len(article.pair.source) - 1 for article in found],
    }[kind]


@torch.no_grad()
def right_articles(model: EncoderDecoder, task: Task) -> dict[str, float]:
    """Share of articles that are the most probable token, in percent, by what their row is forced onto."""
    found = [article for pair in task.held_out for article in articles(pair)]
    batch = collate([article.pair for article in found], *task.vocabularies)
    rows, number = [article.row for article in found], torch.arange(len(found))
    attention, shares = model.get_submodule("decoder.cross_attention"), {}
    for kind in PLACES:
        softmax = masked_softmax if kind == "as it is" else ForcedSoftmax(rows, places(found, kind))
        with replaced(attention, "softmax", softmax):
            logits = model.eval()(batch)[number, rows]
        right = logits.argmax(-1) == batch.target_out[number, rows]
        shares[kind] = 100 * float(right.float().mean())
    return shares


@torch.no_grad()
def looks(model: EncoderDecoder, task: Task) -> dict[str, dict[str, float]]:
    """Where the largest weight of a row is: on its own source word, that of the next row, or elsewhere; in percent."""
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
