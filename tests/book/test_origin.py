"""Where the book comes from, and the buttons that lead there."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from bookkit.ext.notebooks import add_buttons
from bookkit.ext.origin import Origin, find_origin, read_remote
from bookkit.notebook.index import make_index, slug
from tests.book.pages import parsed
from tests.book.small_books import ORIGIN


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/someone/book.git", "https://github.com/someone/book"),
        ("https://user:secret@github.com/someone/book", "https://github.com/someone/book"),
        ("git@github.com:someone/book.git", "https://github.com/someone/book"),
        ("ssh://git@gitlab.com:2222/group/sub/book.git", "https://gitlab.com/group/sub/book"),
        ("/srv/git/book.git", None),
        ("file:///srv/git/book.git", None),
        ("../book", None),
        ("C:\\books\\attention", None),
        ("http://192.168.0.7/someone/book", None),
        ("https://git.internal/someone/book", None),
        ("", None),
    ],
)
def test_read_remote_gives_address_of_public_hosts_only(remote: str, url: str | None) -> None:
    assert read_remote(remote) == url


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_origin_comes_from_remote_or_ci_environment(tmp_path: Path) -> None:
    git(tmp_path, "init", "-b", "trunk")
    assert find_origin(tmp_path, {}) is None
    git(tmp_path, "remote", "add", "origin", "git@github.com:Someone/book.git")
    found = find_origin(tmp_path, {})
    assert found == Origin("https://github.com/Someone/book", "trunk", "https://someone.github.io/book/")
    assert find_origin(tmp_path.parent, {}) != found
    ci = {"GITHUB_REPOSITORY": "fork/book", "GITHUB_REF_NAME": "12/merge", "GITHUB_BASE_REF": "main"}
    assert find_origin(tmp_path, ci) == Origin("https://github.com/fork/book", "main", "https://fork.github.io/book/")
    told = {"ATTNBOOK_REPOSITORY": "https://github.com/a/a.github.io/", "ATTNBOOK_BRANCH": "x"}
    assert find_origin(tmp_path, {**ci, **told}) == Origin(
        "https://github.com/a/a.github.io", "x", "https://a.github.io/"
    )
    moved = find_origin(tmp_path, {**ci, "ATTNBOOK_SITE": "https://books.example/attention"})
    assert moved and moved.site == "https://books.example/attention/"


def test_origin_has_addresses_for_github_only() -> None:
    wanted = "https://colab.research.google.com/github/someone/attention-book/blob/gh-pages/notebooks/04-bahdanau.ipynb"
    assert ORIGIN.colab("04-bahdanau") == wanted
    assert ORIGIN.edit("book/a.md") == "https://github.com/someone/attention-book/edit/main/book/a.md"
    elsewhere = Origin("https://gitlab.com/a/b", "main")
    assert elsewhere.colab("a") == elsewhere.edit("a") == elsewhere.issue("a") == ""
    assert elsewhere.requirement() == "attnbook[book] @ git+https://gitlab.com/a/b@main"


class App:
    def __init__(self, origin: Origin | None) -> None:
        self.book_origin, self.book_chapters = origin, {"book/04-bahdanau"}


@pytest.mark.parametrize(
    ("origin", "page", "names"),
    [
        (ORIGIN, "book/04-bahdanau", ["colab", "notebook", "edit", "issue"]),
        (ORIGIN, "book/status", ["edit", "issue"]),
        (None, "book/04-bahdanau", ["notebook"]),
        (None, "book/status", []),
    ],
)
def test_add_buttons_needs_origin_and_notebook(origin: Origin | None, page: str, names: list[str]) -> None:
    context: dict[str, Any] = {"content_root": "../", "page_source_suffix": ".md"}
    add_buttons(App(origin), page, "page.html", context, object())  # type: ignore[arg-type]
    assert [button["name"] for button in context["book_buttons"]] == names
    for button in context["book_buttons"]:
        if button["name"] == "notebook":
            assert button["url"] == "../notebooks/04-bahdanau.ipynb" and button["download"]


def test_chapter_pages_link_their_notebook(built_book: Path, root: Path) -> None:
    for page in make_index(root).pages.values():
        button = parsed(built_book / f"{page.name}.html").select_one("[data-book=notebook]")
        assert bool(button) == page.notebook
        if button:
            path = (built_book / f"{page.name}.html").parent / str(button["href"])
            assert path.resolve() == built_book / "notebooks" / f"{slug(page.name)}.ipynb" and path.is_file()
