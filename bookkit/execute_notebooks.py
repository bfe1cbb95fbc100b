"""Execute notebooks in parallel and report every problem; called by ``make execute``.

A problem is a cell that fails, a notebook that exceeds its time budget or its memory limit, or a cell that should have
computed something but did not. All executed notebooks, including failed ones, and ``report.json`` stay on disk.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbformat import NotebookNode

from bookkit.run_notebook import FORKS, execute_in_process

ANSI_COLORS = re.compile(r"\x1b\[[0-9;]*m")
CELL_MAGIC = re.compile(r"%%(?!time\b|timeit\b|capture\b|prun\b)(\w+)")  # magics that do not run the cell as Python
PROGRESS = re.compile(r"^cell \d+ of \d+$", re.MULTILINE)  # as ``run_notebook`` prints it
GIB = 2**30


# Cells that should have computed something but did not


def without_magics(source: str) -> str:
    return "\n".join("pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())


def idle_cells(notebook: NotebookNode) -> Iterator[str]:
    """Report cells of an executed notebook that did not run, and missing figures and numbers."""
    glued: set[str] = set()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        yield "the notebook has no code"
    for number, cell in enumerate(code, 1):
        outputs = cell.get("outputs", [])
        glued |= {out["metadata"]["scrapbook"]["name"] for out in outputs if "scrapbook" in out.get("metadata", {})}
        if cell.execution_count is None:
            yield f"cell {number} was not executed"
        elif match := CELL_MAGIC.match(cell.source):
            yield f"cell {number} was run by %%{match[1]}, not by Python"
        elif not has_code(cell.source):
            yield f"cell {number} has no code"
        mime = {kind for out in outputs for kind in out.get("data", {})}
        figure = cell.metadata.get("attnbook", {}).get("figure")
        if figure and not mime & {"image/png", "image/svg+xml"}:
            yield f"cell {number} should have drawn {figure}, but drew nothing"
    for name in notebook.metadata.get("attnbook", {}).get("glued", []):
        if name not in glued:
            yield f"no cell computed {name}, which the text refers to"


def has_code(source: str) -> bool:
    with suppress(SyntaxError):
        return bool(ast.parse(without_magics(source)).body)
    return True


def errors(notebook: NotebookNode) -> Iterator[str]:
    """Yield the tracebacks of failed cells, without color codes."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        for out in cell.get("outputs", []):
            if out.output_type == "error":
                trace = ANSI_COLORS.sub("", "\n".join(out.traceback)) or f"{out.ename}: {out.evalue}"
                yield f"cell {number} failed:\n{trace}"


# Running notebooks


@dataclass(frozen=True)
class Settings:
    """How notebooks are executed.

    Attributes:
        out: folder for executed notebooks.
        folder: working directory of the cells.
        jobs: number of notebooks that run at the same time.
        budget: seconds per notebook.
        share: GiB of memory per notebook.
        kernel: name of the kernel.
        check: returns the problems of a notebook whose cells all ran.
    """

    out: Path
    folder: Path
    jobs: int = 1
    budget: float = 300
    share: float = 3
    kernel: str = "python3"
    check: Callable[[NotebookNode], Iterable[str]] = idle_cells


@dataclass
class NotebookRun:
    """One notebook that is being executed."""

    source: Path
    target: Path
    log: Path
    process: BaseProcess
    started: float
    problems: list[str] = field(default_factory=list)
    peak: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def output(self) -> str:
        """The output of its processes."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.is_file() else ""

    @property
    def current_cell(self) -> str:
        """The cell that is running, such as "cell 3 of 12"."""
        cells: list[str] = PROGRESS.findall(self.output)
        return cells[-1] if cells else "the start"

    def processes(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        return []

    def memory(self) -> int:
        """Bytes used by the notebook's processes now, excluding memory shared after a fork."""
        total = 0
        for process in self.processes():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                total += process.memory_full_info().uss
        self.peak = max(self.peak, total)
        return total

    def stop(self) -> None:
        for process in reversed(self.processes()):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.join()


@cache
def process_context() -> Any:
    """The multiprocessing context; on Linux, a fork server that has imported what most pages need."""
    context = multiprocessing.get_context("forkserver" if FORKS else "spawn")
    if FORKS:
        context.set_forkserver_preload(["bookkit.preloaded"])
    return context


def start(source: Path, settings: Settings) -> NotebookRun:
    """Start executing a notebook in its own process."""
    target = settings.out / source.name
    log = target.with_suffix(".log")
    for old in (target, log):
        old.unlink(missing_ok=True)
    arguments = (dict(os.environ), log, source, target, settings.folder, settings.kernel)
    process = process_context().Process(target=execute_in_process, args=arguments)
    process.start()
    return NotebookRun(source, target, log, process, time.monotonic())


