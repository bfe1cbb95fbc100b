"""Pieces of plain Markdown, and functions that insert them into the lines of a text."""

from __future__ import annotations

import re

from markdown_it.token import Token

from attnbook.pages.colors import ROLES, color_of
from bookkit.ext.formulas import MACROS
from bookkit.notebook.syntax import UnsupportedMarkup

DELETED = "\0"  # marks lines to delete, where the new text has fewer lines


def replace_inline(lines: list[str], token: Token, new: str, column: int) -> int:
    """Replace the text of a block in its lines, from a column on, and return the column after it.

    Raises:
        UnsupportedMarkup: the lines do not contain the text.
    """
    assert token.map
    start, end = token.map[0], column
    old_lines, new_lines = token.content.split("\n"), new.split("\n")
    for i, old in enumerate(old_lines):
        line = lines[start + i]
        place = line.find(old, column)
        if place < 0:
            old = old.replace("|", r"\|")
            place = line.find(old, column)
        if place < 0:
            raise UnsupportedMarkup(f"text {old!r} in {line!r}")
        if i >= len(new_lines):
            lines[start + i] = DELETED
            continue
        text = new_lines[i]
        lines[start + i] = line[:place] + text + line[place + len(old) :]
        end = place + len(text)
        column = 0
    return end


def set_off(lines: list[str], start: int, end: int, new: list[str]) -> list[str]:
    """Add empty lines before and after new lines, where they are missing."""
    if not new:
        return new
    blank = re.sub(r"[^ >].*", "", lines[start]).rstrip()
    first_of_item = re.match(r"[ >]*([-*+]|\d+[.)])\s", lines[start])
    before = [blank] if start and lines[start - 1].strip(" >") and not first_of_item else []
    after = [blank] if end < len(lines) and lines[end].strip(" >") else []
    return [*before, *new, *after]


def colored(text: str) -> str:
    """Replace the book's color macros in formulas by ``\\textcolor``, which every notebook front end supports."""
    for macro, role in zip(MACROS, ROLES, strict=True):
        text = re.sub(re.escape(macro) + r"(?=\{)", rf"\\textcolor{{{color_of(role)}}}", text)
    return text


def anchor(label: str) -> str:
    return f'<a id="{label}" name="{label}"></a>' if label else ""


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def folded(title: str, text: str) -> str:
    """A block that opens with a click, in JupyterLab and in Colab."""
    return f"<details>\n<summary><b>{title}</b></summary>\n\n{text.strip()}\n\n</details>"


def plain_text(markdown: str) -> str:
    """Strip Markdown, for a title in a link or a comment."""
    return re.sub(r"[*_`$]", "", markdown).strip()
