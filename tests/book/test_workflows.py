"""The workflows do nothing that a make target does not do; `make workflows` checks their pins and rights."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = sorted((Path(__file__).parents[2] / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request: pytest.FixtureRequest) -> dict[Any, Any]:
    return yaml.safe_load(request.param.read_text(encoding="utf-8"))


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def targets(root: Path) -> set[str]:
    lines = (root / "Makefile").read_text(encoding="utf-8").splitlines()
    heads = [match[1] for line in lines if (match := re.match(r"([a-z][a-z -]*):(?!=)", line))]
    return {name for head in heads for name in head.split()}


def test_workflow_steps_are_make_targets(workflow: dict[Any, Any], root: Path) -> None:
    known = targets(root)
    for step in steps(workflow):
        command = step.get("run", "")
        if command and command != ".ci/run":
            match = re.fullmatch(r"make ([\w${}. -]+?)(?: [A-Z]+=(?:\"[^\"]*\"|\S+))*(?: 2>&1 \| tee \S+)?", command)
            assert match, command
            assert match[1] in known or match[1] == "${{ matrix.which }}", f"no make target {match[1]}"


def test_matrix_targets_exist(root: Path) -> None:
    ci = yaml.safe_load((root / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert {row["which"] for row in ci["jobs"]["bounds"]["strategy"]["matrix"]["include"]} <= targets(root)
    matrix = ci["jobs"]["unit"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"] and len(matrix["system"]) == 3


def test_workflow_shell_fails_when_a_pipe_fails(workflow: dict[Any, Any]) -> None:
    assert workflow["defaults"]["run"]["shell"] == "bash"  # with a name given, GitHub adds -eo pipefail


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def site_in(checkout: Path) -> Path:
    site = checkout / "_build" / "html"
    (site / "notebooks").mkdir(parents=True)
    (site / "_static").mkdir()
    for name in ("index.html", "notebooks/a.ipynb", "_static/a.js"):
        (site / name).write_text(name)
    return site


def publish(root: Path, checkout: Path) -> subprocess.CompletedProcess[str]:
    """``make publish``, with the environment that runs this."""
    make = ["make", "--silent", "-f", str(root / "Makefile"), f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.ready"]
    return subprocess.run([*make, "publish"], cwd=checkout, capture_output=True, text=True, check=False)


def test_publish_replaces_branch_and_changes_no_file(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--bare", "-b", "main", "remote.git")
    git(tmp_path, "clone", "remote.git", "checkout")
    checkout = tmp_path / "checkout"
    (checkout / ".gitignore").write_text("_build/\n")
    git(checkout, "-c", "user.name=a", "-c", "user.email=a@b", "add", ".gitignore")
    git(checkout, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "first")
    before = git(checkout, "status", "--porcelain"), git(checkout, "rev-parse", "HEAD")
    refused = publish(root, checkout)
    assert refused.returncode and "make book" in refused.stderr
    site = site_in(checkout)
    (site.parent / ".complete").touch()
    for text in ("older", "newer"):
        (site / "index.html").write_text(text)
        done = publish(root, checkout)
        assert done.returncode == 0, done.stderr
    remote = tmp_path / "remote.git"
    assert git(remote, "rev-list", "--count", "gh-pages") == "1"
    held = git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert held == [".nojekyll", "_static/a.js", "index.html", "notebooks/a.ipynb"]
    assert git(remote, "show", "gh-pages:index.html") == "newer"
    assert git(remote, "log", "-1", "--format=%s", "gh-pages") == f"The book of {before[1]}"
    assert (git(checkout, "status", "--porcelain"), git(checkout, "rev-parse", "HEAD")) == before
