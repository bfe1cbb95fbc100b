"""The worked numbers of the notes, recomputed from ``book/worked_example.yml``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor

from bookkit import ROOT

FILE = ROOT / "book" / "worked_example.yml"


def _waves(position: Tensor, denominator: Tensor) -> Tensor:
    angles = position.unsqueeze(1) / denominator
    even = torch.arange(len(denominator)) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos())


OPERATIONS: Mapping[str, Callable[..., Tensor]] = {
    "lookup": lambda table, ids: table[ids.long()],
    "power": lambda exponent: 10000**exponent,
    "waves": _waves,
    "scale": lambda x, factor: x * factor,
    "divide": lambda x, divisor: x / divisor,
    "add": lambda x, y: x + y,
    "matmul": lambda x, y: x @ y,
    "matmul_transposed": lambda q, k: q @ k.mT,
    "scores": lambda q, k, divisor: q @ k.mT / divisor,
    "softmax": lambda x: x.softmax(-1),
    "join": lambda left, right: torch.cat((left, right), -1),
    "affine": lambda x, w, b: x @ w + b,
    "relu": lambda x: x.relu(),
}


@dataclass(frozen=True)
class Step:
    """One printed result.

    Args:
        name: name of the step in the file.
        example: heading of the example.
        heading: heading of the step.
        formula: the formula that is evaluated.
        inputs: the inputs as the step prints them.
        printed: the numbers that the notes print.
        from_inputs: result for the printed inputs; None if the step prints none.
        from_start: result computed from the start of the example without rounding; None if the start is not given.
        decimals: number of decimals to which the notes round.
        places: largest number of decimals that they print.
        operation: name of the operation; None if the notes give no inputs.
    """

    name: str
    example: str
    heading: str
    formula: str
    inputs: Mapping[str, Tensor]
    printed: Tensor
    from_inputs: Tensor | None
    from_start: Tensor | None
    decimals: int
    places: int
    operation: str | None

    def right(self, computed: Tensor | None) -> Tensor | None:
        """Mark the printed numbers that equal the computed ones after rounding; a tie may be rounded either way."""
        return None if computed is None else (self.printed - computed).abs() <= 0.5 * 10.0**-self.decimals + 1e-9

    def formatted(self, value: float) -> str:
        """Format a number as the notes do: with trailing zeros only if all numbers have the same number of decimals."""
        text = f"{value:.{self.places}f}"
        return text if self.places == self.decimals else text.rstrip("0").rstrip(".")

    @property
    def start(self) -> Tensor | None:
        """The input of later steps: the computed numbers, or the printed ones if they cannot be computed."""
        return self.printed if self.operation is None else self.from_start

    @property
    def right_from_inputs(self) -> Tensor | None:
        return self.right(self.from_inputs)

    @property
    def right_from_start(self) -> Tensor | None:
        return self.right(self.from_start)


def steps(file: Path = FILE) -> dict[str, Step]:
    """Every step of every example, by name.

    Raises:
        KeyError: a step names an operation or an earlier step that does not exist.
    """
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    found: dict[str, Step] = {}
    for example in content["examples"]:
        for step in example["steps"]:
            found[step["id"]] = _step(step, example["heading"], found)
    return found


def _step(step: Mapping[str, Any], example: str, earlier: Mapping[str, Step]) -> Step:
    inputs = {name: _tensor(value) for name, value in step.get("inputs", {}).items()}
    true_inputs: dict[str, Tensor | None] = dict(inputs)
    true_inputs.update({name: _tensor(value) for name, value in step.get("exact", {}).items()})
    true_inputs.update({name: earlier[origin].start for name, origin in step.get("chain", {}).items()})
    from_inputs = from_start = None
    if step["operation"] is not None:
        operation = OPERATIONS[step["operation"]]
        from_inputs = operation(*inputs.values())
        if all(value is not None for value in true_inputs.values()):
            from_start = operation(*true_inputs.values())
    return Step(
        name=step["id"],
        example=example,
        heading=step["heading"],
        formula=step["formula"],
        inputs=inputs,
        printed=_tensor(step["printed"]),
        from_inputs=from_inputs,
        from_start=from_start,
        decimals=step["decimals"],
        places=step.get("places", step["decimals"]),
        operation=step["operation"],
    )


def _tensor(value: Any) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
