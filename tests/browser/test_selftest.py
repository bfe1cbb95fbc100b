"""The self-tests respond to mouse and keyboard, without network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]


def test_answers_are_judged_with_a_reason(built_book: Path, open_page: OpenPage) -> None:
    watched = open_page(built_book / "book" / "04-bahdanau.html")
    page = watched.page
    first = page.locator(".self-test fieldset").first
    said = first.locator(".self-test-said")
    assert first.locator(".self-test-why:visible").count() == 0
    first.get_by_label("after the step").check()
    assert said.inner_text().startswith("Not quite. ")
    assert "cannot be computed from it" in said.inner_text()
    page.keyboard.press("ArrowUp")
    assert said.inner_text().startswith("Right. It was computed from the earlier words and contexts")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    second = page.locator(".self-test fieldset").nth(1)
    assert second.locator(".self-test-said").inner_text().startswith("Right. ")
    assert said.inner_text().startswith("Right. "), "the other question keeps its answer"
    watched.assert_quiet()


def test_reasons_are_shown_without_scripts(built_book: Path, open_page: OpenPage) -> None:
    watched = open_page(built_book / "book" / "04-bahdanau.html", java_script_enabled=False)
    reasons = watched.page.locator(".self-test-why:visible")
    assert reasons.count() == watched.page.locator(".self-test-answer").count() > 10
    assert watched.page.locator(".self-test fieldset").count() == 5
