"""Ask for every address outside that the built book leads to; called by ``make links``.

An address is broken if its host does not exist or answers "not found" or "gone". A host that refuses programs, or is in
trouble just now, says nothing about the link: it is listed, and is no failure. Sphinx's own linkcheck calls a refusal
(403, what many a publisher answers to programs) a broken link, and does not see what cells wrote as HTML.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from bs4 import BeautifulSoup

BROKEN = {404, 410}
OWN = ("/edit/", "/issues/new", "colab.research.google.com")  # made for every page, and not there before publishing
AGENT = {"User-Agent": "Mozilla/5.0 (link check of a book)"}


def addresses(site: Path) -> dict[str, set[str]]:
    """Every address outside, and the pages that lead to it."""
    found: dict[str, set[str]] = defaultdict(set)
    for page in site.rglob("*.html"):
        if "_static" in page.parts:
            continue
        for link in BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select("a[href^='http']"):
            address = str(link["href"]).split("#")[0]
            if not any(part in address for part in OWN) and "://localhost" not in address:
                found[address].add(page.relative_to(site).as_posix())
    return found


def ask(address: str, tries: int = 3) -> tuple[str, str]:
    """``ok``, ``broken`` or ``unclear``, and what was answered."""
    answer = ""
    for number in range(tries):
        try:
            with requests.get(address, headers=AGENT, timeout=20, stream=True) as response:
                if response.status_code in BROKEN:
                    return "broken", str(response.status_code)
                if response.ok:
                    return "ok", str(response.status_code)
                answer = str(response.status_code)
        except requests.ConnectionError as error:
            if "resol" in str(error) or "not known" in str(error):
                return "broken", "no such host"
            answer = type(error).__name__
        except requests.RequestException as error:
            answer = type(error).__name__
        time.sleep(number)
    return "unclear", answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path("_build/html"))
    options = parser.parse_args()
    found = addresses(options.site)
    if not (options.site / "index.html").is_file():
        print(f"{options.site} holds no book: run `make book` first", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(found, pool.map(ask, found), strict=True))
    counts = {kind: [a for a in found if answers[a][0] == kind] for kind in ("ok", "unclear", "broken")}
    for kind in ("unclear", "broken"):
        for address in sorted(counts[kind]):
            print(f"{kind:8} {answers[address][1]:16} {address}  in {', '.join(sorted(found[address]))}")
    ok, unclear, broken = (len(counts[kind]) for kind in ("ok", "unclear", "broken"))
    print(f"{ok} links work, {unclear} could not be told, {broken} are broken.")
    return 1 if counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
