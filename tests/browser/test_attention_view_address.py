"""The page's address stores the state of an attention view and restores it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlparse

import pytest

from attnbook.widgets.static import saved_state, static_html, static_page
from tests.browser.attention_samples import (
    CROSS,
    DECODER,
    Sample,
    assert_shows,
    choose,
    control,
    open_more,
    sample,
    settle,
    to_the_end,
)

CLIPBOARD = "navigator.clipboard.writeText = async text => { window.copied = text; }"
WRITTEN = 600  # milliseconds after which the address is written


@pytest.fixture(scope="module")
def path(known: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with two views of the same title, and a section far below."""
    emitted: set[str] = set()
    views = [static_html(saved_state(each.widget), emitted=emitted) for each in (known, sample())]
    body = "<div style='height: 2000px'></div>".join([*views, "<h2 id='below'>Below</h2>"])
    path = tmp_path_factory.mktemp("view") / "views.html"
    path.write_text(static_page(body, title="Views"), encoding="utf-8")
    return path


def stand(open_page: Callable[..., Any], url: str) -> Any:
    """A watched page after both views are drawn."""
    watched = open_page(url, reduced_motion="reduce")
    page = watched.page
    page.wait_for_function("() => document.querySelectorAll('[data-attnbook-mounted=yes]').length === 2")
    for view in page.locator(".attnbook-static").all():
        view.locator(".stage > *").first.wait_for()
    settle(page)
    return watched


def parts(page: Any) -> dict[str, str]:
    """The parts of the address."""
    page.wait_for_timeout(WRITTEN)
    return dict(parse_qsl(urlparse(page.url).fragment))


def test_address_restores_choices(path: Path, known: Sample, open_page: Any) -> None:
    page = stand(open_page, path.as_uri()).page
    assert parts(page) == {}, "a reader who has done nothing has no address"
    second = page.locator(".attnbook-static").nth(1)
    second.get_by_label("Training step", exact=True).press("End")
    second.get_by_label("Training step", exact=True).press("ArrowLeft")
    second.locator("[data-control=kind]").select_option(index=DECODER)
    second.locator("[data-control=head]").select_option(label="2")
    second.locator(".rows .token").nth(2).click()
    found = parts(page)
    assert (
        found.items() >= {"view-sample-2.step": "150", "view-sample-2.kind": "2", "view-sample-2.pin": "row 2"}.items()
    )
    assert all(name.startswith("view-sample-2.") for name in found)
    again = stand(open_page, page.url).page
    views = again.locator(".attnbook-static")
    assert views.nth(0).locator(".step").inner_text() == "step 0"
    assert views.nth(1).locator(".step").inner_text() == "step 150"
    assert "pinned" in views.nth(1).locator(".rows .token").nth(2).get_attribute("class")
    assert_shows(again, known.matrix(-2, DECODER, 0, 1, 1), which=1)
    box = views.nth(1).bounding_box()
    assert box["y"] < 900 and box["y"] + box["height"] > 0, "it is brought into sight"
    views.nth(1).get_by_role("button", name="Reset").click()
    assert parts(again) == {}


def test_address_follows_reader_who_arrived_at_a_step(path: Path, open_page: Any) -> None:
    page = stand(open_page, f"{path.as_uri()}#view-sample.step=150").page
    page.get_by_label("Training step", exact=True).first.press("ArrowLeft")
    assert parts(page)["view-sample.step"] == "100"


def test_copied_link_has_comparison_and_threshold(path: Path, open_page: Any) -> None:
    page = stand(open_page, path.as_uri()).page
    page.evaluate(CLIPBOARD)
    page.locator("details.more").first.evaluate("node => { node.open = true }")
    first = page.locator(".attnbook-static").first
    first.locator("[data-control=compare]").select_option("head")
    first.locator("[data-control=other]").select_option("0 2")
    first.locator("[data-control=difference]").check()
    first.locator("[data-control=least]").evaluate(
        "node => { node.value = 0.07; node.dispatchEvent(new Event('input')) }"
    )
    first.locator("[data-control=link]").click()
    page.wait_for_function("() => window.copied")
    assert first.locator("output").inner_text() == "Link copied."
    again = stand(open_page, page.evaluate("window.copied")).page
    open_more(again.locator(".attnbook-static").first)
    wanted = {"compare": "head", "other": "0 2", "least": "0.07"}
    assert {name: control(again, name).first.input_value() for name in wanted} == wanted
    assert control(again, "difference").first.is_checked()
    assert again.locator(".heatmap .caption").first.inner_text() == (
        "step 0 · layer 2 − layer 1 · mean over heads − head 3"
    )


def test_changed_address_restores_view_and_section_anchor_is_ignored(path: Path, known: Sample, open_page: Any) -> None:
    page = stand(open_page, path.as_uri() + "#below").page
    page.evaluate("location.hash = 'view-sample.step=58&view-sample.head=1'")
    settle(page)
    assert_shows(page, known.matrix(4, CROSS, 0, 1, 1))  # the recorded step nearest to 58
    assert page.locator(".step").first.inner_text() == "step 60"
    page.evaluate("location.hash = 'below'")
    settle(page)
    assert page.locator(".step").first.inner_text() == "step 60"


EVIL = [
    "view-sample.step=-3&view-sample.kind=99&view-sample.head=%3Cimg%20src=x%20onerror=hacked=1%3E",
    "view-sample.view=constructor&view-sample.curve=__proto__&view-sample.compare=kind&view-sample.other=77",
    "view-sample.pin=row+999999&view-sample.__proto__=1&view-sample.least=9e9&%E0%A4%A=%",
    "view-sample=%7B%22step%22%3A40%7D",
    "=&&==&.&view-sample.&.step=4" + "&view-sample.step=1" * 2000,
]


@pytest.mark.parametrize("fragment", EVIL)
def test_address_ignores_invalid_values(path: Path, open_page: Any, fragment: str) -> None:
    watched = stand(open_page, f"{path.as_uri()}#{fragment}")
    page = watched.page
    assert page.locator(".step").first.inner_text() == "step 0"
    assert control(page, "kind").first.input_value() == "0" and control(page, "head").first.input_value() == "mean"
    assert page.evaluate("window.hacked") is None
    page.get_by_label("Training step", exact=True).first.press("End")
    settle(page)
    assert page.locator(".step").first.inner_text() == "step 200"
    watched.assert_quiet()


def test_notebook_ignores_address(known: Sample, open_page: Any, tmp_path: Path) -> None:
    html = known.write(tmp_path).read_text(encoding="utf-8").replace('class="attnbook-static"', 'class="output"')
    notebook = tmp_path / "notebook.html"
    notebook.write_text(html, encoding="utf-8")
    page = open_page(notebook.as_uri() + "#view-sample.head=1", reduced_motion="reduce").page
    to_the_end(page)
    assert control(page, "head").input_value() == "mean"
    choose(page, "head", "2")
    page.wait_for_timeout(WRITTEN)
    assert re.search(r"#view-sample\.head=1$", page.url)
    assert control(page, "link").count() == 0
