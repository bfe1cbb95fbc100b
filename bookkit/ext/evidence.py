"""Evidence marks: the role ``{evidence}`` and the list ``{evidence-list}``.

``{evidence}`readout``` after a sentence prints a small mark. A click opens a card with the protocol of that stored
comparison. Without JavaScript the mark links to the same entry on the page *Evidence*, which ``{evidence-list}`` fills.
Cards and entries come from the result files (:mod:`bookkit.evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from bookkit.evidence import PAGE, Entry, facts_html, has_protocol, identifier, load_entries

MARK = re.compile(r'<a class="evidence"[^>]* data-evidence="([^"]+)"')


class evidence_mark(nodes.General, nodes.Inline, nodes.Element):
    """Placeholder for a mark."""


class evidence_uses(nodes.General, nodes.Element):
    """Placeholder for the list of pages that use a comparison."""


@lru_cache(maxsize=1)
def entries_of(root: Path) -> dict[str, Entry]:
    """Read the stored comparisons once per build."""
    return load_entries(root)


def evidence(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: Mapping[str, Any] | None = None,
    content: Sequence[str] = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    env = inliner.document.settings.env
    entry = entries_of(Path(env.srcdir)).get(text)
    if entry is None:
        known = ", ".join(entries_of(Path(env.srcdir)))
        message = inliner.reporter.error(f"evidence must be one of {known}, got {text!r}", line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    for path in stored(Path(env.srcdir)):
        if path.name.split(".")[0] == text:  # the file of a comparison, or the files of several long runs
            env.note_dependency(str(path))
    uses(env).setdefault(env.docname, []).append(text)
    return [evidence_mark(entry=text, question=entry.question)], []


def uses(env: Any) -> dict[str, list[str]]:
    """The comparisons that each page refers to."""
    if not hasattr(env, "book_evidence"):
        env.book_evidence = {}
    found: dict[str, list[str]] = env.book_evidence
    return found


def stored(root: Path) -> list[Path]:
    """The files of all stored comparisons."""
    return sorted(path for folder in ("controls", "experiments") for path in (root / "results" / folder).glob("*.json"))


def results_now(root: Path) -> list[tuple[str, int]]:
    """Name and modification time of each file of a stored comparison."""
    return [(path.name, path.stat().st_mtime_ns) for path in stored(root)]


def note_outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Rebuild the page *Evidence* if a comparison changed, or any page, whose references may differ."""
    before, now = getattr(env, "book_results", None), results_now(Path(app.srcdir))
    return [PAGE] if PAGE in env.found_docs and (before != now or added or changed or removed) else []


class EvidenceList(SphinxDirective):
    """``{evidence-list}``: a section for every stored comparison."""

    def run(self) -> list[nodes.Node]:
        environment: Any = self.env
        environment.book_results = results_now(Path(self.env.srcdir))
        entries = sorted(entries_of(Path(self.env.srcdir)).values(), key=has_protocol, reverse=True)
        count = f"{sum(map(has_protocol, entries))} of the {len(entries)} comparisons have a protocol. They come first."
        return [nodes.paragraph("", count), *map(self.section, entries)]

    def section(self, entry: Entry) -> nodes.section:
        section = nodes.section(
            "", nodes.title("", entry.name), ids=[identifier(entry.name)], classes=["evidence-entry"]
        )
        section += nodes.paragraph("", "", nodes.strong("", entry.question))
        section += evidence_uses(entry=entry.name)
        summary = (
            "<summary>Protocol, results and command</summary>" if has_protocol(entry) else "<summary>Details</summary>"
        )
        fold = f'<details class="evidence-fold">{summary}\n{facts_html(entry)}\n</details>'
        section += nodes.raw("", fold, format="html")
        return section


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholders by marks and by lists of pages."""
    for mark in list(doctree.findall(evidence_mark)):
        address = f"{app.builder.get_relative_uri(docname, PAGE)}#{identifier(mark['entry'])}"
        label = escape(f"Evidence: {mark['question']}")
        html = (
            f'<a class="evidence" href="{escape(address)}" data-evidence="{escape(mark["entry"])}" '
            f'aria-label="{label}" title="{label}">E</a>'
        )
        mark.replace_self(nodes.raw("", html, format="html"))
    for place in list(doctree.findall(evidence_uses)):
        place.replace_self(used_on(app, docname, place["entry"]))


def used_on(app: Sphinx, docname: str, entry: str) -> list[nodes.Node]:
    """A paragraph with links to the pages that use a comparison."""
    pages = sorted(page for page, names in uses(app.env).items() if entry in names)
    if not pages:
        return []
    links = nodes.paragraph("", "Used in: ")
    for place, page in enumerate(pages):
        number = app.env.toc_secnumbers.get(page, {}).get("")
        words = f"chapter {'.'.join(map(str, number))}" if number else app.env.titles[page].astext()
        links += nodes.Text(", " if place else "")
        links += nodes.reference("", words, internal=True, refuri=app.builder.get_relative_uri(docname, page))
    return [links]


def add_cards(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Append the cards of a page's marks to the page."""
    if doctree is None or "body" not in context:
        return
    entries = entries_of(Path(app.srcdir))
    for name in dict.fromkeys(map(unescape, MARK.findall(context["body"]))):
        entry = entries[name]
        context["body"] += (
            f'<template class="evidence-card" data-evidence="{escape(name)}">'
            f"<h2>{escape(entry.question)}</h2>\n{facts_html(entry)}</template>\n"
        )


def forget(app: Sphinx, env: Any, docname: str) -> None:
    uses(env).pop(docname, None)


def merge(app: Sphinx, env: Any, docnames: set[str], other: Any) -> None:
    uses(env).update({page: names for page, names in uses(other).items() if page in docnames})
    env.book_results = getattr(other, "book_results", getattr(env, "book_results", None))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("evidence", evidence)
    app.add_directive("evidence-list", EvidenceList)
    app.add_node(evidence_mark)
    app.add_node(evidence_uses)
    app.add_js_file("evidence.js", loading_method="defer")
    app.connect("builder-inited", lambda _: entries_of.cache_clear())
    app.connect("env-get-outdated", note_outdated)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", resolve)
    app.connect("html-page-context", add_cards)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
