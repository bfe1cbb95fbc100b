"""Write a chapter as a standalone notebook in plain Markdown, with a first cell that installs the package."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from attnbook._internal.files import atomic_write
from bookkit.evidence import PAGE as EVIDENCE
from bookkit.evidence import identifier
from bookkit.ext.origin import Origin
from bookkit.notebook.citations import Bibliography
from bookkit.notebook.index import Index, make_index, slug, source_of
from bookkit.notebook.markdown import Converter
from bookkit.notebook.plain import anchor, folded, plain_text
from bookkit.notebook.syntax import UnsupportedMarkup, folded_parts
from bookkit.references import UnknownReference, pieces

GLUED = re.compile(r"\{glue(?::\w+)?\}`([^`]+)`")
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "imports", "plumbing"}
NOTE = """\
> This is a chapter of *The Attention Book*{site}. Run the cells from top to bottom.{numbers}"""
BUILT = " Numbers in the text come from the book's own run; cells print yours, under names such as `{example}`."
NAMED = " Where the text has a name such as `{example}` in place of a number, a cell prints the number under that name."
INSTALL = """\
# Install what this chapter needs, unless it is installed already. No installed package is changed.
import importlib.util

if importlib.util.find_spec("attnbook") is None:
    {install}"""
INSTALL_D2L = """
if importlib.util.find_spec("d2l") is None:  # without its dependencies, which no current Python can install
    %pip install --quiet --no-deps {pin}"""
CLONE = """

from pathlib import Path

