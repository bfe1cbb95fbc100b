"""The command line with ``--device cuda``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from torch import nn

pytest.importorskip("typer", reason="it is not installed: pip install attnbook[cli]")

from attnbook.training import loop
from attnbook.training.checkpoint import load_model
from attnbook.translation import translate as translation
from tests.support.command_line import run

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
# An untrained model with this seed writes at least one word, without which there is no attention to show.
SIZES = ["--pairs", "40", "--size", "8", "--epochs", "1", "--batch-size", "16", "--seed", "1"]


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where models were trained and asked for translations, in order."""
    seen: list[str] = []

    def spy(original: Any) -> Any:
        def called(model: nn.Module, *args: Any, **kwargs: Any) -> Any:
            seen.append(next(model.parameters()).device.type)
            return original(model, *args, **kwargs)

        return called

    monkeypatch.setattr(loop, "train", spy(loop.train))
    monkeypatch.setattr(translation, "translate", spy(translation.translate))
    return seen


@pytest.mark.parametrize("family", ["seq2seq", "bahdanau", "luong", "transformer"])
def test_commands_run_on_the_device(family: str, tmp_path: Path, places: list[str]) -> None:
    folder = tmp_path / "run"
    run("train", folder, *SIZES, "--family", family, "--device", "cuda")
    assert places == ["cuda"]
    printed = {}
    for device in ("cpu", "cuda"):
        out = tmp_path / f"{device}.json"
        printed[device] = run(
            "translate", folder, "She is happy.", "--beam", "2", "--max-length", "6", "--device", device
        ).stdout
        run("evaluate", folder, "--limit", 1, "--json", out, "--device", device)
        figures = json.loads(out.read_text())
        printed[device] += str({name: figures[name] for name in ("bleu", "exact", "sentences")})
    assert printed["cuda"] == printed["cpu"] and set(places[1:]) == {"cpu", "cuda"}
    if family != "seq2seq":
        assert "cross_attention" in run("attend", folder, "She is happy.", "--html", tmp_path / "page.html").stdout
    if family == "transformer":
        run("export", folder, tmp_path / "exported")
    loaded = load_model(folder / "checkpoint.safetensors", device="cuda").model
    assert {parameter.device.type for parameter in loaded.parameters()} == {"cuda"}


def test_auto_device_is_the_gpu(tmp_path: Path, places: list[str]) -> None:
    run("train", tmp_path / "run", *SIZES, "--device", "auto")
    assert places == ["cuda"]
