"""Which module may import which: the package's docstring says it, and this holds it."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
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
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


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
