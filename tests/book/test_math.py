"""Formulas set at build time."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from bookkit.ext.formulas import NUMBERED, display_tex, typeset


def annotation(html: str) -> str:
    found = BeautifulSoup(html, "html.parser").select_one("annotation[encoding='application/x-tex']")
    assert found is not None
    return found.get_text()


@pytest.mark.parametrize(
    "tex",
    [
        r"\alpha(\mathbf q, \mathbf k_i) = \operatorname{softmax}(a(\mathbf q, \mathbf k_i))",
        r"\operatorname*{arg\,max}_y p(y \mid x)",
        r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}",
        r"\text{softmax}\!\left(\frac{\mathbf Q \mathbf K^\top}{\sqrt d}\right) \mathbf V \in \mathbb R^{n \times d}",
        r"x < y \;\&\; y > z",
    ],
)
def test_formula_has_mathml_for_screen_readers(tex: str) -> None:
    html = typeset(tex, display=True)
    assert annotation(html) == tex
    assert '<span class="katex-display">' in html and "<math" in html


def test_inline_formula_differs_from_display_formula() -> None:
    assert "katex-display" not in typeset("x", display=False)


@pytest.mark.parametrize(("tex", "told"), [(r"\nosuchcommand", "nosuchcommand"), (r"\frac{1}{", "KaTeX parse error")])
def test_invalid_formula_raises_with_reason(tex: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        typeset(tex, display=False)


def test_typeset_applies_macros() -> None:
    assert "R" in typeset(r"\R^d", display=False, macros=((r"\R", r"\mathbb{R}"),))


def test_formula_escapes_text() -> None:
    html = typeset(r"\text{<script>alert(1)</script>}", display=False)
    assert "<script" not in html
    with pytest.raises(ValueError, match="href"):
        typeset(r"\href{javascript:alert(1)}{x} \nosuch \href", display=False)


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("a = b", "a = b"),
        (r"a &= b \\ c &= d", r"\begin{aligned}a &= b \\ c &= d\end{aligned}"),
        ("a = b\n\nc = d", r"\begin{gathered}a = b\\c = d\end{gathered}"),
        (r"\begin{cases} 1 \\ 0 \end{cases}", r"\begin{cases} 1 \\ 0 \end{cases}"),
    ],
)
def test_lines_of_a_displayed_formula(tex: str, expected: str) -> None:
    assert display_tex(tex) == expected
    typeset(expected, display=True)


def test_sphinx_numbers_equations_and_katex_does_not() -> None:
    tex = NUMBERED.sub(r"\\\1{\2*}", r"\begin{align}a &= b\end{align}")
    assert tex == r"\begin{align*}a &= b\end{align*}"
    assert 'class="tag"' not in typeset(tex, display=True)
