"""Every topic, system and code fragment of the notes is taught in a section that is there, by code that is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bookkit.errata.table import load
from tests.support.external_data import SEEDS, notes_are_here

ROOT = Path(__file__).resolve().parent.parent.parent
TOPICS: list[dict[str, Any]] = yaml.safe_load((ROOT / "book" / "coverage.yml").read_text(encoding="utf-8"))["topics"]
NAMES = [topic["topic"] for topic in TOPICS]
NOTES, _ = load()
FENCE = re.compile(r"\s*(`{3,})")
HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*$")


def headings(text: str) -> list[tuple[int, int, str]]:
    """Line, level and text of every heading that is not inside a fenced block."""
    found, fence = [], ""
    for number, line in enumerate(text.splitlines()):
        if match := FENCE.match(line):
            if not fence:
                fence = match[1]
            elif line.strip() == fence:
                fence = ""
        elif not fence and (match := HEADING.match(line)):
            found.append((number, len(match[1]), match[2]))
    return found


def fences(text: str) -> int:
    return len(re.findall(r"^\s*```", text, re.M)) // 2


def section(place: str) -> str:
    """The text under a heading, down to the next one of its level."""
    page, heading = place.split("#", 1)
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    found = headings(text)
    starts = [(number, level) for number, level, title in found if title == heading]
    assert len(starts) == 1, f"{page}"
    start, level = starts[0]
    end = next((number for number, other, _ in found if number > start and other <= level), None)
    return "\n".join(text.splitlines()[start:end])


def imported(name: str) -> Any:
    """A module, or what is in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            thing = getattr(thing, part)
        return thing
    raise ModuleNotFoundError(name)


def test_headings_are_found() -> None:
    text = "# One\n\n```python\n# no heading\n```\n## Two\n"
    assert headings(text) == [(0, 1, "One"), (5, 2, "Two")]
    assert fences(text) == 1


def test_coverage_table_names_each_topic_once() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 50


@pytest.mark.parametrize("topic", TOPICS, ids=NAMES)
def test_coverage_table_points_to_sections_that_teach_the_topic(topic: dict[str, Any]) -> None:
    assert topic["sections"] and topic["says"]
    text = re.sub(r"\s+", " ", " ".join(section(place) for place in topic["sections"])).lower()
    assert [words for words in topic["says"] if words.lower() not in text] == []


@pytest.mark.parametrize("topic", TOPICS, ids=NAMES)
def test_coverage_table_names_existing_code(topic: dict[str, Any]) -> None:
    assert all(imported(name) is not None for name in topic["implements"])


@pytest.mark.parametrize("topic", TOPICS, ids=NAMES)
def test_coverage_topics_occur_in_notes(topic: dict[str, Any]) -> None:
    assert set(topic["headings"]) <= set(NOTES) and set(topic.get("fragments", {})) <= set(topic["headings"])


@notes_are_here
@pytest.mark.parametrize("name", NOTES)
def test_coverage_table_has_every_heading_of_the_notes(name: str) -> None:
    """Every heading and every fenced block of a note has a topic, and every number is one of the note's."""
    (file,) = SEEDS.glob(f"{NOTES[name].file}_*")
    text = file.read_text(encoding="utf-8")
    for kind, count in (("headings", len(headings(text))), ("fragments", fences(text))):
        covered = {number for topic in TOPICS for number in topic.get(kind, {}).get(name, ())}
        assert sorted(covered) == list(range(1, count + 1)), kind
