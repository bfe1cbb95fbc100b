"""The reading time of a chapter, its main path, and notes on terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bookkit import teaching
from bookkit.ext.notes import definitions, with_notes
from bookkit.ext.predict import arranged, read
from bookkit.ext.reading import parts
from tests.book.pages import parsed

CHAPTERS = sorted((Path(__file__).parents[2] / "book").glob("[01]*.md"))


def test_parts_heading_in_code_is_no_section() -> None:
    text = "# Title\n\nWords.\n\n## One\n\n```python\n## a comment\n```\n\n### Below\n\n## Two\n"
    assert [part.level for part in parts(text)] == [1, 2, 3, 2]
    assert "".join(part.text for part in parts(text)) == text


@pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])
def test_chapter_minutes_of_its_parts_add_up(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    total = sum(teaching.reading(part.text) for part in parts(text))
    assert total == pytest.approx(teaching.minutes(text)["reading"], abs=5)


@pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])
def test_chapter_page_names_sections_and_path_of_an_hour(path: Path, built_book: Path) -> None:
    page = parsed(built_book / "book" / f"{path.stem}.html")
    line = page.select_one(".book-reading")
    assert line is not None
    minutes = [float(number) for number in str(line["data-minutes"]).split()]
    headings = page.select("article.bd-article section > h2")
    assert len(minutes) == len(headings) + 1
    assert f"{len(headings)} sections" in line.get_text()
    hour = re.search(r"In about (\d+) minutes", line.get_text())
    assert hour and 20 <= int(hour[1]) <= 65
    way = line.select("details a")
    assert 3 <= len(way) < len(headings)
    for link in way:
        section = page.find(id=str(link["href"])[1:])
        assert section is not None and "optional" not in (section.get("class") or [])


def test_arranged_choices_are_shuffled_and_stable() -> None:
    choices = ["none", "the mean", "the sum", "the largest"]
    order = arranged("Which?", choices)
    assert order == arranged("Which?", choices) and order[-1] == 0, "none comes last"
    assert {tuple(arranged(f"Which? {n}", choices)) for n in range(40)} > {tuple(order)}


def test_read_prediction_keeps_the_right_choice() -> None:
    for number in range(20):
        asked = read(f"Question {number}", {"choose": "a | b | c", "right": "2"})
        assert asked["choices"][int(asked["right"]) - 1] == "b"
    assert read("Which?", {"choose": "2 | 4 | 8", "right": "2", "order": "given"})["choices"] == ["2", "4", "8"]
    with pytest.raises(ValueError, match="order"):
        read("Which?", {"choose": "2 | 4", "right": "2", "order": "none"})


def test_read_prediction_takes_its_unit_from_the_label() -> None:
    asked = {"value": "0 100 5", "right": "name"}
    assert read("How many?", {**asked, "labels": "right answers, %"})["unit"] == "%"
    assert read("How many?", {**asked, "labels": "size", "unit": "MB"})["unit"] == "MB"
    assert read("How many?", asked)["unit"] == ""


def test_with_notes_has_only_terms_of_the_page() -> None:
    glossary = '<dl class="simple glossary"><dt id="term-key">key</dt><dd><p class="x">What <i>opens</i>.</p></dd></dl>'
    known = definitions(glossary)
    assert known == {"term-key": "<p>What <i>opens</i>.</p>"}
    page = '<article><a href="glossary.html#term-key">key</a></article>'
    assert '<div data-note="term-key"><p>What' in with_notes(page, known)
    assert with_notes("<article>no term</article>", known) == "<article>no term</article>"
