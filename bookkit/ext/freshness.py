"""Execute a page again when anything its results depend on changes.

The execution cache compares only the cells of a page. Here every page gets its own cache folder, named by a fingerprint
of everything else that its results depend on: the modules of this checkout that it imports, directly or indirectly, the
data files in ``book/`` that it or they name, the committed results and the chapters it reads, the pinned packages and
the version of Python. After a change in a module, exactly the pages that import it are executed again.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from myst_nb.core.read import is_myst_markdown_notebook
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

CELL = re.compile(r"^(?P<fence>`{3,}|:{3,})\{code-cell\}[^\n]*\n(?P<code>.*?)^(?P=fence)\s*$", re.M | re.S)
OPTIONS = re.compile(r"\A---\n.*?^---$", re.M | re.S)
RENDERERS = {  # modules that render the widgets and figures of a page
    "attnbook.widgets": {"attnbook.widgets.static", "attnbook.widgets.sphinx"},
    "attnbook.pages.figures": {"attnbook.pages.figures.dark", "attnbook.pages.figures.sphinx"},
}
READS_RESULTS = {"src/attnbook/pages/results.py", "benchmarks/harness.py"}
READS_CHAPTERS = {"bookkit/teaching.py"}
DATA_FOLDERS = ("bundles/*", "tables/*")  # data files below the folder of a package
PACKAGES = ("attnbook", "benchmarks", "bookkit", "experiments")
KEEP_OLD = 20  # unused cache folders to keep, so that returning to an earlier version of the code is fast


@cache  # pages share most modules
def imported(source: str) -> frozenset[str]:
    """Dotted names that ``source`` imports and that may be modules, without imports under ``TYPE_CHECKING``.

    Raises:
        SyntaxError: the source is not Python.
    """
    names: set[str] = set()
    tree = ast.parse(source)
    for_types = {
        inner
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def package_folder(root: Path, package: str) -> Path:
    """The folder of a package: ``attnbook`` is in ``src``, the other packages are at the root of the checkout."""
    return root / "src" / package if package == "attnbook" else root / package


@cache
def module_files(root: Path, name: str) -> set[Path]:
    """The files behind a dotted name: the module, its parent packages, and the data files of a package."""
    package, *parts = name.split(".")
    if package not in PACKAGES:
        return set()
    place = package_folder(root, package)
    files = {place / "__init__.py"}
    for part in parts:
        if (module := place / f"{part}.py").is_file():
            return files | {module}
        place = place / part
        if not place.is_dir():  # the rest names a function or a class
            break
        found = (path for pattern in ("*", *DATA_FOLDERS) for path in place.glob(pattern))
        data = (path for path in found if path.suffix != ".py")
        files |= {path for path in data if path.is_file()} | {place / "__init__.py"}
    return {path for path in files if path.is_file()}


@cache
def public_homes(package: str) -> dict[str, str]:
    """The module that defines each lazily loaded public name, from the source of the package's ``__init__.py``."""
    for node in ast.parse(package).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            homes: dict[str, tuple[str, ...]] = ast.literal_eval(node.value)
            return {f"attnbook.{name}": home for home, names in homes.items() for name in names}
    return {}


def needed_files(root: Path, source: str) -> set[Path]:
    """Every file of the checkout's packages that ``source`` imports, directly or indirectly."""
    try:
        waiting = set(imported(source))
    except SyntaxError:
        return {path for package in PACKAGES for path in every_file(package_folder(root, package))}
    files: set[Path] = set()
    seen: set[str] = set()
    homes = public_homes((root / "src" / "attnbook" / "__init__.py").read_text(encoding="utf-8"))
    while waiting:
        name = waiting.pop()
        seen.add(name)
        name = homes.get(name, name)
        for package, renderers in RENDERERS.items():
            if f"{name}.".startswith(f"{package}."):
                waiting |= renderers - seen
        new = module_files(root, name) - files
        files |= new
        for path in new:
            if path.suffix == ".py":
                waiting |= imported(path.read_text(encoding="utf-8")) - seen
    return files


def note_module(env: BuildEnvironment, name: str) -> None:
    """Make the current page depend on a module that a directive uses, and on everything that this module imports."""
    for path in needed_files(Path(env.srcdir), f"import {name}"):
        env.note_dependency(str(path))


def every_file(folder: Path) -> Iterable[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def data_files(root: Path, programs: Iterable[str]) -> set[Path]:
    """Data files in ``book/`` that the programs mention by name."""
    words = {word for program in programs for word in re.findall(r"\w+", program)}
    return {path for path in (root / "book").glob("[!_.]*.yml") if path.stem in words}


def code_of(text: str) -> str:
    """The Python code of a page's cells, without cell options and IPython magics."""
    cells = "\n".join(OPTIONS.sub("", match["code"]) for match in CELL.finditer(text))
    lines = cells.splitlines()
    return "\n".join("" if line.startswith((":", "%", "!")) else line for line in lines)


def fingerprint(root: Path, text: str) -> str:
    """Return a fingerprint of everything that the results of a page depend on, except its cells.

    Args:
        root: the checkout.
        text: the page's source.
    """
    code = code_of(text)
    files = needed_files(root, code)
    reads_results = {root / name for name in READS_RESULTS} & files or "results/" in code
    src = root / "src"
    helpers = src / "attnbook" / "pages"  # the only modules of the package that read files of the book
    readers = [p for p in files if p.suffix == ".py" and (src not in p.parents or helpers in p.parents)]
    files |= data_files(root, [code, *(path.read_text(encoding="utf-8") for path in readers)])
    if reads_results:
        files |= {path for path in every_file(root / "results") if path.suffix != ".md"}
    if {root / name for name in READS_CHAPTERS} & files:
        files |= set((root / "book").glob("*.md"))
    files |= set(root.glob("requirements*.txt"))
    digest = hashlib.sha256()
    digest.update(f"{platform.python_version()} {os.environ.get('ATTNBOOK_DATA', '')}".encode())
    for path in sorted(files):
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def note_outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """The pages whose fingerprint changed since they were read."""
    root = Path(app.srcdir)
    known: dict[str, str] = getattr(env, "book_fingerprints", {})
    return [
        docname
        for docname, old in known.items()
        if docname in env.found_docs
        and old != fingerprint(root, Path(env.doc2path(docname)).read_text(encoding="utf-8"))
    ]


def choose_cache(app: Sphinx, docname: str, source: list[str]) -> None:
    """Set the execution cache to the page's own folder before the page is read."""
    if not is_myst_markdown_notebook(source[0]):
        return
    cache = cache_of(app, source[0])
    env: Any = app.env
    if not hasattr(env, "book_fingerprints"):
        env.book_fingerprints = {}
    env.book_fingerprints[docname] = cache.name
    env.mystnb_config = env.mystnb_config.copy(execution_cache_path=str(cache))


def cache_folder(app: Sphinx) -> Path:
    return Path(app.outdir).parent / ".jupyter_cache"


def cache_of(app: Sphinx, text: str) -> Path:
    """The execution cache of a page with this source."""
    return cache_folder(app) / fingerprint(Path(app.srcdir), text)


def forget_page(app: Sphinx, env: Any, docname: str) -> None:
    getattr(env, "book_fingerprints", {}).pop(docname, None)


def prune(app: Sphinx, exception: Exception | None) -> None:
    """Delete all but the newest unused cache folders."""
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
