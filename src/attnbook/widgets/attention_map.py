"""The attention widget, which shows recorded frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from attnbook._internal.files import atomic_write
from attnbook.widgets.base import bundle
from attnbook.widgets.encoding import Frame, FrameLog, Series
from attnbook.widgets.head_metrics import VIEWS, HeadMetrics
from attnbook.widgets.layout import Layout, encodable
from attnbook.widgets.next_tokens import NextTokens
from attnbook.widgets.picture import draw_png, text_table
from attnbook.widgets.static import saved_state, static_html, static_page

MOST_BYTES = 200_000  # of a widget's compressed frames, to keep saved pages small


class AttentionMap(anywidget.AnyWidget):
    """Interactive attention weights, in a notebook and on a page without kernel or network.

    ``attention_view`` makes one from weights. Its subclass ``AttentionView`` grows while a model trains.

    Args:
        layout: the order of the weights in a frame.
        title: heading of the widget and of exported pictures.
        max_frames: most frames kept.
        next_tokens: the next tokens that follow the weights in a frame, if any.

    Raises:
        TypeError: ``title`` is not a str.
    """

    _esm = bundle("attention_view")
    header = traitlets.Dict().tag(sync=True)
    data = traitlets.Bytes().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)  # names of next tokens by id
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, layout: Layout, *, title: str, max_frames: int = 120, next_tokens: NextTokens | None = None
    ) -> None:
        if not isinstance(title, str):
            raise TypeError(f"title must be a str, got {title!r}")
        self.frame_layout = layout
        self.title = title = encodable(title)
        self.next_tokens = next_tokens
        size = layout.size + (next_tokens.size if next_tokens else 0)
        self.frame_log = FrameLog(size, max_frames, MOST_BYTES)
        self.series = Series()
        has_gold = HeadMetrics(layout).has_gold()
        header = layout.header() | {
            "id": uuid4().hex,
            "title": title,
            "views": list(VIEWS),
            "measured_gold": has_gold,
            "next": list(next_tokens.axes) if next_tokens else [],
        }
        super().__init__(header=header, alt=title)
        self._display_id: str | None = None
        self._finished = False

    def flush(self, progress: dict[str, Any], *, final: bool = False) -> None:
        """Update the saved state.

        Args:
            progress: plain data for the progress bar.
            final: whether this is the last update, which adds a picture to the output.
        """
        self._finished = final
        if final and self.next_tokens:
            self.words = self.named(self.frame_log.frames)  # drops the names of frames that were thinned out
        self.data = self.frame_log.encode(series=self.series, progress=progress, final=final)
        if final:
            self.alt = self._describe()
            if self._display_id is not None:
                self._show(update=True)

    def named(self, frames: Sequence[Frame]) -> dict[str, str]:
        """Return the names of the next tokens in some frames, by id."""
        if self.next_tokens is None or not frames:
            return {}
        return self.next_tokens.names([frame.codes[self.frame_layout.size :] for frame in frames])

    def _describe(self) -> str:
        kind, sentence = self.frame_layout.kinds[0], self.frame_layout.sentences[0]
        step = self.frame_log.frames[-1].step
        at = f" at step {step}" if len(self.frame_log.frames) > 1 else ""
        shown = encodable(sentence.label)
        return f"{self.title}{at}: {kind.label}, mean over the heads of the last layer, for {shown!r}."

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the widget as one file that needs neither kernel nor network.

        Args:
            path: of the file, which is written whole or not at all.

        Returns:
            the path.

        Raises:
            OSError: the file cannot be written.
        """
        page = static_page(
            static_html(saved_state(self), png=draw_png(self.frame_layout, self.frame_log.frames[-1])), title=self.title
        )
        return atomic_write(path, page)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        frame = self.frame_log.frames[-1]
        data: dict[str, Any] = {
            "application/vnd.jupyter.widget-view+json": {
                "version_major": 2,
                "version_minor": 0,
                "model_id": self.model_id,
            },
            "text/plain": text_table(self.frame_layout, frame),
        }
        if self._finished:
            data["image/png"] = draw_png(self.frame_layout, frame)
        return data, {"image/png": {"alt": self.alt}}

    def _ipython_display_(self, **kwargs: Any) -> None:
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        """Display the widget, or add the finished picture to every output that displays it."""
        from IPython.display import publish_display_data

        self._display_id = self._display_id or f"attnbook-{self.model_id}"
        data, metadata = self._repr_mimebundle_()
        publish_display_data(data, metadata, transient={"display_id": self._display_id}, update=update)
