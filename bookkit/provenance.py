"""Date, commit, package versions and processor, which are stored with every result."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from bookkit import ROOT


def today() -> str:
    """The date in UTC, such as 2026-01-31."""
    return datetime.now(UTC).date().isoformat()


def commit(*folders: str) -> str:
    """The commit of the checkout, followed by "+ changes" if one of the folders has uncommitted changes."""
    try:
        head = _git("rev-parse", "HEAD")
        return head + (" + changes" if _git("status", "--porcelain", "--", *folders) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def versions(*packages: str) -> dict[str, str]:
    """Versions of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def cpu() -> str:
    """Name, family and model of the processor, because the name alone is uninformative on some virtual machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
        fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
        return f"{fields['model name']} (family {fields['cpu family']}, model {fields['model']})"
    except (OSError, KeyError):
        return platform.processor() or platform.machine()


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
