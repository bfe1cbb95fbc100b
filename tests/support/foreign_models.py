"""Small models with attention written by others, and the numbers that recording must not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.observe.recorder import record_attention

WIDTH, HEADS, BATCH, QUERIES, KEYS = 16, 4, 3, 5, 7


class Fused(nn.Module):
    """What most models of today do: projections around ``F.scaled_dot_product_attention``."""

    def __init__(self, num_key_heads: int = HEADS, **options: Any) -> None:
        super().__init__()
        size = WIDTH // HEADS
        self.query, self.key, self.value = (
            nn.Linear(WIDTH, heads * size) for heads in (HEADS, num_key_heads, num_key_heads)
        )
        self.options = options

    def forward(self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        memory = x if memory is None else memory
        q, k, v = self.split(x, memory)
        dropout = 0.3 if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, mask, dropout, **self.options).transpose(1, 2).flatten(2)

    def split(self, x: Tensor, memory: Tensor) -> list[Tensor]:
        projected = (self.query(x), self.key(memory), self.value(memory))
        return [each.unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for each in projected]

    def weights(self, x: Tensor, memory: Tensor, allowed: Tensor, bias: Tensor | float = 0.0) -> Tensor:
        """By loops, in double precision: what the fused function must have used."""
        q, k, _ = (each.double() for each in self.split(x, memory))
        scale = self.options.get("scale") or q.shape[-1] ** -0.5
        found = torch.zeros(q.shape[0], HEADS, q.shape[2], k.shape[2], dtype=torch.double)
        bias = torch.as_tensor(bias).expand_as(found)
        for b, h, i in torch.cartesian_prod(*(torch.arange(n) for n in found.shape[:3])).tolist():
            row = k[b, h * k.shape[1] // HEADS] @ q[b, h, i] * scale + bias[b, h, i]
            keys = allowed.expand_as(found)[b, h, i]
            if keys.any():
                found[b, h, i, keys] = row[keys].softmax(-1)
        return found.float()


class WrittenOut(Fused):
    """Attention as in textbooks: softmax, dropout, product."""

    def __init__(self, product: Callable[[Tensor, Tensor], Tensor] = torch.matmul) -> None:
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(0.3)
        self.product = product

    def forward(self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.split(x, x if memory is None else memory)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
        return self.product(self.dropout(self.softmax(scores)), v).transpose(1, 2).flatten(2)


def inputs() -> tuple[Tensor, Tensor]:
    torch.manual_seed(7)
    return torch.randn(BATCH, QUERIES, WIDTH), torch.randn(BATCH, KEYS, WIDTH)


def numbers(model: nn.Module, *args: Any, **kwargs: Any) -> list[Tensor]:
    """The output and all gradients, from a fixed random state."""
    torch.manual_seed(11)
    model.zero_grad()
    result = model(*args, **kwargs)
    outputs = [each for each in (result if isinstance(result, tuple) else (result,)) if isinstance(each, Tensor)]
    if any(each.requires_grad for each in outputs):
        sum(each.square().sum() for each in outputs).backward()
    return [*outputs, *(p.grad for p in model.parameters() if p.grad is not None), torch.get_rng_state()]


def assert_same_numbers(model: nn.Module, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
    """Watched and not, output, gradients and random state are equal bit for bit; the weights that were seen."""
    alone = [each.clone() for each in numbers(model, *args, **kwargs)]
    with record_attention(model) as record:
        watched = numbers(model, *args, **kwargs)
    again = numbers(model, *args, **kwargs)
    assert len(alone) == len(watched) == len(again) > 1
    assert all(torch.equal(a, b) and torch.equal(a, c) for a, b, c in zip(alone, watched, again, strict=True))
    assert nn.Module.__call__ is nn.Module._wrapped_call_impl, "nothing stays behind"
    return dict(record)
