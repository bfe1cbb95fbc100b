"""Build one or more pages without the rest of the book; called by ``make page``.

A page is executed if its cells, or the modules they import, changed. References to other pages have no target here, so
they cause warnings; every other warning is a problem of the page. ``make book`` resolves all references.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import yaml

COMMAND = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", "."]


def build(pages: list[str], folder: Path) -> int:
    """Build pages of the checkout in the current folder and return the exit status."""
    names = [page.removesuffix(".md") for page in pages]
    if missing := [name for name in names if not Path(f"{name}.md").is_file()]:
        print(f"pages must name existing pages, such as book/05-luong, got {', '.join(missing)}", file=sys.stderr)
        return 1
    chapters = [{"file": name} for name in [*names, "book/glossary", "book/references"] if name != "book/intro"]
    folder.mkdir(parents=True, exist_ok=True)
    toc = folder / "_toc.yml"
    toc.write_text(yaml.safe_dump({"format": "jb-book", "root": "book/intro", "chapters": chapters}), encoding="utf-8")
    command = [*COMMAND, "--toc", str(toc), "--path-output", str(folder), "--keep-going"]
    status = subprocess.run(command, check=False).returncode
    for name in names:
        print(f"The page: {(folder / '_build' / 'html' / f'{name}.html').resolve().as_uri()}")
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", help="such as book/05-luong")
    sys.exit(build(parser.parse_args().pages, Path("_build/page")))
