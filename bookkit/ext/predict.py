"""Ask for a prediction before the result: the directives ``{predict}`` and ``{predict-end}``.

The content of ``{predict}`` is the question. Everything up to ``{predict-end}``, including cells, is the answer. It
stays folded until the reader has answered, and then opens next to the reader's answer. One option defines the kind of
answer::

    ```{predict} What happens to the others?
    :choose: they grow | they stay | they shrink
    :right: 1
    ```

    ```{predict} How many of 100 are right?
    :value: 0 100 5
    :right: cue-attention-16
    ```

    ```{predict} Draw the share of right answers over the length of the list.
    :draw: 2 5 10 16
    :range: 0 100
    :right: cue-lengths
    :labels: things in the list | right answers, %
    ```

``right`` is the number of the right choice, from 1, or the name of a glued value: one number, or several separated by
spaces. Choices are shuffled, in the same way in every build, so that no place is right more often than another;
``:order: given`` keeps the given order, for choices such as 2, 4 or 8 times. ``unit`` is the unit of the number; by
default it is the text after the comma of the label ("right answers, %").
"""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)
KINDS = ("choose", "value", "draw")
CLOSING = re.compile(r"(none|neither|both|all|nothing)\b", re.I)  # choices that readers expect to come last


class predict(nodes.General, nodes.Element):
    """The question; its attribute ``asked`` has what the script needs."""


class predict_answer(nodes.General, nodes.Element):
    """The folded answer."""


class predict_end(nodes.Invisible, nodes.Element):
    """The end of the answer; removed when the page is read."""


def digest(*texts: str) -> str:
    return hashlib.sha256("|".join(texts).encode()).hexdigest()[:8]


def arranged(question: str, choices: list[str]) -> list[int]:
    """The order of the choices: shuffled, but the same in every build."""
    return sorted(
        range(len(choices)), key=lambda place: (bool(CLOSING.match(choices[place])), digest(question, choices[place]))
    )


def read(question: str, options: dict[str, str]) -> dict[str, Any]:
    """Parse a question and its options.

    Raises:
        ValueError: an option is invalid or missing; see the module's docstring.
    """
    kinds = [kind for kind in KINDS if kind in options]
    if len(kinds) != 1 or not options.get("right"):
        raise ValueError(f"options must be right and one of {', '.join(KINDS)}, got {sorted(options)}")
    kind, right = kinds[0], options["right"].strip()
    asked: dict[str, Any] = {"kind": kind, "right": right, "item": digest(question)}
    if options.get("order", "given") != "given":
        raise ValueError(f"order must be 'given', got {options['order']!r}")
    if kind == "choose":
        asked["choices"] = [choice.strip() for choice in options["choose"].split("|")]
        if not right.isdigit() or not 1 <= int(right) <= len(asked["choices"]) or len(asked["choices"]) < 2:
            raise ValueError(
                f"right must be the number of one of >= 2 choices, got {right!r} of {len(asked['choices'])}"
            )
        if "order" not in options:
            order = arranged(question, asked["choices"])
            asked["choices"] = [asked["choices"][place] for place in order]
            asked["right"] = str(order.index(int(right) - 1) + 1)
        return asked
    asked["labels"] = [label.strip() for label in options.get("labels", "").split("|") if label.strip()]
    asked["unit"] = options.get("unit") or unit_of(asked["labels"][-1] if asked["labels"] else "")
    try:
        asked["places"] = [float(number) for number in options["draw"].split()] if kind == "draw" else []
        numbers = [float(number) for number in options["range" if kind == "draw" else "value"].split()]
    except (KeyError, ValueError) as error:
        raise ValueError(f"options of {kind} must be numbers, and draw must have a range, got {options}") from error
    if (
        len(numbers) != 3 - (kind == "draw")
        or numbers[0] >= numbers[1]
        or (kind == "draw" and len(asked["places"]) < 2)
    ):
        raise ValueError(f"{kind} must have a minimum, a maximum and, for value, a step, got {numbers}")
    asked["least"], asked["most"] = numbers[:2]
    asked["step"] = (numbers[1] - numbers[0]) / 20 if kind == "draw" else numbers[2]
    return asked


