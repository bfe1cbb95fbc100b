"""Compare padding and tokens per CPU second of two copies of the package, which take turns.

``python -m benchmarks.batches BEFORE AFTER``; each argument is the folder ``src`` of a copy. Each copy runs in its own
process for every corpus and model. Only the CPU time of that process counts, so other programs have little influence.
The Tatoeba sentences come from ``ATTNBOOK_DATA``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.batches_side import MAX_TOKENS, SIZES
from benchmarks.harness import RESULTS, Settings, spread, write
from bookkit import ROOT

JOBS = [(corpus, model) for corpus in ("grammar", "tatoeba") for model in ("transformer", "bahdanau")]


class Copy:
    """One copy of the package that trains one model on one corpus."""

    def __init__(self, src: Path, corpus: str, model: str, steps: int) -> None:
        path = os.pathsep.join((str(src.resolve()), str(ROOT / "src")))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.batches_side", corpus, model, str(steps)],
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.about = self._read()

    def turn(self) -> float:
        """Train for some steps; return the real target tokens per CPU second."""
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)
        return float(self._read())

    def end(self) -> None:
        self.process.communicate()

    def _read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def compare(copies: dict[str, Path], corpus: str, model: str, *, rounds: int, steps: int) -> dict[str, Any]:
    """One row of results: padding and speed of each copy, and the speedup of the last over the first."""
    running = {name: Copy(src, corpus, model, steps) for name, src in copies.items()}
    for copy in running.values():
        copy.turn()  # warm up
    rates: dict[str, list[float]] = {name: [] for name in copies}
    for number in range(rounds):
        for name in sorted(running, reverse=bool(number % 2)):
            rates[name].append(running[name].turn())
    for copy in running.values():
        copy.end()
    before, after = rates.values()
    return {
        "work": f"{corpus}, {model}",
        "unit": "tokens/s of CPU time",
        "copies": {name: {**copy.about, "rate": spread(rates[name])} for name, copy in running.items()},
        "times_faster": spread([new / old for old, new in zip(before, after, strict=True)]),
        "times_faster_in_all": sum(1 / rate for rate in before) / sum(1 / rate for rate in after),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batches", description=__doc__)
    parser.add_argument("before", type=Path, help="folder src of one copy of the package")
    parser.add_argument("after", type=Path, help="folder src of the other")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=25, help="of a turn")
    options = parser.parse_args()
    rows = []
    for corpus, model in JOBS:
        copies = {"before": options.before, "after": options.after}
        rows.append(compare(copies, corpus, model, rounds=options.rounds, steps=options.steps))
        print(json.dumps(rows[-1]), flush=True)
    command = f"python -m benchmarks.batches BEFORE AFTER --rounds {options.rounds} --steps {options.steps}"
    more = {"max_tokens": MAX_TOKENS, "sizes": SIZES, "command": command}
    print(os.path.relpath(write("batches", Settings(threads=1), rows, folder=RESULTS, **more)))


if __name__ == "__main__":
    main()
