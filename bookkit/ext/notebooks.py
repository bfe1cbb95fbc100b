"""Write every chapter as a notebook, and add the buttons that open or download it.

The notebooks are in ``notebooks/`` of the built site, without outputs and in plain Markdown, because Colab does not
read MyST. If the book's repository is known, a page also has links to edit it and to report a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from attnbook.pages import colors
from bookkit.disk_cache import cached
from bookkit.ext.origin import Origin
from bookkit.notebook.index import make_index, slug
from bookkit.notebook.syntax import UnsupportedMarkup
from bookkit.notebook.writer import write_notebooks

logger = logging.getLogger(__name__)


def find_chapters(app: Sphinx) -> None:
    """Find the pages that have a notebook."""
    index = make_index(Path(app.srcdir))
    app.book_chapters = {page.name for page in index.pages.values() if page.notebook}  # type: ignore[attr-defined]


def add_buttons(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Define the buttons for ``_templates/article-header-buttons.html``."""
    if doctree is None:
        return
    origin: Origin | None = app.book_origin  # type: ignore[attr-defined]
    buttons = []
    if pagename in app.book_chapters:  # type: ignore[attr-defined]
        if origin and (address := origin.colab(slug(pagename))):
            buttons.append(button("colab", "Open this chapter in Colab", "fa-solid fa-play", address, text="Colab"))
        address = f"{context['content_root']}notebooks/{slug(pagename)}.ipynb"
        title = "Download this chapter as a notebook"
        buttons.append(button("notebook", title, "fa-solid fa-download", address, text="Notebook", download=True))
    if origin and origin.on_github:
        source = f"{pagename}{context.get('page_source_suffix') or '.md'}"
        about = f"On the page {pagename}"
        buttons.append(button("edit", "Edit this page", "fa-solid fa-pencil", origin.edit(source)))
        buttons.append(button("issue", "Report a problem", "fa-solid fa-circle-exclamation", origin.issue(about)))
    context["book_buttons"] = buttons


def button(name: str, title: str, icon: str, url: str, *, text: str = "", download: bool = False) -> dict[str, Any]:
    return {"name": name, "title": title, "icon": icon, "url": url, "text": text, "download": download}


def sources(root: Path, built: Path, origin: Origin | None) -> Iterator[bytes]:
    """Yield all inputs of the notebooks: pages and files they include, glued numbers, colors, and the git remote."""
    glued = built.rglob("*.glue.json")
    pages = (path for path in (root / "book").rglob("*") if "_static" not in path.parts)
    settings = (*root.glob("_*.yml"), *root.glob("requirements*.txt"), Path(colors.__file__).with_suffix(".json"))
    for path in sorted({*pages, *settings, *glued}):
        if path.is_file():
            yield str(path).encode()
            yield path.read_bytes()
    yield repr(origin).encode()


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    origin: Origin | None = app.book_origin  # type: ignore[attr-defined]
    root, folder = Path(app.srcdir), Path(app.outdir) / "notebooks"
    built = folder.parent.parent / "jupyter_execute"

    def make() -> list[str]:
        return [path.name for path in write_notebooks(root, folder, origin, strict=False, built=built)]

    record = Path(app.doctreedir) / "notebooks.json"
    try:  # not strict: Sphinx itself has warned about broken references
        written = cached(record, sources(root, built, origin), make)
        if {path.name for path in folder.glob("*.ipynb")} != set(written):  # a file was deleted or added by hand
            make()
    except UnsupportedMarkup as error:
        logger.warning("no notebook: %s", error, type="book_notebooks")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", find_chapters)
    app.connect("html-page-context", add_buttons)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
