"""Execute every chapter and build the book into ``_build/html``; called by ``make book``.

A failing cell, a warning or a broken reference fails the build. A page whose sources did not change comes from the
cache. After a failed or interrupted build Sphinx reads every page again, so that no warning is lost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import filelock

import bookkit
from bookkit.ext.origin import find_origin

# Docutils trees consist of millions of long-lived objects. With Python's default thresholds, garbage collection takes
# half of the build time, and the collections at exit take seconds.
FEWER_COLLECTIONS = "import atexit, gc; gc.set_threshold(200_000, 20, 50); atexit.register(gc.freeze); "
BUILD = [sys.executable, "-c", FEWER_COLLECTIONS + "from jupyter_book.cli.main import main; main()", "build"]
# The models are so small that a second thread gains little, and it slows down other processes on the same cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
ANSI_COLORS = re.compile(r"\x1b\[[0-9;]*m")
STRICT = ["--warningiserror", "--nitpick", "--keep-going"]


def build_fingerprint(root: Path) -> str:
    """Return a fingerprint of what Sphinx does not track itself: configuration, this package, the git remote."""
    digest = hashlib.sha256()
    watched = ("_*.yml", "requirements*.txt", "book/_templates/**/*.html")
    files = [path for pattern in watched for path in root.glob(pattern)]
    package = Path(bookkit.__file__).parent
    for path in [*sorted(files), *sorted(package.rglob("*.py")), *sorted(package.rglob("katex.min.js"))]:
        digest.update(path.read_bytes())
    digest.update(repr(find_origin(root)).encode())
    return digest.hexdigest()


def build(root: Path) -> int:
    """Build the book of a checkout and return the exit status."""
    output = root / "_build"
    output.mkdir(exist_ok=True)
    try:
        with filelock.FileLock(output / ".lock", timeout=0):
            return build_alone(root, output)
    except filelock.Timeout:
        print(f"another build of {output} is running; wait until it ends", file=sys.stderr)
        return 1


def build_alone(root: Path, output: Path) -> int:
    complete = output / ".complete"
    if not complete.is_file() or complete.read_text(encoding="utf-8") != build_fingerprint(root):
        shutil.rmtree(output / ".doctrees", ignore_errors=True)
    complete.unlink(missing_ok=True)
    started = time.time()
    status = run([*BUILD, str(root), *STRICT], output)
    seconds = time.time() - started
    if status:
        print(f"\nThe build failed; see the warnings and errors above ({seconds:.0f} s).", file=sys.stderr)
        return status
    complete.write_text(build_fingerprint(root), encoding="utf-8")
    report(output, started, seconds)
    return 0


def environment_for(output: Path) -> dict[str, str]:
    """The environment of a build: one thread, Matplotlib's own settings, and folders for Jupyter if it has no home.

    Matplotlib keeps a list of fonts that all environments of a user share. If the files of one of them were removed
    while it wrote that list, figures everywhere use other fonts, with a warning for each. So a build has its own list.
    """
    home = output / ".home"
    folders = {"MPLCONFIGDIR": home / "matplotlib"}
    if not os.access(Path("~").expanduser(), os.W_OK):
        folders |= {"IPYTHONDIR": home / "ipython", "JUPYTER_RUNTIME_DIR": home / "jupyter"}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    own = {variable: str(folder) for variable, folder in folders.items()}
    environment = {**ONE_THREAD, **os.environ, "PYTHONUNBUFFERED": "1", **own}
    fonts = [sys.executable, "-c", "import matplotlib.font_manager"]  # otherwise a cell prints a notice on stderr
    subprocess.run(fonts, env=environment, capture_output=True, check=False)
    return environment


def run(command: list[str], output: Path) -> int:
    """Run the build; keep color codes only if the output is a terminal that supports them."""
    environment = environment_for(output)
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ:
        return subprocess.run(command, check=False, env=environment).returncode
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
    ) as process:
        for line in process.stdout or ():
            print(ANSI_COLORS.sub("", line), end="", flush=True)
    return process.returncode


def report(output: Path, started: float, seconds: float) -> None:
    """Print the run time of each chapter and the address of the book."""
    notebooks: list[dict[str, Any]] = json.loads((output / "status.json").read_text(encoding="utf-8"))["notebooks"]
    executed = 0.0
    print()
    for entry in notebooks:
        new = entry["time"] >= started
        executed += entry["seconds"] if new else 0.0
        origin = "executed" if new else "from the cache"
        print(f"{entry['seconds']:8.1f} s  {origin:<14}  {entry['page']}")
    print(f"{executed:8.1f} s  of execution, several pages at a time; {seconds:.1f} s in all")
    print(f"The book: {(output / 'html' / 'index.html').resolve().as_uri()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the checkout (default: the current folder)")
    sys.exit(build(parser.parse_args().root.resolve()))
