"""The build fails on whatever is wrong with a page, and never shows results of older code."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import portalocker
import pytest
from bs4 import BeautifulSoup

from tests.book.conftest import SmallBook, new_book

SOUND = """\
# Sound

Weights sum to one, $\\sum_i \\alpha_i = 1$.

```{code-cell} python3
from attnbook.masks import masked_softmax
import torch

masked_softmax(torch.zeros(1, 4))
```
"""

FAULTS = {
    "link": ("See [that page](no-such-page.md).", "no-such-page"),
    "citation": ("By {cite}`nobody1900nothing`.", "nobody1900nothing"),
    "formula": ("It is $\\frac{1}{$ of it.", "KaTeX parse error"),
    "directive": ("```{no-such-directive}\n```", "no-such-directive"),
    "complaint": ("```{code-cell} python3\nimport sys\nprint('careful', file=sys.stderr)\n```", "stderr was found"),
    "widget": ("```{code-cell} python3\nimport ipywidgets\nipywidgets.IntSlider()\n```", "dead without a kernel"),
}


def complaints(output: str, page: str) -> list[str]:
    """Warnings and errors that the build has about a page."""
    return [line for line in output.splitlines() if f"book/{page}.md" in line and re.search("WARNING|ERROR", line)]


def test_a_cell_that_fails_fails_the_build_and_is_named(small_book: SmallBook) -> None:
    small_book.write("faulty", "# Faulty\n\n```{code-cell} python3\nraise RuntimeError('planted failure')\n```\n")
    status, output = small_book.build()
    assert status != 0
    assert "planted failure" in output and complaints(output, "faulty")
    assert "The book was not built" in output


def test_every_kind_of_fault_is_named_with_its_page(small_book: SmallBook) -> None:
    for fault, (text, _) in FAULTS.items():
        small_book.write(fault, f"# A faulty page\n\n{text}\n", notebook="code-cell" in text)
    small_book.write("sound", "# A sound page\n\nWeights sum to one, $\\sum_i \\alpha_i = 1$.\n", notebook=False)
    status, output = small_book.build()
    assert status != 0
    for fault, (_, told) in FAULTS.items():
        assert any(told in line for line in complaints(output, fault)), fault
    assert complaints(output, "sound") == []


WIDGETS = """\
# Widgets

```{code-cell} python3
import anywidget
import traitlets
from attnbook import masks

class Count(anywidget.AnyWidget):
    _anywidget_id = traitlets.Unicode("attnbook.tests.Count").tag(sync=True)
    _esm = "export default { render({ model, el }) { el.textContent = `count ${model.get('number')}`; } };"
    number = traitlets.Int(0).tag(sync=True)
    alt = traitlets.Unicode("A count.").tag(sync=True)

first = Count(number=11)
first
```

```{code-cell} python3
Count(number=22)
```

```{code-cell} python3
first
```
"""


@dataclass
class Step:
    """What one build left behind."""

    status: int
    output: str
    runs: dict[str, float] = field(default_factory=dict)  # when each page was executed
    html: dict[str, str] = field(default_factory=dict)

    def new(self, before: Step) -> set[str]:
        """The pages that were executed since another step."""
        return {page for page, time in self.runs.items() if time > before.runs.get(page, 0)}


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Step]:
    """A book that is built again and again while its pages and the package change."""
    book = new_book(tmp_path_factory.mktemp("history"), root)
    package = book.root / "src" / "attnbook"
    book.write("sound", SOUND)
    book.write("widgets", WIDGETS)
    book.write(
        "scores", "# Scores\n\n```{code-cell} python3\nfrom attnbook import scoring\n\nprint(scoring.ANSWER)\n```\n"
    )
    book.write("faulty", "# Faulty\n\nSee {ref}`a-place-that-is-not`.\n", notebook=False)

    def built() -> Step:
        status, output = book.build()
        if status:
            return Step(status, output)
        told: dict[str, Any] = json.loads((book.root / "_build" / "status.json").read_text(encoding="utf-8"))
        runs = {entry["page"]: entry["time"] for entry in told["notebooks"]}
        return Step(status, output, runs, {name: book.html(name) for name in ("sound", "widgets", "scores")})

    scoring, masks = package / "scoring.py", package / "masks.py"
    source = scoring.read_text(encoding="utf-8")
    scoring.write_text(source + "\nANSWER = 'forty-one'\n", encoding="utf-8")
    steps = {"faulty": built(), "faulty still": built()}
    book.write("faulty", "# Mended\n\nSee nothing.\n", notebook=False)
    steps["mended"] = built()
    scoring.write_text(source + "\nANSWER = 'forty-two'\n", encoding="utf-8")
    steps["one module"] = built()
    masks.write_text(masks.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    steps["a module of all"] = built()
    return steps


def test_a_failed_build_fails_again_until_it_is_mended(history: dict[str, Step]) -> None:
    for name in ("faulty", "faulty still"):  # nothing changed: Sphinx alone would find nothing to do, and succeed
        step = history[name]
        assert step.status != 0 and "a-place-that-is-not" in step.output and complaints(step.output, "faulty")
    mended = history["mended"]
    assert mended.status == 0, mended.output
    assert all(f"from the cache  book/{page}" in mended.output for page in ("sound", "scores", "widgets"))


def test_pages_are_executed_side_by_side_and_once(history: dict[str, Step]) -> None:
    first = history["faulty"].output
    assert "executing 3 pages" in first and "Executing notebook" not in first, "a page was executed twice"
    assert "executing" not in history["faulty still"].output


def test_a_change_in_the_package_executes_the_pages_that_import_it_and_only_those(history: dict[str, Step]) -> None:
    before, one, all_ = (history[name] for name in ("mended", "one module", "a module of all"))
    assert one.status == all_.status == 0, one.output + all_.output
    assert "forty-one" in before.html["scores"]
    assert "forty-two" in one.html["scores"] and "forty-one" not in one.html["scores"]
    assert one.new(before) == {"book/scores"}
    assert all_.new(one) == {"book/scores", "book/sound", "book/widgets"}, "scores needs masks through scoring"


@pytest.mark.parametrize("step", ["mended", "a module of all"], ids=["from the cache", "executed"])
def test_widgets_of_the_package_are_on_the_page_without_a_loader(history: dict[str, Step], step: str) -> None:
    html = history[step].html["widgets"]
    soup = BeautifulSoup(html, "html.parser")
    states = [json.loads(state.get_text()) for state in soup.select("[data-attnbook-state]")]
    assert [state["state"]["number"] for state in states] == [11, 22, 11]
    assert len(soup.select("[data-attnbook-module]")) == 1, "the module is on the page more than once"
    assert not soup.select("script[type^='application/vnd.jupyter']")
    assert "require.js" not in html and "html-manager" not in html


def test_one_build_at_a_time(small_book: SmallBook) -> None:
    (small_book.root / "_build").mkdir()
    with portalocker.Lock(small_book.root / "_build" / ".lock", timeout=0):
        status, output = small_book.build()
    assert status == 1
    assert "another build" in output
