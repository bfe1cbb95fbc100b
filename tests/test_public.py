"""The public interface: one import path per name, a light import, and errors that say what to install."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import attnbook

OPTIONAL = ["pooch", "tokenizers", "anywidget", "ipywidgets", "IPython", "traitlets"]
OPTIONAL += ["matplotlib", "PIL", "seaborn", "sacrebleu", "typer"]

BLOCKED = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""

LIGHT = """
import attnbook
assert "torch" not in sys.modules, "the bare import loads torch"
assert set(attnbook.__all__) <= set(dir(attnbook))
attnbook.causal_mask
assert "attnbook.attention.multihead" not in sys.modules and "safetensors" not in sys.modules
"""

WITHOUT = """
import attnbook

def message_of(call):
    try:
        call()
    except (ModuleNotFoundError, SystemExit) as error:
        return str(error)
    return "nothing was missing"

names = [name for name in attnbook.__all__ if name not in ("AttentionView", "attention_view")]
assert all(getattr(attnbook, name) is not None for name in names)

from attnbook.__main__ import main
from attnbook.data import Subwords, tatoeba_file
from attnbook.translation.alignment import alignment_error_rate
from attnbook.translation.metrics import corpus_bleu, corpus_chrf
found = {
    "widgets": message_of(lambda: attnbook.AttentionView),
    "plots": message_of(lambda: __import__("attnbook.pages.plots")),
    "subwords": message_of(lambda: Subwords.build([["a"]], size=260)),
    "bleu": message_of(lambda: corpus_bleu([["a"]], [[["a"]]])),
    "chrf": message_of(lambda: corpus_chrf([["a"]], [[["a"]]])),
    "download": message_of(lambda: tatoeba_file._download(tatoeba_file.EDITIONS["french"], None, None, False)),
    "command": message_of(main),
}
missing = {
    "widgets": ("anywidget", "widgets"),
    "plots": ("matplotlib", "book"),
    "subwords": ("tokenizers", "data"),
    "bleu": ("sacrebleu", "metrics"),
    "chrf": ("sacrebleu", "metrics"),
    "download": ("pooch", "data"),
    "command": ("typer", "cli"),
}
for name, (package, extra) in missing.items():
    assert found[name].startswith(package) and f"attnbook[{extra}]" in found[name], found[name]
assert alignment_error_rate([{(0, 0)}], [{(0, 0)}]) == 0
"""


def test_base_install_works_and_errors_name_missing_extras() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED + LIGHT + WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_public_names_are_those_of_their_home_modules() -> None:
    homes = [(module, name) for module, names in attnbook._HOMES.items() for name in names]
    assert sorted(name for _, name in homes) == attnbook.__all__ == sorted(set(attnbook.__all__))
    for module, name in homes:
        assert getattr(attnbook, name) is getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError, match="module 'attnbook' has no attribute 'Transformr'"):
        attnbook.Transformr  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_see_every_public_name() -> None:
    tree = ast.parse(Path(attnbook.__file__).read_text(encoding="utf-8"))
    (typed,) = (node.body for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in typed if isinstance(node, ast.ImportFrom)]
    assert {node.module: tuple(alias.name for alias in node.names) for node in imports} == attnbook._HOMES


def test_extras_in_pyproject_are_those_in_errors(root: Path) -> None:
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    base, extras = text.split("[project.optional-dependencies]")
    base = base.split("dependencies = [")[1]
    assert set(re.findall(r'^  "([\w-]+)>=', base, re.M)) == {"filelock", "torch", "numpy", "safetensors", "tqdm"}
    offered = set(re.findall(r"^(\w+) = \[", extras.split("[project.scripts]")[0], re.M))
    assert offered == {"data", "widgets", "metrics", "cli", "book"}
    package = Path(attnbook.__file__).parent
    named = {
        name for path in package.rglob("*.py") for name in re.findall(r'needs\("(\w+)"\)', path.read_text("utf-8"))
    }
    assert named == offered


@pytest.mark.slow
def test_readme_example_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    section = (root / "README.md").read_text(encoding="utf-8").split("## Use the package", 1)[1]
    (example,) = re.findall(r"```python\n(.*?)```", section, re.S)
    used = re.findall(r"^from (\S+) import|^import (\S+)", example, re.M)
    assert {a or b for a, b in used} == {"random", "attnbook"}
    random.seed(0)
    names: dict[str, object] = {}
    exec(example, names)
    assert "".join(names["translation"].target) == "ecaf"  # type: ignore[attr-defined]
    assert names["weights"].shape == (1, 4, 5, 4)  # type: ignore[attr-defined]
    assert capsys.readouterr().out


def test_api_reference_has_one_entry_for_every_public_name(root: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in sorted((root / "book").glob("api-*.md"))]
    entries = [name for page in pages for name in re.findall(r"^\.\. auto(?:class|function):: (\w+)$", page, re.M)]
    assert sorted(entries) == sorted(attnbook.__all__)


def test_every_public_name_is_linked_from_a_chapter(root: Path) -> None:
    chapters = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "book").glob("[01]*.md")))
    assert set(re.findall(r"\{api\}`(\w+)`", chapters)) == set(attnbook.__all__)


def examples() -> dict[str, str]:
    """The docstrings with examples: those of all public names, and those of their methods that have one."""
    found = {}
    for name in attnbook.__all__:
        thing = getattr(attnbook, name)
        found[name] = inspect.getdoc(thing) or ""
        for method, function in vars(thing).items() if inspect.isclass(thing) else ():
            text = inspect.getdoc(function) or ""
            if inspect.isfunction(function) and ">>>" in text:
                found[f"{name}.{method}"] = text
    return found


@pytest.mark.parametrize(("name", "text"), examples().items(), ids=list(examples()))
def test_example_of_public_name_gives_what_it_shows(name: str, text: str) -> None:
    names = {public: getattr(attnbook, public) for public in attnbook.__all__} | {"torch": torch}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    torch.manual_seed(0)
    result = doctest.DocTestRunner(verbose=False).run(example)
    assert result.attempted and not result.failed
