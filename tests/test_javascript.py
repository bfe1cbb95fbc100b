"""The widgets' JavaScript, if Node is installed: bundles match their sources, and its own tests pass."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def npm() -> str:
    program = shutil.which("npm")
    if program is None:
        pytest.skip("Node is not installed; the bundles are committed, and CI compares them with their sources")
    if not (ROOT / "node_modules").is_dir():
        subprocess.run([program, "install", "--no-save", "--no-audit", "--no-fund", "--silent"], cwd=ROOT, check=True)
    return program


@pytest.mark.slow
@pytest.mark.parametrize("task", ["fresh", "test"])
def test_javascript_tests_pass(npm: str, task: str) -> None:
    done = subprocess.run([npm, "run", "--silent", task], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