if not any((folder / "_toc.yml").is_file() for folder in (Path.cwd(), *Path.cwd().parents)):
    # This chapter reads files of the book's repository and imports modules from it.
    !git clone --quiet --depth 1 --branch {branch} {url} book-repository
    %cd -q book-repository"""
NEEDS_D2L = re.compile(r"\bimport_d2l\b|\bfrom bookkit\.errata\b")  # some checks run D2L's code
NEEDS_REPOSITORY = re.compile(
    r"\bPath\.cwd\(\)|\bfrom (?:attnbook\.pages\.results|bookkit|benchmarks)\b"
)  # available only in the repository
NOT_INSTALLED = (
    'raise ModuleNotFoundError("attnbook is not installed; run `pip install .` in a clone of the book\'s repository")'
)


@dataclass
class PageLinks:
    """Replace the references of one page in its notebook."""

    page: str
    index: Index
    origin: Origin | None
    bibliography: Bibliography
    strict: bool = True  # raise for a broken reference; otherwise it becomes plain text
    values: dict[str, str] = field(default_factory=dict)  # glued values of the built page

    def glued(self, name: str) -> str | None:
        return self.values.get(name)

    def cite(self, keys: list[str], *, textual: bool) -> str:
        known = [key for key in keys if self.strict or key in self.bibliography.entries]
        return self.bibliography.cite(known, textual=textual)

    def number(self, label: str) -> str:
        found = self.index.labels.get(label)
        return found.number if found else ""

    def refer(self, role: str, target: str, text: str | None) -> str:
        """Return a link to a label or a page.

        Raises:
            UnsupportedMarkup: there is no such label or page.
        """
        if role == "term":
            return text or target
        if role == "doc" or target not in self.index.labels:
            return self.page_link(role, target, text)
        label = self.index.labels[target]
        if label.kind == "formula":
            shown = f"({label.number})"
        elif label.kind == "section":
            shown = text or plain_text(label.title)
        else:
            word = {"figure": "Fig.", "table": "Table", "exercise": "Exercise"}[label.kind]
            title = f" ({plain_text(label.title)})" if role == "ref" and label.kind == "exercise" else ""
            shown = (text or f"{word} %s{title}").replace("%s", label.number).replace("{number}", label.number)
        return f"[{shown}]({self.address(label.page, target)})"

    def chapter(self, content: str, *, capital: bool) -> str:
        """Return a reference to chapters or sections, with links.

        Raises:
            UnsupportedMarkup: a target has no number.
        """
        try:
            found = pieces(self.index, content, capital=capital)
        except UnknownReference as error:
            if self.strict:
                raise UnsupportedMarkup(str(error)) from error
            return f"*{content}*"
        return "".join(piece if isinstance(piece, str) else self._numbered(*piece) for piece in found)

    def _numbered(self, words: str, target: str) -> str:
        label = self.index.labels.get(target)
        place = self.address(label.page, target) if label else self.address(target)
        return f"[{words}]({place})" if place else words

    def evidence(self, name: str) -> str:
        """Return a link to the evidence for a comparison; empty if the book has no address."""
        place = self.address(EVIDENCE) if EVIDENCE in self.index.pages else ""
        return f" [[evidence]({place}#{identifier(name)})]" if place else ""

    def page_link(self, role: str, target: str, text: str | None) -> str:
        name = target.split("#")[0].removeprefix("./").removeprefix("../")
        page = next(
            (p for p in self.index.pages.values() if p.name.lstrip("/") == name or slug(p.name) == slug(name)), None
        )
        if page is None:
            if self.strict:
                raise UnsupportedMarkup(f"{role} must name a label or page, got {target!r}")
            return f"*{text or target}*"
        shown, place = text or plain_text(page.title), self.address(page.name)
        return f"[{shown}]({place})" if place else f"*{shown}*"

    def address(self, page: str, label: str = "") -> str:
        """The address of a page: in this notebook, of its published notebook, or of its built page; empty if none."""
        if page == self.page:
            return f"#{label}"
        if not self.index.pages[page].notebook:
            return f"{self.origin.site}{page}.html" if self.origin and self.origin.site else ""
        return (self.origin and self.origin.colab(slug(page))) or f"{slug(page)}.ipynb"


@dataclass
class Writer:
    """Writes the notebook of one page, cell by cell."""

    converter: Converter
    cells: list[NotebookNode] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    fold: str = ""  # title of the folded part that is being written
    title: str = ""  # title of code cells in the folded part

    def add_markdown(self, source: str, index: Index) -> None:
        for kind, content in folded_parts(source):
            if kind == "solution-start":
                label = index.labels.get(content)
                self.fold = "Solution"
                self.title = f"Solution: {plain_text(label.title) if label and label.title else content}"
            elif kind == "predict":
                self.fold = self.title = "What happens"
            elif kind in ("solution-end", "predict-end"):
                self.fold = self.title = ""
            elif converted := self.converter.convert(content).strip("\n"):
                self.text.append(folded(self.fold, converted) if self.fold else converted)

    def add_code(self, cell: NotebookNode) -> None:
        self.flush()
        figure = (cell.metadata.get("mystnb") or {}).get("figure") or {}
        given = cell.metadata.get("tags", [])
        tags = [tag for tag in given if tag not in HIDDEN]
        metadata: dict[str, Any] = {"tags": tags} if tags else {}
        source = cell.source
        if self.title or HIDDEN & set(given):
            metadata |= {"cellView": "form", "jupyter": {"source_hidden": True}}
            title = self.title or (
                "Imports and settings" if "imports" in given else "The figure" if figure else "Numbers"
            )
            if not source.startswith("%%"):
                source = f"# @title {title}\n{source}"
        if figure:
            metadata["attnbook"] = {"figure": str(figure.get("name", "figure"))}
        self.cells.append(nbformat.v4.new_code_cell(source, metadata=metadata))
        if figure.get("caption"):
            name = str(figure.get("name", ""))
            self.text.append(anchor(name) + self.converter.caption(name, str(figure["caption"])))

    def flush(self) -> None:
        if self.text:
            self.cells.append(nbformat.v4.new_markdown_cell("\n\n".join(self.text)))
            self.text = []


def install_cell(root: Path, origin: Origin | None, text: str) -> str:
    """The code of the first cell, which installs the package."""
    install = f'%pip install --quiet "{origin.requirement()}"' if origin else NOT_INSTALLED
    code = INSTALL.format(install=install)
    if NEEDS_D2L.search(text):
        pin = re.search(r"^d2l==[\w.]+", (root / "requirements-d2l.txt").read_text(encoding="utf-8"), re.M)
        assert pin
        code += INSTALL_D2L.format(pin=pin[0])
    if origin and NEEDS_REPOSITORY.search(text):
        code += CLONE.format(branch=origin.branch, url=origin.url)
    return code


def code_of(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")


def built_values(folder: Path, page: str) -> dict[str, str]:
    """The values that a page's cells glued in the last build; empty if the page was never built."""
    path = folder / f"{page}.glue.json"
    glued = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: str(ast.literal_eval(output["data"]["text/plain"])) for name, output in glued.items()}


