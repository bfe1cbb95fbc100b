"""An interactive translator with a stored model: the directive ``{translator}``.

Its argument is a model file, as written by ``attnbook.widgets.page_model``; its content is the sentence that is
translated at first::

    ```{translator} results/pages/bahdanau.page
    She doesn't know the old house.
    ```
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from attnbook.widgets.static import saved_state, static_html
from attnbook.widgets.translate_view import TranslateView
from bookkit.ext.freshness import note_module


class Translator(SphinxDirective):
    has_content = True
    required_arguments = 1
    option_spec: ClassVar = dict.fromkeys(("title", "tip", "corpus", "name"), directives.unchanged_required)

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.srcdir) / self.arguments[0]
        self.env.note_dependency(str(path))
        note_module(self.env, "attnbook.widgets.translate_view")
        try:
            view = TranslateView({0: path.read_bytes()}, " ".join(self.content), **self.options)
        except (OSError, ValueError) as error:
            raise self.error(f"translator must name a model file: {error}") from error
        picture = view._repr_mimebundle_()[0]["image/png"]
        html = static_html(saved_state(view), png=picture, sidecars=Path(self.env.app.outdir) / "_widgets")
        return [nodes.raw("", html, format="html", classes=["output", "attnbook-widget"])]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("translator", Translator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
