"""Corpora of growing size from files: preparation, memory, speed compared with pairs in memory, and resuming a run.

For every size, ``python -m benchmarks.corpora`` writes a file of artificial sentence pairs, prepares it, and trains on
it briefly, each in its own process, whose peak resident memory the kernel reports. To compare speed, two processes take
turns: one reads ids from files, the other has at most a million of the same pairs in memory. Rates are per CPU second,
so that other programs have little influence.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
IN_MEMORY = 1_000_000  # pairs that the rival holds at most
WORDS = 8000
OPTIONS: dict[str, Any] = {"corpus": "files", "languages": "en-de", "size": 64, "batch_size": 64}


def write_pairs(path: Path, pairs: int) -> None:
    """Write sentences of 3 to 11 words, like Tatoeba's, with words drawn by Zipf's law."""
    random = np.random.default_rng(0)
    names = [np.array([f"{letter}{i}" for i in range(WORDS)]) for letter in "st"]
    chances = np.cumsum(1 / np.arange(2, WORDS + 2))
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, pairs, 10_000):
            lengths = random.integers(3, 12, min(10_000, pairs - start))
            drawn = np.searchsorted(chances, random.random((2, int(lengths.sum()))) * chances[-1])
            words = [names[side][np.minimum(drawn[side], WORDS - 1)].tolist() for side in (0, 1)]
            ends = np.cumsum(lengths)
            for begin, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True):
                source, target = (" ".join(side[begin:end]) for side in words)
                file.write(f"{source} .\t{target} .\n")


def peak() -> float:
    """The peak resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e3 if sys.platform == "linux" else 1e6)


def prepare(file: Path, folder: Path) -> dict[str, Any]:
    """Prepare the corpus, and print the time and memory that it took."""
    from attnbook.cli.options import Options
    from attnbook.cli.run_folder import Files, RunFolder

    imported = peak()
    wall, cpu = time.perf_counter(), time.process_time()
    found = RunFolder(folder).training_data(Options(**OPTIONS), files=Files((file,), {}), progress=True)
    cpu = time.process_time() - cpu
    return {
        "pairs": found.pairs,
        "seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(cpu, 2),
        "rows_per_cpu_second": round(found.pairs / cpu),
        "file_mb": round(file.stat().st_size / 1e6, 1),
        "ids_mb": round(sum(path.stat().st_size for path in (folder / "corpus").iterdir()) / 1e6, 1),
        "peak_mb": round(peak(), 1),
        "peak_after_import_mb": round(imported, 1),
    }


def resume(file: Path, folder: Path, started: float) -> dict[str, Any]:
    """Open the corpus, resume from the checkpoint as a new command would, and print the time of the first step."""
    import torch

    from attnbook.cli.options import Options
    from attnbook.cli.run_folder import Files, RunFolder, new_model
    from attnbook.training.loop import train

    torch.set_num_threads(1)
    imported = time.time() - started
    options, run = Options(**OPTIONS), RunFolder(folder)
    found = run.training_data(options, files=Files((file,), {}))
    model = new_model(options, found.vocabularies)
    steps = train(model, found.batches, epochs=8, checkpoint=run.checkpoint, checkpoint_every=10**9)
    first = next(steps).number
    seconds, cpu = time.time() - started, time.process_time()
    for _ in range(50):
        next(steps)
    steps.close()
    return {
        "first_step": first,
        "seconds": round(seconds, 2),
        "of_which_imports": round(imported, 2),
        "cpu_seconds": round(cpu, 2),
        "peak_mb": round(peak(), 1),
    }


def serve(kind: str, file: Path, folder: Path, steps: int) -> None:
    """For every input line, train a few steps and print the tokens per CPU second."""
    import torch

    from attnbook.cli.options import Options
    from attnbook.cli.run_folder import new_model
    from attnbook.data import Batches, Pair
    from attnbook.data.batch_source import BatchSource
    from attnbook.data.prepared_corpus import open_prepared
    from attnbook.data.reader import Report, read_pairs
    from attnbook.training.loop import train

    torch.set_num_threads(1)
    torch.manual_seed(0)
    options, corpus = Options(**OPTIONS), open_prepared(folder / "corpus")
    batches: BatchSource = corpus.batches(batch_size=options.batch_size)
    if kind == "memory":
        rows = islice(read_pairs([file], Report(file.name)), IN_MEMORY)
        pairs = [Pair(tuple(row.source.split()), tuple(row.target.split())) for row in rows]
        batches = Batches(pairs, *corpus.vocabularies, batch_size=options.batch_size)
    run = train(new_model(options, corpus.vocabularies), batches, epochs=10**6, lr=1e-4)
    for _ in sys.stdin:
        started = time.process_time()
        tokens = sum(next(run).tokens for _ in range(steps))
        print(json.dumps(tokens / (time.process_time() - started)), flush=True)


