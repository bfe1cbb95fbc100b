"""Test how training in several processes handles failures: ``python -m experiments.faults``.

One run is killed repeatedly and must end with the weights of an uninterrupted run. Others lose a process, the disk or
the network, and must end soon with one message. The processes run ``attnbook train`` and are started as ``torchrun``
does.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import multiprocessing.process
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import attnbook.cli  # imported here once, before processes are forked
import attnbook.training.distributed
from attnbook.__main__ import main as main_of_attnbook
from attnbook.data import Batch
from attnbook.training.checkpoint import read_checkpoint
from attnbook.training.trainer import Trainer
from bookkit import ROOT
from experiments.record import provenance, write

TRAIN = (
    "--pairs 400 --size 16 --batch-size 16 --accumulate 4 --epochs {epochs} --dropout 0.3 --device cpu "
    "--checkpoint-every 5"
)


def _raise_disk_full(handle: int) -> None:
    raise OSError(28, "No space left on device")


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _no_memory() -> None:
    raise MemoryError("no memory left")


def _fill_disk() -> None:
    os.fsync = _raise_disk_full  # type: ignore[assignment]


def _no_network() -> None:
    os.environ["MASTER_ADDR"] = "192.0.2.1"  # an address reserved for documentation (RFC 5737)
    attnbook.training.distributed.PATIENCE = timedelta(seconds=5)


MESSAGE = re.compile(r"^error: .*|Signal \d+ \(SIG\w+\) received by PID")
# Rank of the process, number of the batch in that process (0: before the first), and the fault.
FAULTS: dict[str, tuple[int, int, Callable[[], object]]] = {
    "a process is killed": (1, 9, _kill),
    "a process has no memory left": (1, 9, _no_memory),
    "a loss is not a number in one process": (1, 9, lambda: math.nan),
    "the disk of process 0 is full": (0, 9, _fill_disk),
    "another option in one process": (1, 0, lambda: sys.argv.extend(["--label-smoothing", "0.1"])),
    "other data in one process": (1, 0, lambda: sys.argv.extend(["--pairs", "401"])),
    "the network is not there": (1, 0, _no_network),
}


def command_line(run: str, epochs: int, fault: str | None, mark: str) -> None:
    """The program of each process: the command line with a planted failure."""
    sys.argv = ["attnbook", "train", run, *TRAIN.format(epochs=epochs).split()]
    torch.set_num_threads(1)
    if fault is not None:
        _install_fault(*FAULTS[fault], Path(mark))
    main_of_attnbook()


def _install_fault(rank: int, batch_number: int, fault: Callable[[], object], mark: Path) -> None:
    if int(os.environ["RANK"]) != rank:
        return
    if batch_number == 0:
        mark.touch()
        fault()
        return
    loss_share, calls = Trainer.loss_share, count(1)

    def breaking(trainer: Trainer, batch: Batch, tokens: Tensor) -> Tensor:
        loss = loss_share(trainer, batch, tokens)
        if next(calls) == batch_number:
            mark.touch()
            if fault() is math.nan:
                return loss * math.nan
        return loss

    Trainer.loss_share = breaking  # type: ignore[method-assign]


def launch(log: Path, restarts: int, *arguments: Any) -> multiprocessing.process.BaseProcess:
    """Start a forked process that does what torchrun does; its workers write to a log file."""

    def agent() -> None:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        config = LaunchConfig(
            1, 1, 2, run_id="faults", rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=restarts,
            start_method="fork", monitor_interval=0.1,
        )  # fmt: skip
        try:
            elastic_launch(config, command_line)(*arguments)
        except (ChildFailedError, SignalException):
            os._exit(1)
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=agent)
    process.start()
    return process


def workers(parent: int) -> list[int]:
    """The child processes of a process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found


def killed_again_and_again(folder: Path, *, times: int, epochs: int, seed: int = 0) -> dict[str, Any]:
    """Kill a random process many times in one run; compare the result with an uninterrupted run."""
    chance = random.Random(seed)
    launch(folder / "whole.log", 0, str(folder / "whole"), epochs, None, "").join()
    run = launch(folder / "killed.log", times, str(folder / "killed"), epochs, None, "")
    checkpoint, killed, seen = folder / "killed" / "checkpoint.safetensors", 0, 0
    while run.is_alive() and killed < times:
        time.sleep(0.02)
        written = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        victims = workers(run.pid or 0)
        if written > seen and len(victims) == 2:  # so that the run advances between two kills
            time.sleep(chance.uniform(0, 0.3))
            seen = checkpoint.stat().st_mtime_ns
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(victims), signal.SIGKILL)
                killed += 1
    run.join()
    if run.exitcode:
        return {"killed": killed, "exit_status": run.exitcode, "log": (folder / "killed.log").read_text()[-2000:]}
    one, other = (read_checkpoint(folder / name / "checkpoint.safetensors") for name in ("whole", "killed"))
    return {
        "killed": killed,
        "exit_status": run.exitcode,
        "steps": [one.progress["number"], other.progress["number"]],
        "weights_bit_for_bit": all(torch.equal(tensor, other.tensors[name]) for name, tensor in one.tensors.items()),
    }


def broken(folder: Path, name: str) -> dict[str, Any]:
    """A run with a planted failure: seconds until all processes have ended, and their output."""
    log, mark = folder / f"{name}.log", folder / f"{name}.mark"
    run = launch(log, 0, str(folder / name), 20, name, str(mark))
    run.join()
    return {
        "fault": name,
        "exit_status": run.exitcode,
        "seconds_to_the_end": round(time.time() - mark.stat().st_mtime, 1),
        "messages": sorted({found[0] for line in log.read_text().splitlines() if (found := MESSAGE.search(line))}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.faults", description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often to kill a process of the run")
    parser.add_argument("--epochs", type=int, default=16, help="epochs of the run that is killed")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "faults.json")
    options = parser.parse_args()
    origin = provenance(f"python -m experiments.faults {' '.join(sys.argv[1:])}".strip())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [broken(folder, name) for name in FAULTS]
        for case in cases:
            print(case, flush=True)
        again = killed_again_and_again(folder, times=options.times, epochs=options.epochs)
        print(again, flush=True)
    write(options.out, {**origin, "faults": cases, "killed_again_and_again": again})


if __name__ == "__main__":
    main()
