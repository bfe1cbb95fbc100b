"""Interactive sinusoidal positions."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_integer, check_range
from attnbook.attention.positional import frequencies
from attnbook.widgets.base import BaseWidget, bundle

LENGTH = 100
SIZES = (2, 128)
BASES = (10, 100, 1_000, 10_000, 100_000)


class PositionView(BaseWidget):
    """The table of sinusoidal positions, one of its rows, and that row's dot product with every other row.

    Args:
        d_model: initial size of the encoding.
        base: initial base; the shortest wavelength is :math:`2\\pi`, and a larger base makes the slow waves slower.
        position: initial row.

    Raises:
        ValueError: the view does not offer this size, base or position.
    """

    _esm = bundle("position_view")
    d_model = traitlets.Int().tag(sync=True)
    base = traitlets.Int().tag(sync=True)
    position = traitlets.Int().tag(sync=True)

    def __init__(self, d_model: int = 32, *, base: int = 10_000, position: int = 20) -> None:
        check_integer("d_model", d_model, *SIZES)
        check_range("base", base, base in BASES, f"one of {BASES}")
        check_integer("position", position, 0, LENGTH - 1)
        alt = (
            f"A table of sinusoidal positions: {LENGTH} rows, one per position, and {d_model} entries, whose waves "
            f"become slower from left to right. Row {position} is marked."
        )
        super().__init__(d_model=d_model, base=base, position=position, alt=alt)

    def table(self) -> Tensor:
        """The table shown, ``(100, d_model)``; with base 10,000 it equals ``sinusoidal_table``."""
        omega = frequencies(self.d_model, base=self.base)  # (pairs,)
        angles = torch.arange(LENGTH, dtype=torch.float64).unsqueeze(1) * omega  # (length, pairs)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, : self.d_model]

    def draw(self, axes: Any) -> None:
        rows = self.table().tolist()
        image = axes.imshow(rows, aspect="auto", cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
        axes.axhline(self.position, color="black", label=f"position {self.position}")
        axes.figure.colorbar(image, ax=axes)
        axes.set(xlabel="entry", ylabel="position")
