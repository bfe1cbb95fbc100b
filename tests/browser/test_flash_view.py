"""The flash widget in a browser: the numbers in its cells are those of plain softmax attention."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.flash_view import FlashView
from tests.browser.widgets import said, slide, stand, write

torch.manual_seed(1)
QUERY, KEY, VALUE = (2 * torch.randn(3, 6)).round(decimals=1)
SCORES = QUERY[:, None] * KEY


@pytest.fixture(scope="module")
def widget():
    return FlashView(QUERY, KEY, VALUE, tile=2, step=0)


def cells(page, kind):
    texts = page.locator(f".flash .cell.{kind}:visible").all_text_contents()
    return [text.replace("−", "-") for text in texts]


def scores(page):
    return {i: float(text) for i, text in enumerate(cells(page, "score")) if text not in ("", "·")}


def block(page, size):
    page.get_by_role("combobox", name="Block").select_option(str(size))


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_flash_view_outputs_equal_softmax_attention(page, size):
    block(page, size)
    page.get_by_role("slider", name="Step").press("End")
    found = [float(text.split("=")[1]) for text in cells(page, "run")]
    assert found == pytest.approx((SCORES.softmax(-1) @ VALUE).tolist(), abs=0.0051)
    assert scores(page) == {}


def test_flash_view_shows_only_the_scores_of_one_block(page):
    slide(page, "Step", 4 * 5 - 2)  # the second row of blocks, its second
    assert scores(page) == pytest.approx({i * 6 + j: float(SCORES[i, j]) for i in (2, 3) for j in (2, 3)}, abs=0.0051)
    page.get_by_role("button", name="Next step").click()
    largest = SCORES[2:4, :4].amax(-1)
    shares = (SCORES[2:4, 2:4] - largest[:, None]).exp()
    assert list(scores(page).values()) == pytest.approx(shares.flatten().tolist(), abs=0.0051)
    page.get_by_role("button", name="Next step").click()
    assert scores(page) == {}
    shares = (SCORES[2:4, :4] - largest[:, None]).exp()
    running = torch.stack((largest, shares.sum(-1), shares @ VALUE[:4]), -1)
    shown = [text for text in cells(page, "run") if text and "=" not in text]
    assert list(map(float, shown)) == pytest.approx(running.flatten().tolist(), abs=0.0051)


def test_flash_view_counts_fewer_moved_numbers_for_larger_blocks(page):
    assert "168 moved, 36 scores kept" in page.locator(".traffic").inner_text()
    for size, moved in ((1, 84), (2, 48), (3, 36), (6, 24)):
        block(page, size)
        page.get_by_role("slider", name="Step").press("End")
        assert f"{moved} of {moved} moved, {size**2} score" in page.locator(".traffic").inner_text()


def test_flash_view_plays_to_the_end_and_stops(page):
    block(page, 6)
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("output:has-text('all keys are seen')")
    assert page.get_by_role("button", name="Play").is_visible()
    assert page.get_by_role("button", name="Next step").get_attribute("aria-disabled") == "true"


def test_flash_view_goes_to_a_tapped_block(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    page.locator(".score").nth(6 * 2 + 5).tap()
    assert "Query 3:" in said(page) and set(scores(page)) == {16, 17, 22, 23}
