"""Small Transformers whose weights all differ."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from attnbook.models.transformer import Transformer
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY

D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS = 8, 2, 12, 3


def model_of(**options: Any) -> Transformer:
    """Build a Transformer whose biases and norms are not at their initial values, so that a mix-up is detected."""
    torch.manual_seed(0)
    sizes = {"d_model": D_MODEL, "num_heads": NUM_HEADS, "d_ff": D_FF, "num_layers": NUM_LAYERS, "dropout": 0.0}
    model = Transformer(SOURCE_VOCABULARY, TARGET_VOCABULARY, **{**sizes, **options}).double()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return model
