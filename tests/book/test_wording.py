"""The check of wording: its rules, and the files that it reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bookkit.check_wording import Rule, findings, main, read_rules

RULES = read_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.example[:30])
def test_rule_of_wording_finds_its_example(rule: Rule, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"A first line.\n{rule.example}\n")
    (line,) = findings(tmp_path, ["page.md"], [rule])
    assert line.startswith("page.md:2: ") and line.endswith(rule.write)


def test_check_wording_fails_for_planted_sentence_and_names_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    page = tmp_path / "page.md"
    page.write_text("The query is a vector; `x is None` is Python.\n")
    assert main(tmp_path) == 0
    page.write_text(page.read_text() + RULES[0].example + "\n")
    assert main(tmp_path) == 1
    assert capsys.readouterr().err.startswith("page.md:2: ")


def test_check_wording_skips_paths_where_words_are_allowed(tmp_path: Path) -> None:
    rule = next(rule for rule in RULES if rule.allowed is not None and rule.allowed.search("book/page.md"))
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text(rule.example)
    assert not list(findings(tmp_path, ["book/page.md"], [rule]))


def test_check_wording_finds_nothing_in_this_repository(root: Path) -> None:
    assert main(root) == 0
