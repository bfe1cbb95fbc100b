"""Index the targets of references (figures, formulas, exercises, sections, chapters) with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from markdown_it.token import Token
from myst_nb.core.read import is_myst_markdown_notebook
from sphinx_external_toc.parsing import parse_toc_yaml

from bookkit.notebook.syntax import BOXES, parse, read_directive
from bookkit.symptoms.entries import load

NESTED = {*BOXES, "exercise", "exercise-start", "solution"}


@dataclass
class Label:
    """A target of references.

    Attributes:
        kind: figure, table, formula, exercise or section.
        page: name in the table of contents, such as ``book/04-bahdanau``.
        number: number on the built page; empty for a section outside the numbered chapters.
        title: MyST text; empty for a formula.
        section: number of the section around it, such as 8.2, or of the chapter; empty in an appendix.
    """

    kind: str
    page: str
    number: str
    title: str = ""
    section: str = ""


@dataclass
class Page:
    name: str
    title: str
    notebook: bool
    number: str = ""  # of the chapter; empty for an appendix


@dataclass
class Index:
    pages: dict[str, Page] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)


def source_of(root: Path, name: str) -> Path:
    path = root / name
    return path if path.suffix == ".md" else path.with_name(f"{path.name}.md")


def reading_order(root: Path, *, continued: bool) -> list[tuple[str, str]]:
    """The pages of the table of contents, each with its chapter number, which is empty for unnumbered pages.

    Args:
        root: the checkout.
        continued: whether the numbering continues across parts of the book.
    """
    site = parse_toc_yaml(root / "_toc.yml")
    found: list[tuple[str, str]] = []
    counter = 0

    def walk(name: str, number: str) -> None:
        nonlocal counter
        found.append((name, number))
        for tree in site[name].subtrees if name in site else ():
            counter = counter if continued else 0
            for child in tree.files():
                top = bool(tree.numbered) and not number
                counter += top
                walk(child, str(counter) if top else number)

    walk(site.root.docname, "")
    return found


def make_index(root: Path) -> Index:
    """Read every page of the table of contents."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    index = Index()
    counters: Counter[tuple[str, str]] = Counter()
    for name, chapter in reading_order(root, continued=bool(config.get("html", {}).get("use_multitoc_numbering"))):
        path = source_of(root, name)
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        tokens, _ = parse(text)
        title = next((after.content for token, after in pairwise(tokens) if token.tag == "h1"), name)
        index.pages[name] = Page(name, title, bool(is_myst_markdown_notebook(text)), chapter)
        sections = section_numbers(tokens, chapter)
        for kind, label, title in labels(tokens):
            section = sections.get(label, "")
            number = section
            if kind != "section":
                counters[kind, chapter] += 1
                number = ".".join(filter(None, [chapter, str(counters[kind, chapter])]))
            if label:
                index.labels[label] = Label(kind, name, number, title, section)
    return index


def section_numbers(tokens: list[Token], chapter: str) -> dict[str, str]:
    """The number of the section that each label names or is in, such as 8.2.1; empty if the page has no number."""
    found: dict[str, str] = {}
    counters: list[int] = []  # below the chapter
    waiting: list[str] = []
    number = chapter
    for token in tokens:
        if token.type == "myst_target":
            waiting.append(token.content)
        elif token.type == "heading_open":
            depth = int(token.tag[1]) - 1
            counters = [*counters, *[0] * depth][:depth]
            if counters:
                counters[-1] += 1
            number = ".".join([chapter, *map(str, counters)]) if chapter else ""
            found |= dict.fromkeys(waiting, number)
            waiting = []
        elif token.type in ("fence", "colon_fence"):
            found |= {label: number for _, label, _ in directive_labels(token) if label}
    return found


def labels(tokens: list[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, label and title of everything that Sphinx numbers, in order, and of labeled sections."""
    for place, token in enumerate(tokens):
        if token.type == "myst_target":
            heading = next((after for before, after in pairwise(tokens[place:]) if before.type == "heading_open"), None)
            yield "section", token.content, heading.content if heading else token.content
        elif token.type == "math_block_label":
            yield "formula", token.info, ""
        elif token.type in ("fence", "colon_fence"):
            yield from directive_labels(token)


def directive_labels(token: Token) -> Iterator[tuple[str, str, str]]:
    directive = read_directive(token.info, token.content)
    if directive is None:
        return
    options: dict[str, Any] = directive.options
    if directive.name == "code-cell":
        figure = (options.get("mystnb") or {}).get("figure") or {}
        if figure.get("caption"):
            yield "figure", str(figure.get("name", "")), str(figure["caption"])
    elif directive.name in ("figure", "diagram") and directive.body.strip():
        yield "figure", str(options.get("name", "")), directive.body.strip().split("\n\n")[0]
    elif directive.name == "table" and directive.argument:
        yield "table", str(options.get("name", "")), directive.argument
    elif directive.name == "math" and options.get("label"):
        yield "formula", str(options["label"]), ""
    elif directive.name in ("exercise", "exercise-start") and "nonumber" not in options:
        yield "exercise", str(options.get("label", "")), directive.argument
    elif directive.name == "symptoms":
        for symptom in load()[1]:
            if symptom.group == directive.argument:
                yield "section", symptom.label, symptom.title
    if directive.name in NESTED:
        yield from labels(parse(directive.body)[0])


def slug(name: str) -> str:
    """The last part of a page's name, which is the name of its notebook."""
    return name.removesuffix(".md").split("/")[-1]
