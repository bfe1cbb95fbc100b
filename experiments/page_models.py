"""Train and export the models that pages load: ``python -m experiments.page_models``.

The models of the grammar are trained here; the model of real sentences is the result of a run of ``experiments.run``.
Each is exported with rounded weights. A second file has the scores of the model before and after rounding, on the whole
test set.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from attnbook._internal.files import atomic_write
from attnbook.data import Batches, Corpus
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import LoadedModel, load_model
from attnbook.training.loop import train
from attnbook.training.optim import linear_decay
from attnbook.translation.evaluate import evaluate
from attnbook.widgets.page_model import export_page, read_page
from bookkit import ROOT
from experiments.corpora import CORPORA, Vocabularies
from experiments.record import command_line, provenance, write

FOLDER = ROOT / "results" / "pages"
CORPUS = "grammar-french"
RUNS = {"tatoeba": ("tatoeba-french-shared", "transformer-hour-two-threads")}  # corpus and family
BEAMS = (1, 4)
BIDIRECTIONAL = {"embed_size": 64, "num_hiddens": 96, "num_layers": 1, "dropout": 0.1, "bidirectional": True}
MODELS: dict[str, tuple[type[EncoderDecoder], dict[str, Any], float, int]] = {
    # Class, options, highest learning rate, warm-up.
    "bahdanau": (Bahdanau, {**BIDIRECTIONAL, "readout": "maxout"}, 5e-3, 100),
    "transformer": (
        Transformer,
        {"d_model": 96, "num_heads": 4, "d_ff": 192, "num_layers": 2, "dropout": 0.1},
        3e-3,
        400,
    ),
    "luong": (Luong, {**BIDIRECTIONAL, "score": "general", "scaled": True}, 5e-3, 100),
}


def fit(name: str, corpus: Corpus, vocabularies: Vocabularies, epochs: int) -> EncoderDecoder:
    """Train a model."""
    kind, options, lr, warmup = MODELS[name]
    torch.manual_seed(0)
    model = kind(*map(len, vocabularies), **options)
    batches = Batches(corpus.train, *vocabularies, max_tokens=1024)
    total = epochs * len(batches)
    for step in train(model, batches, steps=total, lr=linear_decay(lr, warmup=warmup, total=total)):
        if step.number % 500 == 0:
            print(f"{name}: step {step.number} of {total}, loss {step.loss:.3f}", flush=True)
    return model


def compared(model: EncoderDecoder, content: bytes, corpus: Corpus) -> dict[str, Any]:
    """Test scores by beam size, with the trained and with the exported weights, and the BLEU that is lost."""
    exported, *vocabularies = read_page(content)
    found = {}
    for beam_size in BEAMS:
        before, after = (
            evaluate(one, corpus.held_out["test"], *vocabularies, beam_size=beam_size).figures
            for one in (model, exported)
        )
        found[str(beam_size)] = {
            "trained": before,
            "exported": after,
            "bleu_lost": round(before["bleu"] - after["bleu"], 3),
        }
    return found


def trained(name: str, options: argparse.Namespace) -> tuple[str, LoadedModel, dict[str, Any]]:
    """Return the name of the corpus, the trained model, and facts about its training."""
    if name in RUNS:
        corpus_name, family = RUNS[name]
        run = f"{corpus_name}.{family}.0"
        return corpus_name, load_model(options.checkpoints / f"{run}.safetensors"), {"run": run}
    corpus, vocabularies = CORPORA[CORPUS]()
    started = time.process_time()
    model = fit(name, corpus, vocabularies, options.epochs)
    seconds = round(time.process_time() - started, 1)
    training = {"pairs": len(corpus.train), "epochs": options.epochs, "cpu_seconds": seconds}
    return CORPUS, LoadedModel(model, *vocabularies), training


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.page_models", description=__doc__)
    parser.add_argument("names", nargs="*", default=[*MODELS, *RUNS], help="names of models; default: all")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument(
        "--checkpoints", type=Path, default=ROOT / "runs" / "experiments", help="written by experiments.run"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    command = command_line("experiments.page_models", arguments)
    for name in options.names:
        origin = provenance(command)
        corpus_name, (model, *vocabularies), training = trained(name, options)
        content = export_page(model, (vocabularies[0], vocabularies[1]))
        atomic_write(options.folder / f"{name}.page", content)
        figures = {
            "name": name,
            "corpus": corpus_name,
            **origin,
            "model": {
                "class": type(model).__name__,
                "options": model.config,
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
            "training": training,
            "bytes": len(content),
            "test_by_beam": compared(model, content, CORPORA[corpus_name]()[0]),
        }
        write(options.folder / f"{name}.json", figures)
        print(f"{name}: {len(content) / 1e6:.2f} MB, {figures['test_by_beam']}", flush=True)


if __name__ == "__main__":
    main()
