"""A small book that is built again and again while its pages and the package change: few builds for many tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.book.small_books import SmallBook

SOUND = """\
# Sound

Weights sum to one, $\\sum_i \\alpha_i = 1$.

```{code-cell} python3
from attnbook.attention.masks import masked_softmax
import torch

masked_softmax(torch.zeros(1, 4))
```
"""

FAULTS = {  # content of a page, and the message that it causes
    "link": ("See [that page](no-such-page.md).", "no-such-page"),
    "reference": ("See {ref}`a-place-that-is-not`.", "a-place-that-is-not"),
    "citation": ("By {cite}`nobody1900nothing`.", "nobody1900nothing"),
    "formula": ("It is $\\frac{1}{$ of it.", "KaTeX parse error"),
    "directive": ("```{no-such-directive}\n```", "no-such-directive"),
    "failure": ("```{code-cell} python3\nraise RuntimeError('planted failure')\n```", "Executing notebook failed"),
    "complaint": ("```{code-cell} python3\nimport sys\nprint('careful', file=sys.stderr)\n```", "stderr was found"),
    "widget": ("```{code-cell} python3\nimport ipywidgets\nipywidgets.IntSlider()\n```", "widget that needs a kernel"),
}

WIDGETS = """\
# Widgets

```{code-cell} python3
import anywidget
import traitlets
from attnbook.attention import positional

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

SCORES = """\
# Scores

```{code-cell} python3
from attnbook.attention import scoring

print(scoring.ANSWER)
```
"""

PLOT = """\
# A plot

```{code-cell} python3
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
```
"""

SELF_TEST = """
- question: What is $1 + 1$?
  answers:
    - text: $2$
      right: true
      why: Count it.
    - text: three
      why: One too many.
"""

DRAWING = """
from bookkit.drawing import Drawing

def draw(narrow):
    d = Drawing(300 if narrow else 600, 80)
    d.arrow(d.box(10, 10, 90, 40, "query *q*_i", role="query").right, (200, 30), "<compare>")
    return d
"""

FORM = """
# All that a page may have

```{code-cell} ipython3
:tags: [imports]
from attnbook.pages.glue import glue
```

```{code-cell} ipython3
:tags: [plumbing]
glue("share", 0.95, ".2f")
glue("curve", "10 40 80")
```

```{diagram} step
:name: fig-step
:alt: A "box" & an arrow.
Caption with $\\qry{q}$, and {numref}`fig-step`.
```

```{predict} What *happens*?
:choose: it grows | it stays
:right: 2
```
ANSWER ONE

```{code-cell} ipython3
print("a cell")
```

```{predict-end}
```

```{predict} How much?
:value: 0 1 0.05
:right: share
```
```{predict-end}
```

```{predict} Draw it.
:draw: 1 2 3
:range: 0 100
:right: curve
```
```{predict-end}
```

```{mistake} The wrong axis
Symptom
: One.

Cause
: Two.

Check
: Three.
```
"""


@dataclass
class Step:
    """The result of one build."""

    status: int
    output: str
    complete: bool = False  # as a successful build prints it
    runs: dict[str, float] = field(default_factory=dict)  # when each page was executed
    html: dict[str, str] = field(default_factory=dict)
    notebook: str = ""  # of the page with all that a page may have

    def new(self, before: Step) -> set[str]:
        """The pages executed since another step."""
        return {page for page, time in self.runs.items() if time > before.runs.get(page, 0)}


def hostile() -> dict[str, str]:
    """An environment without a home, with a missing proxy and a dumb terminal."""
    kept = {
        name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "JUPYTER", "MPL", "COLUMNS"))
    }
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    return {**kept, **nowhere, "HOME": "/proc/none", "TERM": "dumb"}


def kill(book: SmallBook, environment: dict[str, str]) -> Step:
    """Start a build, and kill all its processes while it reads the pages."""
    log = book.root / "killed.log"
    with log.open("w") as output:
        build = subprocess.Popen(
            book.command, stdout=output, stderr=output, env=book.environment(environment), start_new_session=True
        )
        deadline = time.monotonic() + 120
        while "reading sources" not in log.read_text() and build.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if build.poll() is None:
            os.killpg(build.pid, signal.SIGKILL)
        status = build.wait()
    return Step(status, log.read_text(), complete=is_complete(book))


def is_complete(book: SmallBook) -> bool:
    return (book.root / "_build" / ".complete").exists()


def build(book: SmallBook, environment: dict[str, str] | None = None) -> Step:
    status, output = book.build(environment)
    if status:
        return Step(status, output, is_complete(book))
    told: dict[str, Any] = json.loads((book.root / "_build" / "status.json").read_text(encoding="utf-8"))
    runs = {entry["page"]: entry["time"] for entry in told["notebooks"]}
    html = {path.stem: path.read_text(encoding="utf-8") for path in book.root.glob("_build/html/book/*.html")}
    notebook = (book.root / "_build" / "html" / "notebooks" / "form.ipynb").read_text(encoding="utf-8")
    return Step(status, output, is_complete(book), runs, html, notebook)


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def tell(book: SmallBook) -> dict[str, Step]:
    """Build the book with every fault, without faults, and after changes of modules and of a drawing."""
    modules, drawing = book.root / "src" / "attnbook" / "attention", book.root / "book" / "diagrams" / "step.py"
    drawing.parent.mkdir()
    drawing.write_text(DRAWING, encoding="utf-8")
    append(modules / "kernels.py", "\nANSWER = 'forty-one'\n")
    append(modules / "scoring.py", "\nfrom attnbook.attention.kernels import ANSWER\n")
    for name, text in {"sound": SOUND, "widgets": WIDGETS, "scores": SCORES, "form": FORM}.items():
        book.write(name, text)
    asked = f"```{{self-test}}{SELF_TEST}```\n\n"
    book.write("asked", f"# Asked\n\n{asked}{asked}", notebook=False)
    for fault, (text, _) in FAULTS.items():
        book.write(f"faulty-{fault}", f"# A faulty page\n\n{text}\n", notebook="code-cell" in text)
    steps = {"faulty": build(book), "faulty still": build(book)}
    for fault in FAULTS:
        book.write(f"faulty-{fault}", "# Mended\n\nSee nothing.\n", notebook=False)
    book.write("plot", PLOT)
    surroundings = None
    if sys.platform == "linux":  # which has /proc
        surroundings = hostile()
        steps["killed"] = kill(book, surroundings)
    steps["mended"] = build(book, surroundings)
    append(modules / "kernels.py", "\nANSWER = 'forty-two'\n")
    append(modules / "positional.py", "\n# changed\n")
    drawing.write_text(DRAWING.replace("compare", "other words"), encoding="utf-8")
    steps["changed"] = build(book)
    return steps
