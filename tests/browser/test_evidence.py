"""An evidence mark opens a card, by mouse and keyboard, and is a link without scripts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built book of two pages with the book's own styles and scripts."""
    book = tmp_path_factory.mktemp("book")
    shutil.copytree(root / "results" / "controls", book / "results" / "controls")
    shutil.copytree(root / "book" / "_static", book / "_static", ignore=shutil.ignore_patterns("katex"))
    name = sorted((book / "results" / "controls").glob("*.json"))[0].stem
    (book / "book").mkdir()
    (book / "_toc.yml").write_text("format: jb-book\nroot: book/intro\nchapters:\n  - file: book/evidence\n")
    (book / "book" / "intro.md").write_text(f"# A book\n\nIt learns faster.{{evidence}}`{name}` And so on.\n")
    (book / "book" / "evidence.md").write_text("# Evidence\n\n```{evidence-list}\n```\n")
    settings = {
        "extensions": ["myst_parser", "sphinx_external_toc", "bookkit.ext.evidence"],
        "html_theme": "sphinx_book_theme",
        "html_static_path": ["_static"],
        "html_css_files": ["book.css"],
    }
    with docutils_namespace():
        Sphinx(book, None, book / "site", book / "doctrees", "html", settings).build()
    return book / "site" / "book"


def test_click_opens_a_card_that_escape_closes(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "intro.html").page
    mark = page.locator("a.evidence")
    mark.click()
    card = page.locator("dialog.evidence-dialog")
    assert card.get_by_role("heading").inner_text().endswith("?")
    assert "python -m experiments.controls" in card.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Close"
    page.keyboard.press("Escape")
    card.wait_for(state="detached")
    assert page.evaluate("document.activeElement.className") == "evidence"


def test_card_works_by_keyboard_and_fits_a_phone(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "intro.html", width=360, height=640, color_scheme="dark").page
    page.locator("a.evidence").focus()
    page.keyboard.press("Enter")
    box = page.locator("dialog.evidence-dialog").bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 360
    page.keyboard.press("Enter")
    page.locator("dialog.evidence-dialog").wait_for(state="detached")


def test_backdrop_closes_the_card(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "intro.html").page
    page.locator("a.evidence").click()
    page.locator("dialog.evidence-dialog").wait_for()
    page.mouse.click(5, 5)
    page.locator("dialog.evidence-dialog").wait_for(state="detached")


def test_address_of_an_entry_unfolds_it(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "intro.html").page
    address = page.locator("a.evidence").get_attribute("href")
    assert address is not None
    page.goto(f"{(site / 'evidence.html').as_uri()}#{address.split('#')[1]}")
    assert page.locator(":target details.evidence-fold[open] .evidence-facts").is_visible()
    assert page.locator("details.evidence-fold[open]").count() == 1


def test_mark_without_scripts_leads_to_the_entry(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "intro.html", java_script_enabled=False).page
    page.locator("a.evidence").click()
    assert "evidence.html#evidence-" in page.url
    page.locator(":target .evidence-facts").wait_for(state="attached")
