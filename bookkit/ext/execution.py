"""Execute pages in parallel, before Sphinx reads them one by one from the cache.

Cells take most of the time of a build, so this halves it on two cores. If a page fails here, its error is printed, and
Sphinx executes it again and reports the place.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx

from bookkit.execute_notebooks import Settings, execute_each, jobs_for
from bookkit.ext.freshness import cache_of

SHARE = 2.0  # GiB of memory per page
BUDGET = 1200.0  # seconds per page; Sphinx has a limit per cell


def read(env: Any, path: Path) -> NotebookNode | None:
    """Read a page as MyST-NB does; None if it has no cells to execute."""
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    notebook = reader.read(text) if reader else None
    return notebook if notebook and any(cell.cell_type == "code" for cell in notebook.cells) else None


@dataclass(frozen=True)
class PendingPage:
    """A page that is not in its cache yet."""

    path: Path
    notebook: NotebookNode
    cache: JupyterCacheAbstract


def find_pending(app: Sphinx, docnames: list[str]) -> list[PendingPage]:
    """The pages to execute: new pages first (later chapters before earlier ones), then from the slowest to the fastest.

    Later chapters take longest, and a long page that starts last leaves a core idle.
    """
    found = []
    for docname in reversed(docnames):
        path = Path(app.env.doc2path(docname))
        notebook = read(app.env, path)
        if notebook is None:
            continue
        cache = get_cache(str(cache_of(app, path.read_text(encoding="utf-8"))))
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            found.append(PendingPage(path, notebook, cache))
    before = seconds_before(app)
    return sorted(found, key=lambda page: -before.get(page.path.stem, math.inf))


def seconds_before(app: Sphinx) -> dict[str, float]:
    """Seconds that each page took in the last build."""
    status = Path(app.outdir).parent / "status.json"
    if not status.is_file():
        return {}
    entries = json.loads(status.read_text(encoding="utf-8"))["notebooks"]
    return {Path(entry["page"]).name: entry["seconds"] or 0.0 for entry in entries}


def execute(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Execute the pages that are not in their caches, and store their outputs there."""
    if env.mystnb_config.execution_mode != "cache":
        return
    pages = find_pending(app, docnames)
    if not pages:
        return
    with tempfile.TemporaryDirectory(prefix="attnbook-pages-") as name:
        sources = [Path(name, f"{page.path.stem}.ipynb") for page in pages]
        for source, page in zip(sources, pages, strict=True):
            nbformat.write(page.notebook, source)
        out = Path(name, "executed")
        out.mkdir()
        jobs = jobs_for(len(pages), SHARE)
        settings = Settings(out, pages[0].path.parent, jobs, BUDGET, SHARE, check=lambda notebook: ())
        print(f"executing {len(pages)} pages, {jobs} at a time", flush=True)
        by_name = {page.path.stem: page for page in pages}
        for result in execute_each(sources, settings):
            if result["failures"]:
                print("\n".join(result["failures"]), flush=True)
            else:
                keep(by_name[result["notebook"]], result)


def keep(page: PendingPage, result: dict[str, Any]) -> None:
    """Store a page's outputs in its cache, under the notebook as MyST-NB reads it."""
    executed = nbformat.read(result["executed"], as_version=4)
    page.notebook.metadata.update(executed.metadata)
    for cell, done in zip(page.notebook.cells, executed.cells, strict=True):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = done.outputs, done.execution_count
    bundle = CacheBundleIn(page.notebook, str(page.path), data={"execution_seconds": result["seconds"]})
    page.cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-before-read-docs", execute)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
