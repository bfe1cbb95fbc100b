"""The status page: when each page was executed, for how long, and on what hardware and software.

``{execution-status}`` inserts a table into a page. The same data goes to ``_build/status.json``, from which the build
prints its summary.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from attnbook._internal.files import atomic_write
from bookkit import provenance

PACKAGES = ("torch", "numpy", "matplotlib", "ipywidgets", "anywidget", "d2l", "jupyter-book", "Sphinx", "myst-nb")


class StatusNode(nodes.General, nodes.Element):
    """Placeholder for a table."""


class ExecutionStatus(SphinxDirective):
    """``{execution-status} notebooks``, or ``versions``, or ``machine``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        if self.arguments[0] not in TABLES:
            raise self.error(f"execution-status must be one of {', '.join(TABLES)}, got {self.arguments[0]!r}")
        env: Any = self.env
        env.book_status_pages = {*getattr(env, "book_status_pages", ()), env.docname}
        return [StatusNode(part=self.arguments[0])]


def system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return "unknown"
    return f"{total / 2**30:.0f} GiB"


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions() -> list[tuple[str, str]]:
    found = provenance.versions(*PACKAGES)
    return [("Python", found.pop("python")), *found.items()]


def machine() -> list[tuple[str, str]]:
    return [
        ("Processor", f"{provenance.cpu()}, {platform.machine()}"),
        ("Cores", str(cores())),
        ("Memory", memory()),
        ("System", system()),
    ]


def reading_order(env: Any, page: str) -> list[str]:
    """A page and the pages below it, in the order of the table of contents."""
    below = [name for child in env.toctree_includes.get(page, []) for name in reading_order(env, child)]
    return [page, *below]


def executions(env: Any) -> list[dict[str, Any]]:
    """One entry per notebook, in the order of the table of contents: page, title, seconds, time, success."""
    data = NbMetadataCollector.get_doc_data(env)
    found = {name: data[name]["exec_data"] for name in data if "exec_data" in data[name]}
    order = [name for name in reading_order(env, env.config.root_doc) if name in found]
    return [
        {
            "page": name,
            "title": env.titles[name].astext(),
            "seconds": found[name]["runtime"],
            "time": found[name]["mtime"],
            "succeeded": found[name]["succeeded"],
        }
        for name in order
    ]


def notebooks_table(app: Sphinx, docname: str) -> nodes.table:
    rows: list[list[nodes.Node]] = []
    for entry in executions(app.env):
        link = nodes.reference("", entry["title"], internal=True)
        link["refuri"] = app.builder.get_relative_uri(docname, entry["page"])
        seconds = "unknown" if entry["seconds"] is None else f"{entry['seconds']:.1f} s"
        time = datetime.fromtimestamp(entry["time"], UTC).strftime("%Y-%m-%d %H:%M UTC")
        outcome = "all cells ran" if entry["succeeded"] else "failed"
        rows.append([link, nodes.Text(seconds), nodes.Text(time), nodes.Text(outcome)])
    return table(["Page", "Run time", "Executed", "Outcome"], rows)


def pairs_table(head: list[str], pairs: list[tuple[str, str]]) -> nodes.table:
    return table(head, [[nodes.Text(name), nodes.Text(value)] for name, value in pairs])


TABLES: dict[str, Callable[[Sphinx, str], nodes.table]] = {
    "notebooks": notebooks_table,
    "versions": lambda app, docname: pairs_table(["Software", "Version"], versions()),
    "machine": lambda app, docname: pairs_table(["Part", "What it is"], machine()),
}


def table(head: list[str], rows: list[list[nodes.Node]]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", row([nodes.Text(text) for text in head]))
    group += nodes.tbody("", *map(row, rows))
    return nodes.table("", group, classes=["colwidths-auto"])


def row(cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(StatusNode)):
        node.replace_self(TABLES[node["part"]](app, docname))


def update(app: Sphinx, env: Any) -> list[str]:
    """Rewrite pages with these tables in every build, because the tables depend on other pages."""
    return sorted(getattr(env, "book_status_pages", set()) & env.found_docs)


def save(app: Sphinx, exception: Exception | None) -> None:
    target = Path(app.outdir).parent / "status.json"
    content = {"notebooks": executions(app.env), "versions": dict(versions()), "machine": dict(machine())}
    atomic_write(target, json.dumps(content, indent=1))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(StatusNode)
    app.add_directive("execution-status", ExecutionStatus)
    app.connect("env-updated", update)
    app.connect("doctree-resolved", fill)
    app.connect("build-finished", save)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
