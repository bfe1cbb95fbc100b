"""Self-tests: errors for invalid content, and the rendered HTML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bookkit.ext.selftest import questions
from tests.book.history import SELF_TEST, Step

CHAPTERS = sorted((Path(__file__).parents[2] / "book").glob("[0-9][0-9]-*.md"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- question: [", "must be YAML"),
        ("", "must be a list of questions"),
        ("question: 1", "must be a list of questions"),
        ("- question: a", "question 1 must have the keys"),
        (SELF_TEST + "- question: b\n  answers: [c]", "question 2 must have a list"),
        (SELF_TEST.replace("      right: true\n", ""), "question 1 must have one right answer, got 0"),
        (SELF_TEST + "      right: true", "question 1 must have one right answer, got 2"),
        (SELF_TEST.replace("right: true", "right: false"), "must have right: true.* got 'false'"),
        (SELF_TEST.replace("      why: One too many.", ""), "must have answers with text, why"),
        (SELF_TEST.replace("why: One", "because: One"), "must have answers with text, why"),
    ],
)
def test_selftest_raises_for_invalid_questions(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        questions(text)


@pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])
def test_chapters_have_at_least_five_questions(path: Path) -> None:
    found = re.findall(r"^```\{self-test\}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
    assert len(found) == 1 and len(questions(found[0])) >= 5
    places = [[("right" in answer) for answer in question["answers"]].index(True) for question in questions(found[0])]
    assert len(set(places)) > 1, "the right answer always stands at one place"


def test_self_test_renders_radio_button_groups(history: dict[str, Step]) -> None:
    html = history["mended"].html["asked"]
    names = re.findall(r'<input type="radio" id="([^"]+)" name="([^"]+)"', html)
    assert len(names) == len({name for name, _ in names}) == 4
    assert len({group for _, group in names}) == 2
    assert html.count('data-verdict="right"') == 2
    assert 'aria-label="2"' in html and "katex" in html, "an answer that is a formula has a name in text"
