"""Execute notebooks in parallel, and report every problem; called by ``make execute``.

Problems are a cell that fails, a notebook that exceeds its time budget or its share of memory, and a cell that should
have computed something and did not. The executed notebooks, failed ones included, and ``report.json`` are kept.
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

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ELSEWHERE = re.compile(r"%%(?!time\b|timeit\b|capture\b|prun\b)(\w+)")  # magics that keep Python from the cell
PLACE = re.compile(r"^cell \d+ of \d+$", re.MULTILINE)  # as ``run_notebook`` prints it
GIB = 2**30


# Cells that should have computed and did not


def magic_free(source: str) -> str:
    return "\n".join("pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())


def idle_cells(notebook: NotebookNode) -> Iterator[str]:
    """Report cells of an executed notebook that did not run, and figures and numbers that are missing."""
    glued: set[str] = set()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        yield "the notebook has no code"
    for number, cell in enumerate(code, 1):
        outputs = cell.get("outputs", [])
        glued |= {out["metadata"]["scrapbook"]["name"] for out in outputs if "scrapbook" in out.get("metadata", {})}
        if cell.execution_count is None:
            yield f"cell {number} was not executed"
        elif match := ELSEWHERE.match(cell.source):
            yield f"cell {number} was not run by Python, but handed to %%{match[1]}"
        elif not has_code(cell.source):
            yield f"cell {number} holds no code"
        mime = {kind for out in outputs for kind in out.get("data", {})}
        figure = cell.metadata.get("attnbook", {}).get("figure")
        if figure and not mime & {"image/png", "image/svg+xml"}:
            yield f"cell {number} should have drawn {figure} and drew nothing"
    for name in notebook.metadata.get("attnbook", {}).get("glued", []):
        if name not in glued:
            yield f"no cell computed {name}, which the text names"


def has_code(source: str) -> bool:
    with suppress(SyntaxError):
        return bool(ast.parse(magic_free(source)).body)
    return True


def errors(notebook: NotebookNode) -> Iterator[str]:
    """Tracebacks of failed cells, without colours."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        for out in cell.get("outputs", []):
            if out.output_type == "error":
                trace = COLOURS.sub("", "\n".join(out.traceback)) or f"{out.ename}: {out.evalue}"
                yield f"cell {number} failed:\n{trace}"


# Running them


@dataclass(frozen=True)
class Setting:
    """How notebooks are executed.

    Attributes:
        out: where executed notebooks go.
        folder: where their cells run.
        jobs: how many run at the same time.
        budget: seconds that one may take.
        share: GiB that one may hold.
        kernel: the name of the kernel.
        check: what is wrong with a notebook whose cells all ran.
    """

    out: Path
    folder: Path
    jobs: int = 1
    budget: float = 300
    share: float = 3
    kernel: str = "python3"
    check: Callable[[NotebookNode], Iterable[str]] = idle_cells


@dataclass
class Run:
    """One notebook that is being executed."""

    source: Path
    target: Path
    log: Path
    process: BaseProcess
    started: float
    complaints: list[str] = field(default_factory=list)
    peak: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def output(self) -> str:
        """What its processes printed."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.is_file() else ""

    @property
    def current_cell(self) -> str:
        """The cell that it has reached."""
        cells: list[str] = PLACE.findall(self.output)
        return cells[-1] if cells else "the start"

    def processes(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        return []

    def memory(self) -> int:
        """Bytes that the notebook's processes hold now, without those that a fork shares."""
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
def processes() -> Any:
    """The multiprocessing context: on Linux, forks of a server process that has imported what most pages need."""
    context = multiprocessing.get_context("forkserver" if FORKS else "spawn")
    if FORKS:
        context.set_forkserver_preload(["bookkit.preloaded"])
    return context


def start(source: Path, setting: Setting) -> Run:
    """Start a notebook in its own processes."""
    target = setting.out / source.name
    log = target.with_suffix(".log")
    for old in (target, log):
        old.unlink(missing_ok=True)
    arguments = (dict(os.environ), log, source, target, setting.folder, setting.kernel)
    process = processes().Process(target=execute_in_process, args=arguments)
    process.start()
    return Run(source, target, log, process, time.monotonic())


