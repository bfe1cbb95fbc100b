"""The directive ``{models-of-today}``: the published configurations of ``models_of_today.yml``, with their sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from attnbook.pages.model_table import load_model_data, load_models, models_table, sources_list
from bookkit.ext.freshness import note_module


class ModelsOfToday(SphinxDirective):
    """``{models-of-today}``: the table; ``{models-of-today} sources``: the source of each cell."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "models_of_today.yml"))
        note_module(self.env, "attnbook.pages.model_table")
        models, data = load_models(start=root), load_model_data(start=root)
        if models is None or data is None:
            raise self.error("book/models_of_today.yml is missing")
        html = sources_list(data) if self.arguments == ["sources"] else models_table(models)
        return [nodes.raw("", f'<div class="evidence-table" tabindex="0">{html}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("models-of-today", ModelsOfToday)
    return {"version": "1", "parallel_read_safe": True}
