"""Run the chapters' notebooks as a new reader of Colab would; called by ``make colab`` and ``make colab-image``.

``imitate`` creates an environment like Colab's and, on top of it, a fresh one for each notebook. Each notebook runs in
an empty folder outside the repository. Its first cell installs the package; git redirects the GitHub address to a local
clone of the last commit. ``inside`` runs the notebooks in Colab's own image.

In both modes a notebook fails if a cell fails, or if it changes or removes a package that was installed before.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bookkit import ROOT
from bookkit.execute_notebooks import Settings, execute_all, write_report

LIST_PACKAGES = (
    "import importlib.metadata as m; print(*sorted({f'{d.name}=={d.version}'.lower() for d in m.distributions()}))"
)
BASE = ROOT / "_build" / "colab-base"
OUT = ROOT / "_build" / "colab"
PUBLIC_URL = "https://github.com/attention-book/attention-book"


def packages(python: str) -> dict[str, str]:
    """Name and version of every package that a Python interpreter can import."""
    done = subprocess.run(
        [python, "-c", LIST_PACKAGES], capture_output=True, text=True, check=True, cwd=tempfile.gettempdir()
    )
    return dict(item.split("==") for item in done.stdout.split())


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Packages that changed their version or were removed."""
    return [
        f"{name} was {old} and is {after.get(name, 'gone')}" for name, old in before.items() if after.get(name) != old
    ]


def python_of(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def make_base(folder: Path) -> Path:
    """Create the environment that imitates Colab's; it is reused until the list of packages changes."""
    wanted = (ROOT / "requirements-colab.txt").read_text(encoding="utf-8") + sys.version
    mark = folder / "complete"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
        print(f"Creating an environment like Colab's in {folder} (this takes minutes, but only once) ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [
            str(python_of(folder)),
            "-m",
            "pip",
            "install",
            "--quiet",
            "-r",
            str(ROOT / "requirements-colab.txt"),
        ]
        subprocess.run(install, check=True)
        mark.write_text(wanted, encoding="utf-8")
    return folder


def site_packages(venv: Path) -> str:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.run([python_of(venv), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def make_overlay(folder: Path, base: Path) -> Path:
    """Create an environment that sees all packages of the base but cannot change them."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    Path(site_packages(folder), "base.pth").write_text(site_packages(base) + "\n", encoding="utf-8")
    return folder


def write_notebooks_for(folder: Path) -> list[Path]:
    """Write notebooks that install the package from the redirected address."""
    from bookkit.ext.origin import Origin
    from bookkit.notebook.writer import write_notebooks

    return write_notebooks(ROOT, folder, Origin(PUBLIC_URL, "main"), strict=False)


def redirect_git(folder: Path) -> dict[str, str]:
    """Environment variables that make git serve the last commit of this repository at the public address."""
    copy = folder / "repository.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(copy)], check=True)
    subprocess.run(["git", "-C", str(copy), "branch", "--force", "main", "HEAD"], check=False, capture_output=True)
    settings = folder / "gitconfig"
    settings.write_text(f'[url "{copy.as_uri()}"]\n\tinsteadOf = {PUBLIC_URL}\n', encoding="utf-8")
    return {"GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1"}


def kernel_for(folder: Path, venv: Path) -> dict[str, str]:
    """Environment variables that register the environment's Python with Jupyter as the kernel ``fresh``."""
    place = folder / "jupyter" / "kernels" / "fresh"
    place.mkdir(parents=True)
    argv = [str(python_of(venv)), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (place / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "fresh", "language": "python"}))
    return {"JUPYTER_PATH": str(folder / "jupyter")}


def run_one(source: Path, folder: Path, base: Path, out: Path, limits: dict[str, Any]) -> dict[str, Any]:
    """Run one notebook in its own environment and return the result."""
    before = packages(str(python_of(base)))
    venv = make_overlay(folder / "venv", base)
    (folder / "empty").mkdir()
    os.environ.setdefault("PIP_CACHE_DIR", str(base.parent / "pip-cache"))
    os.environ.update(kernel_for(folder, venv), XDG_CACHE_HOME=str(folder / "cache"))
    for name in ("PYTHONPATH", "ATTNBOOK_DATA"):
        os.environ.pop(name, None)
    (result,) = execute_all([source], Settings(out, folder / "empty", kernel="fresh", **limits))
    after = packages(str(python_of(venv)))
    result["failures"] += changes(before, after)
    result["installed"] = sorted(set(after) - set(before))
    return result


def imitate(names: list[str], out: Path, base: Path, limits: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the chapters' notebooks one by one in environments like Colab's."""
    if subprocess.run(["git", "-C", str(ROOT), "diff", "--quiet", "HEAD", "--", "src"], check=False).returncode:
        print("Warning: src/ has uncommitted changes, but the notebooks install the last commit.", flush=True)
    results = []
    with tempfile.TemporaryDirectory(prefix="attnbook-colab-") as temporary:
        folder = Path(temporary)
        os.environ.update(redirect_git(folder))
        for source in write_notebooks_for(folder / "notebooks"):
            if not names or source.stem in names:
                place = folder / source.stem
                place.mkdir()
                results.append(run_one(source, place, base, out, limits))
                print(f"    installed: {', '.join(results[-1]['installed']) or 'nothing'}", flush=True)
                shutil.rmtree(place, ignore_errors=True)
    return results


def inside(names: list[str], out: Path, limits: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the notebooks of ``_build/notebooks`` one by one with the current Python."""
    before = packages(sys.executable)
    results = []
    for source in sorted((ROOT / "_build" / "notebooks").glob("*.ipynb")):
        if not names or source.stem in names:
            with tempfile.TemporaryDirectory() as empty:
                results += execute_all([source], Settings(out, Path(empty), **limits))
    if results:
        results[-1]["failures"] += changes(before, packages(sys.executable))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["imitate", "inside"])
    parser.add_argument("names", nargs="*", help="chapters such as 04-bahdanau (default: all)")
    parser.add_argument(
        "--base", type=Path, default=BASE, help="the environment like Colab's (default: _build/colab-base)"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="folder for executed notebooks and the report")
    parser.add_argument(
        "--budget", type=float, default=900, help="seconds per notebook, including installation (default: 900)"
    )
    parser.add_argument("--share", type=float, default=10, help="GiB per notebook (default: 10; Colab has 12.7)")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    limits = {"budget": options.budget, "share": options.share}
    if options.mode == "inside":
        return write_report(inside(options.names, out, limits), out)
    return write_report(imitate(options.names, out, make_base(options.base.resolve()), limits), out)


if __name__ == "__main__":
    sys.exit(main())
