"""The result of a check, and the registry of all checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.observe.recorder import record_attention


@dataclass(frozen=True)
class Outcome:
    """The result of one check.

    Args:
        shows: whether the fault appears; None if the check could not run on this machine.
        seen: what was computed, in one sentence.
    """

    shows: bool | None
    seen: str


Check = Callable[[], Outcome]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Register a check under its name."""
    assert function.__name__ not in CHECKS, f"checks must have different names, got {function.__name__!r} twice"
    CHECKS[function.__name__] = function
    return function


def run(name: str) -> Outcome:
    """Run one check, always from the same random state.

    Raises:
        KeyError: no check has this name.
    """
    if name not in CHECKS:
        raise KeyError(f"name must be one of {sorted(CHECKS)}, got {name!r}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return CHECKS[name]()


def error_of(call: Callable[[], object]) -> str:
    """The name of the exception that a call raises; empty if it raises none."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return ""


def rounded(difference: float) -> str:
    """A difference with one significant digit, or "0" if it is exactly 0."""
    return f"{difference:.0e}" if difference else "0"


def weights_of(module: nn.Module, *inputs: Tensor) -> Tensor:
    """The attention weights of one call."""
    with record_attention(module) as record, torch.no_grad():
        module(*inputs)
    weights: Tensor = next(iter(record.values()))
    return weights
