"""What the results of a page depend on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import attnbook
from bookkit.ext.freshness import code_of, fingerprint, imported, needed_files

SRC = Path(attnbook.__file__).parents[1]
CELL = "```{{code-cell}} python3\n{}\n```\n"


def names(source: str) -> set[str]:
    found = {path.relative_to(SRC).as_posix() for path in needed_files(SRC, source)}
    return {name.removeprefix("attnbook/") for name in found}


def test_cells_of_a_page() -> None:
    page = (
        "# Title\n\n```{code-cell} python3\n:tags: [hide-input]\nimport attnbook\n%matplotlib inline\n!ls\n```\n"
        "```python\nimport nothing\n```\n````{code-cell}\nx = '''\n```\n'''\n````\n"
    )
    code = code_of(page)
    assert "import attnbook" in code and "x = '''\n```\n'''" in code
    for absent in ("nothing", "matplotlib", "ls", "tags"):
        assert absent not in code


def test_options_of_a_cell_are_no_python() -> None:
    page = (
        "```{code-cell} ipython3\n---\ntags: [plumbing]\nmystnb:\n  figure: {caption: one's own}\n---\nimport a\n```\n"
    )
    assert code_of(page).split() == ["import", "a"]


@pytest.mark.parametrize("path", sorted((SRC.parent / "book").glob("*.md")), ids=lambda path: path.stem)
def test_the_python_of_every_page_can_be_read(path: Path) -> None:
    """Otherwise it would be executed again whatever changes."""
    ast.parse(code_of(path.read_text(encoding="utf-8")))


def test_names_that_are_imported() -> None:
    source = "import attnbook.masks\nfrom attnbook import data, pooling as p\nfrom attnbook.data.pairs import Pair"
    assert imported(source) == {
        "attnbook",
        "attnbook.masks",
        "attnbook.data",
        "attnbook.pooling",
        "attnbook.data.pairs",
        "attnbook.data.pairs.Pair",
    }
    with pytest.raises(SyntaxError):
        imported("a b")


def test_imports_are_followed() -> None:
    assert names("import torch") == set()
    assert names("from attnbook.masks import causal_mask") == {"__init__.py", "masks.py", "checks.py"}
    found = names("from attnbook.recurrent import GRUEncoder")
    assert {"recurrent.py", "encoder_decoder.py", "data/batching.py", "data/__init__.py", "masks.py"} <= found
    assert not {"transformer.py", "widgets/bundles/static.js", "plots.py"} & found


def test_a_widget_brings_its_script_and_what_writes_it_into_the_page() -> None:
    found = names("from attnbook.widgets.cache_view import CacheView")
    assert {"widgets/cache_view.py", "widgets/bundles/cache_view.js", "widgets/static.py", "widgets/sphinx.py"} <= found


def test_what_cannot_be_read_depends_on_everything() -> None:
    assert {"masks.py", "transformer.py", "widgets/bundles/static.js"} <= names("this is no Python")


def small_checkout(root: Path) -> Path:
    package = root / "src" / "attnbook"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "masks.py").write_text("x = 1")
    (package / "pooling.py").write_text("from attnbook import masks")
    (package / "plots.py").write_text("")
    (package / "results.py").write_text("")
    (package / "words" / "tables").mkdir(parents=True)
    (package / "words" / "__init__.py").write_text("")
    (package / "words" / "nouns.tsv").write_text("")
    (package / "words" / "read.py").write_text("from attnbook import words")
    for name in ("checks", "benchmarks"):
        (root / "src" / name).mkdir()
        (root / "src" / name / "__init__.py").write_text("")
    (root / "src" / "checks" / "one.py").write_text("from attnbook import masks\nopen('data.yml')")
    (root / "src" / "benchmarks" / "harness.py").write_text("x = 1")
    (root / "book").mkdir()
    (root / "book" / "data.yml").write_text("a: 1")
    (root / "results").mkdir()
    (root / "results" / "long.json").write_text("{}")
    (root / "requirements.txt").write_text("torch==1")
    return root


@pytest.mark.parametrize(
    ("code", "file", "matters"),
    [
        ("import attnbook.pooling", "src/attnbook/pooling.py", True),
        ("import attnbook.pooling", "src/attnbook/masks.py", True),
        ("import attnbook.pooling", "src/attnbook/plots.py", False),
        ("from attnbook.words.read import nouns", "src/attnbook/words/nouns.tsv", True),
        ("x = 1", "src/attnbook/masks.py", False),
        ("x = 1", "requirements.txt", True),
        ("x = 1", "results/long.json", False),
        ("open('../results/long.json')", "results/long.json", True),
        ("from attnbook.results import load_result", "results/long.json", True),
        ("results = 1", "results/long.json", False),
        ("from checks import one", "src/checks/one.py", True),
        ("from checks import one", "book/data.yml", True),
        ("from checks import one", "src/attnbook/masks.py", True),
        ("from checks import one", "src/attnbook/plots.py", False),
        ("open('data.yml')", "book/data.yml", True),
        ("x = 1", "book/data.yml", False),
        ("from benchmarks import harness", "src/benchmarks/harness.py", True),
        ("from benchmarks import harness", "results/long.json", True),
        ("x = 1", "src/benchmarks/harness.py", False),
    ],
)
def test_a_fingerprint_changes_with_what_the_page_uses(tmp_path: Path, code: str, file: str, matters: bool) -> None:
    root = small_checkout(tmp_path)
    page = CELL.format(code)
    before = fingerprint(root, page)
    assert before == fingerprint(root, page)
    (root / file).write_text((root / file).read_text() + "\n# changed")
    assert (fingerprint(root, page) != before) == matters


def test_a_fingerprint_changes_with_the_real_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = small_checkout(tmp_path)
    monkeypatch.delenv("ATTNBOOK_DATA", raising=False)
    before = fingerprint(root, CELL.format("x = 1"))
    monkeypatch.setenv("ATTNBOOK_DATA", "/somewhere")
    assert fingerprint(root, CELL.format("x = 1")) != before