def result_of(run: NotebookRun, settings: Settings) -> dict[str, Any]:
    """The result of a notebook whose processes have ended."""
    problems = list(run.problems)
    if run.target.is_file():
        notebook = nbformat.read(run.target, as_version=4)
        problems += errors(notebook)
        if not problems and run.process.exitcode == 0:
            problems += settings.check(notebook)
    if run.process.exitcode and not problems:
        problems.append(f"its kernel died in {run.current_cell}\n{run.output.strip()}".strip())
    return {
        "notebook": run.source.stem,
        "seconds": round(run.seconds, 1),
        "peak_gib": round(run.peak / GIB, 2),
        "executed": str(run.target),
        "failures": problems,
    }


def execute_each(sources: list[Path], settings: Settings) -> Iterator[dict[str, Any]]:
    """Execute notebooks and yield each result as it is ready; closing the generator stops the rest."""
    waiting = list(sources)
    running: list[NotebookRun] = []
    ended = 0
    try:
        while waiting or running:
            while waiting and len(running) < settings.jobs:
                running.append(start(waiting.pop(0), settings))
            multiprocessing.connection.wait([run.process.sentinel for run in running], timeout=1)
            for run in list(running):
                if run.process.is_alive():
                    limit = exceeded_limit(run, settings)
                    if not limit:
                        continue
                    run.problems.append(limit)
                    run.stop()
                running.remove(run)
                result = result_of(run, settings)
                ended += 1
                print(f"[{ended}/{len(sources)}] {summary(result)}", flush=True)
                yield result
    finally:
        for run in running:
            run.stop()


def summary(result: dict[str, Any]) -> str:
    word = "FAILED" if result["failures"] else "ok"
    return f"{word:6} {result['seconds']:7.1f} s {result['peak_gib']:5.2f} GiB  {result['notebook']}"


def execute_all(sources: list[Path], settings: Settings) -> list[dict[str, Any]]:
    """Execute notebooks and return their results in order."""
    results = {result["notebook"]: result for result in execute_each(sources, settings)}
    return [results[source.stem] for source in sources]


def exceeded_limit(run: NotebookRun, settings: Settings) -> str:
    """The limit that a running notebook exceeds; empty if it exceeds none."""
    if run.seconds > settings.budget:
        return f"over its budget of {settings.budget:g} s in {run.current_cell}"
    if run.memory() > settings.share * GIB:
        return f"over its {settings.share:g} GiB of memory in {run.current_cell}"
    return ""


def available() -> float:
    """Memory to use, in GiB: three quarters of what is free."""
    return float(0.75 * psutil.virtual_memory().available / GIB)


def jobs_for(count: int, share: float, memory: float | None = None) -> int:
    """How many of ``count`` notebooks run at a time, limited by the cores and by ``share`` GiB of memory each."""
    return max(1, min(os.cpu_count() or 1, int((memory or available()) / share), count))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in _build/notebooks")
    parser.add_argument(
        "--out", type=Path, default=Path("_build/executed"), help="folder for executed notebooks and the report"
    )
    parser.add_argument("--folder", type=Path, default=Path("book"), help="where cells run (default: book)")
    parser.add_argument("--budget", type=float, default=300, help="seconds per notebook (default: 300)")
    parser.add_argument("--memory", type=float, help="GiB in total (default: three quarters of what is free)")
    parser.add_argument("--share", type=float, default=3, help="GiB per notebook (default: 3)")
    parser.add_argument("--jobs", type=int, help="notebooks at the same time (default: as cores and memory allow)")
    options = parser.parse_args()
    sources = options.notebooks or sorted(Path("_build/notebooks").glob("*.ipynb"))
    if not sources:
        print("No notebooks in _build/notebooks; run `make notebooks` first", file=sys.stderr)
        return 1
    if missing := [str(path) for path in sources if not path.is_file()]:
        print(f"No such notebook: {', '.join(missing)}", file=sys.stderr)
        return 1
    jobs = min(options.jobs or len(sources), jobs_for(len(sources), options.share, options.memory))
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    options.out.mkdir(parents=True, exist_ok=True)
    limits = f"each within {options.budget:g} s and {options.share:g} GiB"
    print(f"{len(sources)} notebooks, {jobs} at a time, {limits}", flush=True)
    places = {"out": options.out.resolve(), "folder": options.folder.resolve()}
    try:
        results = execute_all(sources, Settings(**places, jobs=jobs, budget=options.budget, share=options.share))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return write_report(results, options.out)


def write_report(results: list[dict[str, Any]], out: Path) -> int:
    """Write ``report.json``, print the failures and return the exit status."""
    (out / "report.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    failed = [result for result in results if result["failures"]]
    for result in failed:
        print(f"\n{'=' * 20} {result['notebook']}, saved as {result['executed']}")
        print("\n".join(result["failures"]))
    print(f"\n{len(results) - len(failed)} of {len(results)} notebooks ran without problems.")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
