"""Convert MyST Markdown to plain Markdown, for notebooks that are opened in Colab.

A page is parsed with the book's own parser. Plain Markdown stays unchanged; directives and roles, which Colab would
show as raw text, are replaced. A directive or role without a replacement here is an error.
"""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Protocol

from markdown_it.token import Token
from resvg_py import svg_to_bytes

from bookkit.ext import predict
from bookkit.ext.diagrams import load
from bookkit.ext.formulas import NUMBERED, display_tex
from bookkit.ext.selftest import questions
from bookkit.notebook.plain import DELETED, anchor, colored, folded, quoted, replace_inline, set_off
from bookkit.notebook.syntax import (
    BOXES,
    Directive,
    UnsupportedMarkup,
    inline_pieces,
    parse,
    read_directive,
    read_target,
)
from bookkit.symptoms import entries

SAME = {  # blocks that plain Markdown has too
    *("paragraph", "heading", "blockquote", "bullet_list", "ordered_list", "list_item", "table", "thead", "tbody"),
    *("tr", "th", "td", "inline", "hr", "html_block", "code_block", "dl", "dd"),
}
MARK = re.compile(r"^\{\.optional\}\n", re.M)  # above the heading of an optional section
GLUE = {"glue", "glue:any", "glue:text", "glue:md", "glue:math"}


class Links(Protocol):
    """The replacements of references, citations and glued values in a notebook."""

    def refer(self, role: str, target: str, text: str | None) -> str: ...
    def chapter(self, content: str, *, capital: bool) -> str: ...
    def evidence(self, name: str) -> str: ...
    def cite(self, keys: list[str], *, textual: bool) -> str: ...
    def number(self, label: str) -> str: ...
    def glued(self, name: str) -> str | None: ...


