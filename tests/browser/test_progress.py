"""Predictions, self-tests and exercises are judged, counted and remembered, by the browser alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]
CHAPTER = "book/01-attention-cues.html"  # it asks for choices, a number and a curve
DENIED = """for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, {
  configurable: true, get() { throw new DOMException("denied", "SecurityError"); } });"""


def answer_all(page: Page) -> None:
    for box in page.locator(".predict").all():
        if box.locator("input[type=radio]").count():
            box.locator("input[type=radio]").first.check()
        else:
            box.locator("[role=slider], input[type=range]").first.press("ArrowUp")
        box.locator(".predict-button").click()


def said(page: Page) -> list[str]:
    return page.locator(".predict-said").all_inner_texts()


@pytest.mark.parametrize("from_disk", [True, False])
def test_progress_reload_shows_what_was_answered(
    built_book: Path, open_page: OpenPage, serve: Callable[[Path], str], from_disk: bool
) -> None:
    start = built_book.as_uri() if from_disk else serve(built_book)
    watched = open_page(f"{start}/{CHAPTER}")
    page = watched.page
    answer_all(page)
    page.locator(".self-test input").first.check()
    page.locator(".exercise-done input").first.check()
    before, results = said(page), page.locator(".book-results").inner_text()
    assert all(before) and "Exercises: 1 of" in results and "not made yet" not in results
    page.reload()
    assert said(page) == before and page.locator(".book-results").inner_text() == results
    assert page.locator(".predict-answer[open]").count() == len(before)
    assert page.locator(".exercise-done input").first.is_checked()
    page.locator(".predict input[type=radio]").last.check()  # the first answer counts
    page.locator(".predict .predict-button").first.click()
    assert page.locator(".book-results").inner_text() == results
    page.locator(".exercise-done input").first.uncheck()
    assert "Exercises: 0 of" in page.locator(".book-results").inner_text()
    watched.assert_quiet()


def test_progress_forget_button_forgets_everything(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / CHAPTER).page
    answer_all(page)
    with page.expect_navigation():
        page.locator(".book-results .book-forget").press("Enter")
    assert not any(said(page)) and page.locator(".predict-answer[open]").count() == 0
    assert page.evaluate("localStorage.getItem('book-progress') ?? sessionStorage.getItem('book-progress')") is None


def test_progress_storage_denied_page_works(built_book: Path, open_page: OpenPage) -> None:
    watched = open_page("about:blank")
    page = watched.page
    page.add_init_script(DENIED)
    page.goto((built_book / CHAPTER).as_uri())
    answer_all(page)
    assert all(said(page)) and "none of" not in page.locator(".book-results").inner_text()
    before = page.evaluate("document.documentElement.dataset.mode")
    page.locator("button.theme-switch-button:visible").first.click()
    assert page.evaluate("document.documentElement.dataset.mode") != before
    watched.assert_quiet()


def test_progress_front_page_leads_back(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / CHAPTER).page
    answer_all(page)
    page.locator("#looking-something-up").evaluate("(it) => it.scrollIntoView({ behavior: 'instant' })")
    page.wait_for_function("localStorage.getItem('book-progress')?.includes('looking-something-up')")
    page.goto((built_book / "book" / "intro.html").as_uri())
    link = page.locator(".book-continue")
    assert link.inner_text() == "Continue at 1.2 Looking something up"
    assert "predictions made" in page.locator(".book-so-far").inner_text()
    link.click()
    page.wait_for_url("**/01-attention-cues.html#looking-something-up")


def test_prediction_number_is_judged_with_its_unit(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / CHAPTER).page
    box = page.locator(".predict", has=page.locator("input[type=range]")).first
    assert box.locator(".predict-button").is_disabled()
    box.locator("input[type=range]").press("Enter")  # the middle, where the handle is
    box.locator(".predict-button").click()
    pattern = r"You said 50 %\. It is [\d.]+ %\. (Exactly so|(Near|Not far|Far off): [\d.]+ points? too (high|low))\."
    assert re.fullmatch(pattern, box.locator(".predict-said").inner_text())


def test_prediction_curve_numbers_are_rounded_and_thumbs_scroll(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / CHAPTER, width=360, has_touch=True).page
    box = page.locator(".predict", has=page.locator(".predict-curve")).first
    curve = box.locator(".predict-curve")
    for _ in range(3):
        curve.locator("circle").first.press("ArrowUp")
    values = curve.locator("circle").evaluate_all("(all) => all.map((it) => it.getAttribute('aria-valuenow'))")
    assert all(len(value) < 7 for value in values)
    touched = "(it) => getComputedStyle(it).touchAction"
    assert curve.evaluate(touched) == "pan-y" and curve.locator("circle").first.evaluate(touched) == "none"
    assert box.locator(".predict-legend .truth").is_hidden()
    curve.tap(position={"x": 150, "y": 60})
    moved = curve.locator("circle").evaluate_all("(all) => all.map((it) => it.getAttribute('aria-valuenow'))")
    assert moved != values
    box.locator(".predict-button").click()
    assert box.locator(".predict-legend .truth").is_visible()
