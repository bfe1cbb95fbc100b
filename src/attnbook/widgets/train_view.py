"""Train a small Transformer in the page, and watch its attention."""

from __future__ import annotations

from typing import Any

import torch
import traitlets

from attnbook._internal.validate import check_integer, check_range
from attnbook.widgets.base import BaseWidget, bundle
from attnbook.widgets.layout import encodable

TASKS = ("recall", "copy", "reverse", "dates")
HEADS = (1, 2, 4)
LAYERS = (1, 2)
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
TIP = "compare it with a net without attention. What does that one learn?"


class TrainView(BaseWidget):
    """A Transformer of at most 30,000 parameters that is trained in the page, with neither kernel nor network.

    The model reads a list, followed by slots. Each slot attends to the places of the list and predicts one symbol.
    Every step samples new lists, so that no answer can be memorized. ``recall``: the list has things with numbers, and
    every slot names a thing whose number is the answer. ``copy`` and ``reverse``: letters, to be written forwards or
    backwards. ``dates``: "04 mar 1997" or "mar 04 1997" or "1997 mar 04", to be written as 19970304.

    Args:
        task: initial task.
        heads: 1, 2 or 4.
        layers: 1 or 2.
        positions: whether each place and slot gets a learned position vector.
        attention: False makes all weights equal.
        rate: learning rate of Adam, one of 0.0001, 0.0003, 0.001 ... 0.1.
        seed: of the initial weights and the lists, below 1,000.
        title: of the widget.
        tip: what to try.
        name: key in the page's URL under which the reader's choices are kept; must be unique on a page.

    Raises:
        ValueError: an argument is out of range.
    """

    _esm = bundle("train_view")
    settings = traitlets.Dict().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    tip = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        task: str = "recall",
        *,
        heads: int = 1,
        layers: int = 1,
        positions: bool = True,
        attention: bool = True,
        rate: float = 0.001,
        seed: int = 1,
        title: str = "Train it yourself",
        tip: str = TIP,
        name: str = "train",
    ) -> None:
        check_range("task", task, task in TASKS, " or ".join(TASKS))
        check_range("heads", heads, heads in HEADS, "1, 2 or 4")
        check_range("layers", layers, layers in LAYERS, "1 or 2")
        check_range("rate", rate, rate in RATES, f"one of {RATES}")
        check_integer("seed", seed, 0, 999)
        settings = {"task": task, "heads": heads, "layers": layers, "positions": positions, "attention": attention}
        super().__init__(
            settings={**settings, "rate": rate, "seed": seed},
            title=encodable(title),
            tip=encodable(tip),
            name=encodable(name),
            alt=f"A Transformer that is trained in the page. Task: {task}. Dark: what each slot must attend to.",
        )

    def draw(self, axes: Any) -> None:
        places = {
            "recall": [[3], [0], [6], [1], [7], [4], [2], [5]],
            "copy": [[place] for place in range(8)],
            "reverse": [[7 - place] for place in range(8)],
            "dates": [[7], [8], [9], [10], [3, 4, 5], [3, 4, 5], [0], [1]],  # 04 mar 1997
        }[self.settings["task"]]
        weights = torch.zeros(8, 11 if self.settings["task"] == "dates" else 8)
        for slot, seen in enumerate(places):
            weights[slot, seen] = 1 / len(seen)
        axes.imshow(weights.numpy(), cmap="Blues", vmin=0, vmax=1)
        axes.set_xlabel("place in the list")
        axes.set_ylabel("slot")
