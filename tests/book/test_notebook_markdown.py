"""MyST becomes plain Markdown, or an error that names the unsupported markup."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bookkit.notebook.citations import Bibliography
from bookkit.notebook.index import Label, make_index
from bookkit.notebook.markdown import Converter
from bookkit.notebook.syntax import UnsupportedMarkup, folded_parts
from tests.book.small_books import FRONT


class Links:
    """Links that resolve every reference."""

    def refer(self, role: str, target: str, text: str | None) -> str:
        return f"<{role} {target} {text or ''}>".replace(" >", ">")

    def chapter(self, content: str, *, capital: bool) -> str:
        return f"<{'C' if capital else 'c'}hapter {content}>"

    def evidence(self, name: str) -> str:
        return f"<evidence {name}>"

    def cite(self, keys: list[str], *, textual: bool) -> str:
        return f"<cite {' '.join(keys)}>"

    def glued(self, name: str) -> str | None:
        return None

    def number(self, label: str) -> str:
        return "7" if label else ""


@pytest.fixture
def converter(tmp_path: Path) -> Converter:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    return Converter(tmp_path, Links())


SELF_TEST = """\
```{self-test}
- question: What is $x$?
  answers:
    - text: one
      why: It is {cite}`it`.
      right: true
    - text: '{numref}`two`'
      why: No.
```"""

CASES = {
    "plain": ("A *word*, `code`, $x^2$ and [link](https://a.b).\n\n- one\n- two\n", None),
    "code in a line": ("Write ``{cite}`key` `` to cite.", None),
    "block of code": ("```python\nx = {'a': 1}  # {cite}`a`\n```", None),
    "role": ("See {numref}`fig-a` and {doc}`text <05-luong>`.", "See <numref fig-a> and <doc 05-luong text>."),
    "chapter": ("{Chap}`05-luong` and {chap}`a, b`.", "<Chapter 05-luong> and <chapter a, b>."),
    "api": ("See {api}`masked_softmax`.", "See `masked_softmax`."),
    "evidence": ("It learns faster.{evidence}`readout`", "It learns faster.<evidence readout>"),
    "role over lines": ("By {cite}`a,\nb` and\nothers.", "By <cite a b> and\nothers."),
    "role in a list": ("- by {cite}`a,\n  b` and\n  others\n- two", "- by <cite a b> and\n  others\n- two"),
    "role in a quote": ("> by {cite}`a,\n> b`", "> by <cite a b>"),
    "number": ("It is {glue:text}`nw-error` or {glue:text}`nw-x:.2f`.", "It is `nw-error` or `nw-x`."),
    "table": ("| a | b |\n|---|---|\n| {glue:text}`x` | {glue:text}`x` |", "| a | b |\n|---|---|\n| `x` | `x` |"),
    "role in bold": ("**as in {numref}`a`**", "**as in <numref a>**"),
    "role in a link": ("[see {numref}`a`](https://a.b)", "[see <numref a>](https://a.b)"),
    "link to a page": ("[there](05-luong.md)", "<doc 05-luong there>"),
    "heading": ("## The {cite}`a` way", "## The <cite a> way"),
    "picture": ('![dot](dot.png){width="50%"}', "![dot](data:image/png;base64,iVBORw==)"),
    "admonition": (
        "```{admonition} Predict $x$\n:class: tip\nOne\n\ntwo.\n```",
        "> **Predict $x$**\n>\n> One\n>\n> two.",
    ),
    "note": ("```{note}\nBy {cite}`a`.\n```", "> **Note**\n>\n> By <cite a>."),
    "translator": (
        "```{translator} a.page\nHe sleeps.\n```",
        "> The page of this chapter in the book has an interactive translator here.",
    ),
    "colon fence": (":::{tip} Look\nhere\n:::", "> **Tip**\n>\n> Look\n> here"),
    "admonition in a list": ("- one\n\n  ```{note}\n  x\n  ```\n", "- one\n\n  > **Note**\n  >\n  > x\n"),
    "beside text": ("text\n```{note}\nx\n```\nmore", "text\n\n> **Note**\n>\n> x\n\nmore"),
    "target": ("(here)=\n## There", '<a id="here" name="here"></a>\n\n## There'),
    "comment": ("one\n\n% a comment\n\ntwo", "one\n\n\ntwo"),
    "formula": ("$$x \\\\ y$$", "$$\n\\begin{aligned}x \\\\ y\\end{aligned}\n$$"),
    "numbered formula": (
        "```{math}\n:label: eq-a\nx\n```",
        '<a id="eq-a" name="eq-a"></a>\n\n$$\nx \\tag{7}\n$$',
    ),
    "align": ("\\begin{align}\nx &= y\n\\end{align}", "$$\n\\begin{aligned}\nx &= y\n\\end{aligned}\n$$"),
    "exercise": (
        "```{exercise} Warm-up\n:label: ex\nDo {eq}`it`.\n```",
        '<a id="ex" name="ex"></a>\n\n### Exercise 7: Warm-up\n\nDo <eq it>.',
    ),
    "dropdown": (
        "```{admonition} More\n:class: dropdown\nx\n```",
        "<details>\n<summary><b>More</b></summary>\n\nx\n\n</details>",
    ),
    "self-test": (
        SELF_TEST,
        "1. What is $x$?\n   - **a.** one\n   - **b.** <numref two>\n\n"
        "<details>\n<summary><b>Answer to 1</b></summary>\n\n"
        "- **a, right.** It is <cite it>.\n- **b, wrong.** No.\n\n</details>",
    ),
    "figure": (
        "```{figure} dot.png\n:name: fig-a\n:alt: A dot.\nThe dot.\n```",
        '<a id="fig-a" name="fig-a"></a>\n\n![A dot.](data:image/png;base64,iVBORw==)\n\n**Fig. 7** *The dot.*',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_myst_becomes_plain_markdown(converter: Converter, case: str) -> None:
    source, wanted = CASES[case]
    assert converter.convert(source) == (source if wanted is None else wanted)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("```{no-such}\n```", "no-such"),
        ("A {no-such}`role`.", "no-such"),
        ("A word[^1].\n\n[^1]: note", "footnote"),
        ("```{note}\n```{code-cell}\n1\n```", "code cell"),
    ],
)
def test_convert_raises_for_directive_without_plain_form(converter: Converter, source: str, named: str) -> None:
    with pytest.raises(UnsupportedMarkup, match=named):
        converter.convert(
            source.replace("```{note}\n```{", "````{note}\n```{") + ("\n````" if "{note}" in source else "")
        )


def test_convert_error_names_its_page(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("title: x")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/one")
    (tmp_path / "book" / "references.bib").write_text("")
    (tmp_path / "book" / "one.md").write_text(f"{FRONT}# One\n\n```{{no-such}}\n```\n\n```{{code-cell}}\n1\n```\n")
    command = [sys.executable, "-m", "bookkit.make_notebooks", "--root", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "book/one: directive 'no-such'" in done.stderr


def test_solutions_are_cut_out_of_a_cell() -> None:
    text = "a\n\n```{solution-start} ex\n:class: dropdown\n```\nb\n\n```{solution-end}\n```\n\nc"
    kinds = [(kind, content.strip()) for kind, content in folded_parts(text)]
    assert kinds == [("text", "a"), ("solution-start", "ex"), ("text", "b"), ("solution-end", ""), ("text", "c")]


def test_bibliography_lists_only_cited_sources(root: Path) -> None:
    found = Bibliography(root / "book" / "references.bib")
    assert found.cite(["bahdanau2015neural"], textual=False).startswith(
        "([Bahdanau et al., 2015](https://arxiv.org/abs/"
    )
    assert found.cite(["cho2014learning"], textual=True).startswith("Cho et al.")
    assert "van Merriënboer" in found.references()
    assert "Neural machine translation by jointly learning" in found.references()
    with pytest.raises(KeyError, match="nobody1900"):
        found.cite(["nobody1900"], textual=False)


def test_labels_are_numbered_through_the_book(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("html: {use_multitoc_numbering: true}")
    toc = "format: jb-book\nroot: book/intro\nparts:\n"
    for part, page in enumerate(("one", "two")):
        toc += f"  - caption: P{part}\n    numbered: true\n    chapters:\n      - file: book/{page}\n"
        figure = f"```{{figure}} a.png\n:name: fig-{page}\nA caption.\n```\n"
        exercise = f"```{{exercise}} Go\n:label: ex-{page}\nDo {{eq}}`eq-{page}`.\n```\n"
        text = f"# Chapter {page}\n\n{figure}\n```{{math}}\n:label: eq-{page}\nx\n```\n\n{exercise}"
        (tmp_path / "book" / f"{page}.md").write_text(text)
    (tmp_path / "book" / "intro.md").write_text("# Intro\n\n```{math}\n:label: eq-intro\nx\n```\n")
    (tmp_path / "_toc.yml").write_text(toc)
    labels = make_index(tmp_path).labels
    assert labels["eq-intro"] == Label("formula", "book/intro", "1")
    assert labels["fig-two"] == Label("figure", "book/two", "2.1", "A caption.", section="2")
    assert labels["ex-one"].number == "1.1" and labels["eq-two"].number == "2.1"
