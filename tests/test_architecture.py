"""One import path per name, declared dependencies, sizes of files; import-linter holds the layers."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import attnbook

PACKAGE = Path(attnbook.__file__).parent


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in PACKAGE.rglob("*.py")}


def defined(path: Path) -> set[str]:
    """Names that a file defines and does not only import."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def taken(code: str) -> list[tuple[str, str]]:
    """Names that code imports from the package, each with its module."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    pairs = [(str(node.module), alias.name) for node in nodes for alias in node.names]
    return [pair for pair in pairs if pair[0] in MODULES and ".".join(pair) not in MODULES]


def programs(root: Path) -> Iterator[tuple[Path, str]]:
    """Modules, tests, and what pages import."""
    for folder in ("src", "bookkit", "benchmarks", "tests", "experiments"):
        yield from ((path, path.read_text(encoding="utf-8")) for path in (root / folder).rglob("*.py"))
    for path in (*(root / "book").glob("*.md"), root / "README.md"):
        text = path.read_text(encoding="utf-8")
        yield path, "\n".join(re.findall(r"^from attnbook\S* import (?:\([^)]*\)|.*)", text, re.M))


def wrong_imports(path: Path, code: str) -> list[str]:
    """Names that are not imported from the one module that has them."""
    own = ".".join(path.parent.relative_to(PACKAGE.parent).parts) if path.is_relative_to(PACKAGE) else ""
    found = []
    for module, name in taken(code):
        offers = [
            package for package, names in CATALOGUES.items() if module.startswith(f"{package}.") and name in names
        ]
        if offers and not own.startswith(offers[0]):
            found.append(f"{path.name}: {name} is taken from {module}, wanted {offers[0]}")
        elif module not in ("attnbook", *CATALOGUES) and name not in DEFINED[module]:
            found.append(f"{path.name}: {module} only imports {name}")
    return found


# Packages that offer what their modules define; other code imports from the package.
CATALOGUES = {
    module: set(__import__(module, fromlist=["__all__"]).__all__)
    for module in ("attnbook.data.grammar", "attnbook.data")
}
DEFINED = {module: defined(path) for module, path in MODULES.items()}


def test_every_name_has_one_import_path(root: Path) -> None:
    """The package itself lists the names that most users need."""
    assert [wrong for path, code in programs(root) for wrong in wrong_imports(path, code)] == []


def test_wrong_imports_finds_a_second_import_path(root: Path) -> None:
    page = root / "book" / "page.md"
    assert wrong_imports(page, "from attnbook import Batch\nfrom attnbook.data import Batch, tatoeba") == []
    for wrong in ("attnbook.data.batching import Batch", "attnbook.models.transformer import MultiHeadAttention"):
        assert len(wrong_imports(page, f"from {wrong}")) == 1
    assert wrong_imports(PACKAGE / "data" / "stored.py", "from attnbook.data.batching import Batch") == []


@pytest.mark.parametrize("path", MODULES.values(), ids=MODULES)
def test_module_has_at_most_500_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_other_source_files_have_at_most_500_lines(root: Path) -> None:
    files = [
        path
        for folder in ("src", "bookkit", "benchmarks", "tests", "experiments")
        for path in (root / folder).rglob("*.py")
    ]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: count for name, count in lines.items() if count > 500} == {}


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function, with its decorators and without its docstring."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    docstring = function.body[0].end_lineno - function.body[0].lineno + 1 if ast.get_docstring(function) else 0
    return function.end_lineno - first + 1 - docstring


def long_functions(code: str) -> list[str]:
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node.name for node in found if code_lines(node) > 60]


def test_function_has_at_most_60_lines(root: Path) -> None:
    """Without its docstring; Biome checks the same for JavaScript."""
    files = [
        path
        for folder in ("src", "bookkit", "benchmarks", "tests", "experiments")
        for path in (root / folder).rglob("*.py")
    ]
    assert len(files) > 300
    found = {path.as_posix(): long_functions(path.read_text(encoding="utf-8")) for path in files}
    found[(root / "src/attnbook/cli/commands/train.py").as_posix()].remove(
        "train"
    )  # its signature is the list of options
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_long_functions_finds_a_long_function() -> None:
    head = 'def f():\n    """' + "text\n" * 70 + '"""\n'
    assert long_functions(head + "    x = 1\n" * 59) == []
    assert long_functions(head + "    x = 1\n" * 60) == ["f"]


def test_imported_packages_are_declared(root: Path) -> None:
    """A fresh ``pip install`` must be able to import every module."""
    comes_with = {"PIL": "matplotlib", **dict.fromkeys(("IPython", "matplotlib_inline", "traitlets"), "ipywidgets")}
    optional = {
        "attnbook.widgets.sphinx": {"docutils"},
        "attnbook.pages.figures.sphinx": {"docutils"},
        "attnbook.pages.d2l_compat": {"d2l"},
        "attnbook.pages.model_table": {"yaml"},  # imported only in a copy of the book
    }
    declared = set(re.findall(r'^  "([a-z0-9-]+)>=', (root / "pyproject.toml").read_text(encoding="utf-8"), re.M))
    assert {"torch", "anywidget"} <= declared
    missing = []
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"attnbook", "__future__"}:
                if comes_with.get(name, name) not in declared and name not in optional.get(module, set()):
                    missing.append((module, name))
    assert missing == []
