"""Do the missing runs of the plan one by one: ``python -m experiments.run --help``."""

from __future__ import annotations

import argparse
import fnmatch
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from attnbook.data import Batches, Corpus
from attnbook.models.base import EncoderDecoder
from attnbook.training.checkpoint import read_checkpoint
from attnbook.training.loop import train
from attnbook.training.optim import linear_decay
from attnbook.translation.evaluate import held_out_perplexity
from bookkit import ROOT
from experiments import d2l_protocol
from experiments.breakdown import breakdown
from experiments.corpora import CORPORA, Vocabularies
from experiments.d2l_protocol import D2LExperiment
from experiments.ledger import Ledger
from experiments.plan import Experiment, plan
from experiments.record import SUMMARY, command_line, provenance, summarize, write

SAVE_EVERY = 200  # steps
POINTS = 20  # of the learning curve
CURVE_EXAMPLES = 500  # validation sentences for the perplexity at each point
UNLIMITED = 10**9  # steps of a run that ends with its budget


def train_and_score(
    experiment: Experiment,
    corpus: Corpus,
    vocabularies: Vocabularies,
    *,
    budget: float,
    checkpoints: Path,
    command: str = "",
    progress: bool = True,
) -> dict[str, Any]:
    """Train a model, resuming an interrupted run, and evaluate it.

    Args:
        experiment: the run.
        corpus: its corpus.
        vocabularies: source and target vocabulary.
        budget: CPU seconds of the training steps over all threads, for an experiment without a number of epochs.
        checkpoints: folder of checkpoint and ledger.
        command: the command to record in the result.
        progress: show a progress bar.

    Returns:
        the content of the result file.
    """
    origin = provenance(command)  # recorded now, because the checkout may change during the run
    torch.manual_seed(experiment.seed)
    model = experiment.kind(len(vocabularies[0]), len(vocabularies[1]), **experiment.options)
    batches = Batches(corpus.train, *vocabularies, max_tokens=experiment.max_tokens, seed=experiment.seed)
    ledger = _train(experiment, model, batches, corpus, vocabularies, budget, checkpoints, progress)
    results, samples = breakdown(model, corpus, vocabularies)
    return {
        "name": experiment.name,
        "corpus": experiment.corpus,
        "family": experiment.family,
        **origin,
        "seed": experiment.seed,
        "model": {
            "class": type(model).__name__,
            "options": experiment.options,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
        },
        "data": {
            "train_pairs": len(corpus.train),
            "source_vocabulary": len(vocabularies[0]),
            "target_vocabulary": len(vocabularies[1]),
            "sha256": corpus.sha256,
            "attribution": corpus.attribution,
        },
        "training": _about_training(experiment, ledger, budget, len(batches)),
        "results": results,
        "samples": samples,
    }


def _about_training(experiment: Experiment, ledger: Ledger, budget: float, batches: int) -> dict[str, Any]:
    return {
        "lr": experiment.lr,
        "warmup": experiment.warmup,
        "max_tokens": experiment.max_tokens,
        "label_smoothing": experiment.label_smoothing,
        "bf16": experiment.bf16,
        "planned_epochs": experiment.epochs,
        "budget_cpu_seconds": None if experiment.epochs else budget,
        "cpu_seconds": round(ledger.seconds, 1),
        "steps": len(ledger.spent),
        "epochs": round(len(ledger.spent) / batches, 2),
        "tokens": ledger.tokens[-1],
        "tokens_per_cpu_second": round(ledger.tokens[-1] / ledger.seconds, 1),
        "curve": ledger.curve,
    }


