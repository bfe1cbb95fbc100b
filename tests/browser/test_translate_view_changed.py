"""A reader's changes in the translator have the same effect as in the package."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.data import BOS, EOS
from attnbook.observe.interventions import Cell, intervening
from attnbook.widgets.page_model import read_page
from tests.browser.translators import (
    CROSS,
    MODELS,
    SOURCE,
    TYPED,
    close,
    enter,
    expected,
    ids,
    probabilities,
    settle,
    written,
)
from tests.browser.widgets import stand


def test_forbidden_cell_changes_later_words(translator: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    _, p_before = expected(TYPED)
    page.get_by_role("tab", name="Change").click()
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 3:  # the first row, the third word
        page.keyboard.press(key)
    page.get_by_role("button", name="Forbid attention").click()
    settle(page)
    wanted, p_now = expected(TYPED, cells=[Cell(CROSS, row=0, column=2)])
    data = written(page)
    assert ids(data) == wanted
    assert data["written"][0]["attention"][CROSS][0][2] == 0
    before, judged, now = probabilities(page)
    assert (before, now) == (close(p_before), close(p_now))
    assert judged == close(judged_by(TYPED, expected(TYPED)[0], cells=[Cell(CROSS, row=0, column=2)]))
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("button", name="Undo all changes").click()
    settle(page)
    assert ids(written(page)) == expected(TYPED)[0]


def test_cell_forbidden_in_all_rows_is_marked_so_where_it_is_forced_too(translator: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 3:  # the first row, the third word
        page.keyboard.press(key)
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("checkbox", name="for all output words").check()
    page.get_by_role("button", name="Forbid attention").click()
    page.get_by_role("checkbox", name="for all output words").uncheck()
    page.get_by_role("button", name="Attend only here").click()
    settle(page)
    assert page.locator(".picture path.mark").count() == 1 and page.locator(".picture circle.mark").count() == 0
    data = written(page)
    assert len(data["experiment"]["cells"]) == 2
    assert data["written"][0]["attention"][CROSS][0][2] == 0


def judged_by(tokens: str, target: list[int], **changes: Any) -> float:
    loaded = read_page(MODELS[200]).model
    source = torch.tensor([SOURCE.encode(tokens.split())])
    with intervening(loaded, **changes), torch.no_grad():
        state = loaded.encode(source, torch.ones_like(source, dtype=torch.bool))
        logits, _ = loaded.decode(torch.tensor([[BOS, *target[:-1]]]), state)
    return float(logits[0].log_softmax(-1)[range(len(target)), target].sum().exp())


def test_swapped_words_can_be_swapped_back(translator: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    page.get_by_role("tab", name="Change").click()
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 4:  # the fourth word
        page.keyboard.press(key)
    page.get_by_role("button", name="Swap with next").click()
    settle(page)
    data = written(page)
    swapped = "she sees a car big ."
    assert data["source"] == swapped.split() and data["experiment"]["swap"] == 3
    assert ids(data) == expected(swapped)[0]
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("button", name="Swap back").click()
    settle(page)
    assert written(page)["source"] == TYPED.split() and ids(written(page)) == expected(TYPED)[0]


def test_chosen_word_continues_translation(translator: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    page.locator(".picture").focus()
    for _ in range(30):
        page.keyboard.press("ArrowUp")
    page.locator(".candidate").nth(3).click()
    settle(page)
    data = written(page)
    loaded = read_page(MODELS[200]).model
    source = torch.tensor([SOURCE.encode(TYPED.split())])
    state = loaded.encode(source, torch.ones_like(source, dtype=torch.bool))
    first = int(loaded.decode(torch.tensor([[BOS]]), state)[0][0, 0].topk(4).indices[3])
    assert data["experiment"]["begin"] == [first] and ids(data)[0] == first
    second = int(loaded.decode(torch.tensor([[BOS, first]]), state)[0][0, 1].argmax())
    assert first == EOS or ids(data)[1] == second


def test_address_restores_changes(translator: Any, open_page: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("slider", name="Softmax").fill("1")
    settle(page)
    data = written(page)
    page.wait_for_function("() => location.hash.includes('translate.temperature=')")
    again = stand(open_page, page.url, reduced_motion="reduce").page
    settle(again)
    assert written(again)["experiment"] == data["experiment"]
    assert ids(written(again)) == ids(data) == expected(TYPED, temperatures={CROSS: 2.718281828})[0]
    again.context.close()


def test_forbidden_cell_of_one_head_stays_when_another_head_gets_one(open_page: Any, translators: Any) -> None:
    page = stand(open_page, translators / "transformer.html", reduced_motion="reduce").page
    enter(page, TYPED)
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 3:  # the first row, the third word
        page.keyboard.press(key)
    for head in (0, 1):
        page.get_by_role("combobox", name="Layer and head").select_option(f"decoder.1.cross_attention/{head}")
        page.get_by_role("tab", name="Change").click()
        page.get_by_role("button", name="Forbid attention").click()
        settle(page)
    seen = written(page)["written"][0]["attention"]["decoder.1.cross_attention"]
    assert [weights[2] for weights in seen] == [0, 0]


def test_heads_and_positions_of_a_transformer(open_page: Any, translators: Any) -> None:
    watched = stand(open_page, translators / "transformer.html", reduced_motion="reduce")
    page = watched.page
    enter(page, TYPED)
    page.get_by_role("combobox", name="Layer and head").select_option("decoder.1.cross_attention/1")
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("checkbox", name="turn this head off").check()
    page.get_by_role("checkbox", name="Positions").uncheck()
    settle(page)
    data = written(page)
    assert set(data["written"][0]["attention"]["decoder.1.cross_attention"][1]) == {0}
    assert data["experiment"]["positions"] is False
    watched.assert_quiet()


@pytest.mark.parametrize("width", [360, 1280])
def test_panel_of_changes_shows_its_buttons(open_page: Any, translators: Any, width: int) -> None:
    """On a phone the panel scrolls, but the button that takes everything back is in sight."""
    touch = width < 500
    page = stand(open_page, translators / "transformer.html", width=width, has_touch=touch, is_mobile=touch).page
    page.get_by_role("tab", name="Change").click()
    panel = page.get_by_role("tabpanel").filter(has_text="Undo all changes")
    room, last = (one.bounding_box() for one in (panel, panel.get_by_role("button", name="Undo all changes")))
    assert last["y"] + last["height"] <= room["y"] + room["height"]
    assert touch or panel.evaluate("node => node.scrollHeight <= node.clientHeight + 1")
