"""D2L's classes, and functions that copy our weights to them and compare results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.pages.d2l_compat import import_d2l

d2l = import_d2l()
D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS = 8, 2, 12, 2


def copy_weights(pairs: Mapping[Any, Any]) -> None:
    """Copy the weights of our layers (keys) to theirs (values)."""
    with torch.no_grad():
        for ours, theirs in pairs.items():
            for name, parameter in ours.named_parameters():
                theirs.get_parameter(name).copy_(parameter)


def assert_alike(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def attentions(ours: MultiHeadAttention, theirs: nn.Module) -> dict[nn.Module, Any]:
    return {getattr(ours, name): getattr(theirs, name) for name in ("W_q", "W_k", "W_v", "W_o")}
