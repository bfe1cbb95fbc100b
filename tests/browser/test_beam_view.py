"""The beam widget in a browser without network: its tree and its winner are the package's."""

from __future__ import annotations

import pytest
import torch

from attnbook.translation.search import beam_search
from attnbook.widgets.beam_view import BeamView, Continuation
from tests.browser.widgets import said, slide
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
def test_what_it_writes_is_what_the_package_writes(page, model, sentence, beam_size, penalty):
    page.get_by_role("combobox", name="Sentence").select_option(index=sentence)
    slide(page, "Beam size", beam_size)
    slide(page, "Penalty", penalty)
    page.get_by_role("slider", name="Step").press("End")
    source = torch.tensor([SENTENCES[sentence]])
    mask = torch.ones_like(source, dtype=torch.bool)
    best = beam_search(model, source, mask, beam_size=beam_size, length_penalty=penalty, max_length=30)[0]
    assert f"with “{' '.join(TARGET.pieces(best.ids))}”" in said(page)


def test_the_tree_has_what_was_kept_and_the_list_what_was_best(page, widget):
    run = [[Continuation(*one) for one in found] for found in widget.sentences[0]["runs"][1]]
    for step in range(len(run) + 1):
        slide(page, "Step", step)
        kept = [one for found in run[:step] for one in found if one.fate != "dropped"]
        words = sorted(one.piece for one in kept if one.fate == "live")
        assert sorted(page.locator("svg text").all_text_contents()) == sorted([*words, "<bos>"])
        assert page.locator("svg path").count() == len(kept)
        assert page.locator("svg circle").count() == sum(one.fate == "ended" for one in kept)
        if step:
            scores = [one.score for one in run[step - 1]]
            listed = page.locator("ol").first.locator("li span:last-child").all_inner_texts()
            assert [float(text) for text in listed if text] == pytest.approx(scores, abs=0.006)


def test_next_step_goes_to_the_end_and_stays(page, widget):
    page.get_by_role("slider", name="Step").press("Home")
    length = len(widget.sentences[0]["runs"][1])
    for _ in range(length + 1):
        page.get_by_role("button", name="Next step").click()
    assert f"ends after {length} steps" in said(page)
    assert page.locator("path.best").count() >= 1
