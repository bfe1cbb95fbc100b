"""The entries of ``book/symptoms.yml``, and an entry as Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bookkit import ROOT
from bookkit.symptoms.planted import PLANTED

FILE = ROOT / "book" / "symptoms.yml"


@dataclass(frozen=True)
class Cause:
    """One possible cause of a symptom.

    Args:
        name: what the planted function calls it.
        says: what is wrong; Markdown.
        check: a Python expression that is True when this is the cause.
        fix: what to do; Markdown.
    """

    name: str
    says: str
    check: str
    fix: str


@dataclass(frozen=True)
class Symptom:
    """One entry.

    Args:
        id: its address on the page, without the prefix.
        group: a key of ``groups`` in the file.
        title: the symptom, in the words of a search; Markdown.
        also: other words that people use for it.
        seen: a Python expression that is True when the symptom is there.
        causes: most likely first.
        explained: labels of the book, in the sections that explain it.
    """

    id: str
    group: str
    title: str
    also: str
    seen: str
    causes: tuple[Cause, ...]
    explained: tuple[str, ...]

    @property
    def label(self) -> str:
        """What ``{ref}`` calls the entry."""
        return f"symptom-{self.id}"

    @property
    def program(self) -> str:
        """The source of its planted faults."""
        return "".join(inspect.getsource(PLANTED[self.id]).splitlines(keepends=True)[1:])


def load(file: Path = FILE) -> tuple[dict[str, str], list[Symptom]]:
    """The titles of the groups by key, and all symptoms in their order.

    Raises:
        TypeError: an entry has an unknown field or lacks one.
        ValueError: an entry names a group that does not exist.
    """
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    groups: dict[str, str] = content["groups"]
    symptoms = [_symptom(fields) for fields in content["symptoms"]]
    for symptom in symptoms:
        if symptom.group not in groups:
            raise ValueError(f"group of {symptom.id} must be one of {list(groups)}, got {symptom.group!r}")
    return groups, symptoms


def _symptom(fields: Mapping[str, Any]) -> Symptom:
    causes = tuple(Cause(**cause) for cause in fields["causes"])
    return Symptom(**{**fields, "causes": causes, "explained": tuple(fields["explained"])})


def markdown(symptom: Symptom) -> str:
    """What stands under the title of an entry: how to confirm the symptom, then each cause with its check and fix."""
    parts = [f"*Also: {symptom.also}*", f"You have it if this is `True`:\n\n{_code(symptom.seen)}"]
    for number, cause in enumerate(symptom.causes, 1):
        label = f"**Cause {number}.** " if len(symptom.causes) > 1 else "**Cause.** "
        parts += [f"{label}{cause.says} Check:", _code(cause.check), f"**Fix.** {cause.fix}"]
    return "\n\n".join(parts)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"
