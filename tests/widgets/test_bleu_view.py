"""Tests of the BLEU widget's Python side: initial state, errors, and output without scripts."""

from __future__ import annotations

import pytest

from attnbook.translation.metrics import corpus_bleu
from attnbook.widgets.bleu_view import BleuView
from attnbook.widgets.static import saved_state

OUTPUT = "elle a acheté une voiture ."
REFERENCES = ["elle a acheté une voiture rouge .", "elle acheta une voiture rouge ."]


def test_bleu_view_score_equals_package():
    view = BleuView("She bought a red car.", OUTPUT, REFERENCES)
    score = corpus_bleu([OUTPUT.split()], [[reference.split() for reference in REFERENCES]])
    assert f"BLEU {score:.1f}" in view.alt
    data, _ = view._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and data["text/plain"] == view.alt


def test_bleu_view_starts_with_all_references():
    state = saved_state(BleuView("She bought a red car.", OUTPUT, REFERENCES))["state"]
    assert state["references"] == REFERENCES and state["counted"] == [True, True]


@pytest.mark.parametrize(
    ("references", "message"),
    [([], "references"), (["a", "  "], r"references\[1\]")],
)
def test_bleu_view_raises_for_invalid_arguments(references, message):
    with pytest.raises(ValueError, match=message):
        BleuView("Go.", "va", references)


def test_bleu_view_raises_for_references_that_are_str():
    with pytest.raises(TypeError, match=r"^references must"):
        BleuView("cat", "chat", "chat")
