"""Small books, built as the real one is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bookkit.ext.origin import Origin

ORIGIN = Origin("https://github.com/someone/attention-book", "main", "https://someone.github.io/attention-book/")
FRONT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""


@dataclass
class SmallBook:
    """A checkout with the real configuration, extensions and package, and pages of a test."""

    root: Path
    checkout: Path

    def write(self, name: str, text: str, *, notebook: bool = True) -> None:
        (self.root / "book" / f"{name}.md").write_text((FRONT if notebook else "") + text, encoding="utf-8")
        pages = sorted(path.stem for path in (self.root / "book").glob("*.md") if path.stem != "intro")
        toc = ["format: jb-book", "root: book/intro"]
        if pages:
            toc += ["chapters:", *(f"  - file: book/{page}" for page in pages)]
        (self.root / "_toc.yml").write_text("\n".join(toc), encoding="utf-8")

    @property
    def command(self) -> list[str]:
        """The command that builds the book."""
        return [sys.executable, "-m", "bookkit.build_book", "--root", str(self.root)]

    def environment(self, given: dict[str, str] | None = None) -> dict[str, str]:
        """The variables of a build: the given ones, or those of the test without colors, and its own package."""
        given = {**os.environ, "NO_COLOR": "1"} if given is None else given
        own = os.pathsep.join([str(self.root / "src"), str(self.root)])
        return {**given, "PYTHONPATH": own, "OMP_NUM_THREADS": "1"}

    def build(self, environment: dict[str, str] | None = None) -> tuple[int, str]:
        """Build the book; return the exit status and the output."""
        done = subprocess.run(
            self.command, capture_output=True, text=True, check=False, env=self.environment(environment)
        )
        return done.returncode, done.stdout + done.stderr

    def html(self, name: str) -> str:
        return (self.root / "_build" / "html" / "book" / f"{name}.html").read_text(encoding="utf-8")


def new_book(folder: Path, root: Path) -> SmallBook:
    """A small book in an empty folder."""
    for name in ("_config.yml", "requirements.txt", "requirements-d2l.txt"):
        shutil.copy(root / name, folder / name)
    ignore: Callable[..., set[str]] = shutil.ignore_patterns("__pycache__")
    for part in ("book/_static", "book/_templates", "src/attnbook"):
        shutil.copytree(root / part, folder / part, ignore=ignore)
    shutil.copy(root / "book" / "references.bib", folder / "book")
    book = SmallBook(folder, root)
    book.write("intro", "# A small book\n\nBy {cite}`bahdanau2015neural`.\n\n```{bibliography}\n```\n", notebook=False)
    return book
