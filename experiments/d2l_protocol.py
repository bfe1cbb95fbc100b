"""Train D2L's models with its own loop on its own sentences, and score them on those and on unseen sentences.

The training set is the first 601 rows of the file, because ``load_data_nmt(num_examples=600)`` of d2l 1.0.3 stops one
row late. The unseen sentences are the next rows, which are nearly as short: only the first row of each source, and no
source that equals a training sentence except for case or punctuation.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from tqdm import tqdm

from attnbook.data import Pair
from attnbook.data.corpus import split_key
from attnbook.data.tatoeba import ATTRIBUTION, read
from attnbook.translation.evaluate import scores
from attnbook.translation.metrics import bleu_d2l
from bookkit import d2l_models
from experiments.record import provenance

TRAIN_ROWS = 601
UNSEEN = 600
WIDTH, LAYERS, DROPOUT, HIDDEN, HEADS = 32, 2, 0.1, 64, 4
EPOCHS = {"bahdanau": 250, "transformer": 200}
SHOWN = ("go .", "i lost .", "he's calm .", "i'm home .")  # the sentences whose translations D2L prints
BATCH_SIZE, NUM_STEPS, LR = 64, 10, 0.005


@dataclass(frozen=True)
class D2LExperiment:
    """One run of D2L's protocol.

    Args:
        family: "bahdanau" or "transformer", the two models whose training D2L prints.
        seed: seed of weights, batches and dropout; D2L sets none.
    """

    family: str
    seed: int

    @property
    def name(self) -> str:
        """``d2l-protocol.family.seed``, the name of the result file."""
        return f"d2l-protocol.{self.family}.{self.seed}"


def plan() -> Iterator[D2LExperiment]:
    """All runs."""
    return (D2LExperiment(family, seed) for seed in (0, 1, 2) for family in EPOCHS)


def train_and_score(experiment: D2LExperiment, *, command: str = "", epochs: int | None = None) -> dict[str, Any]:
    """Train as D2L does, and score the model.

    Args:
        experiment: the run.
        command: the command to record in the result.
        epochs: number of epochs; D2L's if None.

    Returns:
        the content of the result file.
    """
    epochs = epochs or EPOCHS[experiment.family]
    origin = provenance(command)
    rows = read("french")
    pairs = rows[:TRAIN_ROWS]
    torch.manual_seed(experiment.seed)
    batches, *vocabularies = d2l_models.load(pairs, BATCH_SIZE, NUM_STEPS)
    # The method of d2l 1.0.3 fails for fewer than two ids: a translation of one word raises TypeError.
    words = vocabularies[1].idx_to_token
    vocabularies[1].to_tokens = lambda ids: [words[i] for i in ids]
    model = _model(experiment.family, len(vocabularies[0]), len(vocabularies[1]))
    losses = d2l_models.train(model, batches, vocabularies[1], LR, "cpu")
    started = time.process_time()
    total = tokens = 0.0
    for total, tokens in tqdm(islice(losses, epochs), total=epochs, desc=experiment.name):  # noqa: B007
        pass
    training = {
        "epochs": epochs,
        "steps": epochs * len(batches),
        "lr": LR,
        "batch_size": BATCH_SIZE,
        "cpu_seconds": round(time.process_time() - started, 1),
        "loss_as_d2l_prints_it": round(total / tokens, 4),
    }
    options: dict[str, float] = {"width": WIDTH, "layers": LAYERS, "dropout": DROPOUT}
    if experiment.family == "transformer":
        options |= {"hidden": HIDDEN, "heads": HEADS}
    return {
        "name": experiment.name,
        "corpus": "d2l-protocol",
        "family": experiment.family,
        **origin,
        "seed": experiment.seed,
        "model": {"options": options, "parameters": sum(parameter.numel() for parameter in model.parameters())},
        "data": {"train_rows": TRAIN_ROWS, "num_steps": NUM_STEPS, "attribution": ATTRIBUTION},
        "training": training,
        **_results(model, rows, vocabularies),
    }


def _results(model: d2l_models.Translator, rows: Sequence[Pair], vocabularies: Sequence[Any]) -> dict[str, Any]:
    """Scores on training and unseen sentences, the translations that D2L prints, and samples of the unseen."""
    references: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for row in rows:
        references.setdefault(row.source, {})[row.target] = None
    sets = {"train": _distinct(rows[:TRAIN_ROWS]), "unseen": unseen(rows)}
    return {
        "results": {
            name: _score(model, chosen, [list(references[p.source]) for p in chosen], vocabularies)
            for name, chosen in sets.items()
        },
        "shown_by_d2l": [{"source": s, "output": _predict(model, s.split(" "), vocabularies)} for s in SHOWN],
        "samples": [
            {
                "source": " ".join(pair.source),
                "references": [" ".join(reference) for reference in references[pair.source]],
                "output": _predict(model, pair.source, vocabularies),
            }
            for pair in sets["unseen"][:: UNSEEN // 20]
        ],
    }


def unseen(rows: Sequence[Pair]) -> list[Pair]:
    """The first sentences after the training set whose sources are new."""
    seen = {split_key(row.source) for row in rows[:TRAIN_ROWS]}
    return [row for row in _distinct(rows[TRAIN_ROWS:]) if split_key(row.source) not in seen][:UNSEEN]


def _distinct(rows: Sequence[Pair]) -> list[Pair]:
    """The first row of each source."""
    first: dict[str, Pair] = {}
    for row in rows:
        first.setdefault(split_key(row.source), row)
    return list(first.values())


def _model(family: str, source_size: int, target_size: int) -> d2l_models.Translator:
    if family == "bahdanau":
        return d2l_models.bahdanau(source_size, target_size, width=WIDTH, layers=LAYERS, dropout=DROPOUT)
    return d2l_models.transformer(
        source_size, target_size, width=WIDTH, hidden=HIDDEN, heads=HEADS, layers=LAYERS, dropout=DROPOUT
    )


def _predict(model: d2l_models.Translator, source: Sequence[str], vocabularies: Sequence[Any]) -> str:
    with torch.no_grad():
        text, _ = d2l_models.d2l.predict_seq2seq(model, " ".join(source), *vocabularies, NUM_STEPS, torch.device("cpu"))
    return str(text)


def _score(
    model: d2l_models.Translator,
    pairs: Sequence[Pair],
    references: Sequence[Sequence[tuple[str, ...]]],
    vocabularies: Sequence[Any],
) -> dict[str, Any]:
    outputs = [tuple(_predict(model, pair.source, vocabularies).split()) for pair in pairs]
    words = [word for pair in pairs for word in pair.source]
    unknown = sum(vocabularies[0][word] == vocabularies[0].unk for word in words)
    own = [bleu_d2l(output, pair.target, k=2) for output, pair in zip(outputs, pairs, strict=True)]
    return {
        **scores(outputs, references),
        "bleu_as_d2l_prints_it": round(statistics.fmean(own), 4),
        "unknown_source_words": round(unknown / len(words), 4),
    }
