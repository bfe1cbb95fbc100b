"""Find Chromium for the browser tests, or install it with apt-get where that is possible.

``make test`` runs this module; the tests call ``find``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
MACOS_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
MISSING = """\
The browser tests need Chromium, and none was found. Install one:
    Debian, Ubuntu:   sudo apt-get update && sudo apt-get install -y chromium
    anywhere else:    .venv/bin/python -m playwright install chromium
or set its path:      CHROMIUM=/path/to/chromium make test"""


def find() -> str | None:
    """Return the path of Chromium: ``$CHROMIUM``, one on ``PATH``, or Playwright's own; None if there is none."""
    if named := os.environ.get("CHROMIUM"):
        return named if shutil.which(named) else None
    for name in (*COMMANDS, *MACOS_PATHS):
        if found := shutil.which(name):
            return found
    return playwright_chromium()


def playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def can_install() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install() -> None:
    """Install Chromium with apt-get; needs root.

    Raises:
        subprocess.CalledProcessError: apt-get failed.
    """
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium", "fonts-noto-cjk"]):
        subprocess.run(["apt-get", "-q", *command], check=True, env=environment, stdin=subprocess.DEVNULL)


def main() -> int:
    if find() is None and "CHROMIUM" not in os.environ and can_install():
        print("Chromium is missing: installing it with apt-get ...")
        try:
            install()
        except subprocess.CalledProcessError as error:
            print(f"{' '.join(error.cmd)} failed.", file=sys.stderr)
    if find() is None:
        print(MISSING, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
