"""Chapter 4: which looks does the translator at the top of the page need for its articles?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from attnbook.widgets.page_model import read_page
from bookkit import ROOT
from experiments.controls.articles import looks
from experiments.controls.bench import Task
from experiments.controls.looking import found_articles, right_articles
from experiments.corpora import CORPORA

QUESTION = "Which looks does the translator at the top of chapter 4 need in order to find the right article?"


def cases() -> list[dict[str, Any]]:
    return [{"model": "bahdanau"}]


def measure(model: str) -> dict[str, Any]:
    loaded = read_page((ROOT / "results" / "pages" / f"{model}.page").read_bytes())
    corpus, _ = CORPORA["grammar-french"]()
    pairs = tuple(sentence.pairs[0] for sentence in corpus.held_out["test"])
    task = Task((), pairs, (loaded.source_vocabulary, loaded.target_vocabulary))
    found = found_articles(pairs)
    ((_, commonest),) = Counter(article.pair.target[article.row] for article in found).most_common(1)
    return {
        "sentences": len(pairs),
        "articles": len(found),
        "commonest": round(100 * commonest / len(found), 2),
        "right": {place: round(share, 2) for place, share in right_articles(loaded.model, task).items()},
        **looks(loaded.model, task),
    }
