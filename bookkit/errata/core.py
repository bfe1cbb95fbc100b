"""What a check is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.observe.recorder import record_attention


@dataclass(frozen=True)
class Outcome:
    """What one check found.

    Args:
        shows: whether the fault shows; None where the check could not be run on this machine.
        seen: what was computed, in a sentence.
    """

    shows: bool | None
    seen: str


Check = Callable[[], Outcome]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Put a check on the list, under its name."""
    assert function.__name__ not in CHECKS, f"two checks are called {function.__name__}"
    CHECKS[function.__name__] = function
    return function


def run(name: str) -> Outcome:
    """Run one check, always from the same random state.

    Raises:
        KeyError: there is no such check.
    """
    if name not in CHECKS:
        raise KeyError(f"name must be one of {sorted(CHECKS)}, got {name!r}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return CHECKS[name]()


def error_of(call: Callable[[], object]) -> str:
    """The name of the exception that a call raises, or nothing."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return ""


def weights_of(module: nn.Module, *inputs: Tensor) -> Tensor:
    """The attention weights of one call."""
    with record_attention(module) as record, torch.no_grad():
        module(*inputs)
    weights: Tensor = next(iter(record.values()))
    return weights
