"""Put the built book, with its notebooks, on the branch ``gh-pages`` of the remote; called by ``make publish``.

The branch always holds one commit, so that the repository does not grow with every build. GitHub Pages serves it, and
Colab opens the notebooks that lie in it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bookkit.ext.origin import PUBLISHED


def git(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", *arguments], check=True, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.stdout.strip()


def publish(site: Path, remote: str) -> str:
    """Push the site; returns the commit.

    Raises:
        FileNotFoundError: there is no built book with notebooks.
        subprocess.CalledProcessError: git failed; its message is in ``stderr``.
    """
    if not (site / "index.html").is_file() or not list((site / "notebooks").glob("*.ipynb")):
        raise FileNotFoundError(f"{site} holds no book with notebooks: run `make book` first")
    (site / ".nojekyll").touch()  # GitHub Pages would leave out folders that begin with an underscore
    source = git("rev-parse", "HEAD")
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder, "index"))
        git("--work-tree", str(site), "add", "--all", "--force", ".", GIT_INDEX_FILE=index)
        tree = git("write-tree", GIT_INDEX_FILE=index)
    who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "book")
    who |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "book@users.noreply.github.com")
    commit = git("commit-tree", tree, "-m", f"The book of {source}", **who)
    git("push", "--force", remote, f"{commit}:refs/heads/{PUBLISHED}")
    return commit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path("_build/html"))
    parser.add_argument("--remote", default="origin")
    options = parser.parse_args()
    try:
        commit = publish(options.site.resolve(), options.remote)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd[:3])} ... failed:\n{error.stderr.strip()}", file=sys.stderr)
        return 1
    print(f"Published {commit[:12]} to {PUBLISHED} of {options.remote}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
