"""The registry of programs with planted faults, and the functions that run them and evaluate checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook.data import BOS, EOS, PAD, UNK

Names = dict[str, Any]
Planted = Callable[[str | None], Names]
PLANTED: dict[str, Planted] = {}
KNOWN: Names = {"torch": torch, "nn": nn, "F": F, "math": math}
KNOWN |= {"BOS": BOS, "EOS": EOS, "PAD": PAD, "UNK": UNK}


def planted(function: Planted) -> Planted:
    """Register a function under the id of its symptom: ``one_dark_column`` is ``one-dark-column``."""
    name = function.__name__.strip("_").replace("_", "-")
    if name in PLANTED:
        raise ValueError(f"planted functions must have different names, got {name!r} twice")
    PLANTED[name] = function
    return function


def plant(symptom: str, cause: str | None = None) -> Names:
    """Run the program of a symptom, always from the same random state.

    Args:
        symptom: id of the symptom.
        cause: name of the fault to plant; None for the healthy program.

    Returns:
        The variables of the program, by name.

    Raises:
        KeyError: there is no such symptom.
    """
    if symptom not in PLANTED:
        raise KeyError(f"symptom must be one of {sorted(PLANTED)}, got {symptom!r}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        names = PLANTED[symptom](cause)
    return {name: value for name, value in names.items() if name != "cause"}


def holds(check: str, names: Mapping[str, Any]) -> bool:
    """Evaluate a check.

    Args:
        check: a Python expression.
        names: names it may use, in addition to ``torch``, ``nn``, ``F``, ``math`` and the ids of special tokens.

    Raises:
        TypeError: the result is neither true nor false.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        value = eval(check, {**KNOWN, **names})
    if isinstance(value, Tensor) and value.dtype == torch.bool and value.numel() == 1:
        value = bool(value)
    if not isinstance(value, bool):
        raise TypeError(f"check must be True or False, got {type(value).__name__} from {check!r}")
    return value


def message_of(call: Callable[[], object]) -> str:
    """The message of the exception that a call raises; empty if it raises none."""
    try:
        call()
    except Exception as error:
        return str(error)
    return ""
