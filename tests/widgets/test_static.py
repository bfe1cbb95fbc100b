"""Saved widgets as markup: nothing from outside becomes HTML, nothing is carried twice."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser

import anywidget
import pytest
import traitlets

from attnbook.widgets.static import saved_state, static_html, static_page

HOSTILE = '</script><script>alert(1)</script><!-- <script> & "quoted" \' \u2028 \u202e \U0001f600'
ESM = "export default { render({ model, el }) { el.textContent = model.get('text'); } }; // </script>"
PNG = b"\x89PNG\r\n\x1a\n rest"


class Outline(HTMLParser):
    """Tags with their attributes, and the text of each script."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._script: dict[str, str | None] | None = None
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = dict(attrs) if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))


def saved(**state: object) -> dict:
    buffers = [{"path": ["data"], "data": base64.b64encode(b"\x00\xff").decode(), "encoding": "base64"}]
    return {"state": {"_esm": ESM, "_model_name": "AnyModel", "layout": "IPY_MODEL_1", **state}, "buffers": buffers}


def test_state_and_module_round_trip_with_hostile_text():
    outline = Outline(static_html(saved(text=HOSTILE, alt=HOSTILE), png=PNG))
    assert [tag for tag, _ in outline.tags] == ["div", "div", "img", "script", "script", "script", "script"]
    (_, state), (bytes_attrs, data), (module_attrs, module), (shim_attrs, _) = outline.scripts
    assert json.loads(state) == {
        "state": {"text": HOSTILE, "alt": HOSTILE},
        "buffers": [{"path": ["data"], "bytes": bytes_attrs["data-attnbook-bytes"]}],
    }
    assert json.loads(data) == "AP8="
    assert json.loads(module) == ESM
    assert module_attrs["data-attnbook-module"] == outline.tags[0][1]["data-attnbook-widget"]
    assert shim_attrs == {"type": "module"}
    picture = outline.tags[2][1]
    assert picture["alt"] == HOSTILE
    assert base64.b64decode((picture["src"] or "").removeprefix("data:image/png;base64,")) == PNG


def test_page_has_module_and_script_once_for_many_widgets():
    emitted: set[str] = set()
    page = "".join(static_html(saved(text=str(i)), emitted=emitted) for i in range(3))
    outline = Outline(page)
    assert page.count('data-attnbook-widget="') == 3
    assert sum("data-attnbook-module" in attrs for attrs, _ in outline.scripts) == 1
    assert sum(attrs.get("type") == "module" for attrs, _ in outline.scripts) == 1


def test_page_has_bytes_once_for_widgets_of_two_kinds():
    emitted: set[str] = set()
    write, speculate = saved(_esm=ESM), saved(_esm=f"// another kind\n{ESM}")
    outline = Outline(static_html(write, emitted=emitted) + static_html(speculate, emitted=emitted))
    states = [json.loads(text) for attrs, text in outline.scripts if "data-attnbook-state" in attrs]
    (name,) = (attrs["data-attnbook-bytes"] for attrs, _ in outline.scripts if "data-attnbook-bytes" in attrs)
    assert [state["buffers"] for state in states] == 2 * [[{"path": ["data"], "bytes": name}]]
    other = {**saved(), "buffers": [{"path": ["data"], "data": "AAAA", "encoding": "base64"}]}
    assert "data-attnbook-bytes" in static_html(other, emitted=emitted), "other bytes are carried too"


def test_text_alternative_replaces_missing_picture():
    assert "<p>a &lt;b&gt; c</p>" in static_html(saved(alt="a <b> c"))
    assert "<p>given</p>" in static_html(saved(alt="own"), alt="given")


def test_static_html_has_no_external_references():
    page = static_page(static_html(saved(text="x"), png=PNG), title="<i>")
    assert "&lt;i&gt;" in page and "<i>" not in page
    assert not re.search(r"https?:|//cdn|src=\"(?!data:)|href=", page)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"state": {}}, "^saved must"),
        ({"state": {"_esm": ESM, "loss": float("nan")}}, "(?i)nan|JSON"),
        ({"state": {"_esm": ESM}, "buffers": [{"path": ["x"], "data": "00", "encoding": "hex"}]}, "'hex'"),
        (
            {"state": {"_esm": ESM}, "buffers": [{"path": ["x", 0], "data": '");alert(1);("', "encoding": "base64"}]},
            "^saved must",
        ),
    ],
)
def test_static_raises_for_state_that_cannot_be_shown(wrong: dict, message: str):
    with pytest.raises(ValueError, match=message):
        static_html(wrong)


def test_static_page_title_with_lone_surrogate_can_be_written():
    page = static_page("", title="half\ud83d").encode("utf-8").decode()
    assert "<title>half?</title>" in page and "<h1>half?</h1>" in page


def test_saved_state_equals_state_in_notebook():
    class Small(anywidget.AnyWidget):
        _esm = ESM
        data = traitlets.Bytes(b"\x01\x02").tag(sync=True)
        text = traitlets.Unicode("t").tag(sync=True)

    saved_widget = saved_state(Small())
    assert saved_widget["buffers"] == [{"path": ["data"], "data": "AQI=", "encoding": "base64"}]
    assert saved_widget["state"]["text"] == "t" and saved_widget["state"]["_esm"] == ESM
    assert "data" not in saved_widget["state"]
