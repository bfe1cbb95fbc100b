"""Widgets on a page without kernel or network: in the built book, and as one stand-alone file.

A saved widget becomes a ``<div>`` with a picture, its state as JSON, its bytes and its ES module (each once per page,
named by a hash) and a small script, ``js/static.js``, that mounts the module on the state. Everything is inline, except
that models in a site are scripts of their own, so it works from ``file://``. A content security policy must allow
``blob:`` and the inline scripts, by their hashes or by ``'unsafe-inline'``.

Untrusted text never becomes markup: ``<`` is escaped in JSON, and attributes and text are escaped by ``html.escape``.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnbook._internal.files import atomic_write
from attnbook.widgets.base import bundle
from attnbook.widgets.layout import encodable

STATIC_JS = bundle("static").read_text(encoding="utf-8")
_BYTES = (bytes, bytearray, memoryview)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def saved_state(widget: Any) -> dict[str, Any]:
    """Return the state of a live widget in the form in which notebooks save it.

    Args:
        widget: an ``anywidget.AnyWidget``.

    Returns:
        ``{"state": {...}, "buffers": [{"path": [...], "data": base64, "encoding": "base64"}]}``, the shape of one entry
        of ``notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]``. Only a trait that is
        bytes, or a list of bytes, is moved to the buffers; the widgets here have no other bytes.
    """
    state: dict[str, Any] = {}
    buffers = []

    def take(path: list[str | int], value: bytes | bytearray | memoryview) -> None:
        buffers.append({"path": path, "data": base64.b64encode(value).decode("ascii"), "encoding": "base64"})

    for name, value in widget.get_state().items():
        if isinstance(value, _BYTES):
            take([name], value)
        elif isinstance(value, list) and value and isinstance(value[0], _BYTES):
            for i, item in enumerate(value):
                take([name, i], item)
            state[name] = [None] * len(value)
        else:
            state[name] = value
    return {"state": state, "buffers": buffers}


def static_html(
    saved: Mapping[str, Any],
    *,
    png: bytes | None = None,
    alt: str | None = None,
    emitted: set[str] | None = None,
    sidecars: Path | None = None,
) -> str:
    """Return the HTML of one widget, which can be placed anywhere in a page.

    Args:
        saved: one widget as notebooks save it, with ``_esm``; see ``saved_state``.
        png: the picture for readers without JavaScript; if None, they see ``alt`` as text.
        alt: description of the picture; the state's own ``alt`` if None.
        emitted: names of the parts that the page already has; new names are added. Pass one set per page, so that
            widgets with the same module, or with the same bytes such as a model, include them only once. If None, the
            HTML includes everything.
        sidecars: the folder ``_widgets`` of the site. Bytes in a list, such as models, are written there and loaded
            when a reader needs them, by functions in the widget's state. If None, the HTML includes the bytes.

    Returns:
        markup without external references.

    Raises:
        ValueError: the state has no ``_esm``, a buffer is not base64, or a number is NaN or infinite.
    """
    state = dict(saved["state"])
    if not isinstance(state.get("_esm"), str):
        raise ValueError(f"saved must be the state of an anywidget, with _esm, got {sorted(state)}")
    esm = state["_esm"]
    for buffer in saved.get("buffers", ()):
        if buffer.get("encoding") != "base64":
            raise ValueError(f"saved must have buffers in base64, got {buffer.get('encoding')!r}")
        if not isinstance(buffer["data"], str) or not _BASE64.fullmatch(buffer["data"]):  # it is written into a script
            raise ValueError(f"saved must have buffers in base64, got {buffer['data']!r:.60}")
    emitted = set() if emitted is None else emitted
    inline: dict[str, str] = {}  # bytes that the page includes, by name
    buffers = []
    for buffer in saved.get("buffers", ()):
        name = _hash(buffer["data"])
        if sidecars is None or len(buffer["path"]) == 1:
            inline[name] = buffer["data"]
            buffers.append({"path": buffer["path"], "bytes": name})
        else:
            _write_sidecar(sidecars / f"{name}.js", name, buffer["data"])
            buffers.append({"path": buffer["path"], "file": name})
    content = {
        "state": {name: value for name, value in state.items() if not name.startswith("_") and name != "layout"},
        "buffers": buffers,
    }
    key = _hash(esm)
    alt = str(state.get("alt", "") if alt is None else alt)
    parts = [
        f'<div class="attnbook-static" data-attnbook-widget="{key}">',
        f"<div data-attnbook-picture>{_picture(png, alt)}</div>",
        f'<script type="application/json" data-attnbook-state>{_json(content)}</script>',
        "</div>",
    ]
    scripts = {name: _script("bytes", name, data) for name, data in inline.items()}
    scripts[key] = _script("module", key, esm)
    scripts["static.js"] = f'<script type="module">\n{STATIC_JS}</script>'
    parts += [script for name, script in scripts.items() if name not in emitted]
    emitted |= {*scripts}
    return "\n".join(parts)


def static_page(body: str, *, title: str) -> str:
    """A whole HTML page around ``body``.

    Args:
        body: markup, from ``static_html``.
        title: plain text.
    """
    title = html.escape(encodable(title))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n"
        "<style>:root { color-scheme: light dark; } body { margin: 1rem auto; max-width: 68rem; padding: 0 0.75rem; "
        "font-family: system-ui, sans-serif; }</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _script(kind: str, name: str, text: str) -> str:
    """A script element with text that a page includes once, for all widgets that refer to its name."""
    return f'<script type="application/json" data-attnbook-{kind}="{name}">{_json(text)}</script>'


def _write_sidecar(file: Path, name: str, data: str) -> None:
    """Write a script that contains bytes (``js/shared/sidecar_file.js``)."""
    if not file.exists():
        atomic_write(file, f'attnbookFile("{name}", "{data}");\n')


def _picture(png: bytes | None, alt: str) -> str:
    if png is None:
        return f"<p>{html.escape(alt)}</p>" if alt else ""
    data = base64.b64encode(png).decode("ascii")
    style = "max-width: 100%; height: auto"
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(alt)}" style="{style}">'


def _json(value: Any) -> str:
    """JSON for a script element, in which only ``<`` can begin or end an element or a comment."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
