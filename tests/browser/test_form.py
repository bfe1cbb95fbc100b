"""Finished pages in a browser: drawn, interactive early, little code, nothing cut off, legible text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import Watched

BOOK = Path(__file__).parents[2] / "book"
DONE = [path.stem for path in sorted(BOOK.glob("*.md")) if re.search("^% form: done$", path.read_text("utf-8"), re.M)]
SCREEN = 900
MEASURE = """
() => {
  const article = document.querySelector("article.bd-article");
  const box = (element) => element.getBoundingClientRect();
  const top = box(article).top;
  const seen = (element) => box(element).height > 2 && element.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...article.querySelectorAll(selector)].filter(seen);
  const place = (element) => [box(element).top - top, box(element).bottom - top];
  const cells = all("div.cell_input");
  const blocks = cells.flatMap((cell) => [...cell.querySelectorAll("pre")]);
  const stop = all("h2").find((heading) => heading.innerText.includes("Common mistakes"));
  return {
    height: box(article).height,
    end: stop ? box(stop).top - top : box(article).height,
    code: cells.reduce((sum, cell) => sum + box(cell).height, 0),
    lines: blocks.map((block) => block.innerText.trimEnd().split("\\n").length),
    cut: blocks.filter((block) => block.scrollWidth > block.clientWidth + 1).map((block) => block.innerText),
    diagrams: all(".diagram").length,
    touch: all("[data-attnbook-widget], .predict").map(place),
    pictures: all("[data-attnbook-widget], .predict, .diagram, figure, .cell_output img").map(place),
  };
}
"""
LETTERS = """
() => [...document.querySelectorAll("article .diagram text")].filter((text) => text.getBoundingClientRect().width)
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b))
"""
FIGURES = """
() => [...document.querySelectorAll("article img.book-figure")].filter((image) => image.checkVisibility())
  .map((it) => [it.alt, [...it.classList], it.getBoundingClientRect().width, Number(it.getAttribute("width"))])
