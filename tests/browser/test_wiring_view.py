"""The wiring widget in a browser without network: a switch changes the connections and the reachable parts."""

from __future__ import annotations

import pytest

from attnbook.widgets.wiring_view import WiringView
from tests.browser.widgets import said, stand, write


@pytest.fixture(scope="module")
def widget():
    return WiringView()


def wires(page):
    ends = page.eval_on_selector_all(".wire:not(.off)", "all => all.map(n => [n.dataset.from, n.dataset.to])")
    return {tuple(pair) for pair in ends}


def reached(page):
    return set(page.eval_on_selector_all(".box.reached", "all => all.map(n => n.dataset.name)"))


def test_asking_early_moves_one_wire_and_hides_the_word_from_the_query(page):
    late = wires(page)
    assert "weights" in reached(page) and "changes what this step attends to" in said(page)
    page.get_by_role("combobox", name="Asks").select_option("early")
    assert wires(page) ^ late == {("state", "weights"), ("before", "weights")}
    assert "weights" not in reached(page) and "cannot change" in said(page)


def test_keyboard_connects_the_last_read_out(page):
    page.get_by_role("combobox", name="Follow").focus()
    page.keyboard.press("End")
    assert reached(page) == {"fed"}
    page.get_by_role("combobox", name="Input feeding").focus()
    page.keyboard.press("End")
    assert {"fed", "state", "weights", "context", "readout", "next"} == reached(page)


def test_last_word_can_be_continued(page):
    page.get_by_role("combobox", name="Read-out sees").select_option("maxout")
    assert ("word", "readout") in wires(page)


def press(page, start, end):
    page.locator(f'.wire[data-from="{start}"][data-to="{end}"] text').click()


def test_pressing_a_wire_connects_it_and_pressing_it_again_cuts_it(page):
    late = wires(page)
    press(page, "before", "weights")
    assert wires(page) ^ late == {("state", "weights"), ("before", "weights")}
    assert page.get_by_role("combobox", name="Asks").input_value() == "early"
    press(page, "before", "weights")
    assert wires(page) == late
    for start, end in (("word", "readout"), ("fed", "state")):
        press(page, start, end)
        assert (start, end) in wires(page)


def test_pressing_an_input_follows_it(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    page.locator('.box[data-name="before"]').tap()
    assert page.get_by_role("combobox", name="Follow").input_value() == "before"
    assert reached(page) == {"before", "state", "weights", "context", "readout", "next"}
    page.locator('.box[data-name="context"]').tap()
    assert "before" in reached(page), "only inputs can be followed"
