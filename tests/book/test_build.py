"""The build fails on every kind of fault, and never shows results of older code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import filelock
import pytest
from bs4 import BeautifulSoup

from bookkit.build_book import build_fingerprint, environment_for
from tests.book.history import FAULTS, Step
from tests.book.small_books import SmallBook


def complaints(output: str, page: str) -> list[str]:
    """The warnings and errors of a build about a page."""
    return [line for line in output.splitlines() if f"book/{page}.md" in line and re.search("WARNING|ERROR", line)]


def test_build_reports_each_kind_of_fault_with_its_page(history: dict[str, Step]) -> None:
    """A failed build fails again, although Sphinx alone would find no change and succeed."""
    for name in ("faulty", "faulty still"):
        step = history[name]
        assert step.status != 0 and "The build failed" in step.output
        for fault, (_, told) in FAULTS.items():
            assert any(told in line for line in complaints(step.output, f"faulty-{fault}")), fault
        assert "planted failure" in step.output
        for sound in ("sound", "widgets", "scores", "form", "asked"):
            assert complaints(step.output, sound) == []


def test_build_of_repaired_book_uses_cache(history: dict[str, Step]) -> None:
    mended = history["mended"]
    assert mended.status == 0, mended.output
    assert all(f"from the cache  book/{page}" in mended.output for page in ("form", "sound", "scores", "widgets"))


def test_build_executes_pages_once_and_in_parallel(history: dict[str, Step]) -> None:
    """The failing page is an exception: Sphinx executes it again to report the fault."""
    for name, count in (("faulty", 7), ("faulty still", 1)):
        output = history[name].output
        assert f"executing {count} pages" in output
        assert set(re.findall(r"([\w-]+)\.md: Executing notebook using", output)) == {"faulty-failure"}


def test_build_executes_only_pages_that_import_a_changed_module(history: dict[str, Step]) -> None:
    """The page with scores imports kernels through scoring, that with widgets positional; others import neither."""
    before, after = history["mended"], history["changed"]
    assert after.status == 0, after.output
    assert "forty-one" in before.html["scores"]
    assert "forty-two" in after.html["scores"] and "forty-one" not in after.html["scores"]
    assert after.new(before) == {"book/scores", "book/widgets"}
    assert {"book/sound", "book/form", "book/plot"} <= after.runs.keys()


def test_build_redraws_changed_diagram_without_executing_cells(history: dict[str, Step]) -> None:
    before, after = history["mended"].html["form"], history["changed"].html["form"]
    assert "other words" in after and "other words" not in before and "&lt;compare&gt;" in before


@pytest.mark.parametrize("step", ["mended", "changed"], ids=["from the cache", "executed"])
def test_widgets_of_the_package_render_without_a_loader(history: dict[str, Step], step: str) -> None:
    html = history[step].html["widgets"]
    soup = BeautifulSoup(html, "html.parser")
    states = [json.loads(state.get_text()) for state in soup.select("[data-attnbook-state]")]
    assert [state["state"]["number"] for state in states] == [11, 22, 11]
    assert len(soup.select("[data-attnbook-module]")) == 1, "the module is on the page more than once"
    assert not soup.select("script[type^='application/vnd.jupyter']")
    assert "require.js" not in html and "html-manager" not in html


def test_build_fails_while_another_runs(small_book: SmallBook) -> None:
    (small_book.root / "_build").mkdir()
    with filelock.FileLock(small_book.root / "_build" / ".lock", timeout=0):
        status, output = small_book.build()
    assert status == 1
    assert "another build" in output


def draw_formula(environment: dict[str, str]) -> str:
    """Draw a formula with Matplotlib and return the warnings."""
    code = "import io; from matplotlib import mathtext; mathtext.math_to_image('$x^2$', io.BytesIO())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stderr


def test_build_does_not_use_the_font_list_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that lacks Matplotlib's own fonts makes every formula warn, and a cell that warns fails the build."""
    shared = tmp_path / "shared"
    monkeypatch.setenv("MPLCONFIGDIR", str(shared))
    draw_formula(dict(os.environ))
    (path,) = shared.glob("fontlist-*.json")
    fonts = json.loads(path.read_text())
    fonts["ttflist"] = [font for font in fonts["ttflist"] if font["name"].startswith("DejaVu")]
    path.write_text(json.dumps(fonts))
    assert "STIXGeneral" in draw_formula(dict(os.environ))
    assert draw_formula(environment_for(tmp_path / "_build")) == ""


def test_build_fingerprint_changes_with_katex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bookkit.__file__", str(tmp_path / "bookkit" / "__init__.py"))
    katex = tmp_path / "bookkit" / "ext" / "katex" / "katex.min.js"
    katex.parent.mkdir(parents=True)
    katex.write_text("old")
    before = build_fingerprint(tmp_path)
    assert build_fingerprint(tmp_path) == before
    katex.write_text("new")
    assert build_fingerprint(tmp_path) != before
