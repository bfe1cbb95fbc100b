"""Ask Lighthouse what it thinks of some pages, served on localhost; called by ``make lighthouse``. Needs node and npm.

Fails if a category of a page is below 95.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from bookkit.chromium import MISSING, find
from bookkit.serve_book import open_server

VERSION = "12.6.0"
LEAST = 95
PAGES = ("book/intro.html", "book/02-nadaraya-watson.html", "book/04-bahdanau.html")
FLAGS = "--headless=new --no-sandbox --disable-gpu"


def ask(address: str, program: str, folder: Path) -> dict[str, int]:
    """The score of each category, out of 100.

    Raises:
        RuntimeError: Lighthouse failed; the message has what it said.
    """
    report = folder / "report.json"
    command = ["npx", "--yes", f"lighthouse@{VERSION}", address, "--quiet", "--output=json", f"--output-path={report}"]
    command += [f"--chrome-flags={FLAGS}", "--preset=desktop"]
    environment = {**os.environ, "CHROME_PATH": program}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"Lighthouse failed on {address}:\n{done.stderr}")
    found = json.loads(report.read_text(encoding="utf-8"))
    for audit in found["audits"].values():
        weighs = audit.get("score") is not None and audit["score"] < 0.9
        if weighs and audit["scoreDisplayMode"] in ("binary", "metricSavings", "numeric"):
            print(f"    {audit['score']:.2f} {audit['id']}: {audit.get('displayValue', '')}")
    return {name: round(100 * value["score"]) for name, value in found["categories"].items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", default=PAGES, help=f"default: {', '.join(PAGES)}")
    parser.add_argument("--site", type=Path, default=Path("_build/html"))
    options = parser.parse_args()
    program = find()
    if program is None:
        print(MISSING, file=sys.stderr)
        return 1
    low = 0
    with open_server(options.site, 0) as server, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page in options.pages:
            scores = ask(f"http://127.0.0.1:{server.server_port}/{page}", program, Path(folder))
            print(page, *(f"{name} {score}" for name, score in scores.items()), flush=True)
            low += sum(score < LEAST for score in scores.values())
        server.shutdown()
    print(f"{low} scores are below {LEAST}." if low else f"Every score is {LEAST} or more.")
    return 1 if low else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)
