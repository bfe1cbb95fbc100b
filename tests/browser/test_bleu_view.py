"""The BLEU widget in a browser without network: its score equals the package's for any input."""

from __future__ import annotations

import pytest

from attnbook.translation.metrics import corpus_bleu
from attnbook.widgets.bleu_view import BleuView
from tests.browser.widgets import said, stand, write

REFERENCES = [
    "il ne mange pas la pomme rouge .",
    "il ne mange pas une pomme qui est rouge .",
    "la pomme , il ne la mange pas .",
]


@pytest.fixture(scope="module")
def widget():
    return BleuView("He isn't eating the red apple.", "il ne mange pas de pomme rouge .", REFERENCES)


def score(text, references):
    return corpus_bleu([text.split()], [[reference.split() for reference in references]])


def shown(page):
    return float(page.locator(".bars .number").last.text_content())


def reference(page, i):
    return page.get_by_role("checkbox").nth(i)


def grams(page, fate):
    return page.locator(f".grams li.{fate}").all_inner_texts()


def mark(page, name):
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize(
    "text",
    [
        "il ne mange pas de pomme rouge .",
        REFERENCES[0],
        REFERENCES[2],
        "il ne mange pas",
        "la la la la la",
        "il mange la pomme rouge .",
        "pomme rouge",
        "rouge",
        "il n' y a rien ici",
        "pas une seule chose",
        "rien",
        "la pomme rouge , il ne la mange pas , il ne mange pas la pomme qui est rouge .",
    ],
)
def test_score_equals_package(page, text):
    page.get_by_role("textbox").fill(text)
    assert shown(page) == pytest.approx(score(text, REFERENCES), abs=0.051)
    reference(page, 0).uncheck()
    assert shown(page) == pytest.approx(score(text, REFERENCES[1:]), abs=0.051)
    reference(page, 2).uncheck()
    assert shown(page) == pytest.approx(score(text, REFERENCES[1:2]), abs=0.051)


def test_empty_translation_scores_zero(page):
    page.get_by_role("textbox").fill("  ")
    assert shown(page) == 0 and "translation is empty" in said(page)


def test_n_grams_are_judged_one_by_one(page):
    page.get_by_role("textbox").fill("la la la pomme noire")
    mark(page, "words")
    assert grams(page, "found") == ["la", "la", "pomme"]  # the third reference has "la" twice
    assert grams(page, "spent") == ["la"] and grams(page, "absent") == ["noire"]
    mark(page, "pairs")
    assert grams(page, "found") == ["la pomme"]
    assert page.locator(".check .in").all_inner_texts() == ["la", "pomme", "la", "pomme"]


def test_one_reference_stays_checked(page):
    for i in range(3):
        reference(page, i).click()
    assert reference(page, 2).is_checked() and not reference(page, 1).is_checked()
    assert said(page) == "At least one reference must count."


def test_input_is_shown_as_text(page):
    page.get_by_role("textbox").fill("<b>il</b> <img>")
    mark(page, "words")
    assert grams(page, "absent") == ["<b>il</b>", "<img>"]


def test_examples_are_scored_when_pressed(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    for name, text in (
        ("reference", REFERENCES[2]),
        ("first half", "il ne mange pas"),
        ("one word", "il il il il il il il il"),
    ):
        page.get_by_role("button", name=name, exact=True).tap()
        assert page.get_by_role("textbox").input_value() == text
        assert shown(page) == pytest.approx(score(text, REFERENCES), abs=0.051)
