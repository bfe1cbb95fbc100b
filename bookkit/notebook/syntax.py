"""Parse MyST Markdown: blocks, directives, and roles in text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

SYNTAX = {"amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist", "substitution"}
BOXES = {
    *("admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip"),
    *("warning", "margin", "sidebar", "dropdown", "topic"),
}
FOLDS = ("solution-start", "solution-end", "predict", "predict-end")  # between such a pair the text is folded
DIRECTIVE = re.compile(r"\{(?P<name>[\w:+-]+)\}\s*(?P<argument>.*)", re.S)
OPTION = re.compile(r":([\w-]+):(?:\s+(.*))?$")


class UnsupportedMarkup(ValueError):
    """MyST for which ``bookkit.notebook.markdown`` has no plain Markdown."""


@dataclass
class Directive:
    name: str
    argument: str
    options: dict[str, Any]
    body: str


def read_directive(info: str, content: str) -> Directive | None:
    """Parse the directive in a fence; None for a plain code block."""
    match = DIRECTIVE.fullmatch(info.strip())
    if not match:
        return None
    lines = content.split("\n")
    options: dict[str, Any] = {}
    if lines[0].strip() == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        options = yaml.safe_load("\n".join(lines[1:end])) or {}
        lines = lines[end + 1 :]
    else:
        while lines and (option := OPTION.fullmatch(lines[0].rstrip())):
            options[option[1]] = option[2] or ""
            lines = lines[1:]
    return Directive(match["name"], match["argument"].strip(), options, "\n".join(lines).strip("\n"))


def recording(rule: Callable[..., bool], kind: str) -> Callable[..., bool]:
    """Wrap an inline rule so that it also records its matches in the parser's environment."""

    def recording_rule(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        matched = rule(state, silent)
        if matched and not silent and state is state.env.get("outermost"):
            state.env["found"].append((kind, start, state.pos, state.tokens[before:]))
        return matched

    return recording_rule


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The book's parser for blocks; ``inline_pieces`` parses the text inside them."""
    markdown = create_md_parser(MdParserConfig(enable_extensions=SYNTAX), RendererHTML)
    for name in ("inline", "wordcount", "text_join"):
        if name in markdown.core.ruler.get_all_rules():
            markdown.core.ruler.disable(name)
    for name in ("myst_role", "image", "link", "attr", "span", "footnote_ref", "substitution_inline"):
        for rule in markdown.inline.ruler.__rules__:
            if rule.name == name:
                markdown.inline.ruler.at(name, recording(rule.fn, name))
    return markdown


def parse(text: str) -> tuple[list[Token], dict[str, Any]]:
    environment: dict[str, Any] = {}
    return parser().parse(text, environment), environment


def inline_pieces(content: str, environment: dict[str, Any]) -> list[tuple[str, int, int, list[Token]]]:
    """Find roles, links, pictures and attributes in the text of a paragraph: kind, start, end, tokens."""
    environment["found"] = []
    state = StateInline(content, parser(), environment, [])
    environment["outermost"] = state
    parser().inline.tokenize(state)
    found = sorted(environment["found"], key=lambda piece: (piece[1], -piece[2]))
    return [piece for piece in found if not any(o[1] <= piece[1] and piece[2] <= o[2] for o in found if o is not piece)]


def read_target(content: str) -> tuple[str | None, str]:
    """Split ``text <target>``; the text of a bare ``target`` is None."""
    match = re.fullmatch(r"(.*\S)\s*<([^<>]+)>", content, re.S)
    return (match[1], match[2]) if match else (None, content.strip())


def folded_parts(text: str) -> list[tuple[str, str]]:
    """Split a Markdown cell where a folded part begins or ends.

    Returns:
        the parts: ("text", Markdown), or the name of a directive of ``FOLDS`` and its argument.
    """
    tokens, _ = parse(text)
    lines = text.split("\n")
    parts: list[tuple[str, str]] = []
    done = 0
    for token in tokens:
        if token.type != "fence" or not token.map:
            continue
        directive = read_directive(token.info, token.content)
        if directive and directive.name in FOLDS:
            shown = token.map[1] if directive.name == "predict" else token.map[0]
            parts.append(("text", "\n".join(lines[done:shown])))
            parts.append((directive.name, directive.argument))
            done = token.map[1]
    parts.append(("text", "\n".join(lines[done:])))
    return [part for part in parts if part[0] != "text" or part[1].strip()]
