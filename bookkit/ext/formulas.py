"""Typeset formulas at build time: pages need no script for them, and an invalid formula fails the build."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from attnbook.pages.colors import ROLES

logger = logging.getLogger(__name__)

KATEX = Path(__file__).parent / "katex" / "katex.min.js"
STYLE = "katex/katex.min.css"
CLOSING_TAGS = "</span>" * 3  # of the last unbreakable piece, of the visible part, and of the formula
PUNCTUATION = re.compile(r"[.,;:!?)\]’”…]+")
# Sphinx writes the number of an equation, so KaTeX must not: align becomes align*.
NUMBERED = re.compile(r"\\(begin|end)\{(equation|align|alignat|gather|CD)\}")
# \qry{...}, \key{...}, \val{...}, \wgt{...}: symbols of a formula in the colors of the figures.
MACROS = dict(
    zip((r"\qry", r"\key", r"\val", r"\wgt"), (rf"\htmlClass{{book-{role}}}{{#1}}" for role in ROLES), strict=True)
)
RENDER = """
const colored = (context) => context.command === "\\\\htmlClass" && context.class.startsWith("book-");
const render = (tex, displayMode, macros) => {
  try {
    return {html: katex.renderToString(tex, {displayMode, macros, strict: false, trust: colored})};
  } catch (error) {
    return {error: error.message};
  }
};
0
"""


@lru_cache(maxsize=1)
def engine() -> MiniRacer:
    context = MiniRacer()
    context.eval(KATEX.read_text(encoding="utf-8") + RENDER)
    return context


@lru_cache(maxsize=4096)
def typeset(tex: str, *, display: bool, macros: tuple[tuple[str, str], ...] = ()) -> str:
    """HTML and MathML of a formula.

    Raises:
        ValueError: KaTeX cannot parse the formula; the message gives the position.
    """
    try:
        result = engine().call("render", tex, display, dict(macros))
    except JSEvalException as error:
        raise ValueError(str(error)) from error
    if "error" in result:
        raise ValueError(result["error"])
    return str(result["html"])


def display_tex(tex: str) -> str:
    """The TeX to typeset for a displayed formula; paragraphs of it become lines below each other."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", tex) if part.strip()]
    if len(parts) > 1:
        return r"\begin{gathered}" + r"\\".join(map(aligned, parts)) + r"\end{gathered}"
    return aligned(tex)


def aligned(tex: str) -> str:
    return r"\begin{aligned}" + tex + r"\end{aligned}" if r"\\" in tex and r"\begin" not in tex else tex


def html(translator: Any, node: nodes.Element, tex: str, *, display: bool) -> str:
    macros = tuple(sorted(translator.config.book_math_macros.items()))
    try:
        return typeset(tex, display=display, macros=macros)
    except ValueError as error:
        logger.warning("formula %r: %s", tex, error, location=node, type="book_math")
        return f"<code>{translator.encode(tex)}</code>"


def visit_math(translator: Any, node: nodes.math) -> None:
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    typeset_formula = html(translator, node, node.astext(), display=False)
    if after := node.get("after"):  # inside the last unbreakable piece, so that no line begins with it
        inner, end = typeset_formula[: -len(CLOSING_TAGS)], typeset_formula[-len(CLOSING_TAGS) :]
        typeset_formula = f'{inner}<span class="after-formula">{escape(after)}</span>{end}'
    translator.body.append(typeset_formula + "</span>")
    raise nodes.SkipNode


def keep_punctuation(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Attach punctuation to the formula before it, so that no line break separates them."""
    if app.builder.format != "html":
        return
    for formula in list(doctree.findall(nodes.math)):
        following = formula.next_node(descend=False, siblings=True)
        if isinstance(following, nodes.Text) and (found := PUNCTUATION.match(following)):
            formula["after"] = found[0]
            formula.parent.replace(following, nodes.Text(following[found.end() :]))


def visit_displaymath(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    tex = node.astext()
    tex = NUMBERED.sub(r"\\\1{\2*}", tex) if node["nowrap"] else display_tex(tex)
    translator.body.append(html(translator, node, tex, display=True) + "</div>\n")
    raise nodes.SkipNode


def add_style(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if app.env.get_domain("math").has_equations(pagename):  # type: ignore[attr-defined]
        app.add_css_file(STYLE)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("katex", inline_renderers=(visit_math, None), block_renderers=(visit_displaymath, None))
    app.add_config_value("book_math_macros", MACROS, "html", dict)
    app.connect("doctree-resolved", keep_punctuation)
    app.connect("html-page-context", add_style)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
