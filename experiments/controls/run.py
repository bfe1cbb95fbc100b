"""Do the missing runs of comparisons: ``python -m experiments.controls --help``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from tqdm import tqdm

from bookkit import ROOT
from experiments.compare.run import open_store, plan, train_missing
from experiments.record import command_line, provenance, write

HERE = Path(__file__).parent
# Modules that declare a comparison for the harness, experiments.compare.
COMPARISONS = tuple(
    sorted(path.stem for path in HERE.glob("*.py") if re.search("^COMPARISON = ", path.read_text("utf-8"), re.M))
)
# Measurements of what given models do: no contestants, and so no choice of a learning rate.
MEASUREMENTS = (
    "opening",
    "heads",
)


def missing(control: ModuleType, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases of a measurement without a stored result."""
    return [case for case in control.cases() if not any(case.items() <= row.items() for row in rows)]


def measure_missing(name: str, folder: Path, command: str) -> None:
    """Run the missing cases of a measurement, and write its file after each."""
    control = importlib.import_module(f"experiments.controls.{name}")
    path = folder / f"{name}.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    origin = provenance(command)
    for case in tqdm(missing(control, rows), desc=name, disable=None):
        rows.append({**case, **control.measure(**case)})
        write(path, {"name": name, "question": control.QUESTION, **origin, "rows": rows})


def parser() -> argparse.ArgumentParser:
    names = (*COMPARISONS, *MEASUREMENTS)
    found = argparse.ArgumentParser(prog="python -m experiments.controls", description=__doc__)
    found.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(names)}; default: all")
    found.add_argument("--results", type=Path, default=ROOT / "results" / "controls", help="folder of the result files")
    found.add_argument("--workers", type=int, default=os.cpu_count(), help="processes, each with one thread")
    found.add_argument("--minutes", type=float, help="time limit; the next call resumes")
    found.add_argument(
        "--plan", action="store_true", help="print the number of runs and steps that are left, and train nothing"
    )
    found.add_argument("--merge", type=Path, nargs="+", default=[], help="files with more runs of the named comparison")
    found.add_argument("--commit", help="the commit of the code, if this is not a git checkout")
    found.add_argument("--steps", type=int, help="base budget, to try out a comparison")
    found.add_argument("--seeds", type=int, help="number of seeds, to try out a comparison")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    options.names = options.names or [*COMPARISONS, *MEASUREMENTS]
    if unknown := set(options.names) - {*COMPARISONS, *MEASUREMENTS}:
        parser().error(f"names must be among those that --help lists, got {', '.join(sorted(unknown))}")
    if options.merge and len(options.names) != 1:
        parser().error(f"--merge must have one name, got {len(options.names)}")
    changes = {name: value for name in ("steps", "seeds") if (value := getattr(options, name)) is not None}
    tried_out = "".join(f" --{name} {value}" for name, value in changes.items())
    stores = [
        open_store(name, options.results, changes, f"python -m experiments.controls {name}{tried_out}", options.commit)
        for name in options.names
        if name in COMPARISONS
    ]
    for path in options.merge:
        print(f"{stores[0].merge(path)} runs taken from {path}")
        stores[0].write()
    if options.plan:
        print(plan(stores))
        return
    if stores:
        train_missing(stores, workers=options.workers, changes=changes, minutes=options.minutes)
        print(plan(stores))
    torch.set_num_threads(1)
    for name in options.names:
        if name in MEASUREMENTS:
            measure_missing(name, options.results, command_line("experiments.controls", arguments))
