"""The beam widget in a browser without network: its tree and its result equal the package's."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.translation.search import beam_search
from attnbook.widgets.beam_view import BeamView, Continuation
from tests.browser.widgets import said, slide, stand, write
from tests.support.js_engine import number_vocabulary
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY
from tests.widgets.test_beam_view import make

SOURCE, TARGET = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
SENTENCES = [[5, 6], [7, 5, 9]]


@pytest.fixture(scope="module")
def model():
    return make("transformer-sinusoidal", 0)


@pytest.fixture(scope="module")
def widget(model):
    return BeamView(model, (SOURCE, TARGET), [(SOURCE.decode(ids), TARGET.decode([8, 4])) for ids in SENTENCES])


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.5])
@pytest.mark.parametrize("beam_size", [1, 2, 3, 4])
@pytest.mark.parametrize("sentence", [0, 1])
def test_output_equals_package(page, model, sentence, beam_size, penalty):
    page.get_by_role("combobox", name="Sentence").select_option(index=sentence)
    slide(page, "Beam size", beam_size)
    slide(page, "Penalty", penalty)
    page.get_by_role("slider", name="Step").press("End")
    source = torch.tensor([SENTENCES[sentence]])
    mask = torch.ones_like(source, dtype=torch.bool)
    best = beam_search(model, source, mask, beam_size=beam_size, length_penalty=penalty, max_length=30)[0]
    assert f"with “{' '.join(TARGET.pieces(best.ids))}”" in said(page)


def test_tree_has_kept_and_list_has_all_candidates(page, widget):
    run = [[Continuation(*one) for one in found] for found in widget.sentences[0]["runs"][1]]
    before = [0.0]
    for step in range(len(run) + 1):
        slide(page, "Step", step)
        kept = [one for found in run[:step] for one in found if one.fate != "dropped"]
        gone = [one for one in run[step - 1] if one.fate == "dropped"] if step else []
        words = [one.piece for one in (*kept, *gone) if one.fate != "ended"]
        assert sorted(page.locator("svg .word").all_text_contents()) == sorted([*words, "<bos>"])
        assert page.locator("svg path").count() == len(kept) + len(gone)
        assert page.locator("svg path.dropped").count() == len(gone)
        assert page.locator("svg circle").count() == sum(one.fate == "ended" for one in kept)
        if step:
            shares = sorted(f"{math.exp(one.score - before[one.parent]):.2f}" for one in run[step - 1])
            tree = page.locator("svg").evaluate(
                """node => {
                    const all = [...node.querySelectorAll(".share")].map(n => [n.getAttribute("x"), n.textContent]);
                    const right = Math.max(...all.map(([x]) => Math.floor(x / 98)));
                    return all.filter(([x]) => Math.floor(x / 98) === right).map(([, text]) => text);
                }"""
            )
            assert sorted(map(float, tree)) == pytest.approx(list(map(float, shares)), abs=0.011)
            before = [one.score for one in run[step - 1] if one.fate == "live"]


def test_the_reference_is_listed_with_the_finished(page, model, widget):
    page.get_by_role("slider", name="Step").press("End")
    slide(page, "Penalty", 0)
    listed = page.locator("ol li").all_inner_texts()
    assert listed[-1].startswith("reference:")
    assert float(listed[-1].split()[-1]) == pytest.approx(widget.sentences[0]["referenceScore"], abs=0.006)
    scores = [float(text.split()[-1]) for text in listed[:-1]]
    assert scores == sorted(scores, reverse=True) and scores


def test_view_starts_where_greedy_search_leaves_the_reference(page, widget):
    first = widget.sentences[0]
    greedy = [found[0][1] for found in first["runs"][0]]
    reference = first["reference"].split()
    assert greedy[: first["start"] - 1] == reference[: first["start"] - 1] and greedy != reference
    assert page.get_by_role("slider", name="Step").input_value() == str(first["start"])


def test_play_reaches_the_end_and_keeps_the_step_visible(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    length = len(widget.sentences[0]["runs"][1])
    slide(page, "Step", length - 1)
    page.get_by_role("button", name="Play").tap()
    page.wait_for_selector("output:has-text('The search ends')")
    tree, mark = page.locator(".tree").bounding_box(), page.locator("svg .share").last.bounding_box()
    assert tree["x"] <= mark["x"] and mark["x"] + mark["width"] <= tree["x"] + tree["width"]
    assert page.get_by_role("button", name="Play").is_visible()


def test_next_step_goes_to_the_end_and_stays(page, widget):
    page.get_by_role("slider", name="Step").press("Home")
    length = len(widget.sentences[0]["runs"][1])
    for _ in range(length + 1):
        page.get_by_role("button", name="Next step").click()
    assert f"ends after {length} steps" in said(page)
    assert page.locator("path.best").count() >= 1
