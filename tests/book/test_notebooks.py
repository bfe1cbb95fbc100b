"""The chapters as notebooks: plain Markdown, the page's own numbers, and a first cell that installs what is missing."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from myst_nb.ext.glue import extract_glue_data_cell
from nbformat import NotebookNode

from bookkit.ext.notebooks import add_buttons
from bookkit.ext.origin import Origin, find_origin, read_remote
from bookkit.notebook.citations import Bibliography
from bookkit.notebook.index import Label, make_index, slug
from bookkit.notebook.markdown import Converter
from bookkit.notebook.syntax import Unreadable, folded_parts, parse, read_directive
from bookkit.notebook.writer import make_notebook, write_notebooks
from tests.book.pages import parsed
from tests.book.small_books import FRONT

ORIGIN = Origin("https://github.com/someone/attention-book", "main", "https://someone.github.io/attention-book/")
RAW = {  # what MyST reads and plain Markdown shows as it stands
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
    """Markdown without blocks of code, code in a line, formulas and pictures: there, braces are meant."""
    markdown = re.sub(r"^([ >]*)(```+)(?!\{).*?^\1\2\s*$", "", markdown, flags=re.M | re.S)
    return re.sub(r"\(data:[^)]*\)", "", markdown)


def raw_syntax(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Every piece of MyST that a reader would see raw."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = without_code(cell.source)
            found += [(kind, match[0]) for kind, pattern in RAW.items() for match in pattern.finditer(text)]
            tokens, _ = parse(text)
            found += [("parsed directive", t.info) for t in tokens if "fence" in t.type and t.info.startswith("{")]
    return found


@pytest.fixture(scope="module")
def notebooks(root: Path) -> dict[str, NotebookNode]:
    index = make_index(root)
    return {page: make_notebook(root, page, index, ORIGIN) for page in index.pages if index.pages[page].notebook}


def test_no_chapter_shows_raw_syntax(notebooks: dict[str, NotebookNode]) -> None:
    assert len(notebooks) >= 2
    assert {page: raw for page, notebook in notebooks.items() if (raw := raw_syntax(notebook))} == {}


def test_raw_syntax_would_be_found() -> None:
    planted = "See {numref}`a`.\n\n```{note}\nx\n```\n\n(here)=\n\n:::{tip}\n:::\n\n$$x$$ (eq)\n\n[a]({{ b }}){.c}"
    cells = [nbformat.v4.new_markdown_cell(planted)]
    kinds = {kind for kind, _ in raw_syntax(nbformat.v4.new_notebook(cells=cells))}
    assert {"role", "directive", "target", "colon fence", "labelled formula", "attributes", "substitution"} <= kinds


def test_a_notebook_has_no_outputs_and_is_the_same_each_time(
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


def test_the_first_cell_installs_only_what_is_missing(notebooks: dict[str, NotebookNode], root: Path) -> None:
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
        reads = re.search(r"load_result\(|Path\.cwd\(|from bookkit|from benchmarks", source)
        assert ("git clone" in first.source) == bool(reads), page
        python = re.sub(r"[%!](pip|git|cd).*", "raise AssertionError", first.source)
        exec(compile(python, page, "exec"), {})  # packages and repository are here: nothing is fetched


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
    """With jupytext, as in ``make lab``: the same cells of code, which saving does not change."""
    for page, notebook in notebooks.items():
        opened = jupytext.read(root / f"{page}.md")
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"][1:]
        code = [cell.source for cell in opened.cells if cell.cell_type == "code"]
        assert code == [re.sub(r"^# @title .*\n", "", source) for source in cells], page
        again = jupytext.reads(jupytext.writes(opened, fmt="md:myst"), fmt="md:myst")
        assert [(cell.cell_type, cell.source) for cell in again.cells] == [
            (cell.cell_type, cell.source) for cell in opened.cells
        ]


def test_a_page_that_was_never_built_names_its_numbers(root: Path, tmp_path: Path) -> None:
    page = "book/01-attention-cues"
    notebook = make_notebook(root, page, make_index(root), ORIGIN, built=tmp_path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    names = notebook.metadata["attnbook"]["glued"]
    assert names and [name for name in names if f"`{name}`" not in text] == []


def test_a_built_page_gives_its_numbers_to_the_text(root: Path, tmp_path: Path) -> None:
    page = "book/01-attention-cues"
    source = (root / f"{page}.md").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\{glue:text\}`([\w-]+)`", source)))
    glued = {name: {"data": {"text/plain": repr(f"{number}.50")}} for number, name in enumerate(names)}
    (tmp_path / "book").mkdir()
    (tmp_path / f"{page}.glue.json").write_text(json.dumps(glued), encoding="utf-8")
    notebook = make_notebook(root, page, make_index(root), ORIGIN, built=tmp_path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [name for number, name in enumerate(names) if f"{number}.50" not in text] == []
    assert text.count(f"`{names[0]}`") <= 1, "only the note under the title calls a number by its name"


def test_numbers_are_those_of_the_page(built_book: Path, root: Path) -> None:
    """Figures and exercises in the built book and in its notebooks; the book must be built from what is here."""
    index = make_index(root)
    for label, found in index.labels.items():
        if found.kind not in ("figure", "exercise"):
            continue
        place = parsed(built_book / f"{found.page}.html").find(id=label)
        assert place, f"{label} is not on {found.page}"
        caption = place.select_one(".caption-number")
        assert caption and caption.get_text().split()[-1] == found.number, label


def test_links_lead_to_notebooks_and_pages(notebooks: dict[str, NotebookNode]) -> None:
    """A link inside of a notebook has its target there; another is an absolute address."""
    for page, notebook in notebooks.items():
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
            if target.startswith("#"):
                assert f'id="{target[1:]}"' in text, f"{page} has no {target}"
            else:
                assert re.match(r"https?://|data:image/", target), f"{page} leads to {target}"


class Links:
    """Answers every reference."""

    def refer(self, role: str, target: str, text: str | None) -> str:
        return f"<{role} {target} {text or ''}>".replace(" >", ">")

    def cite(self, keys: list[str], *, textual: bool) -> str:
        return f"<cite {' '.join(keys)}>"

    def glued(self, name: str) -> str | None:
        return None

    def number(self, label: str) -> str:
        return "7" if label else ""


@pytest.fixture
def converter(tmp_path: Path) -> Converter:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    return Converter(tmp_path, Links())


SELF_TEST = """\
```{self-test}
- question: What is $x$?
  answers:
    - text: one
      why: It is {cite}`it`.
      right: true
    - text: '{numref}`two`'
      why: No.
```"""

CASES = {
    "plain": ("A *word*, `code`, $x^2$ and [link](https://a.b).\n\n- one\n- two\n", None),
    "code in a line": ("Write ``{cite}`key` `` to cite.", None),
    "block of code": ("```python\nx = {'a': 1}  # {cite}`a`\n```", None),
    "role": ("See {numref}`fig-a` and {doc}`text <05-luong>`.", "See <numref fig-a> and <doc 05-luong text>."),
    "role over lines": ("By {cite}`a,\nb` and\nothers.", "By <cite a b> and\nothers."),
    "role in a list": ("- by {cite}`a,\n  b` and\n  others\n- two", "- by <cite a b> and\n  others\n- two"),
    "role in a quote": ("> by {cite}`a,\n> b`", "> by <cite a b>"),
    "number": ("It is {glue:text}`nw-error` or {glue:text}`nw-x:.2f`.", "It is `nw-error` or `nw-x`."),
    "table": ("| a | b |\n|---|---|\n| {glue:text}`x` | {glue:text}`x` |", "| a | b |\n|---|---|\n| `x` | `x` |"),
    "role in bold": ("**as in {numref}`a`**", "**as in <numref a>**"),
    "role in a link": ("[see {numref}`a`](https://a.b)", "[see <numref a>](https://a.b)"),
    "link to a page": ("[there](05-luong.md)", "<doc 05-luong there>"),
    "heading": ("## The {cite}`a` way", "## The <cite a> way"),
    "picture": ('![dot](dot.png){width="50%"}', "![dot](data:image/png;base64,iVBORw==)"),
    "admonition": (
        "```{admonition} Predict $x$\n:class: tip\nOne\n\ntwo.\n```",
        "> **Predict $x$**\n>\n> One\n>\n> two.",
    ),
    "note": ("```{note}\nBy {cite}`a`.\n```", "> **Note**\n>\n> By <cite a>."),
    "translator": (
        "```{translator} a.page\nHe sleeps.\n```",
        "> On this chapter's page in the book stands a translator to type into.",
    ),
    "colon fence": (":::{tip} Look\nhere\n:::", "> **Tip**\n>\n> Look\n> here"),
    "admonition in a list": ("- one\n\n  ```{note}\n  x\n  ```\n", "- one\n\n  > **Note**\n  >\n  > x\n"),
    "beside text": ("text\n```{note}\nx\n```\nmore", "text\n\n> **Note**\n>\n> x\n\nmore"),
    "target": ("(here)=\n## There", '<a id="here" name="here"></a>\n\n## There'),
    "comment": ("one\n\n% a comment\n\ntwo", "one\n\n\ntwo"),
    "formula": ("$$x \\\\ y$$", "$$\n\\begin{aligned}x \\\\ y\\end{aligned}\n$$"),
    "numbered formula": (
        "```{math}\n:label: eq-a\nx\n```",
        '<a id="eq-a" name="eq-a"></a>\n\n$$\nx \\tag{7}\n$$',
    ),
    "align": ("\\begin{align}\nx &= y\n\\end{align}", "$$\n\\begin{aligned}\nx &= y\n\\end{aligned}\n$$"),
    "exercise": (
        "```{exercise} Warm-up\n:label: ex\nDo {eq}`it`.\n```",
        '<a id="ex" name="ex"></a>\n\n### Exercise 7: Warm-up\n\nDo <eq it>.',
    ),
    "dropdown": (
        "```{admonition} More\n:class: dropdown\nx\n```",
        "<details>\n<summary><b>More</b></summary>\n\nx\n\n</details>",
    ),
    "self-test": (
        SELF_TEST,
        "1. What is $x$?\n   - **a.** one\n   - **b.** <numref two>\n\n"
        "<details>\n<summary><b>Answer to 1</b></summary>\n\n"
        "- **a, right.** It is <cite it>.\n- **b, wrong.** No.\n\n</details>",
    ),
    "figure": (
        "```{figure} dot.png\n:name: fig-a\n:alt: A dot.\nThe dot.\n```",
        '<a id="fig-a" name="fig-a"></a>\n\n![A dot.](data:image/png;base64,iVBORw==)\n\n**Fig. 7** *The dot.*',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_myst_becomes_plain_markdown(converter: Converter, case: str) -> None:
    source, wanted = CASES[case]
    assert converter.convert(source) == (source if wanted is None else wanted)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("```{no-such}\n```", "no-such"),
        ("A {no-such}`role`.", "no-such"),
        ("A word[^1].\n\n[^1]: note", "footnote"),
        ("```{note}\n```{code-cell}\n1\n```", "code cell"),
    ],
)
def test_what_has_no_plain_form_is_an_error(converter: Converter, source: str, named: str) -> None:
    with pytest.raises(Unreadable, match=named):
        converter.convert(
            source.replace("```{note}\n```{", "````{note}\n```{") + ("\n````" if "{note}" in source else "")
        )


def test_a_fault_names_its_page(root: Path, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("title: x")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/one")
    (tmp_path / "book" / "references.bib").write_text("")
    (tmp_path / "book" / "one.md").write_text(f"{FRONT}# One\n\n```{{no-such}}\n```\n\n```{{code-cell}}\n1\n```\n")
    command = [sys.executable, "-m", "bookkit.make_notebooks", "--root", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "book/one: directive 'no-such'" in done.stderr


def test_solutions_are_cut_out_of_a_cell() -> None:
    text = "a\n\n```{solution-start} ex\n:class: dropdown\n```\nb\n\n```{solution-end}\n```\n\nc"
    kinds = [(kind, content.strip()) for kind, content in folded_parts(text)]
    assert kinds == [("text", "a"), ("solution-start", "ex"), ("text", "b"), ("solution-end", ""), ("text", "c")]


def test_solutions_are_folded(notebooks: dict[str, NotebookNode]) -> None:
    notebook = notebooks["book/02-nadaraya-watson"]
    cell = next(cell for cell in notebook.cells if "# @title Solution: Warm-up" in cell.source)
    assert cell.metadata["cellView"] == "form" and cell.metadata["jupyter"]["source_hidden"] is True


def test_citations(root: Path) -> None:
    found = Bibliography(root / "book" / "references.bib")
    assert found.cite(["bahdanau2015neural"], textual=False).startswith(
        "([Bahdanau et al., 2015](https://arxiv.org/abs/"
    )
    assert "van Merriënboer" in found.references() or found.cite(["cho2014learning"], textual=True).startswith(
        "Cho et al."
    )
    assert "Neural machine translation by jointly learning" in found.references()
    with pytest.raises(KeyError, match="nobody1900"):
        found.cite(["nobody1900"], textual=False)


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/someone/book.git", "https://github.com/someone/book"),
        ("https://user:secret@github.com/someone/book", "https://github.com/someone/book"),
        ("git@github.com:someone/book.git", "https://github.com/someone/book"),
        ("ssh://git@gitlab.com:2222/group/sub/book.git", "https://gitlab.com/group/sub/book"),
        ("/srv/git/book.git", None),
        ("file:///srv/git/book.git", None),
        ("../book", None),
        ("C:\\books\\attention", None),
        ("http://192.168.0.7/someone/book", None),
        ("https://git.internal/someone/book", None),
        ("", None),
    ],
)
def test_git_remotes(remote: str, url: str | None) -> None:
    assert read_remote(remote) == url


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_the_repository_is_that_of_the_remote_or_of_the_ci_environment(tmp_path: Path) -> None:
    git(tmp_path, "init", "-b", "trunk")
    assert find_origin(tmp_path, {}) is None
    git(tmp_path, "remote", "add", "origin", "git@github.com:Someone/book.git")
    found = find_origin(tmp_path, {})
    assert found == Origin("https://github.com/Someone/book", "trunk", "https://someone.github.io/book/")
    assert find_origin(tmp_path / "..", {}) is None or find_origin(tmp_path / "..", {}) != found
    ci = {"GITHUB_REPOSITORY": "fork/book", "GITHUB_REF_NAME": "12/merge", "GITHUB_BASE_REF": "main"}
    assert find_origin(tmp_path, ci) == Origin("https://github.com/fork/book", "main", "https://fork.github.io/book/")
    told = {"ATTNBOOK_REPOSITORY": "https://github.com/a/a.github.io/", "ATTNBOOK_BRANCH": "x"}
    assert find_origin(tmp_path, {**ci, **told}) == Origin(
        "https://github.com/a/a.github.io", "x", "https://a.github.io/"
    )
    moved = find_origin(tmp_path, {**ci, "ATTNBOOK_SITE": "https://books.example/attention"})
    assert moved and moved.site == "https://books.example/attention/"


def test_addresses() -> None:
    wanted = "https://colab.research.google.com/github/someone/attention-book/blob/gh-pages/notebooks/04-bahdanau.ipynb"
    assert ORIGIN.colab("04-bahdanau") == wanted
    assert ORIGIN.edit("book/a.md") == "https://github.com/someone/attention-book/edit/main/book/a.md"
    elsewhere = Origin("https://gitlab.com/a/b", "main")
    assert elsewhere.colab("a") == elsewhere.edit("a") == elsewhere.issue("a") == ""
    assert elsewhere.requirement() == "attnbook[book] @ git+https://gitlab.com/a/b@main"


class App:
    def __init__(self, origin: Origin | None) -> None:
        self.book_origin, self.book_chapters = origin, {"book/04-bahdanau"}


@pytest.mark.parametrize(
    ("origin", "page", "names"),
    [
        (ORIGIN, "book/04-bahdanau", ["colab", "notebook", "edit", "issue"]),
        (ORIGIN, "book/status", ["edit", "issue"]),
        (None, "book/04-bahdanau", ["notebook"]),
        (None, "book/status", []),
    ],
)
def test_buttons(origin: Origin | None, page: str, names: list[str]) -> None:
    context: dict[str, Any] = {"content_root": "../", "page_source_suffix": ".md"}
    add_buttons(App(origin), page, "page.html", context, object())  # type: ignore[arg-type]
    assert [button["name"] for button in context["book_buttons"]] == names
    for button in context["book_buttons"]:
        if button["name"] == "notebook":
            assert button["url"] == "../notebooks/04-bahdanau.ipynb" and button["download"]


def test_every_chapter_of_the_site_offers_its_notebook(built_book: Path, root: Path) -> None:
    for page in make_index(root).pages.values():
        button = parsed(built_book / f"{page.name}.html").select_one("[data-book=notebook]")
        assert bool(button) == page.notebook
        if button:
            path = (built_book / f"{page.name}.html").parent / str(button["href"])
            assert path.resolve() == built_book / "notebooks" / f"{slug(page.name)}.ipynb" and path.is_file()


def test_a_glued_number_is_printed_in_a_notebook_and_not_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display

    from attnbook.glue import glue

    shown: list[NotebookNode] = []

    def publish(data: dict[str, Any], metadata: dict[str, Any]) -> None:
        shown.append(nbformat.v4.new_output("display_data", data, metadata=metadata))

    monkeypatch.setattr(IPython.display, "publish_display_data", publish)
    glue("nw-error", 0.9, ".2f")
    assert shown[0]["data"]["text/plain"] == "nw-error = 0.90"
    cell = nbformat.v4.new_code_cell("", outputs=shown)
    ((name, output),) = extract_glue_data_cell(cell)
    assert (name, output["data"]["text/plain"]) == ("nw-error", "'0.90'") and cell.outputs == []


def test_labels_are_numbered_through_the_book(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("html: {use_multitoc_numbering: true}")
    toc = "format: jb-book\nroot: book/intro\nparts:\n"
    for part, page in enumerate(("one", "two")):
        toc += f"  - caption: P{part}\n    numbered: true\n    chapters:\n      - file: book/{page}\n"
        figure = f"```{{figure}} a.png\n:name: fig-{page}\nA caption.\n```\n"
        exercise = f"```{{exercise}} Go\n:label: ex-{page}\nDo {{eq}}`eq-{page}`.\n```\n"
        text = f"# Chapter {page}\n\n{figure}\n```{{math}}\n:label: eq-{page}\nx\n```\n\n{exercise}"
        (tmp_path / "book" / f"{page}.md").write_text(text)
    (tmp_path / "book" / "intro.md").write_text("# Intro\n\n```{math}\n:label: eq-intro\nx\n```\n")
    (tmp_path / "_toc.yml").write_text(toc)
    labels = make_index(tmp_path).labels
    assert labels["eq-intro"] == Label("formula", "book/intro", "1")
    assert labels["fig-two"] == Label("figure", "book/two", "2.1", "A caption.")
    assert labels["ex-one"].number == "1.1" and labels["eq-two"].number == "2.1"
