"""Call the command line in tests, and train a small run with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from attnbook.cli import app

SMALL = ["--pairs", "150", "--size", "16", "--epochs", "2", "--batch-size", "16", "--device", "cpu"]


def run(*arguments: object, code: int = 0, stdin: str | bytes | None = None) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result


def train_small(folder: Path) -> Path:
    result = run("train", folder, *SMALL)
    assert "bahdanau with" in result.output and "150 sentence pairs" in result.output
    assert len(re.findall(r"epoch \d: held-out perplexity \d+\.\d\d", result.output)) == 2
    return folder
