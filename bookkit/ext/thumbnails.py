"""Small animated drawings: the directive ``{thumbnail}``.

Its argument names an SVG file in ``thumbnails/`` next to the page. The SVG becomes part of the page, so that it uses
the page's colors. Its classes define what moves when a reader hovers over the card (``book.css``)::

    ```{thumbnail} 01-attention-cues
    ```
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Thumbnail(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.doc2path(self.env.docname)).parent / "thumbnails" / f"{self.arguments[0]}.svg"
        if not path.is_file():
            raise self.error(f"thumbnail must name a file in thumbnails/, got {self.arguments[0]!r}: no file {path}")
        self.env.note_dependency(str(path))
        return [nodes.raw("", path.read_text(encoding="utf-8"), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("thumbnail", Thumbnail)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
