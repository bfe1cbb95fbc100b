"""Pictures whose patches are a model's tokens: names of the patches, and the picture for the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from attnbook._internal.validate import check_finite
from attnbook.widgets.layout import Picture, Sentence


def sentences_of_pictures(pictures: Any, grid: Any, weights: Mapping[str, Tensor]) -> tuple[Sentence, ...]:
    """Name the tokens of pictures, each patch by its row and column.

    Args:
        pictures: ``(batch, channels, height, width)`` with 1 or 3 channels; each is scaled to its range of values.
        grid: (patches down, patches across).
        weights: ``(batch, heads, tokens, tokens)`` by module name.

    Raises:
        TypeError: ``pictures`` is not such a Tensor, or ``grid`` is not a pair of numbers.
        ValueError: there are fewer tokens than patches, modules differ in tokens, or a number is not finite.
    """
    if not isinstance(pictures, Tensor) or pictures.dim() != 4 or pictures.shape[1] not in (1, 3) or not len(pictures):
        got = tuple(pictures.shape) if isinstance(pictures, Tensor) else type(pictures).__name__
        raise TypeError(f"pictures must be a Tensor of shape (batch, 1 or 3, height, width), got {got}")
    if not (isinstance(grid, tuple) and len(grid) == 2 and all(isinstance(n, int) and n > 0 for n in grid)):
        raise TypeError(f"grid must be (patches down, patches across), got {grid!r}")
    check_finite(pictures=pictures)
    down, across = grid
    lengths = sorted({n for each in weights.values() for n in each.shape[2:]})
    if len(lengths) != 1 or lengths[0] < down * across:
        raise ValueError(f"grid must have as many patches as the model has tokens, {lengths}, got {grid}")
    before = lengths[0] - down * across
    names = ["[class]"] if before == 1 else [f"[{i + 1}]" for i in range(before)]
    names += [f"{row + 1},{column + 1}" for row in range(down) for column in range(across)]
    return tuple(
        Sentence(f"picture {i + 1}", {"tokens": tuple(names)}, picture=Picture(_png(each), (down, across), before))
        for i, each in enumerate(pictures)
    )


def _png(picture: Tensor) -> str:
    """(channels, height, width) -> the ``data:`` URL of a PNG"""
    from PIL import Image

    values = picture.detach().float().cpu()
    values = (values - values.min()) / (values.max() - values.min()).clamp(min=1e-12)
    shades = values.mul(255).round().byte().permute(1, 2, 0).squeeze(-1).numpy()
    file = io.BytesIO()
    Image.fromarray(shades).save(file, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
