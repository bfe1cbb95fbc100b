"""The map in a browser without network: what it says is what the package computes without the same parts."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.data import Vocabulary
from attnbook.data.grammar import join, tokenize
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import switched_off
from attnbook.translation.translate import translate
from attnbook.widgets.architecture_view import LONGEST, ArchitectureView
from tests.browser.widgets import said

SENTENCES = ["She sees the old house.", "He sleeps."]
SOURCES = [tokenize(sentence, "english") for sentence in SENTENCES]
VOCABULARIES = Vocabulary.build(SOURCES), Vocabulary.build([["elle", "voit", "la", "vieille", "maison", "."]])
torch.manual_seed(1)
MODEL = Transformer(*map(len, VOCABULARIES), d_model=8, num_heads=2, d_ff=12, num_layers=3).eval()


@pytest.fixture(scope="module")
def widget() -> ArchitectureView:
    return ArchitectureView(MODEL, VOCABULARIES, SENTENCES)


def box(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def shapes(page: Any) -> dict[str, str]:
    terms, values = (page.locator(f".panel.chosen {tag}").all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(terms, values, strict=True))


@pytest.mark.parametrize(
    ("labels", "parts"),
    [
        (["norm"], ["norm"]),
        (["cross-attention", "encoder feed-forward"], ["decoder.cross_attention", "encoder.feed_forward"]),
        (["residual (add)", "positions", "decoder feed-forward"], ["residual", "positions", "decoder.feed_forward"]),
    ],
)
def test_a_switch_shows_what_is_written_without_the_part(page: Any, labels: list[str], parts: list[str]) -> None:
    for label in labels:
        page.get_by_label(label, exact=True).uncheck()
    for number in range(len(SENTENCES)):
        page.get_by_label("Sentence").select_option(str(number))
        with switched_off(MODEL, parts):
            (output,) = translate(MODEL, [SOURCES[number]], *VOCABULARIES, max_length=LONGEST)
        wanted = join(output.target, "french") + ("" if output.finished else " …")
        (whole,) = translate(MODEL, [SOURCES[number]], *VOCABULARIES, max_length=LONGEST)
        same = output.target == whole.target
        assert said(page).endswith("the same." if same else f"“{wanted}”" if wanted else "nothing at all.")
    for label in labels:
        page.get_by_label(label, exact=True).check()
    assert "Without" not in said(page)


def test_a_box_tells_its_shapes_by_mouse_and_keys(page: Any) -> None:
    box(page, "cross-attention").click()
    rows = len(translate(MODEL, [SOURCES[0]], *VOCABULARIES, max_length=LONGEST)[0].target) + 1
    assert shapes(page)["weights"] == f"2 × {rows} × 6"
    box(page, "linear, softmax").focus()
    page.keyboard.press("Enter")
    assert shapes(page)["scores"] == f"{rows} × {len(VOCABULARIES[1])}"
    assert box(page, "linear, softmax").get_attribute("aria-pressed") == "true"
    page.get_by_label("Sentence").select_option("1")
    box(page, "self-attention").click()
    assert shapes(page)["weights"] == "2 × 3 × 3"


def test_the_map_shows_what_is_off(page: Any) -> None:
    assert box(page, "add & norm").count() == 5
    page.get_by_label("norm", exact=True).uncheck()
    assert box(page, "add").count() == 5 and box(page, "add & norm").count() == 0
    page.get_by_label("encoder self-attention", exact=True).uncheck()
    assert "off" in box(page, "self-attention").get_attribute("class")
