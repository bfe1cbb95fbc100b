"""Choose beam size and length penalty on validation data, score them on test data: `python -m experiments.beams`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from attnbook.data import Example
from attnbook.training.checkpoint import LoadedModel, load_model
from attnbook.translation.metrics import corpus_bleu
from attnbook.translation.translate import translate
from bookkit import ROOT
from experiments.corpora import CORPORA
from experiments.record import command_line, provenance, write

RUNS = ("tatoeba-french-shared.transformer-hour-two-threads.0", "tatoeba-chinese.transformer-hour.0")
WIDTHS = (4, 8)
PENALTIES = (0.6, 1.0, 1.5, 2.0)


def bleu(loaded: LoadedModel, examples: Sequence[Example], width: int, penalty: float) -> float:
    """BLEU of the translations of examples, with all references."""
    found = translate(
        loaded.model,
        [example.source for example in examples],
        loaded.source_vocabulary,
        loaded.target_vocabulary,
        beam_size=width,
        length_penalty=penalty,
    )
    return round(corpus_bleu([t.target for t in found], [example.references for example in examples]), 2)


def chosen(loaded: LoadedModel, valid: Sequence[Example], test: Sequence[Example]) -> dict[str, Any]:
    """BLEU on valid for each beam size and penalty, the best pair, and test BLEU of that pair and of greedy search."""
    on_valid = [
        {"width": width, "penalty": penalty, "bleu": bleu(loaded, valid, width, penalty)}
        for width, penalty in tqdm([(1, 0.0), *product(WIDTHS, PENALTIES)])
    ]
    best = max(on_valid, key=lambda row: row["bleu"])
    on_test = {"greedy": bleu(loaded, test, 1, 0.0), "best": bleu(loaded, test, best["width"], best["penalty"])}
    return {"valid": on_valid, "best": best, "test": on_test}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.beams", description=__doc__)
    parser.add_argument("runs", nargs="*", default=RUNS, help="names of runs of experiments.run; default: %(default)s")
    parser.add_argument(
        "--checkpoints", type=Path, default=ROOT / "runs" / "experiments", help="written by experiments.run"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    command = command_line("experiments.beams", arguments)
    for run in options.runs:
        corpus = run.split(".")[0]
        held_out = CORPORA[corpus]()[0].held_out
        loaded = load_model(options.checkpoints / f"{run}.safetensors")
        found = {"name": run, "corpus": corpus, **provenance(command)}
        found |= chosen(loaded, held_out["valid"], held_out["test"])
        write(ROOT / "results" / "beams" / f"{run}.json", found)


if __name__ == "__main__":
    main()
