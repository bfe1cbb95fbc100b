"""The errata can be searched on the built page, without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookkit.errata.table import load
from tests.browser.conftest import Watched

_, ENTRIES = load()


@pytest.fixture
def errata(built_book: Path, open_page: Callable[..., Watched]) -> Watched:
    return open_page((built_book / "book" / "errata.html").as_uri(), width=360)


def test_every_entry_is_a_row_that_can_be_linked_to(errata: Watched) -> None:
    assert errata.page.locator("table.errata tbody tr").count() == len(ENTRIES)
    for entry in ENTRIES:
        assert errata.page.locator(f"#erratum-{entry.id}").count() == 1
    errata.assert_quiet()


def test_the_form_filters_and_says_how_many_are_left(errata: Watched) -> None:
    page = errata.page
    rows, said = page.locator("table.errata tbody tr:visible"), page.locator(".errata-tools output")
    page.get_by_label("Verdict").select_option("wrong")
    wrong = sum(entry.verdict == "wrong" for entry in ENTRIES)
    assert rows.count() == wrong and said.inner_text() == f"{wrong} of {len(ENTRIES)} entries"
    page.get_by_label("Kind").select_option("formula")
    both = sum(entry.verdict == "wrong" and entry.kind == "formula" for entry in ENTRIES)
    assert rows.count() == both
    page.get_by_role("searchbox", name="Search").fill("no such words")
    assert rows.count() == 0 and said.inner_text() == f"0 of {len(ENTRIES)} entries"


def test_a_phone_shows_everything(errata: Watched) -> None:
    assert errata.page.evaluate("document.documentElement.scrollWidth") <= 360
