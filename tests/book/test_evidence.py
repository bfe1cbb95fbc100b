"""Every comparison that a page uses has an evidence mark, and every stored comparison is used."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.errors import SphinxWarning
from sphinx.util.docutils import docutils_namespace

from bookkit.evidence import facts_html, identifier, load_entries
from tests.support.once import once
from tests.support.tiny_comparison import finish

USED = re.compile(r"""load_(?:comparison|sweep)\(\s*f?["']([\w-]+)["']|["'](experiments)/""")
MARKED = re.compile(r"\{evidence\}`([^`]+)`")


def pages(root: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted((root / "book").glob("*.md"))}


def runs_of(root: Path) -> set[str]:
    """The comparisons that consist of long runs."""
    return set(load_entries(root)) - {path.stem for path in (root / "results" / "controls").glob("*.json")}


def test_result_used_on_a_page_has_a_mark_there(root: Path) -> None:
    long_runs, unmarked = runs_of(root), set()
    for page, text in pages(root).items():
        marks = set(MARKED.findall(text))
        for control, runs in USED.findall(text):
            marked = marks & long_runs if runs else control in marks
            if not marked:
                unmarked.add((page, control or runs))
    assert unmarked == set(), "mark the sentences that rest on these results"


def test_stored_comparison_is_marked_on_some_page(root: Path) -> None:
    marks = {name for text in pages(root).values() for name in MARKED.findall(text)}
    assert marks - set(load_entries(root)) == set(), "these marks have no result"
    assert set(load_entries(root)) - marks == set(), "show these results on a page, or delete them"


def test_stored_comparisons_each_have_an_entry(root: Path) -> None:
    entries = load_entries(root)
    assert {path.stem for path in (root / "results" / "controls").glob("*.json")} <= set(entries)
    corpora = {path.name.split(".")[0] for path in (root / "results" / "experiments").glob("*.*.*.json")}
    assert corpora and corpora <= set(entries)
    for entry in entries.values():
        assert entry.question.endswith("?")
        assert entry.command.startswith("python -m experiments.")
        assert {"Commit", "Processor", "Date"} <= set(entry.facts)


def test_comparison_of_the_harness_is_finished_and_of_one_commit(root: Path) -> None:
    """It also has one kind of processor, at least four rates and three seeds."""
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in (root / "results" / "controls").glob("*.json")]
    protocols = {content["name"]: content["protocol"] for content in contents if "protocol" in content}
    assert protocols
    for name, protocol in protocols.items():
        assert not protocol["missing"], name
        assert len(protocol["seeds"]) >= 3, name
        assert len(protocol["commits"]) == len(protocol["processors"]) == len(protocol["torch"]) == 1, name
        assert "changes" not in protocol["commits"][0], name
        assert all(len(row["tried"]) >= 4 for row in protocol["rates"]), name


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small book with one comparison of the harness and one measurement."""
    folder = tmp_path_factory.mktemp("book")
    controls = folder / "results" / "controls"
    controls.mkdir(parents=True)
    (controls / "tiny.json").write_text(once(tmp_path_factory, "finished-comparison", finish), encoding="utf-8")
    about: dict[str, Any] = {"commit": "def", "date": "2026-01-31", "machine": {"cpu": "a <fast> one"}}
    about |= {"versions": {"torch": "2"}, "question": "Which is better?"}
    rows = [{"kind": kind, "seed": seed, "bleu": 1.0} for kind in "ab" for seed in (0, 1)]
    (controls / "old.json").write_text(json.dumps({"name": "old", **about, "rows": rows}))
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: intro\nchapters:\n  - file: one\n  - file: book/evidence\n"
    )
    (folder / "book").mkdir()
    (folder / "intro.md").write_text("# A book\n")
    (folder / "one.md").write_text("# One\n\nIt learns faster.{evidence}`tiny`\nTwice.{evidence}`tiny`\n")
    (folder / "book" / "evidence.md").write_text("# Evidence\n\n```{evidence-list}\n```\n")
    return folder


def build(book: Path, out: Path) -> None:
    extensions = ["myst_parser", "sphinx_external_toc", "bookkit.ext.evidence"]
    with docutils_namespace():
        Sphinx(book, None, out, out / "doctrees", "html", {"extensions": extensions}, warningiserror=True).build()


