"""Write result files with commit, versions and hardware, and summarize them over seeds."""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from attnbook._internal.files import atomic_write
from bookkit.provenance import commit, cpu, today, versions

SUMMARY = "summary.json"
PACKAGES = ("attnbook", "torch", "sacrebleu", "tokenizers", "numpy", "d2l")
FIGURES = ("bleu", "chrf", "exact", "perplexity", "bleu_as_d2l_prints_it")


def command_line(module: str, arguments: Sequence[str] | None) -> str:
    """The command that repeats a run, without paths of this machine."""
    command = " ".join(["python -m", module, *(sys.argv[1:] if arguments is None else arguments)])
    return re.sub(r" --(results|checkpoints|folder)[ =]\S+", "", command)


def provenance(command: str) -> dict[str, Any]:
    """Command, commit, date, versions and hardware of a run."""
    return {
        "command": command,
        "commit": commit("src", "experiments"),
        "date": today(),
        "versions": versions(*PACKAGES),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "threads": torch.get_num_threads()},
    }


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write a result file atomically."""
    atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def summarize(folder: Path, planned: Sequence[str]) -> dict[str, Any]:
    """Mean and spread over seeds of the runs in a folder, and the planned runs that are missing.

    The spread is the standard deviation over seeds, or None for a single seed.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name in planned:
        path = folder / f"{name}.json"
        if path.exists():
            run = json.loads(path.read_text(encoding="utf-8"))
            groups.setdefault((run["corpus"], run["family"]), []).append(run)
    rows = [_row(corpus, family, runs) for (corpus, family), runs in groups.items()]
    missing = [name for name in planned if not (folder / f"{name}.json").exists()]
    return {"spread": "standard deviation between seeds", "rows": rows, "not_run": missing}


def _row(corpus: str, family: str, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "corpus": corpus,
        "family": family,
        "seeds": [run["seed"] for run in runs],
        "parameters": runs[0]["model"]["parameters"],
        "cpu_seconds": _mean_and_spread(run["training"]["cpu_seconds"] for run in runs),
        "steps": _mean_and_spread(run["training"]["steps"] for run in runs),
    }
    for name in runs[0]["results"]:
        results = [run["results"][name] for run in runs]
        figures = [figure for figure in FIGURES if figure in results[0]]
        row[name] = {figure: _mean_and_spread(result[figure] for result in results) for figure in figures}
        rates = [_best_rate(result["alignment_error_rate"]) for result in results if result.get("alignment_error_rate")]
        if rates:
            row[name]["alignment_error_rate"] = _mean_and_spread(rates)
        if "by_phenomenon" in results[0]:
            row[name]["exact_by_phenomenon"] = _by_phenomenon(results)
    return row


def _best_rate(rates: Mapping[str, Any]) -> float:
    """The rate of a model's only attention, or of the head that was chosen on valid."""
    if "best head on valid" in rates:
        return float(rates["best head on valid"]["rate"])
    (rate,) = rates.values()
    return float(rate)


def _by_phenomenon(results: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Mean share of exact translations by phenomenon, the hardest phenomenon first."""
    names = results[0]["by_phenomenon"]
    means = {name: statistics.fmean(r["by_phenomenon"][name]["exact"] for r in results) for name in names}
    return {name: round(means[name], 4) for name in sorted(means, key=lambda name: (means[name], name))}


def _mean_and_spread(values: Iterable[float]) -> dict[str, float | None]:
    numbers = list(values)
    spread = round(statistics.stdev(numbers), 5) if len(numbers) > 1 else None
    return {"mean": round(statistics.fmean(numbers), 5), "spread": spread}
