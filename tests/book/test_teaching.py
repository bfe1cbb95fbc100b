"""The notes for teachers name existing headings, widgets and exercises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bookkit import teaching

CHAPTERS = teaching.load()


def test_chapters_have_objectives(root: Path) -> None:
    parts = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    numbered = [chapter["file"] for part in parts if part.get("numbered") for chapter in part["chapters"]]
    assert [f"book/{chapter['chapter']}" for chapter in CHAPTERS] == numbered
    assert all(len(chapter["objectives"]) >= 2 for chapter in CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter["chapter"])
def test_objectives_name_sections_of_their_chapter(root: Path, chapter: dict[str, Any]) -> None:
    text = (root / "book" / f"{chapter['chapter']}.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^##+ (.+)$", text, re.M))
    to_do = set(re.findall(r"^```\{(?:exercise|mistake|predict)\} (.+)$", text, re.M))
    for objective in chapter["objectives"]:
        assert objective["read"] in headings
        assert objective["do"] in to_do
        assert f"{objective['touch']}(" in text


def test_minutes_grow_with_text_and_exercises() -> None:
    text = "# A\n" + "word " * 1300
    assert teaching.minutes(text) == {"reading": 10, "exercises": 0}
    more = text + "\n```{exercise} One\nwords\n```\n```{predict} Two\n```\n" * 5
    assert teaching.minutes(more) == {"reading": 20, "exercises": 75}


def test_matrix_has_a_row_per_objective() -> None:
    rows = teaching.matrix(CHAPTERS[0]["objectives"]).splitlines()
    assert len(rows) == 2 + len(CHAPTERS[0]["objectives"])
    assert all(row.count(" | ") == len(teaching.COLUMNS) - 1 for row in rows)


def test_teaching_raises_for_objective_with_missing_column(tmp_path: Path) -> None:
    file = tmp_path / "teaching.yml"
    file.write_text("- chapter: x\n  objectives:\n    - {aim: a, read: b}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"must have .*check"):
        teaching.load(file)
