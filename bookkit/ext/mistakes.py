"""Common mistakes: the directive ``{mistake}``.

Its content is a definition list with three terms, in this order::

    ```{mistake} Softmax over the wrong axis
    Symptom
    : The columns of the weights sum to one.

    Cause
    : `softmax(1)` where `softmax(-1)` was meant.

    Check
    : `assert torch.allclose(weights.sum(-1), torch.ones(()))`
    ```
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

TERMS = ["Symptom", "Cause", "Check"]


class Mistake(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        title, messages = self.parse_inline(self.arguments[0], lineno=self.lineno)
        box = nodes.admonition("", nodes.title("", "", *title), classes=["mistake"])
        box += self.parse_content_to_nodes()
        terms = [term.astext() for term in box.findall(nodes.term)]
        if terms != TERMS:
            raise self.error(f"mistake must have the terms {TERMS}, got {terms}")
        return [box, *messages]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("mistake", Mistake)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
