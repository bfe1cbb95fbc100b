"""Run the benchmarks one by one and write their results: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks import additive, files, greedy, headline, lengths, training_step
from benchmarks.harness import OURS, RESULTS, Settings, threads, write

Run = Callable[[Settings], tuple[list[dict[str, Any]], dict[str, Any]]]

BENCHMARKS: dict[str, Run] = {
    "headline": headline.run,
    "training_step": training_step.run,
    "greedy": greedy.run,
    "additive": additive.run,
    "lengths": lengths.run,
    "files": files.run,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """See ``--help``."""
    default = Settings()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS), help="benchmarks to run (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="two rounds each, to check that everything runs")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=default.device)
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--compile", action="store_true", help="train all contestants through torch.compile")
    parser.add_argument(
        "--threads", type=int, default=default.threads, help="number of torch's threads, for all contestants"
    )
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--folder", type=Path, default=RESULTS, help="folder of the result files")
    options = parser.parse_args(arguments)
    settings = Settings(
        quick=options.quick,
        device=options.device,
        dtype=getattr(torch, options.dtype),
        compile=options.compile,
        threads=options.threads,
        seed=options.seed,
    )
    with threads(settings.threads):
        for name in options.only:
            rows, more = BENCHMARKS[name](settings)
            path = write(name, settings, rows, folder=options.folder, **more)
            print(f"{name}: {os.path.relpath(path)}")
            for row in rows:
                print("\n".join(lines(row)))


def lines(row: dict[str, Any]) -> list[str]:
    """A row of the results as lines of text."""
    text = [f"  {row['work']}"]
    for name, found in row["contestants"].items():
        line = f"    {name:<22}{found['rate']['median']:>12,.1f} {row['unit']}"
        if name != OURS:
            ratio = found["ours_is_times_faster"]
            line += f"   ours is {ratio['median']:.2f} times as fast ({ratio['low']:.2f} to {ratio['high']:.2f})"
            if name in row["reach"]:
                line += f"; goal {row['reach'][name]:g}: {'reached' if row['reached'][name] else 'not reached'}"
        if "peak_bytes" in found:
            line += f"   peak {found['peak_bytes'] / 2**20:,.0f} MiB"
        text.append(line)
    return text


if __name__ == "__main__":
    main()
