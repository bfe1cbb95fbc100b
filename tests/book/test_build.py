"""The build fails on whatever is wrong with a page, and never shows results of older code."""

from __future__ import annotations

import json
import re
from typing import Any

import portalocker
import pytest
from bs4 import BeautifulSoup

from tests.book.conftest import SmallBook

SOUND = """\
# Sound

Weights sum to one, $\\sum_i \\alpha_i = 1$.

```{code-cell} python3
from attnbook.masks import masked_softmax
import torch

masked_softmax(torch.zeros(1, 4))
```
"""

ALONE = {
    "exception": ("```{code-cell} python3\nraise RuntimeError('planted failure')\n```", "planted failure"),
    "reference": ("See {ref}`a-place-that-is-not`.", "a-place-that-is-not"),
}
OTHERS = {
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


@pytest.mark.parametrize("fault", ALONE)
def test_a_fault_fails_the_build_and_is_named(small_book: SmallBook, fault: str) -> None:
    text, told = ALONE[fault]
    small_book.write(fault, f"# A faulty page\n\n{text}\n")
    status, output = small_book.build()
    assert status != 0
    assert told in output and complaints(output, fault)
    assert "The book was not built" in output


def test_every_kind_of_fault_is_named_with_its_page(small_book: SmallBook) -> None:
    for fault, (text, _) in OTHERS.items():
        small_book.write(fault, f"# A faulty page\n\n{text}\n", notebook="code-cell" in text)
    small_book.write("sound", "# A sound page\n\nWeights sum to one, $\\sum_i \\alpha_i = 1$.\n", notebook=False)
    status, output = small_book.build()
    assert status != 0
    for fault, (_, told) in OTHERS.items():
        assert any(told in line for line in complaints(output, fault)), fault
    assert complaints(output, "sound") == []


def test_a_failed_build_fails_again_until_it_is_mended(small_book: SmallBook) -> None:
    small_book.write("sound", SOUND)
    small_book.write("faulty", "# Faulty\n\nSee {ref}`a-place-that-is-not`.\n", notebook=False)
    assert small_book.build()[0] != 0
    status, output = small_book.build()  # nothing changed: Sphinx alone would find nothing to do, and succeed
    assert status != 0 and "a-place-that-is-not" in output
    small_book.write("faulty", "# Mended\n\nSee nothing.\n", notebook=False)
    status, output = small_book.build()
    assert status == 0, output
    assert "from the cache" in output, "the sound page was executed again"


def runs(book: SmallBook) -> dict[str, float]:
    """When each page was executed."""
    status: dict[str, Any] = json.loads((book.root / "_build" / "status.json").read_text(encoding="utf-8"))
    return {entry["page"]: entry["time"] for entry in status["notebooks"]}


def test_a_change_in_the_package_executes_the_pages_that_import_it_and_only_those(small_book: SmallBook) -> None:
    small_book.write("sound", SOUND)
    small_book.write(
        "scores",
        "# Scores\n\n```{code-cell} python3\nfrom attnbook import scoring\n\nprint(scoring.ANSWER)\n```\n",
    )
    scoring = small_book.root / "src" / "attnbook" / "scoring.py"
    source = scoring.read_text(encoding="utf-8")

    scoring.write_text(source + "\nANSWER = 'forty-one'\n", encoding="utf-8")
    status, output = small_book.build()
    assert status == 0, output
    assert "executed        book/scores" in output and "executed        book/sound" in output
    assert "executing 2 pages" in output and "Executing notebook" not in output, "a page was executed twice"
    assert "forty-one" in small_book.html("scores")
    first = runs(small_book)

    status, output = small_book.build()
    assert status == 0 and runs(small_book) == first
    assert "from the cache  book/scores" in output and "from the cache  book/sound" in output

    scoring.write_text(source + "\nANSWER = 'forty-two'\n", encoding="utf-8")
    status, output = small_book.build()
    assert status == 0, output
    assert "forty-two" in small_book.html("scores") and "forty-one" not in small_book.html("scores")
    assert runs(small_book)["book/scores"] > first["book/scores"]
    assert runs(small_book)["book/sound"] == first["book/sound"]

    masks = small_book.root / "src" / "attnbook" / "masks.py"  # both pages need it, one through scoring
    masks.write_text(masks.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    second = runs(small_book)
    status, output = small_book.build()
    assert status == 0, output
    assert all(runs(small_book)[page] > second[page] for page in second)


WIDGETS = """\
# Widgets

```{code-cell} python3
import anywidget
import traitlets

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


def test_widgets_of_the_package_are_on_the_page_without_a_loader_also_from_the_cache(small_book: SmallBook) -> None:
    small_book.write("widgets", WIDGETS)
    status, output = small_book.build()
    assert status == 0, output
    pages = [small_book.html("widgets")]
    (small_book.root / "_build" / ".complete").unlink()  # every page is read again, nothing is executed
    status, output = small_book.build()
    assert status == 0 and "from the cache  book/widgets" in output
    pages.append(small_book.html("widgets"))
    for html in pages:
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
