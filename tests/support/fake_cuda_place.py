"""The line of the package, or of its caller, where the host waits for the simulated GPU."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import torch

OURS = Path(__file__).parents[2] / "src"
TORCH = Path(torch.__file__).parent


def place() -> str:
    """The innermost line of the package, otherwise of the caller."""
    frame = sys._getframe(1)
    outside = "?"
    while frame is not None:
        name, is_ours = describe(frame.f_code.co_filename)
        if is_ours:
            return f"{name}:{frame.f_lineno}"
        if outside == "?" and name:
            outside = f"{name}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return outside


@cache
def describe(file: str) -> tuple[str, bool]:
    """The name of a file, and whether it is in the package; empty for torch and the simulation."""
    path = Path(file)
    if OURS in path.parents:
        return str(path.relative_to(OURS)), True
    is_other = not path.name.startswith("fake_cuda") and TORCH not in path.parents and path.is_file()
    return path.name if is_other else "", False
