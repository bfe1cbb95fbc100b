"""Build wheel and source distribution from a clean clone, look into them, and install into an empty environment.

Called by ``make package``; what was built is left in ``_build/dist``. It is the last commit that is tried.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from bookkit import ROOT

PYTHON = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
COMMANDS = ("train", "translate", "evaluate", "attend", "export")
IMPORT_ALL = """
import importlib, pkgutil, attnbook
for module in pkgutil.walk_packages(attnbook.__path__, "attnbook."):
    if not module.name.endswith(".sphinx"):  # for builders of books: they need docutils
        importlib.import_module(module.name)
print(attnbook.__version__)
"""


def call(*command: object, cwd: Path | None = None) -> str:
    """What a program prints.

    Raises:
        RuntimeError: it failed; the message has all that it printed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def sources(clone: Path) -> set[str]:
    """What the wheel must hold of the package: every module, and what the widgets need."""
    package = clone / "src" / "attnbook"
    kinds = (".py", ".js", ".css", ".json", ".tsv", ".typed")
    modules = package / "widgets" / "js"  # what the bundles are made from
    return {
        path.relative_to(clone / "src").as_posix()
        for path in package.rglob("*")
        if path.suffix in kinds and path.is_file() and modules not in path.parents
    }


def check_wheel(wheel: Path, clone: Path) -> list[str]:
    """What is wrong with the wheel."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    rest = {name for name in held if not re.match(r"attnbook-[\w.]+\.dist-info/", name)}
    wanted = sources(clone)
    wrong = [f"the wheel lacks {name}" for name in sorted(wanted - rest)]
    return wrong + [f"the wheel holds {name}, which is no part of the package" for name in sorted(rest - wanted)]


def check_sdist(sdist: Path, clone: Path) -> list[str]:
    """What is wrong with the source distribution."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"src/{name}" for name in sources(clone)} | {"pyproject.toml", "README.md", "LICENSE"}
    return [f"the source distribution lacks {name}" for name in sorted(wanted - held)]


def build(clone: Path, folder: Path) -> list[str]:
    """Build both from the clone into ``folder``; returns what is wrong with them."""
    tools = folder.parent / "tools"
    call(sys.executable, "-m", "venv", tools)
    call(tools / PYTHON, "-m", "pip", "install", "--quiet", "build")
    call(tools / PYTHON, "-m", "build", "--outdir", folder, clone)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return check_wheel(wheel, clone) + check_sdist(sdist, clone)


def install(clone: Path, folder: Path) -> list[str]:
    """``pip install .[book]`` into an empty environment; returns what does not work there."""
    empty, python = folder / "empty", folder / "venv" / PYTHON
    empty.mkdir()
    call(sys.executable, "-m", "venv", folder / "venv")
    call(python, "-m", "pip", "install", "--quiet", ".[book]", cwd=clone)
    print("attnbook", call(python, "-c", IMPORT_ALL, cwd=empty).strip(), "installs from a clean clone")
    program = python.with_name("attnbook")
    wrong = []
    told = call(program, "--help", cwd=empty)
    wrong += [f"attnbook --help does not name {name}" for name in COMMANDS if name not in told]
    for name in COMMANDS:
        if not re.search(r"Usage: .*attnbook", call(program, name, "--help", cwd=empty)):
            wrong.append(f"attnbook {name} --help shows no usage")
    return wrong


def main() -> int:
    out = ROOT / "_build" / "dist"
    try:
        with tempfile.TemporaryDirectory(prefix="attnbook-package-") as name:
            folder = Path(name)
            call("git", "clone", "--quiet", ROOT, folder / "clone")
            wrong = build(folder / "clone", folder / "dist")
            wrong += install(folder / "clone", folder)
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(folder / "dist", out)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size / 1024:8.0f} KiB  {path.name}")
    print("\n".join(wrong) or "Wheel and source distribution hold what they should.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
