"""The weights inside FlexAttention, recomputed from its call, reproduce its output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

from attnbook.observe.explicit import flex_attention_weights

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without")
SLOPES = torch.tensor([0.5, 0.25, 0.125, 0.0625])


def alibi(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return score - SLOPES[head] * (query - key)


def hiding(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return torch.where(query >= key, score, -torch.inf)


def window(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return (query >= key) & (query - key < 5)


def padding(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return key < 6 * batch  # the first sequence has no key


def mask(mask_mod: Callable[..., Tensor]) -> BlockMask:
    return create_block_mask(mask_mod, 2, None, 12, 12, device="cpu")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"scale": 0.3},
        {"score_mod": alibi},
        {"score_mod": hiding},
        {"block_mask": mask(window)},
        {"block_mask": mask(padding)},
        {"score_mod": alibi, "block_mask": mask(window)},
        {"enable_gqa": True, "score_mod": alibi},
    ],
    ids=["plain", "scale", "score", "score hides", "mask", "no key", "both", "grouped"],
)
def test_flex_attention_weights_times_values_are_its_output(given: dict[str, Any]) -> None:
    generator = torch.Generator().manual_seed(0)
    heads = 2 if "enable_gqa" in given else 4
    query, key, value = (torch.randn(2, n, 12, 16, generator=generator) for n in (4, heads, heads))
    output = flex_attention(query, key, value, **given)
    weights = flex_attention_weights(query, key, value, **given)
    assert weights.shape == (2, 4, 12, 12)
    values = value.repeat_interleave(4 // heads, 1)
    torch.testing.assert_close(weights @ values, output, atol=1e-6, rtol=0)
    sums = weights.sum(-1)
    assert bool(((sums - 1).abs() < 1e-6).logical_or(sums == 0).all())
    if given.get("block_mask") is not None and "score_mod" not in given:
        assert bool((weights[1].sum(-1) > 0).all())
