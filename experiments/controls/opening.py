"""Chapter 4: which attention does the translator at the top of the page need to write articles?"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import torch

from attnbook.data import collate
from attnbook.models.base import EncoderDecoder
from attnbook.observe.interventions import replaced
from attnbook.widgets.page_model import read_page
from bookkit import ROOT
from experiments.controls.articles import ForcedSoftmax, articles, commonest, looks, places, right_articles
from experiments.controls.bench import Task
from experiments.corpora import CORPORA

QUESTION = "Which looks does the translator at the top of chapter 4 need in order to find the right article?"


def cases() -> list[dict[str, Any]]:
    return [{"model": "bahdanau", "seed": 0}]


def measure(model: str, seed: int) -> dict[str, Any]:
    loaded = read_page((ROOT / "results" / "pages" / f"{model}.page").read_bytes())
    corpus, _ = CORPORA["grammar-french"]()
    pairs = tuple(sentence.pairs[0] for sentence in corpus.held_out["test"])
    task = Task((), pairs, (loaded.source_vocabulary, loaded.target_vocabulary))
    found = [article for pair in pairs for article in articles(pair)]
    return {
        "sentences": len(pairs),
        "articles": len(found),
        "commonest": commonest(found),
        "right": {place: round(share, 2) for place, share in right_articles(loaded.model, task).items()},
        "right with another context": other_contexts(loaded.model, task),
        **looks(loaded.model, task),
    }


@torch.no_grad()
def other_contexts(model: EncoderDecoder, task: Task) -> dict[str, float]:
    """Share of right articles when the context of their row comes from elsewhere, by its source, in percent.

    The keys and all other rows are unchanged, so the decoder has the same state as in ``right_articles``.
    """
    found = [article for pair in task.held_out for article in articles(pair)]
    draws, number = random.Random(0), torch.arange(len(found))
    others = torch.tensor(
        [draws.choice([i for i, other in enumerate(found) if other.pair is not article.pair]) for article in found]
    )
    batch = collate([article.pair for article in found], *task.vocabularies)
    rows, attention = [article.row for article in found], model.get_submodule("decoder.cross_attention")
    state: Any = model.eval().encode(batch.source, batch.source_mask)
    mean = state.memory[batch.source_mask].mean(0).expand(len(found), -1)
    contexts = {"zero": torch.zeros_like(mean), "the mean state": mean}
    for kind in ("noun", "the", "full stop"):
        contexts[f"{kind} of another sentence"] = state.memory[number, torch.tensor(places(found, kind))][others]
    shares = {}
    for name, context in contexts.items():
        longer = replace(
            state,  # one more position, hidden from all other rows
            memory=torch.cat((state.memory, context.unsqueeze(1)), 1),
            key=torch.cat((state.key, state.key[:, :1]), 1),
            memory_mask=torch.cat((state.memory_mask, torch.zeros_like(state.memory_mask[:, :1])), 1),
        )
        with replaced(attention, "softmax", ForcedSoftmax(rows, [state.memory.shape[1]] * len(found))):
            logits, _ = model.decode(batch.target_in, longer)
        right = logits[number, rows].argmax(-1) == batch.target_out[number, rows]
        shares[name] = round(100 * float(right.float().mean()), 2)
    return shares
