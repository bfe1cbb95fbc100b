"""Small models, and the batch that they are looked at with."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.data import Batch, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.transformer import Transformer
from tests.widgets.trained import PAIRS, SOURCE, TARGET


@pytest.fixture
def batch() -> Batch:
    return collate(PAIRS, SOURCE, TARGET)


@pytest.fixture(params=["recurrent", "transformer"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(1)
    if request.param == "recurrent":
        return Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, dropout=0.2)
    return Transformer(len(SOURCE), len(TARGET), d_model=16, num_heads=2, d_ff=16, num_layers=2, dropout=0.2)
