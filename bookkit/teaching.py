"""Notes for teachers: the objectives of ``book/teaching.yml`` as tables, and how long each chapter takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bookkit import ROOT

FILE = ROOT / "book" / "teaching.yml"
COLUMNS = {"aim": "Objective", "read": "Read", "touch": "Try", "do": "Do", "check": "Ask for"}
WORDS_PER_MINUTE = 130  # for text with formulas and figures; for a novel it is about 240
MINUTES = {"exercise": 15, "predict": 2, "mistake": 3}  # minutes for each
WIDGET = re.compile(r"^(?:[A-Z]\w*View\(|```\{translator\})", re.M)
MINUTES_PER_WIDGET = 3


def load(file: Path = FILE) -> list[dict[str, Any]]:
    """Read the chapters and their objectives, in the order of the book.

    Raises:
        ValueError: an objective lacks a column or has an unknown one.
    """
    chapters: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    for chapter in chapters:
        for objective in chapter["objectives"]:
            if set(objective) != set(COLUMNS):
                raise ValueError(
                    f"an objective of {chapter['chapter']} must have {list(COLUMNS)}, got {sorted(objective)}"
                )
    return chapters


def matrix(objectives: Sequence[Mapping[str, str]]) -> str:
    """A Markdown table with one row per objective: what to read, try, do and ask for."""
    rows = [" | ".join(f"`{row[name]}`" if name == "touch" else row[name] for name in COLUMNS) for row in objectives]
    return "\n".join(f"| {row} |" for row in [" | ".join(COLUMNS.values()), " | ".join("---" for _ in COLUMNS), *rows])


def reading(text: str) -> float:
    """Estimate the minutes to read a text, including its predictions, mistakes and widgets."""
    prose = re.sub(r"^```\{(code-cell|exercise|solution-start|self-test)\}.*?^```$", "", text, flags=re.S | re.M)
    prose = re.sub(r"\{(glue:text|evidence)\}`[^`]*`", "1", prose)  # prints one number, whatever its name
    doing = sum(MINUTES[kind] * count(text, kind) for kind in MINUTES if kind != "exercise")
    return len(re.findall(r"\w+", prose)) / WORDS_PER_MINUTE + doing + MINUTES_PER_WIDGET * len(WIDGET.findall(text))


def count(text: str, kind: str) -> int:
    return len(re.findall(rf"^```\{{{kind}\}}", text, re.M))


def minutes(text: str) -> dict[str, int]:
    """Estimate the minutes for a chapter: for reading and for its exercises."""
    return {"reading": round(reading(text) / 5) * 5, "exercises": MINUTES["exercise"] * count(text, "exercise")}
