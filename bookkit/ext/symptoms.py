"""The entries of ``symptoms.yml``: the directive ``{symptoms}``, whose argument is a group.

Every entry is folded, and ``{ref}`symptom-...``` links to it. ``_static/symptoms.js`` adds a filter to the page, and
opens the entry that the address names.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit.symptoms.entries import FAULTS, FILE, Symptom, load, markdown

SCRIPT = "symptoms.js"


class symptom_entry(nodes.General, nodes.Element):
    """An entry: its title, then its folded content."""


class symptom_title(nodes.General, nodes.TextElement):
    """The title of an entry."""


class symptom_program(nodes.General, nodes.Element):
    """The folded program in which the faults are planted."""


class Symptoms(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        groups, symptoms = load()
        group = self.arguments[0]
        if group not in groups:
            raise self.error(f"symptoms must be one of {', '.join(groups)}, got {group!r}")
        self.env.note_dependency(str(FILE))
        self.env.note_dependency(str(FAULTS / f"{group}.py"))
        return [self.entry(symptom) for symptom in symptoms if symptom.group == group]

    def entry(self, symptom: Symptom) -> nodes.Node:
        title, messages = self.parse_inline(symptom.title, lineno=self.lineno)
        entry = symptom_entry("", symptom_title("", "", *title), ids=[symptom.label])
        entry += [*messages, *self.parse_text_to_nodes(markdown(symptom))]
        program = nodes.literal_block(symptom.program, symptom.program, language="text")
        entry += symptom_program("", program)
        target = (self.env.docname, symptom.label)
        domain: Any = self.env.get_domain("std")
        domain.anonlabels[symptom.label] = target
        domain.labels[symptom.label] = (*target, entry[0].astext())
        return entry


def visit_entry(self: Any, node: nodes.Element) -> None:
    self.body.append(f'<details class="symptom" id="{node["ids"][0]}">\n')


def depart_entry(self: Any, node: nodes.Element) -> None:
    self.body.append("</details>\n")


def visit_title(self: Any, node: nodes.Element) -> None:
    self.body.append("<summary>")


def depart_title(self: Any, node: nodes.Element) -> None:
    self.body.append("</summary>\n")


def visit_program(self: Any, node: nodes.Element) -> None:
    self.body.append('<details class="symptom-program"><summary>A program with this symptom</summary>\n')


def as_paragraphs(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace each title by a bold paragraph, and remove programs, for builders other than HTML."""
    if app.builder.format == "html":
        return
    for entry in list(doctree.findall(symptom_entry)):
        title, *content, _ = entry.children
        entry.replace_self([nodes.paragraph("", "", nodes.strong("", "", *title.children)), *content])


def add_script(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is not None and next(doctree.findall(symptom_entry), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("symptoms", Symptoms)
    app.add_node(symptom_entry, html=(visit_entry, depart_entry))
    app.add_node(symptom_title, html=(visit_title, depart_title))
    app.add_node(symptom_program, html=(visit_program, depart_entry))
    app.connect("doctree-resolved", as_paragraphs)
    app.connect("html-page-context", add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