def _train(
    experiment: Experiment,
    model: EncoderDecoder,
    batches: Batches,
    corpus: Corpus,
    vocabularies: Vocabularies,
    budget: float,
    folder: Path,
    progress: bool,
) -> Ledger:
    checkpoint = folder / f"{experiment.name}.safetensors"
    done = int(read_checkpoint(checkpoint).progress["number"]) if checkpoint.exists() else 0
    ledger = Ledger.open(folder / f"{experiment.name}.json", done)
    if experiment.epochs:
        total, budget = len(batches) * experiment.epochs, float("inf")
        schedule = linear_decay(experiment.lr, total=total, warmup=experiment.warmup)
    else:
        total, schedule = UNLIMITED, ledger.decay(experiment.lr, warmup=experiment.warmup, budget=budget)
    steps = train(
        model,
        batches,
        steps=total,
        lr=schedule,
        label_smoothing=experiment.label_smoothing,
        bf16=experiment.bf16,
        seed=experiment.seed,
        checkpoint=checkpoint,
        checkpoint_every=SAVE_EVERY,
        vocabularies=vocabularies,
    )
    valid = corpus.held_out["valid"][:CURVE_EXAMPLES]
    losses: list[float] = []
    with tqdm(total=100, desc=experiment.name, unit="%", disable=not progress) as bar:
        try:
            while len(ledger.spent) < total and ledger.seconds < budget:
                started = time.process_time()
                step = next(steps)
                ledger.add(time.process_time() - started, step.tokens)
                losses.append(step.loss)
                share = max(step.number / total, ledger.seconds / budget)
                if share >= min(1.0, (len(ledger.curve) + 1) / POINTS):
                    perplexity = held_out_perplexity(model, valid, *vocabularies)
                    ledger.curve.append(_point(ledger, losses, step.lr, perplexity))
                    losses.clear()
                bar.set_postfix(loss=f"{step.loss:.3f}", step=step.number, refresh=False)
                bar.update(int(100 * min(share, 1.0)) - bar.n)
                if step.number % SAVE_EVERY == 0:
                    ledger.save()  # before the checkpoint, which the next call of next() writes
        finally:
            ledger.save()
            steps.close()
    return ledger


def _point(ledger: Ledger, losses: Sequence[float], lr: float, perplexity: float) -> dict[str, Any]:
    """A point of the curve: mean training loss since the last point, and perplexity on validation sentences."""
    return {
        "step": len(ledger.spent),
        "cpu_seconds": round(ledger.seconds, 1),
        "lr": lr,
        "loss": round(sum(losses) / len(losses), 4),
        "valid_perplexity": round(perplexity, 4),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.run", description=__doc__)
    parser.add_argument(
        "names", nargs="*", default=["*"], help="names of runs, such as 'grammar-french.*'; default: all"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=30.0,
        help="default budget of a run without a number of epochs, in CPU minutes per thread",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "experiments")
    parser.add_argument("--checkpoints", type=Path, default=ROOT / "runs" / "experiments")
    parser.add_argument("--list", action="store_true", help="list finished and missing runs, and run nothing")
    options = parser.parse_args(arguments)
    everything: list[Experiment | D2LExperiment] = [*plan(), *d2l_protocol.plan()]
    chosen = [e for e in everything if any(fnmatch.fnmatch(e.name, name) for name in options.names)]
    if not chosen:
        parser.error(f"names must be names of runs (see --list), got {' '.join(options.names)}")
    command = command_line("experiments.run", arguments)
    corpus_named = cache(lambda name: CORPORA[name]())
    for experiment in chosen:
        path = options.results / f"{experiment.name}.json"
        if options.list or path.exists():
            print(f"{'done ' if path.exists() else 'to do'}  {experiment.name}")
            continue
        if isinstance(experiment, D2LExperiment):
            torch.set_num_threads(1)
            content = d2l_protocol.train_and_score(experiment, command=command)
        else:
            torch.set_num_threads(experiment.threads)
            content = train_and_score(
                experiment,
                *corpus_named(experiment.corpus),
                budget=60 * (experiment.minutes or options.minutes) * experiment.threads,
                checkpoints=options.checkpoints,
                command=command,
            )
        write(path, content)
        write(options.results / SUMMARY, summarize(options.results, [e.name for e in everything]))
        print(experiment.name, {name: result["bleu"] for name, result in content["results"].items()}, flush=True)


if __name__ == "__main__":
    main()