def result_of(run: Run, setting: Setting) -> dict[str, Any]:
    """The result of a notebook whose processes have ended."""
    complaints = list(run.complaints)
    if run.target.is_file():
        notebook = nbformat.read(run.target, as_version=4)
        complaints += errors(notebook)
        if not complaints and run.process.exitcode == 0:
            complaints += setting.check(notebook)
    if run.process.exitcode and not complaints:
        complaints.append(f"its kernel died in {run.current_cell}\n{run.output.strip()}".strip())
    return {
        "notebook": run.source.stem,
        "seconds": round(run.seconds, 1),
        "peak_gib": round(run.peak / GIB, 2),
        "executed": str(run.target),
        "failures": complaints,
    }


def execute_each(sources: list[Path], setting: Setting) -> Iterator[dict[str, Any]]:
    """Execute notebooks; yields each result as it ends, and stops running notebooks when closed."""
    waiting = list(sources)
    running: list[Run] = []
    ended = 0
    try:
        while waiting or running:
            while waiting and len(running) < setting.jobs:
                running.append(start(waiting.pop(0), setting))
            multiprocessing.connection.wait([run.process.sentinel for run in running], timeout=1)
            for run in list(running):
                if run.process.is_alive():
                    limit = exceeded_limit(run, setting)
                    if not limit:
                        continue
                    run.complaints.append(limit)
                    run.stop()
                running.remove(run)
                result = result_of(run, setting)
                ended += 1
                print(f"[{ended}/{len(sources)}] {summary(result)}", flush=True)
                yield result
    finally:
        for run in running:
            run.stop()


def summary(result: dict[str, Any]) -> str:
    word = "FAILED" if result["failures"] else "ok"
    return f"{word:6} {result['seconds']:7.1f} s {result['peak_gib']:5.2f} GiB  {result['notebook']}"


def execute_all(sources: list[Path], setting: Setting) -> list[dict[str, Any]]:
    """Execute notebooks; returns their results in order."""
    results = {result["notebook"]: result for result in execute_each(sources, setting)}
    return [results[source.stem] for source in sources]


def exceeded_limit(run: Run, setting: Setting) -> str:
    """The limit that a running notebook exceeds; empty if none."""
    if run.seconds > setting.budget:
        return f"over its budget of {setting.budget:g} s in {run.current_cell}"
    if run.memory() > setting.share * GIB:
        return f"over its {setting.share:g} GiB of memory in {run.current_cell}"
    return ""


def available() -> float:
    """GiB that may be used: three quarters of what is free."""
    return float(0.75 * psutil.virtual_memory().available / GIB)


def jobs_for(count: int, share: float, memory: float | None = None) -> int:
    """How many of ``count`` notebooks run at a time: as cores allow, and memory, of which each may hold its share."""
    return max(1, min(os.cpu_count() or 1, int((memory or available()) / share), count))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in _build/notebooks")
    parser.add_argument("--out", type=Path, default=Path("_build/executed"), help="for notebooks and the report")
    parser.add_argument("--folder", type=Path, default=Path("book"), help="where cells run (default: book)")
    parser.add_argument("--budget", type=float, default=300, help="seconds a notebook (default: 300)")
    parser.add_argument("--memory", type=float, help="GiB for all together (default: three quarters of what is free)")
    parser.add_argument("--share", type=float, default=3, help="GiB a notebook (default: 3)")
    parser.add_argument("--jobs", type=int, help="at the same time (default: as cores and memory allow)")
    options = parser.parse_args()
    sources = options.notebooks or sorted(Path("_build/notebooks").glob("*.ipynb"))
    if not sources:
        print("There is no notebook in _build/notebooks: run `make notebooks`", file=sys.stderr)
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
        results = execute_all(sources, Setting(**places, jobs=jobs, budget=options.budget, share=options.share))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return write_report(results, options.out)


def write_report(results: list[dict[str, Any]], out: Path) -> int:
    """Write ``report.json`` and print the failures; returns the exit status."""
    (out / "report.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    failed = [result for result in results if result["failures"]]
    for result in failed:
        print(f"\n{'=' * 20} {result['notebook']}, kept in {result['executed']}")
        print("\n".join(result["failures"]))
    print(f"\n{len(results) - len(failed)} of {len(results)} notebooks ran as they should.")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
