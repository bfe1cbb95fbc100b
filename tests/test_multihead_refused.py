"""Multi-head attention names what it is given wrongly."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention

ONES = torch.ones(2, 3, 8)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, "num_heads is 3: wanted a divisor of d_model = 8", lambda _: MultiHeadAttention(8, 3)),
        (ValueError, "num_heads is 0: wanted 1 or more", lambda _: MultiHeadAttention(8, 0)),
        (ValueError, "d_model is 0: wanted 1 or more", lambda _: MultiHeadAttention(0, 1)),
        (ValueError, "query_size is 0: wanted 1 or more", lambda _: MultiHeadAttention(8, 2, query_size=0)),
        (ValueError, "key_size is 0: wanted 1 or more", lambda _: MultiHeadAttention(8, 2, key_size=0)),
        (ValueError, "value_size is -1: wanted 1 or more", lambda _: MultiHeadAttention(8, 2, value_size=-1)),
        (ValueError, "dropout is 1.5: wanted a probability", lambda _: MultiHeadAttention(8, 2, dropout=1.5)),
        (
            ValueError,
            "num_heads is 2: wanted .* into sizes that 2 divides",
            lambda _: MultiHeadAttention(6, 2, rotary=True),
        ),
        (ValueError, "query has size 5: wanted query_size = 8", lambda m: m(ONES[..., :5], ONES, ONES)),
        (ValueError, "key has size 5: wanted key_size = 8", lambda m: m(ONES, ONES[..., :5], ONES)),
        (ValueError, "value has size 5: wanted value_size = 8", lambda m: m(ONES, ONES, ONES[..., :5])),
        (ValueError, "value has length 2: wanted one value a key, 3", lambda m: m(ONES, ONES, ONES[:, :2])),
        (ValueError, "key has batch size 1: wanted that of query, 2", lambda m: m(ONES, ONES[:1], ONES[:1])),
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
        (TypeError, "key has dtype torch.int64: wanted floating point", lambda m: m(ONES, ONES.long(), ONES)),
        (TypeError, "mask has dtype torch.float32", lambda m: m(ONES, ONES, ONES, torch.zeros(2, 3, 3))),
        (TypeError, "mask is of type list: wanted a Tensor", lambda m: m(ONES, ONES, ONES, [[[True]]])),
        (TypeError, "mask has dtype torch.int64", lambda m: m(ONES, ONES, ONES, torch.ones(1, 3, 3).long())),
        (
            ValueError,
            "queries is 3: wanted 0 <= queries <= keys = 2",
            lambda m: m(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
        (
            ValueError,
            "queries is 3: wanted 0 <= queries <= keys = 2",
            lambda _: MultiHeadAttention(8, 2, rotary=True)(ONES, ONES[:, :2], ONES[:, :2], causal=True),
        ),
    ],
)
def test_bad_input_is_named(error: type[Exception], message: str, call: Callable[[MultiHeadAttention], Tensor]) -> None:
    with pytest.raises(error, match=message):
        call(MultiHeadAttention(8, 2))
