"""The errata can be searched on the built page, without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookkit.errata.table import load
from tests.browser.conftest import Watched

_, ENTRIES = load()


@pytest.fixture(scope="module")
def errata(built_book: Path, keep_page: Callable[..., Watched]) -> Watched:
    return keep_page((built_book / "book" / "errata.html").as_uri(), width=360)


def test_entries_are_cards_with_addresses(errata: Watched) -> None:
    assert errata.page.locator(".erratum").count() == len(ENTRIES)
    for entry in ENTRIES:
        assert errata.page.locator(f"[id=erratum-{entry.id}]").count() == 1
    errata.assert_quiet()


def test_entry_unfolds_by_keyboard(errata: Watched) -> None:
    entry = errata.page.locator("#erratum-mask-shape details")
    assert entry.get_by_text("Treated in").is_hidden()
    entry.locator("summary").focus()
    errata.page.keyboard.press("Enter")
    assert entry.get_by_text("Treated in").is_visible()
    errata.page.keyboard.press("Enter")
    assert entry.get_by_text("Treated in").is_hidden()


def test_phone_shows_whole_entries(errata: Watched) -> None:
    assert errata.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_form_filters_and_counts_entries(errata: Watched) -> None:
    page = errata.page
    cards, said = page.locator(".erratum:visible"), page.locator(".errata-tools output")
    wanted: dict[str, str] = {}
    for label, field, value in (
        ("Verdict", "verdict", "wrong"),
        ("Kind", "kind", "claim"),
        ("Chapter", "chapter", "08-transformer"),
        ("Note", "note", "translator"),
    ):
        page.locator(".errata-tools label", has_text=label).locator("select").select_option(f"{field}-{value}")
        wanted[field] = value
        left = sum(all(getattr(entry, name) == value for name, value in wanted.items()) for entry in ENTRIES)
        assert 0 < left == cards.count() and said.inner_text() == f"{left} of {len(ENTRIES)} entries"
    page.get_by_role("searchbox", name="Search").fill("no such words")
    assert cards.count() == 0 and said.inner_text().startswith("No entry fits.")
    assert page.get_by_role("heading", name="The parts of the Transformer").is_hidden(), (
        "a note without entries is hidden"
    )
    page.get_by_role("button", name="Clear").click()
    assert cards.count() == len(ENTRIES)


def test_words_may_stand_anywhere_in_an_entry(errata: Watched) -> None:
    page = errata.page
    page.get_by_role("searchbox", name="Search").fill("heads mask broadcasting")
    assert page.locator("#erratum-mask-shape").is_visible()
    assert 0 < page.locator(".erratum:visible").count() < 5
    page.get_by_role("button", name="Open all").click()
    assert page.locator("#erratum-mask-shape").get_by_text("Treated in").is_visible()
    page.get_by_role("button", name="Close all").click()
    page.get_by_role("button", name="Clear").click()


def test_link_opens_its_entry_even_where_the_filter_hides_it(errata: Watched) -> None:
    page = errata.page
    page.get_by_role("searchbox", name="Search").fill("no such words")
    page.evaluate("location.hash = '#erratum-path-length'")
    page.locator("#erratum-path-length details[open]").wait_for()
    assert page.locator(".erratum:visible").count() == len(ENTRIES)


def test_entries_unfold_without_javascript(built_book: Path, open_page: Callable[..., Watched]) -> None:
    watched = open_page((built_book / "book" / "errata.html").as_uri(), java_script_enabled=False)
    entry = watched.page.locator("#erratum-mask-shape details")
    entry.locator("summary").click()
    assert entry.get_by_text("Treated in").is_visible()
    assert watched.page.locator(".errata-tools").is_hidden()