def unit_of(label: str) -> str:
    """The text after the last comma of a label, such as the % of "right answers, %"."""
    return label.rpartition(",")[2].strip() if "," in label else ""


class Predict(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        **dict.fromkeys((*KINDS, "right", "range", "labels", "order", "unit"), directives.unchanged_required)
    }

    def run(self) -> list[nodes.Node]:
        try:
            asked = read(self.arguments[0], self.options)
        except ValueError as error:
            raise self.error(f"predict: {error}") from error
        title, messages = self.parse_inline(self.arguments[0], lineno=self.lineno)
        node = predict("", nodes.paragraph("", "", *title, classes=["predict-question"]), asked=asked)
        node["group"] = f"predict-{self.env.new_serialno('predict')}"
        node += self.parse_content_to_nodes()
        for number, choice in enumerate(asked.get("choices", ())):
            text, more = self.parse_inline(choice, lineno=self.lineno)
            holder = predict_choice("", *text, group=node["group"], number=number)
            messages += more
            node += holder
        self.set_source_info(node)
        return [node, *messages]


class predict_choice(nodes.General, nodes.Element):
    """The text of a choice."""


class PredictEnd(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [predict_end()]


def gather(app: Sphinx, doctree: nodes.document) -> None:
    """Move everything between the two directives into the answer."""
    for node in list(doctree.findall(predict)):
        siblings = node.parent.children
        rest = siblings[siblings.index(node) + 1 :]
        ends = [place for place, other in enumerate(rest) if isinstance(other, predict_end)]
        starts = [place for place, other in enumerate(rest) if isinstance(other, predict)]
        if not ends or (starts and starts[0] < ends[0]):
            logger.warning("predict without a {predict-end} in its section", location=node, type="bookkit")
            continue
        answer = predict_answer()
        for other in rest[: ends[0] + 1]:
            node.parent.remove(other)
            if not isinstance(other, predict_end):
                answer += other
        node += answer


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the names of glued values by the values."""
    path = Path(app.outdir).parent / "jupyter_execute" / f"{docname}.glue.json"
    for node in doctree.findall(predict):
        asked = node["asked"]
        if asked["kind"] == "choose":
            continue
        glued = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if asked["right"] not in glued:
            logger.warning("predict: no cell glues %r", asked["right"], location=node, type="bookkit")
            continue
        text = glued[asked["right"]]["data"]["text/plain"].strip("'")
        asked["right"] = [float(number.rstrip("%")) for number in text.replace(",", " ").split()]
        if len(asked["right"]) != (len(asked["places"]) or 1):
            logger.warning("predict: %r for %s", text, asked["places"] or "one number", location=node, type="bookkit")


def visit_predict(self: Any, node: nodes.Element) -> None:
    asked = escape(json.dumps({key: value for key, value in node["asked"].items() if key != "choices"}))
    self.body.append(f'<div class="predict" data-asked="{asked}">\n<p class="predict-title">Predict first</p>\n')


def depart_predict(self: Any, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def visit_choice(self: Any, node: nodes.Element) -> None:
    name, group = f"{node['group']}-{node['number']}", node["group"]
    self.body.append(f'<div class="predict-choice"><input type="radio" id="{name}" name="{group}"><label for="{name}">')


def depart_choice(self: Any, node: nodes.Element) -> None:
    self.body.append("</label></div>\n")


def visit_answer(self: Any, node: nodes.Element) -> None:
    self.body.append('<details class="predict-answer"><summary>What happens</summary>\n')


def depart_answer(self: Any, node: nodes.Element) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("predict", Predict)
    app.add_directive("predict-end", PredictEnd)
    app.add_node(predict, html=(visit_predict, depart_predict))
    app.add_node(predict_choice, html=(visit_choice, depart_choice))
    app.add_node(predict_answer, html=(visit_answer, depart_answer))
    app.add_node(predict_end)
    app.add_js_file("progress.js", loading_method="defer", priority=490)  # before the scripts that use it
    app.add_js_file("predict.js", loading_method="defer")
    app.connect("doctree-read", gather)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
