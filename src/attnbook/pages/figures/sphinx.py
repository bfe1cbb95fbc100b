"""Figures in a book built by MyST-NB: one image for each theme and width; the style sheet shows one of them.

MyST-NB finds ``PageFigures`` through the entry point group ``myst_nb.mime_renderers``. A figure becomes images
with the classes ``wide`` or ``narrow`` (or neither, if one drawing is for both) and ``light`` or ``dark``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, ClassVar

from docutils import nodes

from attnbook.pages.figures.dark import dark
from attnbook.pages.figures.svg import MIME


class PageFigures:
    """A MIME renderer of MyST-NB."""

    mime_priority_overrides: ClassVar[Sequence[tuple[str, str, int | None]]] = (("*", MIME, 0),)

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Element] | None:
        """Return the images of one figure, or None for an output that is not a figure."""
        if data.mime_type != MIME:
            return None
        config = renderer.renderer.get_cell_level_config("render_image_options", data.cell_metadata, line=data.line)
        pictures: list[nodes.Element] = []
        for width, svg in data.content.items():
            for theme, drawn in (("light", svg), ("dark", dark(svg))):
                content = drawn.encode()
                name = f"{hashlib.sha256(content).hexdigest()[:24]}.svg"
                uri = renderer.write_file([name], content, overwrite=False, exists_ok=True)
                classes = ["book-figure", theme, *([width] if len(data.content) > 1 else [])]
                pictures.append(nodes.image(uri=uri, classes=classes, alt=config.get("alt", "")))
        return pictures
