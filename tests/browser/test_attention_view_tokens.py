"""Any tokens in the attention view: hostile text is escaped, and many tokens stay inside the widget."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from attnbook.widgets.from_weights import attention_view
from tests.browser.attention_samples import colors, control, open_more, settle, to_the_end

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"'`${1}&amp;&lt;",
    "\u202eright to left",
    "שלום",
    "👩‍👩‍👧‍👦",
    "\u0000\uffff\u2028\ud800",
    "   ",
    "",
    "x" * 10_000,
)


def short(token: str) -> str:
    """A token as the view shortens it."""
    return token if len(token) <= 24 else f"{token[:23]}…"


def test_hostile_tokens_stay_text(tmp_path, open_page):
    n = len(HOSTILE)
    view = attention_view(torch.eye(n), list(HOSTILE), list(HOSTILE), title=HOSTILE[0], gold=[(0, 0)])
    watched = open_page(view.save_html(tmp_path / "hostile.html"))
    page = to_the_end(watched.page)
    for name in ("view-lines", "view-table", "view-map"):
        control(page, name).click()
        settle(page)
    box = page.locator("[role=grid]").bounding_box()
    for i in range(n):
        page.mouse.move(box["x"] + (i + 0.5) * box["width"] / n, box["y"] + (i + 0.5) * box["height"] / n)
        settle(page)
        assert "with weight 1.00" in page.locator("output").inner_text()
    open_more(page)
    with page.expect_download() as download:
        control(page, "svg").click()
    drawing = Path(download.value.path()).read_text(encoding="utf-8")
    assert "<script" not in drawing.replace("&lt;script", "") and "<img" not in drawing
    texts = [node.text for node in ElementTree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:3] == [short(token) for token in HOSTILE[:3]]
    with page.expect_download() as download:
        control(page, "png").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as download:
        control(page, "json").click()
    tokens = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["tokens"]["query"]
    assert tokens[:6] == list(HOSTILE[:6]) and tokens[9] == HOSTILE[9]
    assert page.evaluate("window.hacked") is None
    assert page.locator("section.card img, section.card script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator(".rows bdi").nth(3).evaluate("n => getComputedStyle(n).unicodeBidi") == "isolate"
    watched.assert_quiet()


@pytest.mark.parametrize("count", [1, 2, 64, 128, 256])
def test_any_number_of_tokens_stays_inside_the_widget(tmp_path, open_page, count):
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, count, count, generator=generator).softmax(-1)
    tokens = [f"token{i}" for i in range(count)]
    view = attention_view(weights, tokens)
    watched = open_page(view.save_html(tmp_path / "many.html"), width=700)
    page = to_the_end(watched.page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert colors(page).shape == (count, count, 3)
    page.locator("[role=grid]").focus()
    page.keyboard.press("Control+End")
    settle(page)
    assert f"“token{count - 1}” attends to “token{count - 1}”" in page.locator("output").text_content()
    ring = page.locator(".cells .here").bounding_box()
    scroller = page.locator(".scroller").bounding_box()
    assert ring["x"] + ring["width"] <= scroller["x"] + scroller["width"] + 1, "the focused cell is scrolled into sight"
    assert ring["y"] + ring["height"] <= scroller["y"] + scroller["height"] + 1
    for view_name in ("lines", "heads", "table"):
        control(page, f"view-{view_name}").click()
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
    watched.assert_quiet()
