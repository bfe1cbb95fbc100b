"""Chapters as notebooks: plain Markdown, the page's numbers, and a first cell that installs what is missing."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from myst_nb.ext.glue import extract_glue_data_cell
from nbformat import NotebookNode

from bookkit import ROOT
from bookkit.ext.notebooks import sources
from bookkit.notebook.index import Index, make_index, slug
from bookkit.notebook.syntax import UnsupportedMarkup, parse, read_directive
from bookkit.notebook.writer import make_notebook, write_notebooks
from tests.book.pages import parsed
from tests.book.small_books import ORIGIN
from tests.support.once import once

RAW = {  # MyST syntax that plain Markdown shows as raw text
    "role": re.compile(r"\{[\w:+-]+\}`"),
    "directive": re.compile(r"^[ >]*(?:```+|~~~+|:::+)\s*\{", re.M),
    "colon fence": re.compile(r"^[ >]*:::", re.M),
    "target": re.compile(r"^[ >]*\([\w-]+\)=\s*$", re.M),
    "comment": re.compile(r"^%", re.M),
    "block break": re.compile(r"^\+\+\+", re.M),
    "option": re.compile(r"^[ >]*:(?:label|class|name|alt|width|tags):", re.M),
    "attributes": re.compile(r"\)\{[.#\w]"),
    "substitution": re.compile(r"\{\{\s*\w+\s*\}\}"),
    "labelled formula": re.compile(r"\$\$\s*\([\w-]+\)"),
}


def without_code(markdown: str) -> str:
    """Markdown without code, formulas and pictures, which may contain braces."""
    markdown = re.sub(r"^([ >]*)(```+)(?!\{).*?^\1\2\s*$", "", markdown, flags=re.M | re.S)
    return re.sub(r"\(data:[^)]*\)", "", markdown)


def raw_syntax(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Every piece of MyST that a reader would see as raw text."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = without_code(cell.source)
            found += [(kind, match[0]) for kind, pattern in RAW.items() for match in pattern.finditer(text)]
            tokens, _ = parse(text)
            found += [("parsed directive", t.info) for t in tokens if "fence" in t.type and t.info.startswith("{")]
    return found


@pytest.fixture(scope="module")
def index(root: Path) -> Index:
    return make_index(root)


@pytest.fixture(scope="module")
def notebooks(root: Path, index: Index, tmp_path_factory: pytest.TempPathFactory) -> dict[str, NotebookNode]:
    """The notebooks of all pages, written once per test run and read in each process."""

    def write(folder: Path) -> dict[str, str]:
        pages = [page for page in index.pages if index.pages[page].notebook]
        return {page: nbformat.writes(make_notebook(root, page, index, ORIGIN)) for page in pages}

    return {page: nbformat.reads(text, 4) for page, text in once(tmp_path_factory, "notebooks", write).items()}


def test_notebooks_have_no_raw_myst_syntax(notebooks: dict[str, NotebookNode]) -> None:
    assert len(notebooks) >= 2
    assert {page: raw for page, notebook in notebooks.items() if (raw := raw_syntax(notebook))} == {}


def test_raw_syntax_check_finds_raw_myst() -> None:
    planted = "See {numref}`a`.\n\n```{note}\nx\n```\n\n(here)=\n\n:::{tip}\n:::\n\n$$x$$ (eq)\n\n[a]({{ b }}){.c}"
    cells = [nbformat.v4.new_markdown_cell(planted)]
    kinds = {kind for kind, _ in raw_syntax(nbformat.v4.new_notebook(cells=cells))}
    assert {"role", "directive", "target", "colon fence", "labelled formula", "attributes", "substitution"} <= kinds


def test_notebook_has_no_outputs_and_is_reproducible(
    notebooks: dict[str, NotebookNode], root: Path, tmp_path: Path
) -> None:
    (tmp_path / "old.ipynb").write_text("{}")
    written = [(path.name, path.read_bytes()) for path in write_notebooks(root, tmp_path, ORIGIN)]
    before = [(f"{slug(page)}.ipynb", nbformat.writes(notebook) + "\n") for page, notebook in notebooks.items()]
    assert written == [(name, text.encode()) for name, text in before] and not (tmp_path / "old.ipynb").exists()
    for name, content in written:
        notebook = nbformat.reads(content.decode(), 4)
        nbformat.validate(notebook)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert all(not cell.outputs and cell.execution_count is None for cell in code), name
        assert not content.count(str(root).encode()), f"{name} names a folder of this machine"
        ids = [cell.id for cell in notebook.cells]
        assert len(ids) == len(set(ids))


def test_first_cell_installs_only_missing_packages(notebooks: dict[str, NotebookNode], root: Path) -> None:
    for page, notebook in notebooks.items():
        first = notebook.cells[0]
        assert first.cell_type == "code"
        installs = [line.strip() for line in first.source.splitlines() if "%pip" in line]
        assert (
            installs[0] == '%pip install --quiet "attnbook[book] @ git+https://github.com/someone/attention-book@main"'
        )
        source = (root / f"{page}.md").read_text(encoding="utf-8")
        needs_d2l = "import_d2l" in source or page == "book/errata"  # whose checks import it
        assert installs[1:] == ["%pip install --quiet --no-deps d2l==1.0.3"] * needs_d2l, page
        reads = re.search(r"from attnbook\.pages\.results|Path\.cwd\(|from bookkit|from benchmarks", source)
        assert ("git clone" in first.source) == bool(reads), page
        python = re.sub(r"[%!](pip|git|cd).*", "raise AssertionError", first.source)
        exec(compile(python, page, "exec"), {})  # packages and repository exist, so nothing is downloaded


def test_cells_hold_the_code_of_the_page(notebooks: dict[str, NotebookNode], root: Path) -> None:
    for page, notebook in notebooks.items():
        tokens, _ = parse((root / f"{page}.md").read_text(encoding="utf-8"))
        fences = [read_directive(token.info, token.content) for token in tokens if token.type == "fence"]
        wanted = [fence.body.strip() for fence in fences if fence and fence.name == "code-cell"]
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"][1:]
        assert [re.sub(r"^# @title .*\n", "", source).strip() for source in cells] == wanted, page
        for source in cells:
            ast.parse(re.sub(r"^\s*[%!].*$", "pass", source, flags=re.M))


def test_sources_open_as_notebooks_and_come_back(notebooks: dict[str, NotebookNode], root: Path) -> None:
    """jupytext, as in ``make lab``, opens and saves a page without changing its code cells."""
    for page, notebook in notebooks.items():
        opened = jupytext.read(root / f"{page}.md")
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"][1:]
        code = [cell.source for cell in opened.cells if cell.cell_type == "code"]
        assert code == [re.sub(r"^# @title .*\n", "", source) for source in cells], page
        again = jupytext.reads(jupytext.writes(opened, fmt="md:myst"), fmt="md:myst")
        assert [(cell.cell_type, cell.source) for cell in again.cells] == [
            (cell.cell_type, cell.source) for cell in opened.cells
        ]


def test_make_notebook_names_missing_picture(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text("")
    (tmp_path / "book" / "page.md").write_text("# A page\n\n![A picture](missing.png)\n")
    with pytest.raises(UnsupportedMarkup, match=r"^book/page: .*missing\.png"):
        make_notebook(tmp_path, "book/page", Index(), None)


def test_sources_of_notebooks_include_definition_of_colors(tmp_path: Path) -> None:
    assert str(ROOT / "src" / "attnbook" / "pages" / "colors.json").encode() in set(sources(tmp_path, tmp_path, None))


def test_unbuilt_page_shows_names_of_glued_numbers(root: Path, index: Index, tmp_path: Path) -> None:
    page = "book/01-attention-cues"
    notebook = make_notebook(root, page, index, ORIGIN, built=tmp_path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    names = notebook.metadata["attnbook"]["glued"]
    assert names and [name for name in names if f"`{name}`" not in text] == []


def test_built_page_fills_in_glued_numbers(root: Path, index: Index, tmp_path: Path) -> None:
    page = "book/01-attention-cues"
    source = (root / f"{page}.md").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\{glue:text\}`([\w-]+)`", source)))
    glued = {name: {"data": {"text/plain": repr(f"{number}.50")}} for number, name in enumerate(names)}
    (tmp_path / "book").mkdir()
    (tmp_path / f"{page}.glue.json").write_text(json.dumps(glued), encoding="utf-8")
    notebook = make_notebook(root, page, index, ORIGIN, built=tmp_path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [name for number, name in enumerate(names) if f"{number}.50" not in text] == []
    assert text.count(f"`{names[0]}`") <= 1, "only the note under the title calls a number by its name"


def test_numbers_are_those_of_the_page(built_book: Path, index: Index) -> None:
    """Compares figures and exercises of the built book and of its notebooks; the build must be up to date."""
    for label, found in index.labels.items():
        if found.kind not in ("figure", "exercise"):
            continue
        place = parsed(built_book / f"{found.page}.html").find(id=label)
        assert place, f"{label} is not on {found.page}"
        caption = place.select_one(".caption-number")
        assert caption and caption.get_text().split()[-1] == found.number, label


def test_links_lead_to_notebooks_and_pages(notebooks: dict[str, NotebookNode]) -> None:
    """The target of a local link is in the notebook; other links are absolute addresses."""
    for page, notebook in notebooks.items():
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
            if target.startswith("#"):
                assert f'id="{target[1:]}"' in text, f"{page} has no {target}"
            else:
                assert re.match(r"https?://|data:image/", target), f"{page} leads to {target}"


def test_solutions_are_folded(notebooks: dict[str, NotebookNode]) -> None:
    notebook = notebooks["book/02-nadaraya-watson"]
    cell = next(cell for cell in notebook.cells if "# @title Solution: Warm-up" in cell.source)
    assert cell.metadata["cellView"] == "form" and cell.metadata["jupyter"]["source_hidden"] is True


def test_glue_prints_in_notebook_but_not_on_page(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display

    from attnbook.pages.glue import glue

    shown: list[NotebookNode] = []

    def publish(data: dict[str, Any], metadata: dict[str, Any]) -> None:
        shown.append(nbformat.v4.new_output("display_data", data, metadata=metadata))

    monkeypatch.setattr(IPython.display, "publish_display_data", publish)
    glue("nw-error", 0.9, ".2f")
    assert shown[0]["data"]["text/plain"] == "nw-error = 0.90"
    cell = nbformat.v4.new_code_cell("", outputs=shown)
    ((name, output),) = extract_glue_data_cell(cell)
    assert (name, output["data"]["text/plain"]) == ("nw-error", "'0.90'") and cell.outputs == []
