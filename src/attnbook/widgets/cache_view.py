"""How many bytes of keys and values a decoder caches, for a model that the reader chooses."""

from __future__ import annotations

from typing import Any

import traitlets

from attnbook._internal.validate import check_integer
from attnbook.widgets.base import BaseWidget, bundle

PRESETS: dict[str, tuple[int, int, int, int]] = {
    # Layers, heads, groups, head_dim. Vaswani et al. 2017, table 3; the configuration files of Llama 2.
    "Transformer, base (2017)": (6, 8, 8, 64),
    "Llama 2 7B (2023)": (32, 32, 32, 128),
    "Llama 2 70B (2023)": (80, 64, 8, 128),
}
LIMITS = {"layers": 128, "heads": 128, "groups": 128, "head_dim": 512, "length": 1 << 20, "batch": 1024}
BYTES_PER_NUMBER = (1, 2, 4)


def cache_bytes(
    *, layers: int, groups: int, head_dim: int, length: int, batch: int = 1, bytes_per_number: int = 2
) -> int:
    r"""Compute the bytes of the keys and values that self-attention caches while decoding.

    .. math:: 2 \cdot \mathrm{layers} \cdot \mathrm{groups} \cdot \mathrm{head\_dim} \cdot \mathrm{length} \cdot
        \mathrm{batch} \cdot \mathrm{bytes}

    Args:
        layers: number of decoder layers.
        groups: key-value heads per layer: as many as query heads in multi-head attention, 1 in multi-query attention.
        head_dim: size of a key and of a value in one head.
        length: number of tokens so far.
        batch: number of sequences.
        bytes_per_number: 4 for fp32, 2 for bf16.
    """
    return 2 * layers * groups * head_dim * length * batch * bytes_per_number


class CacheView(BaseWidget):
    """The size of a decoder's cache, by layers, heads, groups, length and batch.

    Args:
        layers, heads, groups, head_dim: the initial model.
        length: initial number of tokens.
        batch: initial number of sequences.
        bytes_per_number: 1, 2 or 4, initially.

    Raises:
        ValueError: a number is out of range, or ``groups`` does not divide ``heads``.
    """

    _esm = bundle("cache_view")
    layers = traitlets.Int().tag(sync=True)
    heads = traitlets.Int().tag(sync=True)
    groups = traitlets.Int().tag(sync=True)
    head_dim = traitlets.Int().tag(sync=True)
    length = traitlets.Int().tag(sync=True)
    batch = traitlets.Int().tag(sync=True)
    bytes_per_number = traitlets.Int().tag(sync=True)
    presets = traitlets.Dict().tag(sync=True)
    limits = traitlets.Dict(LIMITS).tag(sync=True)

    def __init__(
        self,
        *,
        layers: int = 32,
        heads: int = 32,
        groups: int = 8,
        head_dim: int = 128,
        length: int = 4096,
        batch: int = 1,
        bytes_per_number: int = 2,
    ) -> None:
        sizes = {
            "layers": layers,
            "heads": heads,
            "groups": groups,
            "head_dim": head_dim,
            "length": length,
            "batch": batch,
        }
        for name, size in sizes.items():
            check_integer(name, size, 1, LIMITS[name])
        if heads % groups:
            raise ValueError(f"groups must divide heads, got groups={groups}, heads={heads}")
        if bytes_per_number not in BYTES_PER_NUMBER:
            raise ValueError(f"bytes_per_number must be one of {BYTES_PER_NUMBER}, got {bytes_per_number}")
        alt = (
            f"Bytes of the cache of a decoder with {layers} layers and {heads} heads of size {head_dim} after {length} "
            f"tokens: with {heads} key-value heads, with {groups} and with 1."
        )
        presets = {name: list(numbers) for name, numbers in PRESETS.items()}
        super().__init__(**sizes, bytes_per_number=bytes_per_number, presets=presets, alt=alt)

    def draw(self, axes: Any) -> None:
        kinds = {"multi-head": self.heads, "grouped": self.groups, "multi-query": 1}
        sizes = [
            cache_bytes(
                layers=self.layers,
                groups=groups,
                head_dim=self.head_dim,
                length=self.length,
                batch=self.batch,
                bytes_per_number=self.bytes_per_number,
            )
            / 2**20
            for groups in kinds.values()
        ]
        axes.barh(list(kinds), sizes)
        axes.invert_yaxis()
        axes.set_xlabel("cache, MiB")
