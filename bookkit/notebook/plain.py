"""Pieces of plain Markdown, and how they are put in the place of others."""

from __future__ import annotations

import re

from markdown_it.token import Token

from attnbook.pages.colours import ROLES, colour
from bookkit.ext.formulas import MACROS
from bookkit.notebook.syntax import Unreadable

DELETED = "\0"  # replaced lines that a shorter text does not need


def replace_inline(lines: list[str], token: Token, new: str, row: int) -> int:
    """Write the text of a block back to its lines; returns where in the line it ends.

    Raises:
        Unreadable: the text is not found there.
    """
    assert token.map
    start, end = token.map[0], row
    old_lines, new_lines = token.content.split("\n"), new.split("\n")
    for i, old in enumerate(old_lines):
        line = lines[start + i]
        place = line.find(old, row)
        if place < 0:
            old = old.replace("|", r"\|")
            place = line.find(old, row)
        if place < 0:
            raise Unreadable(f"text {old!r} in {line!r}")
        if i >= len(new_lines):
            lines[start + i] = DELETED
            continue
        text = new_lines[i]
        lines[start + i] = line[:place] + text + line[place + len(old) :]
        end = place + len(text)
        row = 0
    return end


def set_off(lines: list[str], start: int, end: int, new: list[str]) -> list[str]:
    """New lines with an empty line before and after, where there is none yet."""
    if not new:
        return new
    blank = re.sub(r"[^ >].*", "", lines[start]).rstrip()
    first_of_item = re.match(r"[ >]*([-*+]|\d+[.)])\s", lines[start])
    before = [blank] if start and lines[start - 1].strip(" >") and not first_of_item else []
    after = [blank] if end < len(lines) and lines[end].strip(" >") else []
    return [*before, *new, *after]


def coloured(text: str) -> str:
    """Formulas in the book's colours, with a command that every notebook's typesetter knows."""
    for macro, role in zip(MACROS, ROLES, strict=True):
        text = re.sub(re.escape(macro) + r"(?=\{)", rf"\\textcolor{{{colour(role)}}}", text)
    return text


def anchor(label: str) -> str:
    return f'<a id="{label}" name="{label}"></a>' if label else ""


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def folded(title: str, text: str) -> str:
    """What opens with a click, in JupyterLab and in Colab."""
    return f"<details>\n<summary><b>{title}</b></summary>\n\n{text.strip()}\n\n</details>"


def plain_text(markdown: str) -> str:
    """For a title in a link or a comment."""
    return re.sub(r"[*_`$]", "", markdown).strip()
