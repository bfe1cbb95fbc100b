"""The fingerprint of a page covers everything that its results depend on."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from bookkit import ROOT
from bookkit.ext.freshness import code_of, fingerprint, imported, needed_files
from bookkit.ext.model_table import ModelsOfToday
from bookkit.ext.translator import Translator

CELL = "```{{code-cell}} python3\n{}\n```\n"


def names(source: str) -> set[str]:
    """Files that a source needs, relative to the package."""
    found = {path.relative_to(ROOT).as_posix() for path in needed_files(ROOT, source)}
    return {name.removeprefix("src/attnbook/") for name in found}


def test_code_of_returns_code_of_all_cells() -> None:
    page = (
        "# Title\n\n```{code-cell} python3\n:tags: [hide-input]\nimport attnbook\n%matplotlib inline\n!ls\n```\n"
        "```python\nimport nothing\n```\n````{code-cell}\nx = '''\n```\n'''\n````\n"
    )
    code = code_of(page)
    assert "import attnbook" in code and "x = '''\n```\n'''" in code
    for absent in ("nothing", "matplotlib", "ls", "tags"):
        assert absent not in code


def test_code_of_removes_cell_options() -> None:
    page = (
        "```{code-cell} ipython3\n---\ntags: [plumbing]\nmystnb:\n  figure: {caption: one's own}\n---\nimport a\n```\n"
    )
    assert code_of(page).split() == ["import", "a"]


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("*.md")), ids=lambda path: path.stem)
def test_python_of_pages_parses(path: Path) -> None:
    """A page that cannot be parsed would be executed again after any change."""
    ast.parse(code_of(path.read_text(encoding="utf-8")))


def test_imported_returns_dotted_names() -> None:
    source = (
        "import attnbook.attention.masks\nfrom attnbook.attention import pooling as p\nfrom attnbook import data\n"
        "from attnbook.data.pairs import Pair"
    )
    assert imported(source) == {
        "attnbook",
        "attnbook.attention.masks",
        "attnbook.attention",
        "attnbook.data",
        "attnbook.attention.pooling",
        "attnbook.data.pairs",
        "attnbook.data.pairs.Pair",
    }
    with pytest.raises(SyntaxError):
        imported("a b")


def test_needed_files_follows_imports() -> None:
    assert names("import torch") == set()
    assert names("from attnbook.attention.masks import causal_mask") == {
        "__init__.py",
        "_internal/__init__.py",
        "_internal/tracing.py",
        "_internal/validate.py",
        "attention/__init__.py",
        "attention/masks.py",
    }
    found = names("from attnbook.models.seq2seq import GRUEncoder")
    assert {
        "models/seq2seq.py",
        "models/base.py",
        "data/batching.py",
        "data/__init__.py",
        "attention/masks.py",
    } <= found
    assert not {"models/transformer.py", "widgets/bundles/static.js", "pages/plots.py"} & found


def test_needed_files_of_grammar_include_its_tables() -> None:
    assert "data/grammar/tables/nouns.tsv" in names("from attnbook.data import grammar")


def test_needed_files_of_a_public_name_are_those_of_its_home() -> None:
    for name, home in (("causal_mask", "attention.masks"), ("AttentionView", "widgets.attention_view")):
        assert names(f"from attnbook import {name}") == names(f"from attnbook.{home} import {name}")
    assert "models/transformer.py" not in names("from attnbook import causal_mask")


def test_fingerprint_includes_bundle_and_renderer_of_widget() -> None:
    found = names("from attnbook.widgets.cache_view import CacheView")
    assert {"widgets/cache_view.py", "widgets/bundles/cache_view.js", "widgets/static.py", "widgets/sphinx.py"} <= found


def test_fingerprint_includes_renderer_of_figures() -> None:
    found = names("from attnbook.pages.plots import use_style")
    assert {"pages/figures/svg.py", "pages/figures/dark.py", "pages/figures/sphinx.py"} <= found


def test_unparsable_page_depends_on_every_module() -> None:
    assert {"attention/masks.py", "models/transformer.py", "widgets/bundles/static.js"} <= names("this is no Python")


def small_checkout(root: Path) -> Path:
    package = root / "src" / "attnbook"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("_HOMES = {'attnbook.attention.masks': ('causal_mask',)}")
    for subpackage in ("attention", "pages"):
        (package / subpackage).mkdir()
        (package / subpackage / "__init__.py").write_text("")
    (package / "attention" / "masks.py").write_text("x = 1")
    (package / "attention" / "pooling.py").write_text("from attnbook.attention import masks")
    (package / "pages" / "plots.py").write_text("")
    (package / "pages" / "results.py").write_text("")
    (package / "pages" / "table.py").write_text("open('data.yml')")
    (package / "words" / "tables").mkdir(parents=True)
    (package / "words" / "__init__.py").write_text("")
    (package / "words" / "nouns.tsv").write_text("")
    (package / "words" / "tables" / "verbs.tsv").write_text("")
    (package / "words" / "read.py").write_text("from attnbook import words")
    for name in ("bookkit", "benchmarks"):
        (root / name).mkdir()
        (root / name / "__init__.py").write_text("")
    (root / "bookkit" / "one.py").write_text("from attnbook.attention import masks\nopen('data.yml')")
    (root / "bookkit" / "teaching.py").write_text("x = 1")
    (root / "benchmarks" / "harness.py").write_text("x = 1")
    (root / "book").mkdir()
    (root / "book" / "data.yml").write_text("a: 1")
    (root / "book" / "chapter.md").write_text("# A chapter")
    (root / "results").mkdir()
    (root / "results" / "long.json").write_text("{}")
    (root / "requirements.txt").write_text("torch==1")
    return root


@pytest.mark.parametrize(
    ("code", "file", "matters"),
    [
        ("import attnbook.attention.pooling", "src/attnbook/attention/pooling.py", True),
        ("import attnbook.attention.pooling", "src/attnbook/attention/masks.py", True),
        ("import attnbook.attention.pooling", "src/attnbook/pages/plots.py", False),
        ("from attnbook import causal_mask", "src/attnbook/attention/masks.py", True),
        ("from attnbook import causal_mask", "src/attnbook/attention/pooling.py", False),
        ("from attnbook import causal_mask", "src/attnbook/__init__.py", True),
        ("from attnbook.words.read import nouns", "src/attnbook/words/nouns.tsv", True),
        ("from attnbook.words.read import nouns", "src/attnbook/words/tables/verbs.tsv", True),
        ("x = 1", "src/attnbook/attention/masks.py", False),
        ("x = 1", "requirements.txt", True),
        ("x = 1", "results/long.json", False),
        ("open('../results/long.json')", "results/long.json", True),
        ("from attnbook.pages.results import load_result", "results/long.json", True),
        ("results = 1", "results/long.json", False),
        ("from bookkit import one", "bookkit/one.py", True),
        ("from bookkit import one", "book/data.yml", True),
        ("from bookkit import one", "src/attnbook/attention/masks.py", True),
        ("from bookkit import one", "src/attnbook/pages/plots.py", False),
        ("from attnbook.pages import table", "book/data.yml", True),
        ("open('data.yml')", "book/data.yml", True),
        ("x = 1", "book/data.yml", False),
        ("from bookkit import teaching", "book/chapter.md", True),
        ("from bookkit import one", "book/chapter.md", False),
        ("from benchmarks import harness", "benchmarks/harness.py", True),
        ("from benchmarks import harness", "results/long.json", True),
        ("x = 1", "benchmarks/harness.py", False),
    ],
)
def test_fingerprint_changes_with_used_files(tmp_path: Path, code: str, file: str, matters: bool) -> None:
    root = small_checkout(tmp_path)
    page = CELL.format(code)
    before = fingerprint(root, page)
    assert before == fingerprint(root, page)
    (root / file).write_text((root / file).read_text() + "\n# changed")
    assert (fingerprint(root, page) != before) == matters


def test_fingerprint_changes_with_real_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = small_checkout(tmp_path)
    monkeypatch.delenv("ATTNBOOK_DATA", raising=False)
    before = fingerprint(root, CELL.format("x = 1"))
    monkeypatch.setenv("ATTNBOOK_DATA", "/somewhere")
    assert fingerprint(root, CELL.format("x = 1")) != before


@pytest.mark.parametrize(
    ("directive", "arguments", "content", "module"),
    [
        (ModelsOfToday, [], "", "pages/model_table.py"),
        (Translator, ["results/pages/bahdanau.page"], "it is cold .", "widgets/translate_view.py"),
    ],
)
def test_directive_depends_on_modules_that_it_uses(
    directive: type[SphinxDirective], arguments: list[str], content: str, module: str, tmp_path: Path
) -> None:
    noted: set[str] = set()
    app = SimpleNamespace(outdir=tmp_path)
    env = SimpleNamespace(srcdir=ROOT, app=app, note_dependency=noted.add)
    state: Any = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=env)))
    lines = StringList([content])
    directive("name", arguments, {}, lines, 1, 0, "", state, SimpleNamespace(reporter=None)).run()
    assert str(ROOT / "src" / "attnbook" / module) in noted
