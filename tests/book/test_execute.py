"""``make execute`` finds the fault of each planted notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from bookkit.execute_notebooks import idle_cells
from bookkit.run_notebook import FORKS

GLUE = "from attnbook.pages.glue import glue\nglue('here', 1)"


def notebook(*sources: str, figure: str = "", glued: tuple[str, ...] = (), tags: tuple[str, ...] = ()) -> Any:
    """A notebook of code cells; figure and glued names belong to the last."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    if figure:
        cells[-1].metadata["attnbook"] = {"figure": figure}
    if tags:
        cells[-1].metadata["tags"] = list(tags)
    return nbformat.v4.new_notebook(cells=cells, metadata={"attnbook": {"glued": list(glued)}})


PLANTED = {  # notebook, the message about it
    "a-sound": (notebook("x = 1", "print(x + 1)", GLUE, glued=("here",)), []),
    "b-error": (
        notebook("1", "def f():\n    return 1 / 0\nf()", "3"),
        ["cell 2 failed", "ZeroDivisionError", "return 1 / 0"],
    ),
    "d-heavy": (notebook("x = bytearray(700_000_000); import time; time.sleep(60)"), ["over its 0.5 GiB of memory"]),
    "e-skipped": (notebook("1", "print(2)", tags=("skip-execution",)), ["cell 2 was not executed"]),
    "f-dead": (notebook("import os; os._exit(3)", "2"), ["kernel died in cell 1 of 2"]),
    "g-empty": (notebook("1", "# nothing"), ["cell 2 has no code"]),
    "h-picture": (notebook("x = 1", figure="fig-a"), ["cell 1 should have drawn fig-a, but drew nothing"]),
    "i-number": (notebook(GLUE, glued=("here", "there")), ["no cell computed there"]),
}


def run(folder: Path, names: list[str], *limits: str) -> tuple[Any, Path]:
    """Execute notebooks of a folder as `make execute` does."""
    files = [str(folder / f"{name}.ipynb") for name in names]
    command = [sys.executable, "-m", "bookkit.execute_notebooks", *files, *limits]
    places = ["--out", str(folder / "out"), "--folder", str(folder)]
    return subprocess.run([*command, *places], capture_output=True, text=True, check=False), folder / "out"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """All planted notebooks."""
    folder = tmp_path_factory.mktemp("planted")
    for name, (content, _) in PLANTED.items():
        nbformat.write(content, folder / f"{name}.ipynb")
    return run(folder, list(PLANTED), "--share", "0.5", "--memory", "1.5", "--jobs", "2")


@pytest.mark.parametrize("name", PLANTED)
def test_execute_reports_each_planted_failure_only(outcome: tuple[Any, Path], name: str) -> None:
    _, out = outcome
    result = next(r for r in json.loads((out / "report.json").read_text()) if r["notebook"] == name)
    told = "\n".join(result["failures"])
    assert bool(told) == bool(PLANTED[name][1]), told
    for words in PLANTED[name][1]:
        assert words in told


def test_execute_prints_progress_and_writes_report(outcome: tuple[Any, Path]) -> None:
    done, out = outcome
    assert done.returncode == 1, done.stderr
    assert f"{len(PLANTED)} notebooks, 2 at a time" in done.stdout
    assert f"[{len(PLANTED)}/{len(PLANTED)}]" in done.stdout and "1 of 8 notebooks ran without problems" in done.stdout
    assert "ZeroDivisionError" in done.stdout and "\x1b" not in done.stdout
    kept = nbformat.read(out / "b-error.ipynb", as_version=4)
    assert kept.cells[0].execution_count == 1 and kept.cells[1].outputs[0].ename == "ZeroDivisionError"
    assert kept.cells[2].execution_count is None


DRAWING = """
import pathlib, sys
assert {"torch", "matplotlib.pyplot", "attnbook.widgets"} <= set(sys.modules)
assert pathlib.Path("beside.ipynb").exists()
import matplotlib.pyplot as plt
plt.plot([1, 2]);
"""


def test_execute_succeeds_for_sound_notebooks(tmp_path: Path) -> None:
    """Forked kernels have the imports and run in the given folder."""
    sound = {"sound": PLANTED["a-sound"][0]}
    if FORKS:
        sound["beside"] = notebook(DRAWING, figure="fig-a")
    for name, content in sound.items():
        nbformat.write(content, tmp_path / f"{name}.ipynb")
    done, out = run(tmp_path, list(sound))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(sound)} of {len(sound)} notebooks ran without problems" in done.stdout
    for name, content in sound.items():
        cells = len(content.cells)
        assert f"cell {cells} of {cells}" in (out / f"{name}.log").read_text()


def test_execute_stops_notebook_over_its_budget(tmp_path: Path) -> None:
    nbformat.write(notebook("import time; time.sleep(600)"), tmp_path / "slow.ipynb")
    done, _ = run(tmp_path, ["slow"], "--budget", "2")
    assert done.returncode == 1 and "over its budget of 2 s in" in done.stdout


@pytest.mark.parametrize(("arguments", "told"), [([], "make notebooks"), (["none.ipynb"], "none.ipynb")])
def test_execute_reports_nothing_to_execute(tmp_path: Path, arguments: list[str], told: str) -> None:
    command = [sys.executable, "-m", "bookkit.execute_notebooks", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and told in done.stderr


def test_idle_cells_reports_cell_of_another_program() -> None:
    book = notebook("%%script false\nprint(1)", "%%time\nx = 1")
    for number, cell in enumerate(book.cells, 1):
        cell.execution_count = number
    assert list(idle_cells(book)) == ["cell 1 was run by %%script, not by Python"]
