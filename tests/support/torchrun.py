"""Run command lines as ``torchrun`` does, in processes forked from one with all imports done.

``python -m tests.support.torchrun`` reads a ``Launch`` as JSON from each line of standard input, and answers with a
``Result``. Forking saves the seconds that every process would need for its imports, and makes races more likely.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from tests.support.external_data import DATA

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60  # no launch may take longer
TATOEBA = DATA / "fra-eng.zip"
PAIRS = 48  # of the corpora that are kept in memory
# With torch 2.8 every process reports its connections, and the reports may be mixed with each other.
CONNECTED = re.compile(
    r"(?:\[Gloo\] Rank|\d|is connected to|peer ranks\.|Expected number of connected peer ranks is :|[ \n])+"
)


@dataclass(frozen=True)
class Launch:
    """A command line to run.

    Args:
        arguments: arguments of ``attnbook``, or the name of a function of this module, such as ``"do_nothing"``.
        processes: number of processes that torchrun starts; 1 is the plain command, without torchrun.
        fault: name of one of ``FAULTS``.
        rank: rank of the process with the fault; None: all processes.
        at: number of the batch, among those the process computes, in which the fault occurs, from 1.
    """

    arguments: list[str]
    processes: int = 1
    fault: str = ""
    rank: int | None = None
    at: int = 1


@dataclass(frozen=True)
class Result:
    """The outcome of a launch.

    Args:
        status: exit status of torchrun, or of the plain command.
        seconds: from the start, or from the fault if there was one, to the end of the last process.
        output: standard output and standard error of all processes.
    """

    status: int
    seconds: float
    output: str

    @property
    def errors(self) -> list[str]:
        """The lines that report an error."""
        return [line for line in self.output.splitlines() if line.startswith(("error: ", "stopped", "Usage: "))]


Start = Callable[..., Result]


@contextlib.contextmanager
def launcher() -> Iterator[Start]:
    """Yield a function that runs command lines: ``start(*arguments, processes=2, ...)``."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.torchrun"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as server:
        assert server.stdin is not None and server.stdout is not None

        def start(*arguments: object, **options: Any) -> Result:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(json.dumps(asdict(Launch([str(a) for a in arguments], **options))) + "\n")
            server.stdin.flush()
            result = Result(**json.loads(server.stdout.readline()))
            if "[Gloo] Rank" not in result.output:
                return result
            kept = [line for line in result.output.splitlines(keepends=True) if not CONNECTED.fullmatch(line)]
            return replace(result, output="".join(kept))

        yield start
        server.stdin.close()


def do_nothing() -> None:
    """A script that joins the processes and has nothing to do."""
    from attnbook.training.distributed import processes

    with processes():
        pass


def refuse() -> None:
    """A script whose training is refused, with one batch in a step."""
    from attnbook.training.distributed import processes
    from attnbook.training.loop import train
    from tests.support.small_training import make, make_batches

    with processes():
        train(make(), make_batches(), steps=1, accumulate=1)


def _out_of_memory() -> None:
    raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")


def _full_disk() -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    os.fsync = full  # type: ignore[assignment]


FAULTS: dict[str, Callable[[], object]] = {
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "out of memory": _out_of_memory,
    "full disk": _full_disk,
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "stall": lambda: time.sleep(0.4),
}


def _worker(launch: Launch, mark: str, all_started: Barrier | None = None) -> None:
    """The program of each process."""
    import torch

    from attnbook.__main__ import main

    if all_started is not None:
        all_started.wait()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)  # so that sums in another order differ by 1e-16 of a weight, not by 1e-7
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if launch.fault and launch.rank in (None, int(os.environ.get("RANK", "0"))):
        _install_fault(launch, Path(mark))
    if launch.arguments[0] in globals():
        globals()[launch.arguments[0]]()
        return
    sys.argv = ["attnbook", *launch.arguments]
    main()


def _install_fault(launch: Launch, mark: Path) -> None:
    import torch.distributed as dist

    from attnbook.training.trainer import Trainer

    def fault() -> None:
        mark.touch()
        FAULTS[launch.fault]()

    if launch.fault == "stall":  # while this process is connecting to the others
        init = dist.init_process_group

        def slowly(*arguments: Any, **options: Any) -> None:
            fault()
            init(*arguments, **options)

        dist.init_process_group = slowly
        return
    loss_share, calls = Trainer.loss_share, count(1)

    def breaking(trainer: Trainer, batch: Any, tokens: Any) -> Any:
        loss = loss_share(trainer, batch, tokens)
        if next(calls) == launch.at:
            fault()
        return loss

    Trainer.loss_share = breaking  # type: ignore[method-assign]


def _agent(launch: Launch, log: str, mark: str) -> None:
    """The program of torchrun."""
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.setsid()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    if launch.processes == 1:
        _worker(launch, mark)
        return
    config = LaunchConfig(
        1, 1, launch.processes, run_id="test", rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=0,
        start_method="fork", monitor_interval=0.1,
    )  # fmt: skip
    # While the first process connects, a thread of torchrun resolves its host name. A process forked at that moment
    # would inherit a locked resolver and wait for it forever, so none may connect before all are forked.
    all_started = multiprocessing.get_context("fork").Barrier(launch.processes)
    try:
        elastic_launch(config, _worker)(launch, mark, all_started)
    except (ChildFailedError, SignalException):
        sys.exit(1)


def _run(launch: Launch) -> Result:
    with tempfile.TemporaryDirectory() as name:
        log, mark = Path(name) / "log", Path(name) / "mark"
        started = time.time()
        agent = multiprocessing.get_context("fork").Process(target=_agent, args=(launch, str(log), str(mark)))
        agent.start()
        agent.join(SECONDS)
        ended = time.time()
        if agent.is_alive():
            os.killpg(agent.pid or 0, signal.SIGKILL)
            agent.join()
        since = mark.stat().st_mtime if mark.exists() else started
        output = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        return Result(agent.exitcode or 0, ended - since, output)


def _read_corpora_once() -> None:
    """Keep small parts of the two corpora in memory, as reading them would take most of the time of a launch."""
    import functools
    from dataclasses import replace

    from attnbook.cli import run_folder
    from attnbook.cli.options import Options

    load = run_folder.load_corpus

    @functools.cache
    def small(options: Options, data: Path | None) -> Any:
        corpus = load(options, data=data)
        return replace(corpus, held_out={name: found[:10] for name, found in corpus.held_out.items()})

    def load_small(options: Options, *, data: Path | None = None, progress: bool = False) -> Any:
        names = ("corpus", "languages", "pairs", "max_length")
        return small(Options(**{name: getattr(options, name) for name in names}), data)

    run_folder.load_corpus = load_small
    load_small(Options(pairs=PAIRS))
    if TATOEBA.is_file():
        load_small(Options(corpus="tatoeba", pairs=PAIRS, max_length=5), data=TATOEBA)


def main() -> None:
    # Imported once here, so that the processes need not import them.
    import torch._dynamo  # torch imports it at the first step of an optimizer
    import torch.distributed.elastic.multiprocessing.errors
    import torch.distributed.launcher.api  # noqa: F401
    import typer.rich_utils  # noqa: F401

    import attnbook.cli
    import attnbook.training.loop
    import attnbook.translation.evaluate  # noqa: F401

    _read_corpora_once()
    for line in sys.stdin:
        print(json.dumps(asdict(_run(Launch(**json.loads(line))))), flush=True)


if __name__ == "__main__":
    main()
