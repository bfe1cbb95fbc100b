"""Committed figures are found from anywhere in a copy of the book, and a wrong name is named."""

from __future__ import annotations

import pytest

from attnbook.results import load_result


@pytest.fixture
def book(tmp_path):
    (tmp_path / "_toc.yml").touch()
    (tmp_path / "results" / "experiments").mkdir(parents=True)
    (tmp_path / "results" / "experiments" / "run.json").write_text('{"bleu": 41.5}', encoding="utf-8")
    (tmp_path / "book").mkdir()
    return tmp_path


@pytest.mark.parametrize("start", [".", "book"])
def test_found_beside_the_page_and_above_it(book, start):
    assert load_result("experiments/run", start=book / start) == {"bleu": 41.5}


def test_a_missing_run_is_named_with_those_there_are(book):
    with pytest.raises(FileNotFoundError, match=r"'experiments/other'.*experiments/run"):
        load_result("experiments/other", start=book)


def test_a_notebook_alone_has_no_figures(tmp_path):
    assert load_result("experiments/run", start=tmp_path) is None
