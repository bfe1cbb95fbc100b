"""Multi-head attention names what it is given wrongly."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention

ONES = torch.ones(2, 3, 8)


@pytest.mark.parametrize(
    ("error", "argument", "call"),
    [
        (ValueError, "num_heads", lambda _: MultiHeadAttention(8, 3)),
        (ValueError, "num_heads", lambda _: MultiHeadAttention(8, 0)),
        (ValueError, "d_model", lambda _: MultiHeadAttention(0, 1)),
        (ValueError, "query_size", lambda _: MultiHeadAttention(8, 2, query_size=0)),
        (ValueError, "key_size", lambda _: MultiHeadAttention(8, 2, key_size=0)),
        (ValueError, "value_size", lambda _: MultiHeadAttention(8, 2, value_size=-1)),
        (ValueError, "dropout", lambda _: MultiHeadAttention(8, 2, dropout=1.5)),
        (
            ValueError,
            "num_heads",
            lambda _: MultiHeadAttention(6, 2, rotary=True),
        ),
        (ValueError, "query", lambda m: m(ONES[..., :5], ONES, ONES)),
        (ValueError, "key", lambda m: m(ONES, ONES[..., :5], ONES)),
        (ValueError, "value", lambda m: m(ONES, ONES, ONES[..., :5])),
        (ValueError, "value", lambda m: m(ONES, ONES, ONES[:, :2])),
        (ValueError, "key", lambda m: m(ONES, ONES[:1], ONES[:1])),
        (ValueError, "query", lambda m: m(ONES[0], ONES, ONES)),
        (
            ValueError,
            "mask",
            lambda m: m(ONES, ONES, ONES, torch.ones(2, 3, dtype=torch.bool)),
        ),
        (
            ValueError,
            "mask",
            lambda m: m(ONES, ONES, ONES, torch.ones(2, 2, 3, 3, dtype=torch.bool)),
        ),
        (TypeError, "key", lambda m: m(ONES, ONES.long(), ONES)),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, torch.zeros(2, 3, 3))),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, [[[True]]])),
        (TypeError, "mask", lambda m: m(ONES, ONES, ONES, torch.ones(1, 3, 3).long())),
        (
            ValueError,
            "query",
            lambda m: m(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
        (
            ValueError,
            "query",
            lambda _: MultiHeadAttention(8, 2, rotary=True)(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
    ],
)
def test_bad_input_is_named(
    error: type[Exception], argument: str, call: Callable[[MultiHeadAttention], Tensor]
) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        call(MultiHeadAttention(8, 2))
