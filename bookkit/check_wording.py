"""Report wording that ``wording.yml`` advises against, in pages, code, comments, messages and names."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

RULES = Path(__file__).with_name("wording.yml")
SUFFIXES = frozenset({".md", ".py", ".js", ".mjs", ".ts", ".yml", ".toml", ".sh", ".html", ".css"})
GENERATED = re.compile(r"/bundles/|^results/|^requirements|(^|/)wording\.yml$")


@dataclass(frozen=True)
class Rule:
    """A pattern that no line may match, what to write instead, and the paths where it is allowed."""

    pattern: re.Pattern[str]
    write: str
    example: str
    allowed: re.Pattern[str] | None = None


def read_rules(path: Path = RULES) -> list[Rule]:
    """Read the rules from a file such as ``wording.yml``."""
    return [
        Rule(
            re.compile(entry["pattern"], re.IGNORECASE),
            entry["write"],
            entry["example"],
            re.compile(entry["except"]) if "except" in entry else None,
        )
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def findings(root: Path, paths: Iterable[str], rules: Iterable[Rule]) -> Iterator[str]:
    """Yield one line of the report per match; ``paths`` are relative to ``root``."""
    rules = list(rules)
    for path in paths:
        if Path(path).suffix not in SUFFIXES or GENERATED.search(path) or not (root / path).is_file():
            continue
        applied = [rule for rule in rules if rule.allowed is None or not rule.allowed.search(path)]
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            for rule in applied:
                if found := rule.pattern.search(line):
                    yield f"{path}:{number}: {found.group()!r}: write {rule.write}"


def tracked_files(root: Path) -> list[str]:
    """The paths of all files that git tracks or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    return sorted(filter(None, listed.split("\0")))


def main(root: Path) -> int:
    """Check all files of a checkout and print the findings.

    Returns:
        the exit status: 1 if there are findings, otherwise 0.
    """
    found = list(findings(root, tracked_files(root), read_rules()))
    for line in found:
        print(line, file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
