"""Diagrams: the directive ``{diagram}``.

Its argument names a file in ``diagrams/`` next to the page, whose function ``draw(narrow)`` returns a ``Drawing``. Its
content is the caption::

    ```{diagram} cue-desk
    :name: fig-cue-desk
    :alt: What the drawing shows, for readers who do not see it.
    The caption.
    ```

The page contains two drawings, for wide screens and for phones; its style sheet shows one of them.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit import drawing
from bookkit.drawing import PHONE, Drawing


def load(path: Path, *, narrow: bool) -> Drawing:
    """Run a diagram's file and return its drawing.

    Raises:
        ValueError: there is no such file, or the drawing is too wide for a phone.
    """
    if not path.is_file():
        raise ValueError(f"diagram must name a file in diagrams/, got {path.stem!r}: no file {path}")
    drawn: Drawing = runpy.run_path(str(path))["draw"](narrow)
    if narrow and drawn.width > PHONE:
        raise ValueError(f"{path.name}, narrow, must have width <= {PHONE}, got {drawn.width}")
    return drawn


class Diagram(SphinxDirective):
    has_content = True
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "name": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.doc2path(self.env.docname)).parent / "diagrams" / f"{self.arguments[0]}.py"
        for needed in (path, Path(drawing.__file__)):
            self.env.note_dependency(str(needed))
        if not self.options.get("alt") or not self.content:
            raise self.error(f"diagram {self.arguments[0]!r} must have an option alt and a caption")
        try:
            drawn = [load(path, narrow=narrow).svg(self.options["alt"], classes=kind)
                     for kind, narrow in (("wide", False), ("narrow", True))]  # fmt: skip
        except ValueError as error:
            raise self.error(str(error)) from error
        figure = nodes.figure("", nodes.raw("", "\n".join(drawn), format="html"), classes=["diagram"])
        inline, messages = self.parse_inline(" ".join(self.content), lineno=self.lineno)
        figure += nodes.caption("", "", *inline)
        self.set_source_info(figure)
        self.add_name(figure)
        return [figure, *messages]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("diagram", Diagram)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