def test_mark_leads_to_the_entry_and_carries_a_card(book: Path, tmp_path: Path) -> None:
    build(book, tmp_path)
    page = BeautifulSoup((tmp_path / "one.html").read_text(), "html.parser")
    marks = page.select("a.evidence")
    assert [mark["href"] for mark in marks] == ["book/evidence.html#evidence-tiny"] * 2
    assert marks[0]["aria-label"] == "Evidence: Does a line need an intercept?"
    assert len(page.select("template.evidence-card")) == 1
    listed = BeautifulSoup((tmp_path / "book" / "evidence.html").read_text(), "html.parser")
    entry = listed.select_one(f"#{identifier('tiny')}")
    assert entry is not None
    assert "Used in: One" in entry.get_text()
    assert listed.select_one("#evidence-old") is not None
    assert [section["id"] for section in listed.select("section.evidence-entry")] == ["evidence-tiny", "evidence-old"]
    assert "1 of the 2 comparisons have a protocol" in listed.get_text()
    assert entry.select_one("details.evidence-fold dl.evidence-facts") is not None


def test_entry_of_the_harness_shows_the_protocol(book: Path) -> None:
    text = BeautifulSoup(facts_html(load_entries(book)["tiny"]), "html.parser").get_text(" ")
    content = json.loads((book / "results" / "controls" / "tiny.json").read_text())
    row = next(row for row in content["summary"] if row["budget"] == "4" and row["contestant"] == "without")
    assert f"(rate {row['rate']:g}" in text
    for words in (
        "What would refute it equal errors",
        "without: y = a x",
        "4 times the base is 160 steps",
        "commit abc",
    ):
        assert words.lower() in " ".join(text.lower().split())


def test_entry_without_protocol_says_so(book: Path) -> None:
    entry = load_entries(book)["old"]
    assert entry.facts["Cases"] == ["kind: a, b"]
    assert entry.facts["Measured"] == "bleu"
    assert "no protocol" in str(entry.facts["Limits"])
    assert "a &lt;fast&gt; one" in facts_html(entry)


def test_mark_without_a_result_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: intro\n")
    (tmp_path / "intro.md").write_text("# One\n\nIt learns.{evidence}`nothing`\n")
    with pytest.raises(SphinxWarning, match="evidence must be one of"):
        build(tmp_path, tmp_path / "out")


def read_in(book: Path, out: Path) -> set[str]:
    """The pages that a build read."""
    found: set[str] = set()
    extensions = ["myst_parser", "sphinx_external_toc", "bookkit.ext.evidence"]
    with docutils_namespace():
        app = Sphinx(book, None, out, out / "doctrees", "html", {"extensions": extensions}, warningiserror=True)
        app.connect("source-read", lambda app, page, text: found.add(page))
        app.build()
    return found


def test_pages_are_read_again_when_their_results_change(book: Path, root: Path, tmp_path: Path) -> None:
    book = shutil.copytree(book, tmp_path / "copy")
    (book / "results" / "experiments").mkdir()
    run = shutil.copy(
        root / "results" / "experiments" / "d2l-protocol.bahdanau.0.json", book / "results" / "experiments"
    )
    (book / "intro.md").write_text("# A book\n\nIt translates.{evidence}`d2l-protocol`\n")
    assert read_in(book, tmp_path / "out") == {"intro", "one", "book/evidence"}
    assert read_in(book, tmp_path / "out") == set()
    Path(run).touch()
    assert read_in(book, tmp_path / "out") == {"intro", "book/evidence"}
    (book / "results" / "controls" / "tiny.json").touch()
    assert read_in(book, tmp_path / "out") == {"one", "book/evidence"}
    (book / "intro.md").write_text("# A book\n\nFaster.{evidence}`tiny`\n")
    assert read_in(book, tmp_path / "out") == {"intro", "book/evidence"}
    listed = BeautifulSoup((tmp_path / "out" / "book" / "evidence.html").read_text(), "html.parser")
    assert "Used in: A book, One" in " ".join(listed.get_text().split())
