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


def test_every_entry_is_a_card_that_can_be_linked_to(errata: Watched) -> None:
    assert errata.page.locator(".erratum").count() == len(ENTRIES)
    for entry in ENTRIES:
        assert errata.page.locator(f"[id=erratum-{entry.id}]").count() == 1
    errata.assert_quiet()


def test_how_we_know_unfolds(errata: Watched) -> None:
    evidence = errata.page.locator(".erratum details").first
    evidence.get_by_text("How we know").click()
    assert evidence.get_by_text("Treated in").is_visible()


def test_a_phone_shows_everything(errata: Watched) -> None:
    assert errata.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_form_filters_and_says_how_many_are_left(errata: Watched) -> None:
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
    assert cards.count() == 0 and said.inner_text() == f"0 of {len(ENTRIES)} entries"
