"""Read the entries of ``book/symptoms.yml`` and write an entry as Markdown."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from bookkit import ROOT

FILE = ROOT / "book" / "symptoms.yml"
FAULTS = Path(__file__).with_name("faults")


@dataclass(frozen=True)
class Cause:
    """One possible cause of a symptom.

    Args:
        name: name of the fault in the program of the symptom.
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
        id: identifier on the page, without ``symptom-``.
        group: a key of ``groups`` in the file.
        title: the symptom, worded as a search query; Markdown.
        also: other names of the symptom; Markdown.
        seen: a Python expression that is True when the symptom occurs.
        causes: possible causes, the most likely first.
        explained: labels of the sections that explain it, and names of appendices.
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
        """The label for ``{ref}``."""
        return f"symptom-{self.id}"

    @property
    def program(self) -> str:
        """The source of the program in which its faults are planted."""
        return programs(self.group)[self.id]


@lru_cache(maxsize=1)
def load(file: Path = FILE) -> tuple[dict[str, str], list[Symptom]]:
    """Return the titles of the groups by key, and all symptoms in their order.

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


@lru_cache
def programs(group: str) -> dict[str, str]:
    """Source code of the functions of a group, without decorators, by symptom id."""
    source = (FAULTS / f"{group}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    return {
        node.name.replace("_", "-"): "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.decorator_list
    }


def markdown(symptom: Symptom) -> str:
    """The text below the title: how to confirm the symptom, then each cause with its check and its fix."""
    parts = [f"*Also: {symptom.also}*", f"You have it if this is `True`:\n\n{_code(symptom.seen)}"]
    for number, cause in enumerate(symptom.causes, 1):
        label = f"Cause {number}." if len(symptom.causes) > 1 else "Cause."
        parts += [f"**{label}** {cause.says} Check:", _code(cause.check), f"**Fix.** {cause.fix}"]
    sections = [label for label in symptom.explained if not _is_page(label)]
    places = [f"{{chap}}`{', '.join(sections)}`"] if sections else []
    places += [f"{{doc}}`{page}`" for page in symptom.explained if _is_page(page)]
    return "\n\n".join([*parts, f"Explained in {' and '.join(places)}."])


def _is_page(name: str) -> bool:
    return FILE.with_name(f"{name}.md").is_file()


def _code(text: str) -> str:
    return f"```python\n{text}\n```"
