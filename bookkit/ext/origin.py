"""Find the book's repository, for Colab buttons, installation, edit and issue links, and addresses of the site.

No address is hard-coded, so a fork need not change anything. The address comes from the environment of GitHub Actions
or else from the git remote of the checkout. If neither exists, the pages have no links to a repository.

``ATTNBOOK_REPOSITORY``, ``ATTNBOOK_BRANCH`` and ``ATTNBOOK_SITE`` override repository, branch and site.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx
from sphinx.config import Config

PUBLISHED = "gh-pages"  # the branch that `make publish` writes: the site, with the notebooks in a subfolder
REMOTE = re.compile(r"(?:https?://|ssh://|git://)?(?:[^@/]+@)?(?P<host>[\w.-]+\.[a-z]+)(?::\d+/|[:/])(?P<path>[^?#]+)")


@dataclass(frozen=True)
class Origin:
    """A repository on a public host.

    Attributes:
        url: its address without ``.git``, such as ``https://github.com/someone/attention-book``.
        branch: the branch, or tag, that the book is built from.
        site: where the built book is published, with a final slash; empty if unknown.
    """

    url: str
    branch: str
    site: str = ""

    @property
    def on_github(self) -> bool:
        return self.url.startswith("https://github.com/")

    @property
    def slug(self) -> str:
        """``owner/name``."""
        return self.url.split("/", 3)[3]

    def requirement(self) -> str:
        """The pip requirement that installs the package with everything a chapter may need."""
        return f"attnbook[book] @ git+{self.url}@{self.branch}"

    def colab(self, name: str) -> str:
        """The address that opens a published notebook in Colab; empty if the repository is not on GitHub."""
        if not self.on_github:
            return ""
        return f"https://colab.research.google.com/github/{self.slug}/blob/{PUBLISHED}/notebooks/{quote(name)}.ipynb"

    def edit(self, path: str) -> str:
        return f"{self.url}/edit/{self.branch}/{quote(path)}" if self.on_github else ""

    def issue(self, title: str) -> str:
        return f"{self.url}/issues/new?title={quote(title)}" if self.on_github else ""


def read_remote(remote: str) -> str | None:
    """The public address of a git remote, without user name and password; None for a folder or a local host."""
    if remote.startswith(("file:", "/", ".", "~")) or re.match(r"[A-Za-z]:[\\/]", remote):
        return None
    match = REMOTE.fullmatch(remote.strip())
    if not match or re.fullmatch(r"[\d.]+|.*\.(local|internal|lan)", match["host"]):
        return None
    path = match["path"].strip("/").removesuffix(".git")
    return f"https://{match['host'].lower()}/{path}" if path.count("/") >= 1 else None


def git(root: Path, *arguments: str) -> str:
    """The output of a git command; empty if it fails or git is missing."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def find_branch(root: Path, environment: Mapping[str, str]) -> str:
    """The current branch, or the target branch of a pull request; ``main`` if git knows none."""
    named = (
        environment.get("ATTNBOOK_BRANCH") or environment.get("GITHUB_BASE_REF") or environment.get("GITHUB_REF_NAME")
    )
    if named:
        return named
    remote = git(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    return git(root, "symbolic-ref", "--short", "HEAD") or remote or "main"


def find_site(url: str, environment: Mapping[str, str]) -> str:
    """The address of the published site: ``ATTNBOOK_SITE``, or GitHub Pages of the repository."""
    if site := environment.get("ATTNBOOK_SITE"):
        return site.rstrip("/") + "/"
    match = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", url)
    if not match:
        return ""
    host = f"{match[1].lower()}.github.io"
    return f"https://{host}/" if match[2].lower() == host else f"https://{host}/{match[2]}/"


def find_origin(root: Path, environment: Mapping[str, str] = os.environ) -> Origin | None:
    """The repository of a checkout; None if it has no public one."""
    url = environment.get("ATTNBOOK_REPOSITORY", "").removesuffix(".git").rstrip("/")
    if not url and (slug := environment.get("GITHUB_REPOSITORY")):
        url = f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{slug}"
    if not url and Path(git(root, "rev-parse", "--show-toplevel") or "/").resolve() == root.resolve():
        url = read_remote(git(root, "remote", "get-url", "origin")) or ""
    if not url:
        return None
    return Origin(url, find_branch(root, environment), find_site(url, environment))


def configure(app: Sphinx, config: Config) -> None:
    """Configure the theme's absolute addresses."""
    origin = find_origin(Path(app.srcdir))
    app.book_origin = origin  # type: ignore[attr-defined]
    if origin and origin.site:
        config.html_baseurl = config.ogp_site_url = origin.site
        config.ogp_image = f"{origin.site}_static/card.png"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", configure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