"""


@pytest.fixture(scope="module", params=DONE)
def opened(request: pytest.FixtureRequest, keep_page: Callable[..., Watched], built_book: Path) -> Iterator[Page]:
    """One page for all tests; the last test opens its answers. It is closed, because widgets keep playing."""
    page = keep_page((built_book / "book" / f"{request.param}.html").as_uri()).page
    page.wait_for_selector("[data-attnbook-widget] svg, [data-attnbook-widget] canvas, .predict-button")
    page.evaluate("document.querySelectorAll('img').forEach((image) => { image.loading = 'eager' })")
    page.wait_for_function("[...document.images].every((image) => image.complete)")
    yield page
    page.context.close()


@pytest.fixture
def done(opened: Page) -> Page:
    opened.set_viewport_size({"width": 1280, "height": SCREEN})
    opened.evaluate("document.documentElement.dataset.theme = 'light'")
    unfold(opened, False)
    return opened


def unfold(page: Page, answers: bool) -> None:
    for_each = "document.querySelectorAll('.predict-answer').forEach"
    page.evaluate(f"(open) => {for_each}((answer) => {{ answer.open = open }})", answers)


def test_finished_page_has_diagrams_and_little_code(done: Page) -> None:
    seen = done.evaluate(MEASURE)
    assert seen["code"] <= seen["height"] / 4
    assert max(seen["lines"], default=0) <= 25
    assert seen["cut"] == []
    assert seen["diagrams"] >= 3


def test_finished_page_is_interactive_early_and_illustrated(done: Page) -> None:
    seen = done.evaluate(MEASURE)
    assert min(start for start, _ in seen["touch"]) <= 2 * SCREEN
    reached, longest = 0.0, 0.0
    for start, end in sorted(seen["pictures"]):
        longest = max(longest, min(start, seen["end"]) - reached)
        reached = max(reached, end)
    assert max(longest, seen["end"] - reached) <= 4 * SCREEN


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_match_theme_and_width_of_the_page(done: Page, scheme: str) -> None:
    done.evaluate("theme => { document.documentElement.dataset.theme = theme }", scheme)
    unfold(done, True)
    for width, form in ((1280, "wide"), (360, "narrow")):
        done.set_viewport_size({"width": width, "height": SCREEN})
        figures = done.evaluate(FIGURES)
        assert figures
        for alt, classes, shown, own in figures:
            assert alt and scheme in classes and {"wide", "narrow"} & set(classes) <= {form}
            assert shown >= 0.72 * own, "letters of 11 points, 15.3 pixels, shrink to less than 11"
    assert min(done.evaluate(LETTERS)) >= 11


def test_prediction_fits_phone_with_wide_sliders(done: Page) -> None:
    """Firefox gives a slider 200 pixels by default; Chromium 129."""
    done.add_style_tag(content=":where(input[type=range]) { width: 200px }")
    done.set_viewport_size({"width": 320, "height": SCREEN})
    boxes = done.locator(".predict-value").all()
    assert all(box.evaluate("(box) => box.scrollWidth <= box.clientWidth") for box in boxes)


def all_code(page: Page) -> tuple[Locator, Locator]:
    """The first hidden code of the page, and the button that shows it."""
    hidden = page.locator(".cell.tag_plumbing:not(details .cell) > .cell_input").first
    return hidden, page.locator('[data-book="code"]').first


def test_all_code_button_shows_all_code(done: Page) -> None:
    hidden, button = all_code(done)
    assert not hidden.is_visible()
    button.click()
    assert hidden.is_visible() and button.get_attribute("aria-pressed") == "true"
    button.press("Enter")
    assert not hidden.is_visible() and button.get_attribute("aria-pressed") == "false"


def test_all_code_choice_persists_in_tab(built_book: Path, open_page: Callable[..., Watched]) -> None:
    page = open_page(built_book / "book" / "03-scoring-functions.html").page
    all_code(page)[1].click()
    page.evaluate("localStorage.clear()")  # because Chromium sometimes loses storage of pages on file://
    page.goto((built_book / "book" / "04-bahdanau.html").as_uri())
    hidden, button = all_code(page)
    assert hidden.is_visible()
    button.click()
    page.reload()
    assert not hidden.is_visible()


def test_all_code_choice_persists_in_other_tabs(
    serve: Callable[[Path], str], open_page: Callable[..., Watched], built_book: Path
) -> None:
    site = serve(built_book)
    page = open_page(f"{site}/book/03-scoring-functions.html").page
    all_code(page)[1].click()
    other = page.context.new_page()
    other.goto(f"{site}/book/04-bahdanau.html")
    assert all_code(other)[0].is_visible()


def test_prediction_opens_answer(done: Page) -> None:
    for box in done.locator(".predict").all():
        answer = box.locator(".predict-answer")
        assert answer.get_attribute("open") is None
        assert box.locator(".predict-button").is_disabled()
        if box.locator("input[type=radio]").count():
            box.locator("input[type=radio]").first.check()
        else:
            box.locator("[role=slider], input[type=range]").first.press("ArrowUp")
        box.locator(".predict-button").click()
        assert answer.get_attribute("open") is not None
        assert box.locator(".predict-said").inner_text()


def test_formula_of_the_right_choice_is_drawn_once(built_book: Path, open_page: Callable[..., Watched]) -> None:
    page = open_page(built_book / "book/02-nadaraya-watson.html").page
    box = page.locator(".predict", has=page.locator(".predict-choice .katex"))
    box.locator("input[type=radio]").first.check()
    box.locator(".predict-button").click()
    said = box.locator(".predict-said")
    assert said.locator(".katex").count() == 1 and "\\" not in said.inner_text()


def test_tap_on_handle_of_a_prediction_chooses_its_place(built_book: Path, open_page: Callable[..., Watched]) -> None:
    page = open_page(built_book / "book/how-fast.html", width=360, has_touch=True, is_mobile=True).page
    box = page.locator(".predict", has=page.locator("input[type=range]")).first
    assert box.locator(".predict-button").is_disabled()
    slider = box.locator("input[type=range]")
    slider.tap()  # in the middle, where the handle starts
    assert slider.input_value() == "50"
    box.locator(".predict-button").tap()
    assert box.locator(".predict-said").inner_text()
