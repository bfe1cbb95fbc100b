"""An interactive kernel regression."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_range, check_tensors, is_finite
from attnbook.attention.pooling import boxcar, epanechnikov, gaussian, nadaraya_watson
from attnbook.widgets.base import BaseWidget, bundle

KERNELS = {"gaussian": gaussian, "boxcar": boxcar, "epanechnikov": epanechnikov}


class KernelView(BaseWidget):
    """Nadaraya-Watson regression whose query, measurements, width and kernel the reader changes.

    Args:
        key: ``(keys,)``, the known inputs.
        value: ``(keys,)``, the known outputs.
        grid: ``(points,)``, inputs at which the curve is drawn, in rising order.
        truth: ``(points,)``, the function behind the data.
        query: initial input to predict at.
        width: initial width of the kernel.
        kernel: initial kernel, "gaussian", "boxcar" or "epanechnikov".

    Raises:
        ValueError: the kernel is unknown, vectors differ in length or are empty, ``width`` is not > 0, or a number is
            non-finite.
        TypeError: a vector is not a tensor.
    """

    _esm = bundle("kernel_view")
    key = traitlets.List(traitlets.Float()).tag(sync=True)
    value = traitlets.List(traitlets.Float()).tag(sync=True)
    grid = traitlets.List(traitlets.Float()).tag(sync=True)
    truth = traitlets.List(traitlets.Float()).tag(sync=True)
    query = traitlets.Float().tag(sync=True)
    width = traitlets.Float().tag(sync=True)
    kernel = traitlets.Unicode().tag(sync=True)
    point = traitlets.Int(0).tag(sync=True)  # the measurement that the sliders move

    def __init__(
        self,
        key: Tensor,
        value: Tensor,
        grid: Tensor,
        truth: Tensor,
        *,
        query: float,
        width: float,
        kernel: str = "gaussian",
    ) -> None:
        check_tensors(key=key, value=value, grid=grid, truth=truth)
        if kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {tuple(KERNELS)}, got {kernel!r}")
        for name, tensor in (("key", key), ("grid", grid)):
            fits = tensor.dim() == 1 and len(tensor) > 0
            check_range(name, tuple(tensor.shape), fits, "a vector of at least one number")
        for name, tensor, other in (("value", value, key), ("truth", truth, grid)):
            if tensor.shape != other.shape:
                raise ValueError(f"{name} must be a vector of shape {tuple(other.shape)}, got {tuple(tensor.shape)}")
        check_range("width", width, is_finite(width) and width > 0, "> 0 and finite")
        check_range("query", query, is_finite(query), "finite")
        check_finite(key=key, value=value, grid=grid, truth=truth)
        alt = (
            f"{len(key)} noisy measurements of a curve, and its {kernel} kernel estimate. "
            f"The query {query:.2f} gives each measurement a weight that falls with its distance."
        )
        # Five digits are enough to draw the same picture, and keep the page small.
        vectors = {"key": key, "value": value, "grid": grid, "truth": truth}
        rounded = {name: [round(number, 5) for number in vector.tolist()] for name, vector in vectors.items()}
        super().__init__(**rounded, query=float(query), width=float(width), kernel=kernel, alt=alt)

    def draw(self, axes: Any) -> None:
        key, value, grid = (torch.tensor(numbers) for numbers in (self.key, self.value, self.grid))
        estimate = nadaraya_watson(grid, key, value, KERNELS[self.kernel], width=self.width)
        axes.plot(self.grid, self.truth, "--", color="gray", label="truth")
        axes.plot(self.grid, estimate.tolist(), color="tab:green", label="estimate")
        axes.scatter(self.key, self.value, s=12, color="tab:red", label="measurements")
        axes.axvline(self.query, color="tab:orange", label="query")
        axes.legend(frameon=False)
