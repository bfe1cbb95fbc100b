"""Tests of the training widget's Python side: settings, errors, and output without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from attnbook.widgets import train_view
from attnbook.widgets.train_view import TASKS, TrainView

JS = Path(__file__).resolve().parents[2] / "src/attnbook/widgets/js/train"


@pytest.mark.parametrize("task", TASKS)
def test_train_view_output_has_picture_and_settings(task: str) -> None:
    view = TrainView(task, heads=2, positions=False, rate=0.01)
    assert view.settings["task"] == task and view.settings["rate"] == 0.01 and not view.settings["positions"]
    assert task in view.alt and view._png()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("argument", "value"), [("task", "sort"), ("heads", 3), ("layers", 0), ("rate", 0.5), ("seed", -1), ("seed", 1.5)]
)
def test_train_view_raises_for_invalid_arguments(argument: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{argument} must be"):
        TrainView(**{argument: value})


def test_train_view_options_equal_those_of_the_page() -> None:
    written = (JS / "settings.js").read_text(encoding="utf-8")
    for name in ("HEADS", "LAYERS", "RATES"):
        (found,) = re.findall(rf"^export const {name} = \[(.*)\];$", written, re.M)
        assert tuple(float(number) for number in found.split(",")) == getattr(train_view, name)
    (listed,) = re.findall(r"TASKS = \{(.*?)^\};", (JS / "tasks.js").read_text(encoding="utf-8"), re.M | re.S)
    assert tuple(re.findall(r"^  (\w+)", listed, re.M)) == TASKS