@dataclass
class Converter:
    """Turns the Markdown of one page into plain Markdown.

    Attributes:
        folder: folder of the page, to which paths of pictures are relative.
        links: replacements of references and citations.
    """

    folder: Path
    links: Links

    def convert(self, text: str) -> str:
        """Convert text to plain Markdown.

        Raises:
            UnsupportedMarkup: the text contains MyST without a replacement; the message names it.
        """
        text = MARK.sub("", text)
        tokens, environment = parse(text)
        lines = text.split("\n")
        edits: list[tuple[int, int, list[str]]] = []
        column = 0  # where the last table cell ended in its line
        for token in tokens:
            if token.type in ("tr_open", "paragraph_open", "heading_open"):
                column = 0
            if token.type == "inline" and token.map:
                new = self.inline(token.content, environment)
                if new != token.content:
                    column = replace_inline(lines, token, new, column)
            elif edit := self.block(token, lines):
                edits.append(edit)
        for start, end, new_lines in reversed(edits):
            lines[start:end] = set_off(lines, start, end, new_lines)
        return colored("\n".join(line for line in lines if line != DELETED))

    def block(self, token: Token, lines: list[str]) -> tuple[int, int, list[str]] | None:
        """The replacement of a block: first line, line after the last, new lines. None if the block stays."""
        if re.sub("_(open|close)$", "", token.type) in SAME or token.type == "dt_close":
            return None
        if token.map is None:
            raise UnsupportedMarkup(f"{token.type} {token.content!r}")
        start, end = token.map
        prefix = lines[start][: len(lines[start]) - len(lines[start].lstrip(" >"))]
        if token.type in ("fence", "colon_fence"):
            directive = read_directive(token.info, token.content)
            if directive is None:
                return None
            if directive.name == "code-cell":
                raise UnsupportedMarkup("a code cell inside another block")
            marker = lines[start].index(token.markup)
            new = self.directive(directive).split("\n")
            first, rest = lines[start][:marker], re.sub(r"[^\s>]", " ", lines[start][:marker])
            return start, end, [(first if i == 0 else rest) + line for i, line in enumerate(new)]
        if token.type in ("myst_line_comment", "myst_block_break"):
            return start, end, []
        if token.type == "myst_target":
            return start, end, [prefix + anchor(token.content)]
        if token.type in ("math_block", "math_block_label", "amsmath"):
            label = token.info if token.type == "math_block_label" else ""
            if token.type == "amsmath":  # its map ends one line early
                end = start + token.content.count("\n") + 1
            return start, end, [prefix + line for line in self.formula(token.content, label).split("\n")]
        if token.type == "dt_open":
            lines[start] = f"{prefix}**{lines[start][len(prefix) :].strip()}**"
            return None
        raise UnsupportedMarkup(f"{token.type} {token.content!r} in {lines[start]!r}")

    def inline(self, content: str, environment: dict[str, Any] | None = None) -> str:
        """Convert the text of a paragraph."""
        for kind, start, end, tokens in reversed(inline_pieces(content, {} if environment is None else environment)):
            raw = content[start:end]
            content = content[:start] + self.piece(kind, raw, tokens) + content[end:]
        return content

    def piece(self, kind: str, raw: str, tokens: list[Token]) -> str:
        if kind == "myst_role":
            return self.role(str(tokens[-1].meta["name"]), tokens[-1].content)
        if kind == "attr":
            return ""
        if kind == "image":
            source = str(tokens[-1].attrs["src"])
            return raw.replace(source, self.picture(source))
        if kind == "link":
            return self.link(raw, next(str(token.attrs["href"]) for token in tokens if token.type == "link_open"))
        raise UnsupportedMarkup(f"{kind} {raw!r}")

    def link(self, raw: str, target: str) -> str:
        """Convert a link, whose text may contain roles and whose target may be another page."""
        text, _, address = raw.partition("](")
        if not address:
            return raw
        text = self.inline(text.removeprefix("["))
        if re.match(r"[a-z]+:|//|#", target):
            return f"[{text}]({address}"
        return self.links.refer("doc", target.removesuffix(".md"), text)

    def role(self, name: str, content: str) -> str:
        if name in GLUE:
            name_of_value = content.split("::")[-1].split(":")[0]
            value = self.links.glued(name_of_value)
            return f"`{name_of_value}`" if value is None else value
        if name.startswith("cite"):
            return self.links.cite([key.strip() for key in content.split(",")], textual=name in ("cite:t", "cite:ts"))
        if name in ("doc", "numref", "ref", "eq", "term", "any"):
            text, target = read_target(content)
            return self.links.refer(name, target, text)
        if name.lower() == "chap":
            return self.links.chapter(content, capital=name[0] == "C")
        if name == "evidence":
            return self.links.evidence(content)
        if name == "math":
            return f"${content}$"
        plain = {"abbr": content.split(" (")[0], "kbd": f"**{content}**", "sub": f"<sub>{content}</sub>"}
        plain |= {"sup": f"<sup>{content}</sup>"} | dict.fromkeys(("code", "literal", "api"), f"`{content}`")
        if name in plain:
            return plain[name]
        raise UnsupportedMarkup(f"role {name!r} in {{{name}}}`{content}`")

    def formula(self, tex: str, label: str) -> str:
        tex = NUMBERED.sub(lambda match: rf"\{match[1]}{{{INNER[match[2]]}}}", tex).replace(r"\nonumber", "")
        tag = rf" \tag{{{self.links.number(label)}}}" if label else ""
        body = re.sub(r"\n\s*\n", "\n", display_tex(tex.strip()))
        return (f"{anchor(label)}\n\n" if label else "") + f"$$\n{body}{tag}\n$$"

    def picture(self, source: str) -> str:
        """The address of a picture; a picture of the book becomes part of the notebook."""
        if re.match(r"[a-z]+:", source):
            return source
        path = self.folder / source
        kind = mimetypes.guess_type(path.name)[0] or "image/png"
        return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"

    def directive(self, directive: Directive) -> str:
        """Convert a directive."""
        name = directive.name
        if name in BOXES:
            return self.box(directive)
        if name in ("exercise", "exercise-start"):
            return self.exercise(directive)
        simple: dict[str, Callable[[Directive], str]] = {
            "self-test": self.self_test,
            "math": lambda it: self.formula(f"{it.argument}\n{it.body}", str(it.options.get("label", ""))),
            "figure": self.figure,
            "diagram": self.diagram,
            "translator": lambda it: quoted("The page of this chapter in the book has an interactive translator here."),
            "predict": self.predict,
            "mistake": lambda it: quoted(f"**{self.inline(it.argument)}**\n\n{self.convert(it.body)}"),
            "symptoms": self.symptoms,
            "image": self.figure,
            "solution": lambda it: folded("Solution", self.convert(it.body)),
            "table": self.table,
            "exercise-end": lambda it: "",
            "bibliography": lambda it: "",
            "epigraph": lambda it: quoted(self.convert(it.body)),
            "raw": lambda it: it.body if it.argument == "html" else "",
        }
        if name in ("code", "code-block"):
            return f"```{directive.argument}\n{directive.body}\n```"
        if name not in simple:
            raise UnsupportedMarkup(f"directive {name!r}")
        return simple[name](directive)

    def box(self, directive: Directive) -> str:
        given = directive.name in ("admonition", "sidebar", "dropdown", "topic", "margin")
        title = self.inline(directive.argument) if given else NAMES.get(directive.name, directive.name.capitalize())
        body = self.convert(directive.body if given else f"{directive.argument}\n{directive.body}".strip())
        if "dropdown" in (directive.name, *str(directive.options.get("class", "")).split()):
            return folded(title, body)
        return quoted(f"**{title}**\n\n{body}" if title else body)

    def exercise(self, directive: Directive) -> str:
        label = str(directive.options.get("label", ""))
        title = self.inline(directive.argument)
        number = self.links.number(label) if label else ""
        heading = " ".join(filter(None, ["Exercise", number])) + (f": {title}" if title else "")
        return f"{anchor(label)}\n\n### {heading}\n\n{self.convert(directive.body)}"

    def figure(self, directive: Directive) -> str:
        picture = f"![{directive.options.get('alt', '')}]({self.picture(directive.argument)})"
        if directive.name == "image":
            return picture
        name = str(directive.options.get("name", ""))
        return f"{anchor(name)}\n\n{picture}\n\n{self.caption(name, directive.body)}"

    def diagram(self, directive: Directive) -> str:
        """Convert a drawing to a bitmap of twice its size, because Colab shows no SVG in text cells."""
        alt = str(directive.options.get("alt", ""))
        drawn = load(self.folder / "diagrams" / f"{directive.argument}.py", narrow=False)
        png = bytes(svg_to_bytes(svg_string=drawn.alone(alt), zoom=2))
        name = str(directive.options.get("name", ""))
        address = f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
        # In HTML, because Markdown has no size, and the bitmap would appear twice as large.
        picture = f'<img src="{address}" alt="{escape(alt)}" width="{drawn.width:g}">'
        return f"{anchor(name)}\n\n{picture}\n\n{self.caption(name, directive.body)}"

    def predict(self, directive: Directive) -> str:
        """Convert the question; the writer folds its answer."""
        read = predict.read(directive.argument, {name: str(value) for name, value in directive.options.items()})
        listed = "\n".join(f"- {self.inline(choice)}" for choice in read.get("choices", ()))
        asked = f"**Predict first.** {self.inline(directive.argument)}"
        return quoted("\n\n".join(filter(None, [asked, self.convert(directive.body), listed])))

    def symptoms(self, directive: Directive) -> str:
        """Convert the entries of a group, folded."""
        parts = []
        for symptom in entries.load()[1]:
            if symptom.group == directive.argument:
                title = re.sub("`([^`]+)`", r"<code>\1</code>", escape(symptom.title, quote=False))
                text = f"{self.convert(entries.markdown(symptom))}\n\n```python\n{symptom.program}\n```"
                parts.append(anchor(symptom.label) + "\n" + folded(title, text))
        return "\n\n".join(parts)

    def caption(self, name: str, text: str) -> str:
        """The caption of a figure, with its number."""
        number = self.links.number(name) if name else ""
        return f"**Fig. {number}** " * bool(number) + f"*{self.convert(text.strip())}*"

    def table(self, directive: Directive) -> str:
        title = f"**{self.inline(directive.argument)}**\n\n" if directive.argument else ""
        return f"{title}{self.convert(directive.body)}"

    def self_test(self, directive: Directive) -> str:
        """Convert questions to lettered answers with folded reasons."""
        parts = []
        for number, question in enumerate(questions(directive.body), 1):
            letters = "abcdefgh"
            reasons = [
                f"- **{letter}, {'right' if 'right' in answer else 'wrong'}.** {self.inline(str(answer['why']))}"
                for letter, answer in zip(letters, question["answers"], strict=False)
            ]
            choices = [
                f"   - **{letter}.** {self.inline(str(answer['text']))}"
                for letter, answer in zip(letters, question["answers"], strict=False)
            ]
            asked = f"{number}. {self.inline(str(question['question']))}"
            parts.append("\n".join([asked, *choices]) + "\n\n" + folded(f"Answer to {number}", "\n".join(reasons)))
        return "\n\n".join(parts)


INNER = {"equation": "aligned", "align": "aligned", "alignat": "alignedat", "gather": "gathered", "CD": "CD"}
NAMES = {"seealso": "See also"}
