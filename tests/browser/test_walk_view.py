"""The walk widget in a browser without network: every array that it shows equals torch's."""

from __future__ import annotations

import csv
import re
from typing import Any

import pytest
import torch
from playwright.sync_api import expect

from attnbook.data import BOS
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import switched_off
from attnbook.translation.search import greedy
from attnbook.widgets.page_model import read_page
from attnbook.widgets.walk_view import WalkView
from tests.browser.attention_samples import settle
from tests.browser.translators import SENTENCE, SOURCE, TARGET, TRANSFORMER
from tests.browser.widgets import said, saved_text, stand, write
from tests.support.transformer_arrays import arrays_of

SENTENCES = [SENTENCE, "She sees a big car."]
MODEL = read_page(TRANSFORMER).model
assert isinstance(MODEL, Transformer)
STOPS = 4 + 2 * 13 + 4 + 2 * 22 + 2  # arrays of the encoder, of the decoder, and of the head


@pytest.fixture(scope="module")
def widget() -> WalkView:
    return WalkView(TRANSFORMER, SENTENCES)


def ids_of(sentence: str) -> list[int]:
    return list(SOURCE.encode(tuple(sentence.lower().replace(".", " .").split())))


def written(sentence: str, off: tuple[str, ...] = ()) -> tuple[list[int], bool]:
    source = torch.tensor([ids_of(sentence)])
    with switched_off(MODEL, off):
        (found,) = greedy(MODEL, source, torch.ones_like(source, dtype=torch.bool), max_length=30)
    return list(found.ids), found.finished


def numbers(text: str) -> torch.Tensor:
    """The cells of a CSV file below its heads and right of its names."""
    return torch.tensor([[float(cell) for cell in line[1:]] for line in list(csv.reader(text.splitlines()))[1:]])


def shown_array(page: Any) -> tuple[str, torch.Tensor]:
    """Name and numbers of the array in sight, as a reader saves them."""
    name, text = saved_text(page.locator("button.csv"))  # enabled once the array is computed
    return name, numbers(text)


def test_walk_view_csv_button_downloads_the_array(page: Any) -> None:
    page.get_by_role("button", name="encoder: embedding").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", disabled=False).click()  # disabled while the array is computed
    name, found = shown_array(page)
    assert download.value.suggested_filename == name
    assert torch.equal(numbers(download.value.path().read_text(encoding="utf-8")), found)


def expected(name: str, arrays: dict[str, torch.Tensor]) -> torch.Tensor:
    """The array of a file's name; a head's columns of an array of all heads."""
    array, _, head = name.removesuffix(".csv").partition(".head-")
    if not head:
        return arrays[array]
    number = int(head) - 1
    if f"{array}.{number}" in arrays:
        return arrays[f"{array}.{number}"]
    return arrays[array].unflatten(1, (MODEL.config["num_heads"], -1))[:, number]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_walk_view_shows_torch_activations_in_every_array(page: Any, sentence: str) -> None:
    page.get_by_label("Examples").select_option(sentence)
    settle(page)
    ids, finished = written(sentence)
    words = page.locator(".written button")
    words.nth(len(ids) - 1 + finished).click()
    arrays = arrays_of(MODEL, ids_of(sentence), [BOS, *ids][: len(ids) + finished])
    seen = set()
    for stop in range(STOPS):
        heads = page.get_by_label("Head", exact=True)
        for head in ("0", "1") if heads.is_visible() else (None,):
            if head is not None:
                heads.select_option(head)
            name, found = shown_array(page)
            seen.add((name, stop))
            if name.startswith("head.logits"):
                logits = arrays["head.logits"][-1]
                best = logits.topk(len(found)).indices
                wanted = (logits if stop == STOPS - 2 else logits.softmax(-1))[best][:, None]
            else:
                wanted = expected(name, arrays)
            hidden = ~torch.isfinite(wanted)  # the mask: the page shows what it hides, hatched
            assert found.shape == wanted.shape, name
            scale = float(wanted[~hidden].abs().max())
            torch.testing.assert_close(found[~hidden], wanted[~hidden], rtol=0, atol=1e-4 * scale + 1e-6, msg=name)
        if stop < STOPS - 1:
            page.get_by_role("button", name="Next ▶", exact=True).click()
    assert len({stop for _, stop in seen}) == STOPS < len(seen)
    assert page.get_by_role("button", name="Next ▶", exact=True).get_attribute("aria-disabled") == "true"


def test_walk_view_next_word_shows_the_decoder_at_this_position(page: Any) -> None:
    page.get_by_role("button", name="decoder: linear, softmax").click()
    page.get_by_role("button", name="probabilities").click()
    ids, _ = written(SENTENCE)
    arrays = arrays_of(MODEL, ids_of(SENTENCE), [BOS, *ids])
    for position, word in enumerate(ids):
        _, found = shown_array(page)
        assert float(found[0, 0]) == pytest.approx(float(arrays["head.logits"][position].softmax(-1).max()), rel=1e-4)
        assert f"“{TARGET.pieces([word])[0]}”" in said(page)
        page.locator(".written button").nth(min(position + 1, len(ids) - 1)).click()


@pytest.mark.parametrize("part", ["encoder.self_attention", "decoder.cross_attention"])
def test_walk_view_switch_writes_what_torch_writes_without_the_part(page: Any, part: str) -> None:
    label = {"encoder.self_attention": "encoder: self-attention", "decoder.cross_attention": "decoder: cross-attention"}
    page.get_by_role("button", name=label[part]).click()
    page.locator(".panel input").uncheck()
    settle(page)
    ids, finished = written(SENTENCE, (part,))
    words = page.locator(".written button")
    assert words.count() == len(ids) + finished
    assert words.all_inner_texts()[: len(ids)] == TARGET.pieces(ids)
    page.get_by_role("button", name="weights", exact=True).click()
    assert "Switched off" in said(page)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("box", ["encoder: self-attention", "decoder: cross-attention", "decoder: feed-forward"])
