"""Which module may import which: the package's docstring says it, and this holds it."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import attnbook

PACKAGE = Path(attnbook.__file__).parent
LEAVES = {"glue", "d2l_compat", "cli"}  # what no module of the package may need


def order() -> list[str]:
    """The list in the package's docstring."""
    assert attnbook.__doc__
    listed = attnbook.__doc__.split("::")[1]
    return re.findall(r"\w+", listed)


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in PACKAGE.rglob("*.py")}


def imports(path: Path) -> set[str]:
    """Modules of the package that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import: wanted the full name"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else str(node.module) for name in inner]
        else:
            continue
        found |= {name for name in names if name in MODULES}
    return found - {"attnbook"}


def room(module: str) -> str:
    return module.split(".")[1]


def violations(graph: dict[str, set[str]], rooms: list[str]) -> list[str]:
    """Imports that point downwards in the list."""
    return [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in targets
        if room(module) != room(target) and rooms.index(room(target)) > rooms.index(room(module))
    ]


def defined(path: Path) -> set[str]:
    """Names that a file gives a value, and does not only import."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def taken(code: str) -> list[tuple[str, str]]:
    """Names that code imports from modules of the package, each with its module."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    pairs = [(str(node.module), alias.name) for node in nodes for alias in node.names]
    return [pair for pair in pairs if pair[0] in MODULES and ".".join(pair) not in MODULES]


def programs(root: Path) -> Iterator[tuple[Path, str]]:
    """Modules, tests, and what pages import."""
    for folder in ("src", "tests", "experiments"):
        yield from ((path, path.read_text(encoding="utf-8")) for path in (root / folder).rglob("*.py"))
    for path in (*(root / "book").glob("*.md"), root / "README.md"):
        text = path.read_text(encoding="utf-8")
        yield path, "\n".join(re.findall(r"^from attnbook\S* import (?:\([^)]*\)|.*)", text, re.M))


def wrong_addresses(path: Path, code: str) -> list[str]:
    """Names that are not taken from the one module that has them."""
    own = ".".join(path.parent.relative_to(PACKAGE.parent).parts) if path.is_relative_to(PACKAGE) else ""
    found = []
    for module, name in taken(code):
        offers = [room for room, names in CATALOGUES.items() if module.startswith(f"{room}.") and name in names]
        if offers and not own.startswith(offers[0]):
            found.append(f"{path.name}: {name} is taken from {module}, wanted {offers[0]}")
        elif module not in ("attnbook", *CATALOGUES) and name not in DEFINED[module]:
            found.append(f"{path.name}: {module} only imports {name}")
    return found


# Packages that offer what their modules define; outside of them nobody asks those modules for it.
CATALOGUES = {
    module: set(__import__(module, fromlist=["__all__"]).__all__)
    for module in ("attnbook.data.grammar", "attnbook.data")
}
DEFINED = {module: defined(path) for module, path in MODULES.items()}
GRAPH = {module: imports(path) for module, path in MODULES.items() if module != "attnbook"}


def test_every_module_has_its_place() -> None:
    rooms = order()
    assert len(rooms) == len(set(rooms))
    missing = {room(module) for module in GRAPH} - set(rooms)
    assert missing == set(), "give them a place in the list of src/attnbook/__init__.py"


def test_imports_point_upwards() -> None:
    assert violations(GRAPH, order()) == []


def test_a_downward_import_would_be_found() -> None:
    planted = {**GRAPH, "attnbook.masks": {"attnbook.recording"}}
    assert violations(planted, order()) == ["attnbook.masks imports attnbook.recording"]


def test_nothing_imports_a_leaf() -> None:
    found = [(module, target) for module, targets in GRAPH.items() for target in targets if room(target) in LEAVES]
    assert [pair for pair in found if room(pair[0]) not in (room(pair[1]), "__main__")] == []


def test_there_is_no_circle() -> None:
    try:
        graphlib.TopologicalSorter(GRAPH).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_every_name_has_one_address(root: Path) -> None:
    """And the package itself lists what most people need."""
    assert [wrong for path, code in programs(root) for wrong in wrong_addresses(path, code)] == []


def test_a_second_address_would_be_found(root: Path) -> None:
    page = root / "book" / "page.md"
    assert wrong_addresses(page, "from attnbook import Batch\nfrom attnbook.data import Batch, tatoeba") == []
    for wrong in ("attnbook.data.batching import Batch", "attnbook.transformer import EncoderLayer"):
        assert len(wrong_addresses(page, f"from {wrong}")) == 1
    assert wrong_addresses(PACKAGE / "data" / "stored.py", "from attnbook.data.batching import Batch") == []


def test_the_package_needs_nothing_of_the_repository() -> None:
    outside = {"bookkit", "tests", "experiments", "benchmarks", "myst_nb", "sphinx", "d2l", "torchvision"}
    found = []
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [(module, name) for name in names if name.split(".")[0] in outside]
    assert found == []


@pytest.mark.parametrize("path", MODULES.values(), ids=MODULES)
def test_a_file_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_so_can_everything_around_the_package(root: Path) -> None:
    files = [path for folder in ("src", "tests", "experiments") for path in (root / folder).rglob("*.py")]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: count for name, count in lines.items() if count > 300} == {}


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function, with its decorators and without its docstring."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    told = function.body[0].end_lineno - function.body[0].lineno + 1 if ast.get_docstring(function) else 0
    return function.end_lineno - first + 1 - told


def long_functions(code: str) -> list[str]:
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node.name for node in found if code_lines(node) > 60]


def test_a_function_can_be_seen_at_once(root: Path) -> None:
    """60 lines besides what its docstring says; Biome holds the same of JavaScript."""
    files = [path for folder in ("src", "tests", "experiments") for path in (root / folder).rglob("*.py")]
    assert len(files) > 300
    found = {path.name: long_functions(path.read_text(encoding="utf-8")) for path in files}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_a_long_function_would_be_found() -> None:
    told = 'def f():\n    """' + "told\n" * 70 + '"""\n'
    assert long_functions(told + "    x = 1\n" * 59) == []
    assert long_functions(told + "    x = 1\n" * 60) == ["f"]


def test_what_the_package_imports_is_declared(root: Path) -> None:
    """A fresh ``pip install`` must be able to import every module."""
    comes_with = {"PIL": "matplotlib", **dict.fromkeys(("IPython", "matplotlib_inline", "traitlets"), "ipywidgets")}
    optional = {
        "attnbook.widgets.sphinx": {"docutils"},
        "attnbook.figures.sphinx": {"docutils"},
        "attnbook.d2l_compat": {"d2l"},
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
