"""Widgets on a page without kernel or network: in the built book, and as one stand-alone file.

A saved widget becomes a ``<div>`` with a picture, its state as JSON, its ES module (once per page) and a small script,
``js/static.js``, that mounts the module on the state. Everything is inline, so it works from ``file://``. A page with a
content security policy must allow ``script-src 'unsafe-inline' blob:``.

Text from outside never becomes markup: JSON is written with ``<``, ``>`` and ``&`` escaped, attributes and text by
``html.escape``.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from typing import Any

from attnbook.widgets.shown import bundle

STATIC_JS = bundle("static").read_text(encoding="utf-8")
_UNSAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def saved_state(widget: Any) -> dict[str, Any]:
    """The state of a live widget, as notebooks save it.

    Args:
        widget: an ``anywidget.AnyWidget``.

    Returns:
        ``{"state": {...}, "buffers": [{"path": [...], "data": base64, "encoding": "base64"}]}``, the shape of one entry
        of ``notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]``. Only bytes that are
        a trait of their own are taken out of the state, as every widget here keeps them.
    """
    state: dict[str, Any] = {}
    buffers = []
    for name, value in widget.get_state().items():
        if isinstance(value, bytes | bytearray | memoryview):
            data = base64.b64encode(value).decode("ascii")
            buffers.append({"path": [name], "data": data, "encoding": "base64"})
        else:
            state[name] = value
    return {"state": state, "buffers": buffers}


def static_html(
    saved: Mapping[str, Any], *, png: bytes | None = None, alt: str | None = None, emitted: set[str] | None = None
) -> str:
    """HTML of one widget, to be put anywhere in a page.

    Args:
        saved: one widget as notebooks save it, see :func:`saved_state`; it must hold ``_esm``.
        png: the picture for readers without scripts; ``alt`` as text if None.
        alt: what the picture shows; the state's own ``alt`` if None.
        emitted: what the page holds already; names are added. Hand in one set per page, so that several widgets
            of a kind carry their module once. If None, the HTML holds all it needs.

    Returns:
        markup without any reference to the outside.

    Raises:
        ValueError: the state has no ``_esm``, a buffer is not base64, or a number is NaN or infinite.
    """
    state = dict(saved["state"])
    if not isinstance(state.get("_esm"), str):
        raise ValueError(f"saved has no _esm among {sorted(state)}: wanted the state of an anywidget")
    esm = state["_esm"]
    for buffer in saved.get("buffers", ()):
        if buffer.get("encoding") != "base64":
            raise ValueError(f"saved has a buffer in {buffer.get('encoding')!r}: wanted base64")
    content = {
        "state": {name: value for name, value in state.items() if not name.startswith("_") and name != "layout"},
        "buffers": [{"path": b["path"], "data": b["data"]} for b in saved.get("buffers", ())],
    }
    emitted = set() if emitted is None else emitted
    key = hashlib.sha256(esm.encode()).hexdigest()[:16]
    alt = str(state.get("alt", "") if alt is None else alt)
    parts = [
        f'<div class="attnbook-static" data-attnbook-widget="{key}">',
        f"<div data-attnbook-picture>{_picture(png, alt)}</div>",
        f'<script type="application/json" data-attnbook-state>{_json(content)}</script>',
        "</div>",
    ]
    if key not in emitted:
        parts.append(f'<script type="application/json" data-attnbook-module="{key}">{_json(esm)}</script>')
    if "static.js" not in emitted:
        parts.append(f'<script type="module">\n{STATIC_JS}</script>')
    emitted |= {key, "static.js"}
    return "\n".join(parts)


def static_page(body: str, *, title: str) -> str:
    """A whole HTML page around ``body``.

    Args:
        body: markup, from :func:`static_html`.
        title: plain text.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(title)}</title>\n"
        "<style>:root { color-scheme: light dark; } body { margin: 1rem auto; max-width: 68rem; padding: 0 0.75rem; "
        "font-family: system-ui, sans-serif; }</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{html.escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _picture(png: bytes | None, alt: str) -> str:
    if png is None:
        return f"<p>{html.escape(alt)}</p>" if alt else ""
    data = base64.b64encode(png).decode("ascii")
    style = "max-width: 100%; height: auto"
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(alt)}" style="{style}">'


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_UNSAFE)
