"""Ask the same questions of the page's JavaScript engine, run by Node, and of torch."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from attnbook.data import BOS, SPECIALS, Vocabulary
from attnbook.models.base import EncoderDecoder
from attnbook.observe.interventions import Cell, intervening
from attnbook.observe.recorder import record_attention

PROGRAM = Path(__file__).parents[1] / "js" / "engine_answers.js"
LONGEST = 9


def node() -> str | None:
    return shutil.which("node")


def ask(questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the engine answers; see ``js/engine_answers.js``."""
    program = node()
    assert program is not None
    done = subprocess.run(
        [program, str(PROGRAM)], input=json.dumps(questions), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def number_vocabulary(size: int) -> Vocabulary:
    """Words that are numbers, so many that there are ``size`` ids."""
    return Vocabulary(tuple(str(i) for i in range(size - len(SPECIALS))))


def random_ask(model: EncoderDecoder, generator: random.Random, *, changed: bool) -> dict[str, Any]:
    """A source, a target prefix that begins with ``<bos>`` and, if ``changed``, interventions of every kind."""
    source, target = (generator.randint(1, LONGEST) for _ in range(2))
    return {
        "source": [generator.randrange(model.source_vocab_size) for _ in range(source)],
        "target": [BOS, *(generator.randrange(model.target_vocab_size) for _ in range(target - 1))],
        "changes": random_changes(model, generator) if changed else {},
    }


def random_changes(model: EncoderDecoder, generator: random.Random) -> dict[str, Any]:
    modules = attention_modules(model)
    if not modules:
        return {}

    def cell() -> dict[str, Any]:
        name = generator.choice(list(modules))
        return {
            "module": name,
            "head": generator.choice([None, generator.randrange(modules[name])]),
            "row": generator.choice([None, generator.randrange(LONGEST)]),
            "column": generator.randrange(LONGEST),
            "weight": generator.choice([None, 1.0, generator.random()]),
        }

    cells = {(cell["module"], cell["column"]): cell for cell in (cell() for _ in range(3))}
    for name in modules:  # the weights set in one row must not add up to more than 1
        own = [cell for cell in cells.values() if cell["module"] == name and cell["weight"] is not None]
        total = sum(cell["weight"] for cell in own)
        for part in own:
            part["weight"] /= max(1.0, total)
    one, *_ = generator.sample(list(modules), 1)
    return {
        "cells": list(cells.values()),
        "heads": [{"module": one, "head": generator.randrange(modules[one])}] if generator.random() < 0.3 else [],
        "temperatures": {generator.choice(list(modules)): generator.uniform(0.3, 3)},
        "positions": "positions" not in model.config or generator.random() < 0.5,
    }


def attention_modules(model: EncoderDecoder) -> dict[str, int]:
    """Heads by the name of each attention module."""
    try:
        with record_attention(model) as record:
            return {name: getattr(model.get_submodule(name), "num_heads", 1) for name in record.names}
    except ValueError:
        return {}


def changed(model: EncoderDecoder, changes: dict[str, Any]) -> Any:
    """The context of `intervening` for changes as the engine takes them."""
    return intervening(
        model,
        cells=[Cell(**cell) for cell in changes.get("cells", ())],
        heads=[(head["module"], head["head"]) for head in changes.get("heads", ())],
        temperatures=changes.get("temperatures"),
        positions=changes.get("positions", True),
    )


@torch.no_grad()
def torch_logits(model: EncoderDecoder, ask: dict[str, Any]) -> torch.Tensor:
    """``(target_len, target_vocab_size)``, all at once."""
    source = torch.tensor([ask["source"]])
    with changed(model, ask["changes"]):
        state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        logits: torch.Tensor = model.decode(torch.tensor([ask["target"]]), state)[0]
    return logits[0]


def difference(model: EncoderDecoder, asks: Sequence[dict[str, Any]], answers: Sequence[dict[str, Any]]) -> float:
    """The largest difference between logits of the engine and of torch."""
    return max(
        float((torch.tensor(answer["logits"]) - torch_logits(model, ask)).abs().max())
        for ask, answer in zip(asks, answers, strict=True)
    )
