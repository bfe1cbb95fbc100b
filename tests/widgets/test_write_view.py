"""Tests of the text-generation widgets' Python side: errors and output without scripts."""

from __future__ import annotations

from typing import Any

import pytest

from attnbook.data import BOS, Vocabulary
from attnbook.widgets.language_page import export_language_model, next_distribution, read_language_model
from attnbook.widgets.page_model import PageError
from attnbook.widgets.static import saved_state, static_html
from attnbook.widgets.write_view import SpeculateView, WriteView
from tests.support.small_language_models import build_language_model, random_draft

WORDS = Vocabulary(("she", "does", "n't", "sing", "read", "$x$", ".", "it", "<b>"))
MODEL = build_language_model("today", vocab_size=len(WORDS))
CONTENT = export_language_model(MODEL, WORDS)
WITH_DRAFT = export_language_model(MODEL, WORDS, draft=random_draft(len(WORDS)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompts": []}, r"^prompts\b"),
        ({"prompts": ["she", "she flies"]}, r"^prompt\b"),
        ({"temperature": 0.05}, r"^temperature\b"),
        ({"temperature": 2.5}, r"^temperature\b"),
        ({"temperature": "hot"}, r"^temperature\b"),
        ({"top_k": 4}, r"^top_k\b"),
        ({"top_p": 0.0}, r"^top_p\b"),
        ({"top_p": 1.1}, r"^top_p\b"),
        ({"seed": 0}, r"^seed\b"),
        ({"seed": 1.5}, r"^seed\b"),
    ],
)
def test_write_view_refuses_invalid_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WriteView(CONTENT, **changes)


@pytest.mark.parametrize(
    ("content", "changes", "message"),
    [
        (CONTENT, {}, r"^content\b"),
        (WITH_DRAFT, {"prompt": "flies"}, r"^prompt\b"),
        (WITH_DRAFT, {"ahead": 0}, r"^ahead\b"),
        (WITH_DRAFT, {"ahead": 6}, r"^ahead\b"),
        (WITH_DRAFT, {"draft": "trigram"}, r"^draft\b"),
        (WITH_DRAFT, {"temperature": 0}, r"^temperature\b"),
        (WITH_DRAFT, {"seed": 51}, r"^seed\b"),
    ],
)
def test_speculate_view_refuses_invalid_arguments(content: bytes, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SpeculateView(content, **changes)


@pytest.mark.parametrize("view", [WriteView, SpeculateView])
def test_views_refuse_content_that_is_not_a_page(view: Any) -> None:
    with pytest.raises(TypeError, match=r"^content\b"):
        view("text")
    with pytest.raises(PageError, match="damaged"):
        view(b"not a page")


def test_write_view_accepts_words_as_they_are_written() -> None:
    view = WriteView(CONTENT, ["She doesn't sing."])
    assert view.prompt == "She doesn't sing."


def test_write_view_alt_names_the_likeliest_tokens() -> None:
    p = next_distribution(read_language_model(CONTENT).model, [BOS, *WORDS.encode(["she"])])
    best = int(p.argmax())
    wanted = f"after “she”: {WORDS.pieces([best])[0]} {100 * float(p[best]):.0f} %"
    assert wanted in WriteView(CONTENT, ["she"]).alt


def test_speculate_view_alt_states_the_overlap_of_both_models() -> None:
    page = read_language_model(WITH_DRAFT)
    assert page.draft is not None
    q = page.draft[BOS] / page.draft[BOS].sum()
    kept = float(next_distribution(page.model, [BOS]).minimum(q).sum())
    assert f"keeps {100 * kept:.0f} % of its guesses" in SpeculateView(WITH_DRAFT).alt


@pytest.mark.parametrize("view", [WriteView(CONTENT, ["$x$", ""]), SpeculateView(WITH_DRAFT, "$x$")])
def test_output_has_a_picture_and_its_description(view: Any) -> None:
    data, metadata = view._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == data["text/plain"] == view.alt != ""


def test_saved_state_has_the_model_once() -> None:
    saved = saved_state(SpeculateView(WITH_DRAFT))
    assert [buffer["path"] for buffer in saved["buffers"]] == [["content"]]


def test_write_view_and_speculate_view_share_the_model_and_the_program_of_a_page() -> None:
    emitted: set[str] = set()
    page = "".join(
        static_html(saved_state(view), emitted=emitted) for view in (WriteView(WITH_DRAFT), SpeculateView(WITH_DRAFT))
    )
    assert page.count("data-attnbook-widget=") == 2
    assert page.count("data-attnbook-bytes=") == page.count("data-attnbook-module=") == 1
