"""A page is never shown with results of older code.

The execution cache knows a page by its cells alone. Here every page gets a cache folder of its own, named by a
fingerprint of all else that its results depend on: the modules of the package that it imports (and those that they
import), data and programs beside the pages that it names, the committed results it reads, the pinned environment and
the version of Python. A change in one module executes again the pages that import it, and no other.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from myst_nb.core.read import is_myst_markdown_notebook
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PACKAGE = "attnbook"
CELL = re.compile(r"^(?P<fence>`{3,}|:{3,})\{code-cell\}[^\n]*\n(?P<code>.*?)^(?P=fence)\s*$", re.M | re.S)
RENDERERS = {"widgets.static", "widgets.sphinx"}  # they write what a page that shows a widget looks like
KEEP_OLD = 20  # cache folders that no page uses now; coming back to an earlier version of the code is then quick


def imported(source: str) -> set[str]:
    """Names in ``source`` that may be modules of the package, as dotted paths without the package's own name.

    Raises:
        SyntaxError: the source is not Python.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        names |= {name.removeprefix(PACKAGE).lstrip(".") for name in found if name.split(".")[0] == PACKAGE}
    return names


def module_files(package: Path, name: str) -> set[Path]:
    """Files behind a dotted name: the module, the packages around it, and what lies beside it that is not Python."""
    files = {package / "__init__.py"}
    place = package
    for part in filter(None, name.split(".")):
        if (module := place / f"{part}.py").is_file():
            return files | {module}
        place = place / part
        if not place.is_dir():  # a function or a class
            return files
        beside = {path for path in (*place.iterdir(), *place.glob("bundles/*")) if path.suffix != ".py"}
        files |= beside | {place / "__init__.py"}
    return {path for path in files if path.is_file()}


def needed_files(package: Path, source: str) -> set[Path]:
    """Every file of the package that ``source`` imports, directly or through another."""
    try:
        waiting = imported(source)
    except SyntaxError:
        return set(every_file(package))
    files: set[Path] = set()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        if name.split(".")[0] == "widgets":
            waiting |= RENDERERS - seen
        new = module_files(package, name) - files
        files |= new
        for path in new:
            if path.suffix == ".py":
                waiting |= imported(path.read_text(encoding="utf-8")) - seen
    return files


def every_file(folder: Path) -> Iterable[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def beside(root: Path, code: str) -> set[Path]:
    """Files that are no pages, in the pages' folder or among the benchmarks, and that the cells or those files name."""
    places = [path for path in (root / "book").glob("[!_.]*") if path.is_dir() or path.suffix in {".py", ".yml"}]
    places.append(root / "benchmarks")
    found: set[Path] = set()
    waiting = [code]
    while waiting:
        words = set(re.findall(r"\w+", waiting.pop()))
        for place in [place for place in places if place.stem in words]:
            places.remove(place)
            new = set(every_file(place)) if place.is_dir() else {place}
            found |= new
            waiting += [path.read_text(encoding="utf-8") for path in new if path.suffix == ".py"]
    return found


def code_of(text: str) -> str:
    """The Python of a page's cells; lines that only IPython understands are left out."""
    cells = "\n".join(match["code"] for match in CELL.finditer(text))
    lines = cells.splitlines()
    return "\n".join("" if line.startswith((":", "%", "!")) else line for line in lines)


def fingerprint(root: Path, text: str) -> str:
    """A name for all that the results of a page depend on, its cells left out.

    Args:
        root: the checkout.
        text: the page's source.
    """
    code = code_of(text)
    files = beside(root, code)
    for source in [code, *(path.read_text(encoding="utf-8") for path in files if path.suffix == ".py")]:
        files = files | needed_files(root / "src" / PACKAGE, source)
    files |= set(root.glob("requirements*.txt"))
    reads_results = {root / "src" / PACKAGE / "results.py", root / "benchmarks" / "harness.py"} & files
    if reads_results or "results/" in code:
        files |= set(every_file(root / "results"))
    digest = hashlib.sha256()
    digest.update(f"{platform.python_version()} {os.environ.get('ATTNBOOK_DATA', '')}".encode())
    for path in sorted(files):
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def note_outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages whose fingerprint is not the one that they were read with."""
    root = Path(app.srcdir)
    known: dict[str, str] = getattr(env, "book_fingerprints", {})
    return [
        docname
        for docname, old in known.items()
        if docname in env.found_docs
        and old != fingerprint(root, Path(env.doc2path(docname)).read_text(encoding="utf-8"))
    ]


def choose_cache(app: Sphinx, docname: str, source: list[str]) -> None:
    """Before a page is read: point the execution cache at the page's own folder."""
    if not is_myst_markdown_notebook(source[0]):
        return
    name = fingerprint(Path(app.srcdir), source[0])
    env: Any = app.env
    if not hasattr(env, "book_fingerprints"):
        env.book_fingerprints = {}
    env.book_fingerprints[docname] = name
    env.mystnb_config = env.mystnb_config.copy(execution_cache_path=str(cache_folder(app) / name))


def cache_folder(app: Sphinx) -> Path:
    return Path(app.outdir).parent / ".jupyter_cache"


def forget_page(app: Sphinx, env: Any, docname: str) -> None:
    getattr(env, "book_fingerprints", {}).pop(docname, None)


def prune(app: Sphinx, exception: Exception | None) -> None:
    """Drop the oldest cache folders that no page uses."""
    used = set(getattr(app.env, "book_fingerprints", {}).values())
    if exception or not cache_folder(app).is_dir():
        return
    unused = [path for path in cache_folder(app).iterdir() if path.is_dir() and path.name not in used]
    unused.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in unused[KEEP_OLD:]:
        shutil.rmtree(path, ignore_errors=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-outdated", note_outdated)
    app.connect("env-purge-doc", forget_page)
    app.connect("source-read", choose_cache)
    app.connect("build-finished", prune)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
