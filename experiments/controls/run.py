"""Do the cases that are missing: ``python -m experiments.controls --help``."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from tqdm import tqdm

from bookkit import ROOT
from experiments.record import circumstances, command_line, write

CONTROLS = (
    "crossed",
    "centers",
    "bottleneck",
    "articles",
    "norms",
    "ablation",
    "heads",
    "parts",
    "sharing",
    "recall",
    "sampling",
    "lengths",
    "products",
    "budget",
    "sinks",
)


def missing(control: ModuleType, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases of a comparison that no row has the result of."""
    return [case for case in control.cases() if not any(case.items() <= row.items() for row in rows)]


def run(name: str, folder: Path, command: str) -> None:
    """Do the missing cases of one comparison, and write its file after each."""
    control = importlib.import_module(f"experiments.controls.{name}")
    path = folder / f"{name}.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    about = circumstances(command)
    for case in tqdm(missing(control, rows), desc=name, disable=None):
        rows.append({**case, **control.measure(**case)})
        write(path, {"name": name, "question": control.QUESTION, **about, "rows": rows})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.controls", description=__doc__)
    parser.add_argument(
        "names", nargs="*", default=CONTROLS, choices=CONTROLS, metavar="name", help=", ".join(CONTROLS)
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "controls", help="folder of the files")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    command = command_line("experiments.controls", arguments)
    for name in options.names:
        run(name, options.results, command)
