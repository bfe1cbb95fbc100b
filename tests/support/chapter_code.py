"""Load the code of a chapter from its page."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.M | re.S)
OPTIONS = re.compile(r"\A(?:---\n.*?^---\n|(?::[^\n]*\n)+)", re.M | re.S)


def defined_in(page: Path, *names: str, using: dict[str, Any]) -> SimpleNamespace:
    """Execute the first definition of each name on a page.

    Args:
        page: the chapter, in Markdown.
        names: top-level functions and classes of the page.
        using: the modules and names that these definitions use.
    """
    namespace = {**using, "__name__": page.stem}
    missing = set(names)
    for cell in CELL.findall(page.read_text(encoding="utf-8")):
        for node in _statements(OPTIONS.sub("", cell)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in missing:
                missing.remove(node.name)
                exec(compile(ast.Module([node], []), str(page), "exec"), namespace)
    assert not missing, f"{page} no longer defines {', '.join(sorted(missing))}"
    return SimpleNamespace(**{name: namespace[name] for name in names})


def _statements(cell: str) -> list[ast.stmt]:
    try:
        return ast.parse(cell).body
    except SyntaxError:  # a cell with a magic
        return []