def make_notebook(
    root: Path, page: str, index: Index, origin: Origin | None, *, strict: bool = True, built: Path | None = None
) -> NotebookNode:
    """Create the notebook of one page.

    Args:
        root: the checkout.
        page: name of the page in the table of contents.
        index: the targets of references.
        origin: the repository from which the notebook installs the package.
        strict: whether a broken reference is an error.
        built: folder with the glued values of the last build; None: ``_build/jupyter_execute`` of the checkout.

    Raises:
        UnsupportedMarkup: the page contains MyST without a replacement; the message names the page and the markup.
    """
    path = source_of(root, page)
    source = path.read_text(encoding="utf-8")
    read = jupytext.reads(source, fmt="md:myst")
    bibliography = Bibliography(root / "book" / "references.bib")
    values = built_values(built or root / "_build" / "jupyter_execute", page)
    writer = Writer(Converter(path.parent, PageLinks(page, index, origin, bibliography, strict, values)))
    try:
        for cell in read.cells:
            if cell.cell_type == "code":
                writer.add_code(cell)
            else:
                writer.add_markdown(cell.source, index)
    except (UnsupportedMarkup, KeyError, OSError) as error:
        reason = error.args[0] if isinstance(error, KeyError) else error  # str() of a KeyError has quotes
        raise UnsupportedMarkup(f"{page}: {reason}") from error
    if references := bibliography.references():
        writer.text.append(f"## References\n\n{references}")
    writer.flush()
    first = nbformat.v4.new_code_cell(
        install_cell(root, origin, code_of(read)), metadata={"attnbook": {"install": True}}
    )
    cells = [first, *writer.cells]
    glued = sorted({name.split(":")[0] for name in GLUED.findall(source) if "::" not in name})
    add_note(cells, glued, origin, page, built=bool(values))
    for number, cell in enumerate(cells):  # deterministic: the same in every build
        cell["id"] = hashlib.sha256(f"{page} {number}".encode()).hexdigest()[:8]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "attnbook": {"page": page, "glued": glued},
    }
    notebook: NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


def add_note(cells: list[NotebookNode], glued: list[str], origin: Origin | None, page: str, *, built: bool) -> None:
    """Add a note below the title: what the notebook is, and how to read its numbers."""
    text = next(cell for cell in cells if cell.cell_type == "markdown")
    title, _, rest = text.source.partition("\n")
    site = f", whose [page]({origin.site}{page}.html) shows what it prints" if origin and origin.site else ""
    numbers = (BUILT if built else NAMED).format(example=glued[0]) if glued else ""
    note = NOTE.format(site=site, numbers=numbers)
    text.source = f"{title}\n\n{note}\n{rest}"


def write_notebooks(
    root: Path, folder: Path, origin: Origin | None, *, strict: bool = True, built: Path | None = None
) -> list[Path]:
    """Write the notebook of every chapter, and remove other notebooks from the folder.

    Raises:
        UnsupportedMarkup: a page contains MyST without a replacement.
    """
    index = make_index(root)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in index.pages.values():
        if page.notebook:
            text = nbformat.writes(make_notebook(root, page.name, index, origin, strict=strict, built=built)) + "\n"
            path = folder / f"{slug(page.name)}.ipynb"
            atomic_write(path, text)
            written.append(path)
    for old in set(folder.glob("*.ipynb")) - set(written):
        old.unlink()
    return written