def child(*arguments: object) -> Any:
    """Run a child process; return the last line of its output."""
    command = [sys.executable, "-m", "benchmarks.corpora", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **ONE_THREAD})
    return json.loads(done.stdout.splitlines()[-1])


ONE_THREAD = {"OMP_NUM_THREADS": "1"}


def compare(file: Path, folder: Path, *, rounds: int, steps: int) -> dict[str, Any]:
    """Tokens per CPU second, and the ratio of each round."""
    from benchmarks.harness import spread

    running = {}
    for kind in ("stored", "memory"):
        command = [sys.executable, "-m", "benchmarks.corpora", "serve", kind, str(file), str(folder), str(steps)]
        running[kind] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD}
        )

    def turn(kind: str) -> float:
        process = running[kind]
        assert process.stdin is not None and process.stdout is not None
        print(file=process.stdin, flush=True)
        return float(json.loads(process.stdout.readline()))

    rates: dict[str, list[float]] = {kind: [] for kind in running}
    for round_number in range(rounds + 1):
        for kind in sorted(running, reverse=bool(round_number % 2)):
            rate = turn(kind)
            if round_number:  # the first warms up
                rates[kind].append(rate)
    for process in running.values():
        process.communicate()
    ratios = [stored / memory for stored, memory in zip(rates["stored"], rates["memory"], strict=True)]
    return {
        **{f"{kind}_tokens_per_cpu_second": spread(found) for kind, found in rates.items()},
        "ratio": spread(ratios),
    }


def measure(pairs: int, work: Path, *, rounds: int, steps: int) -> dict[str, Any]:
    """One row of results: all measurements for one size."""
    file, folder = work / f"{pairs}.tsv", work / f"run-{pairs}"
    write_pairs(file, pairs)
    row: dict[str, Any] = {"rows": pairs, "preparation": child("prepare", file, folder)}
    child("resume", file, folder, time.time())  # begins the run
    row["resumed"] = child("resume", file, folder, time.time())
    row["speed"] = compare(file, folder, rounds=rounds, steps=steps)
    return row


def main(arguments: Sequence[str]) -> None:
    """See ``--help``."""
    if arguments[:1] in (["prepare"], ["resume"], ["serve"]):
        job, *rest = arguments
        if job == "serve":
            serve(rest[0], Path(rest[1]), Path(rest[2]), int(rest[3]))
        else:
            found = (
                prepare(Path(rest[0]), Path(rest[1]))
                if job == "prepare"
                else resume(Path(rest[0]), Path(rest[1]), float(rest[2]))
            )
            print(json.dumps(found))
        return
    from benchmarks.harness import RESULTS, Settings, write

    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpora", description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=25, help="of a turn")
    parser.add_argument("--quick", action="store_true", help="writes into a file of another name")
    options = parser.parse_args(arguments)
    for pairs in options.pairs:
        with tempfile.TemporaryDirectory() as work:
            row = measure(pairs, Path(work), rounds=options.rounds, steps=options.steps)
        print(json.dumps(row, indent=1), flush=True)
        settings = Settings(threads=1, quick=options.quick)
        file = RESULTS / f"corpora{settings.suffix()}.json"
        others = json.loads(file.read_text(encoding="utf-8"))["rows"] if file.is_file() else []
        rows = sorted([row, *(r for r in others if r["rows"] != pairs)], key=lambda r: r["rows"])
        command = " ".join(["python -m benchmarks.corpora", *sys.argv[1:]])
        write("corpora", settings, rows, options=OPTIONS, in_memory_at_most=IN_MEMORY, command=command)


if __name__ == "__main__":
    main(sys.argv[1:])
