"""The flash widget in a browser: the running numbers are those of the softmax over the keys met so far."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.flash_view import FlashView
from tests.browser.widgets import said, slide

torch.manual_seed(1)
SCORES, VALUES = (3 * torch.randn(8, 8)).round(decimals=3), torch.randn(8).round(decimals=3)


@pytest.fixture(scope="module")
def widget():
    return FlashView(SCORES, VALUES, tile=2, done=0, query=0)


@pytest.mark.parametrize(("tile", "done", "query", "seen"), [(2, 0, 0, 0), (2, 3, 1, 6), (2, 3, 2, 0), (1, 64, 7, 8),
                                                             (4, 3, 5, 4), (4, 3, 2, 8), (8, 1, 3, 8)])  # fmt: skip
def test_what_a_query_has_met_is_pooled(page, tile, done, query, seen):
    page.get_by_role("combobox", name="Tile").select_option(str(tile))
    slide(page, "Tiles done", done)
    slide(page, "Query", query)
    if not seen:
        assert "has seen no keys yet" in said(page)
        return
    assert f"Query {query + 1} has seen {seen} of 8 keys" in said(page)
    pooled, whole = map(float, re.findall(r"(?:ℓ =|gives) (-?\d+\.\d+)", said(page)))
    assert pooled == pytest.approx(float(SCORES[query, :seen].softmax(0) @ VALUES[:seen]), abs=1e-3)
    assert whole == pytest.approx(float(SCORES[query].softmax(0) @ VALUES), abs=1e-3)


def test_only_the_tile_in_work_is_there(page):
    slide(page, "Tiles done", 7)  # the second row of tiles, its third
    filled = page.locator(".flash .cell").evaluate_all(
        "all => all.map((n, i) => +n.getAttribute('fill-opacity') ? i : -1)"
    )
    assert [i for i in filled if i >= 0] == [20, 21, 28, 29]


def test_it_plays_to_the_end_and_stops(page):
    page.get_by_role("combobox", name="Tile").select_option("8")
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("output:has-text('has seen 8 of 8 keys')")
    assert page.get_by_role("button", name="Play").is_visible()
