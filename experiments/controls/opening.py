"""Chapter 4: which looks does the translator at the top of the page need for its articles?"""

from __future__ import annotations

from typing import Any

from attnbook.widgets.page_model import read_page
from bookkit import ROOT
from experiments.controls.articles import articles, commonest, looks, right_articles
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
        **looks(loaded.model, task),
    }
