"""Multiple-choice questions with explanations: the directive ``{self-test}``.

Its content is YAML: a list of questions. Every question has answers, exactly one of them right, and every answer has
the reason why it is right or wrong. Questions, answers and reasons are MyST text::

    ```{self-test}
    - question: What does a softmax return for equal scores?
      answers:
        - text: equal weights
          right: true
          why: Equal exponentials share the sum equally.
        - text: zeros
          why: The weights sum to one.
    ```

On the page every question is a group of radio buttons, and choosing one shows its reason. Without scripts,
and in print, all reasons appear after the answers.
"""

from __future__ import annotations

from html import escape
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit.ext.predict import digest

QUESTION_KEYS = {"question", "answers"}
ANSWER_KEYS = {"text", "why", "right"}


class self_test(nodes.General, nodes.Element):
    """A list of questions."""


class self_test_question(nodes.General, nodes.Element):
    """The text of a question, then its answers."""


class self_test_text(nodes.General, nodes.Element):
    """The text of a question, an answer or a reason, depending on ``kind``."""


class self_test_answer(nodes.General, nodes.Element):
    """The text of an answer and the reason; ``right``: whether it is right; ``group`` and ``number`` identify it."""


def questions(text: str) -> list[dict[str, Any]]:
    """Parse the directive's content.

    Raises:
        ValueError: the content is invalid; the message names the question.
    """
    try:
        found = yaml.load(text, yaml.BaseLoader)  # "yes" and 0.5 are answers, not values
    except yaml.YAMLError as error:
        raise ValueError(f"the content must be YAML, got an error: {error}") from error
    if not isinstance(found, list) or not found:
        raise ValueError(f"the content must be a list of questions, got {found!r}")
    for number, question in enumerate(found, 1):
        if not isinstance(question, dict) or set(question) != QUESTION_KEYS:
            raise ValueError(f"question {number} must have the keys {sorted(QUESTION_KEYS)}, got {question!r}")
        answers = question["answers"]
        if not isinstance(answers, list) or len(answers) < 2:
            raise ValueError(f"question {number} must have a list of two or more answers, got {answers!r}")
        for answer in answers:
            if not isinstance(answer, dict) or not {"text", "why"} <= set(answer) <= ANSWER_KEYS:
                raise ValueError(
                    f"question {number} must have answers with text, why and optionally right, got {answer!r}"
                )
            if answer.get("right", "true") != "true":
                raise ValueError(f"question {number} must have right: true, or no such key, got {answer['right']!r}")
        right = sum("right" in answer for answer in answers)
        if right != 1:
            raise ValueError(f"question {number} must have one right answer, got {right}")
    return found


class SelfTest(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            found = questions("\n".join(self.content))
        except ValueError as error:
            raise self.error(f"self-test: {error}") from error
        test = self_test()
        for question in found:
            group = f"self-test-{self.env.new_serialno('self-test')}"
            asked = self._text("question", question["question"])
            holder = self_test_question("", asked, group=group, item=digest(str(question["question"])))
            for number, answer in enumerate(question["answers"]):
                holder += self_test_answer(
                    "",
                    self._text("text", answer["text"]),
                    self._text("why", answer["why"]),
                    right="right" in answer,
                    group=group,
                    number=number,
                )
            test += holder
        return [test]

    def _text(self, kind: str, text: Any) -> nodes.Element:
        inline, messages = self.parse_inline(str(text), lineno=self.lineno)
        return self_test_text("", *inline, *messages, kind=kind)


def visit_test(self: Any, node: nodes.Element) -> None:
    self.body.append('<div class="self-test">\n')


def depart_test(self: Any, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def visit_question(self: Any, node: nodes.Element) -> None:
    self.body.append(f'<fieldset data-item="{node["item"]}">\n')


def depart_question(self: Any, node: nodes.Element) -> None:
    self.body.append('<p class="self-test-said" role="status"></p>\n</fieldset>\n')


def visit_answer(self: Any, node: nodes.Element) -> None:
    name = f"{node['group']}-{node['number']}"
    verdict = "right" if node["right"] else "wrong"
    text = node.children[0]
    # Screen readers compute no name from a typeset formula, so its TeX is the label.
    formula = all(isinstance(child, nodes.math) for child in text.children)
    label = f' aria-label="{escape(text.astext())}"' if formula else ""
    self.body.append(
        f'<div class="self-test-answer" data-verdict="{verdict}">'
        f'<input type="radio" id="{escape(name)}" name="{escape(node["group"])}"{label}>'
    )
    self.context.append(name)


def depart_answer(self: Any, node: nodes.Element) -> None:
    self.context.pop()
    self.body.append("</div>\n")


def visit_text(self: Any, node: nodes.Element) -> None:
    if node["kind"] == "question":
        self.body.append("<legend>")
    elif node["kind"] == "text":
        self.body.append(f'<label for="{escape(self.context[-1])}">')
    else:
        self.body.append('<span class="self-test-why"><b></b> ')


def depart_text(self: Any, node: nodes.Element) -> None:
    self.body.append({"question": "</legend>\n", "text": "</label> ", "why": "</span>"}[node["kind"]])


def as_list(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the directive by plain lists of questions, answers and reasons for builders other than HTML."""
    if app.builder.format == "html":
        return
    for test in list(doctree.findall(self_test)):
        items = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        for question in test.children:
            asked, *answers = question.children
            listed = nodes.bullet_list()
            for answer in answers:
                text, why = answer.children
                verdict = nodes.strong("", " Right. " if answer["right"] else " Wrong. ")
                listed += nodes.list_item("", nodes.paragraph("", "", *text.children, verdict, *why.children))
            items += nodes.list_item("", nodes.paragraph("", "", *asked.children), listed)
        test.replace_self(items)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("self-test", SelfTest)
    app.add_node(self_test, html=(visit_test, depart_test))
    app.add_node(self_test_question, html=(visit_question, depart_question))
    app.add_node(self_test_text, html=(visit_text, depart_text))
    app.add_node(self_test_answer, html=(visit_answer, depart_answer))
    app.add_js_file("selftest.js", loading_method="defer")
    app.connect("doctree-resolved", as_list)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
