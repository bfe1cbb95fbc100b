"""Change the package in thousands of small ways, and see whether the tests notice; called by ``make mutants``.

mutmut makes the changes, one at a time, and runs the tests that call the changed function. A mutant that no test kills
is a hole in the tests, or does the same as the original. Those are explained in ``tests/mutants.yml``, by what was
changed; one that is not explained there fails the run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from bookkit import ROOT

# A module of the package, and the tests that must notice whatever is changed in it.
TESTS = {
    "attention/masks": ("attention/test_masks.py",),
    "attention/kernels": ("attention/test_kernels.py", "attention/test_multihead.py", "attention/test_pooling.py"),
    "attention/scoring": ("attention/test_scoring.py",),
    "attention/pooling": ("attention/test_pooling.py",),
    "attention/positional": ("attention/test_positional.py",),
    "attention/multihead": ("attention/test_multihead.py",),
    "models/transformer": ("models/test_transformer.py", "models/test_base.py"),
    "translation/search": ("translation/test_search.py",),
    "translation/alignment": ("translation/test_alignment.py",),
    "translation/metrics": ("translation/test_metrics.py",),
    "data/batching": ("data/test_batching.py",),
    "training/checkpoint": ("training/test_checkpoint.py", "training/test_resume.py"),
}
DIGITS = "1234567890"  # that the numbers of mutants end in: those of a function begin with 1
EXPLAINED = ROOT / "tests" / "mutants.yml"
# The test that kills runs takes longer than all others of checkpoints together; no compiler traces what mutmut wraps.
SETTINGS = """\
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/attnbook/{module}.py"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not after_kills and not compiled"]
pytest_add_cli_args_test_selection = [{tests}]
use_git_change_detection = false

[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "-q --import-mode=importlib"
"""


@dataclass(frozen=True)
class Mutant:
    """A change that no test noticed.

    Attributes:
        name: as mutmut knows it.
        function: where it is.
        change: the line as it was, an arrow, and the line as it is.
    """

    name: str
    function: str
    change: str


def prepare(module: str, folder: Path) -> None:
    """Copy the package and the tests, so that nothing here is changed."""
    shutil.rmtree(folder, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "attnbook", folder / "src" / "attnbook", ignore=ignore)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignore)
    tests = ", ".join(f'"tests/{name}"' for name in TESTS[module])
    (folder / "pyproject.toml").write_text(SETTINGS.format(module=module, tests=tests), encoding="utf-8")


def mutmut(folder: Path, *arguments: str) -> str:
    """What mutmut prints.

    Raises:
        RuntimeError: it failed; the message has all that it printed.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"mutmut {' '.join(arguments)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def describe(name: str, shown: str) -> Mutant:
    """A mutant from the difference that mutmut shows."""
    old = [line[1:].strip() for line in shown.splitlines() if re.match(r"-(?!--)", line)]
    new = [line[1:].strip() for line in shown.splitlines() if re.match(r"\+(?!\+\+)", line)]
    function = re.sub(r"__mutmut_\d+$", "", name.split(".")[-1]).removeprefix("x_").replace("xǁ", "").replace("ǁ", ".")
    return Mutant(name, function, f"{' '.join(old)} -> {' '.join(new)}")


def try_module(module: str, folder: Path, tenths: int) -> tuple[dict[str, int], list[Mutant]]:
    """Try mutants of a module; returns how many there were of each kind, and those that no test noticed."""
    prepare(module, folder)
    mutmut(folder, "run", "--max-children", "1", *(f"*{digit}" for digit in DIGITS[:tenths]))
    mutmut(folder, "export-cicd-stats")
    counts: dict[str, int] = json.loads((folder / "mutants" / "mutmut-cicd-stats.json").read_text(encoding="utf-8"))
    lines = [line.strip().partition(": ") for line in mutmut(folder, "results").splitlines() if ": " in line]
    missed = [name for name, _, verdict in lines if verdict in ("survived", "no tests", "suspicious")]
    return counts, [describe(name, mutmut(folder, "show", name)) for name in missed]


def tell(module: str, counts: dict[str, int], missed: list[Mutant]) -> list[Mutant]:
    """Print what became of a module's mutants, and return the missed ones without an explanation."""
    explained: dict[str, dict[str, str]] = yaml.safe_load(EXPLAINED.read_text(encoding="utf-8")) or {}
    known = {change for changes in (explained.get(module) or {}).values() for change in changes}
    new = [mutant for mutant in missed if f"{mutant.function}: {mutant.change}" not in known]
    killed = counts["killed"] + counts.get("timeout", 0) + counts.get("segfault", 0)
    total = killed + len(missed)
    print(
        f"{module:14} {killed:5} of {total:5} killed, {killed / max(1, total):6.1%}; {len(new)} left to explain",
        flush=True,
    )
    for mutant in new:
        print(f"    {mutant.function}: {mutant.change}")
    return new


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=list(TESTS), help=f"default: {', '.join(TESTS)}")
    parser.add_argument(
        "--tenths", type=int, choices=range(1, 11), default=10, help="part that is tried (default: all)"
    )
    options = parser.parse_args()
    modules = options.modules
    if unknown := [name for name in modules if name not in TESTS]:
        print(f"modules must be some of {', '.join(TESTS)}, got {', '.join(unknown)}", file=sys.stderr)
        return 1
    new = []
    for module in modules:
        counts, missed = try_module(module, ROOT / "_build" / "mutants" / module, options.tenths)
        new += tell(module, counts, missed)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