def test_walk_view_note_shows_both_translations(page: Any, box: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    to_map = page.get_by_role("button", name="Map", exact=True)
    if to_map.is_visible():
        to_map.click()
    page.get_by_role("button", name=box).click()
    page.locator(".panel input").uncheck()
    note = page.locator(".note")
    expect(note).to_have_text(re.compile("^With all parts: “.*” Without .*: “.*”$"))
    fits = note.evaluate("node => node.scrollHeight <= node.clientHeight + 1")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert fits


def test_walk_view_works_by_keys_alone(page: Any) -> None:
    first = page.get_by_role("button", name="encoder: embedding")
    first.focus()
    for key in ("ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    array = page.get_by_role("application")
    assert array.evaluate("node => node === node.getRootNode().activeElement")
    before = said(page)
    assert before.startswith("queries of head 1, “the”, number 1: ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert said(page).startswith("queries of head 1, “red”, number 2: ")
    page.keyboard.press("Escape")
    chosen = page.get_by_role("button", name="encoder: self-attention")
    assert chosen.evaluate("node => node === node.getRootNode().activeElement")


def test_walk_view_reports_unknown_words_and_long_sentences(page: Any) -> None:
    field, note = page.get_by_role("combobox", name="English sentence"), page.locator(".note.warns")
    field.fill("the zebra")
    expect(note).to_have_text("Unknown to this model and read as <unk>: “zebra”.")
    field.fill("the " * 30)
    expect(note).to_have_text("Only the first 120 characters are read.")


def test_walk_view_pointing_explains_and_pressing_chooses(page: Any) -> None:
    page.get_by_role("button", name="encoder: self-attention").click()
    page.get_by_role("button", name="scores", exact=True).click()
    chosen = said(page)
    box = page.get_by_role("application").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 10, box["y"] + 60)
    pointed = page.locator(".formula").inner_text()
    assert pointed.startswith("scores of head 1, “") and pointed != chosen and said(page) == chosen
    page.mouse.down()
    page.mouse.up()
    assert said(page).startswith(pointed[:30])
    query, key = (MODEL.encoder[0].self_attention.num_heads, MODEL.config["d_model"])
    assert f"over √{key // query}" in said(page)


@pytest.mark.parametrize(("size", "most"), [((1280, 720), 620), ((360, 780), 700)])
def test_walk_view_fits_on_one_screen(page: Any, size: tuple[int, int], most: int) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settle(page)
    assert page.locator("section.card").bounding_box()["height"] <= most
    page.set_viewport_size({"width": 1280, "height": 900})


def test_walk_view_shows_whole_sentences_on_a_phone(page: Any) -> None:
    """About each array, and how its chosen number came to be."""
    page.set_viewport_size({"width": 360, "height": 900})
    settle(page)
    to_map = page.get_by_role("button", name="Map", exact=True)
    if to_map.is_visible():
        to_map.click()
    page.get_by_role("button", name="encoder: embedding").click()
    cut, low = [], []
    for _ in range(STOPS):
        name, _ = shown_array(page)
        texts = page.locator(".panel :is(.says, .formula)")
        cut += [name] * texts.evaluate_all("all => all.some((node) => node.scrollHeight > node.clientHeight + 1)")
        low += [name] * (page.locator(".array").bounding_box()["height"] < 90)
        page.get_by_role("button", name="Next ▶", exact=True).evaluate("node => node.click()")  # grayed out at the end
    page.set_viewport_size({"width": 1280, "height": 900})
    assert (cut, low) == ([], [])


def test_walk_view_works_by_touch_on_a_phone(open_page: Any, tmp_path: Any) -> None:
    watched = stand(
        open_page,
        write(WalkView(TRANSFORMER, SENTENCES), tmp_path),
        width=360,
        height=780,
        has_touch=True,
        is_mobile=True,
    )
    page = watched.page
    expect(page.locator(".formula")).not_to_be_empty()  # the model has computed
    strip, words, after = page.locator(".written"), page.locator(".written button"), page.get_by_label("Next word")
    while after.get_attribute("aria-disabled") != "true":
        after.tap()
        settle(page)
        room, word = strip.bounding_box(), strip.locator("[aria-pressed=true]").bounding_box()
        assert word["height"] >= 44
        assert room["x"] <= word["x"] + 1 and word["x"] + word["width"] <= room["x"] + room["width"] + 1, "in sight"
    assert words.last.get_attribute("aria-pressed") == "true"
    words.first.tap()
    page.get_by_role("button", name="Map", exact=True).tap()
    page.get_by_role("button", name="encoder: self-attention").tap()
    page.get_by_role("button", name="scores", exact=True).tap()
    array = page.get_by_role("application")
    array.scroll_into_view_if_needed()
    box = array.bounding_box()
    first, last = (box["x"] + 80, box["y"] + 30), (box["x"] + box["width"] - 6, box["y"] + 30)
    page.touchscreen.tap(*first)
    settle(page)
    before = said(page)
    assert before.startswith("scores of head 1, “the”")
    page.touchscreen.tap(*last)
    settle(page)
    assert said(page) != before and said(page).startswith("scores of head 1, “the”")
    page.get_by_role("button", name="Next ▶", exact=True).tap()
    settle(page)
    assert said(page).startswith("attention weights of head 1, “the”")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing stands out sideways"
    watched.assert_quiet()
