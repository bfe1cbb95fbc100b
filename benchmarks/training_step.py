"""The training step of a medium-sized Transformer, compared with four other implementations and with a bound.

The bound is the time of the operations that every implementation needs, on the same positions including padding: the
products with weights, attention, the loss and Adam, each with the fastest function that we know and nothing in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from attnbook.data import Batch
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from attnbook.training.loss import cross_entropy
from benchmarks.harness import OURS, Settings, compare, contest, matmul, spread
from benchmarks.rivals import MIDDLE, RIVALS, Sizes, stepper
from benchmarks.sentences import random_batch

GOAL = 1.5
PEAK = "matrix product"
PRODUCTS, NEEDED = "products with weights", "needed kernels"
BOUND = (
    "ratio if a step of ours took only the time of its matrix products with weights, attention, loss and Adam, each by "
    "the fastest function that we know"
)


def run(
    settings: Settings, sizes: Sizes = MIDDLE, *, rows: int = 64, length: int = 24, padding: float = 0.25
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure training of all contestants on one batch of random words, with and without dropout."""
    batch = random_batch(rows, length, padding, sizes.vocab_size, settings.seed)
    product, operations = matmul(settings)
    num_weights = sum(parameter.numel() for parameter in _model(sizes).parameters())
    needed = operations_needed(sizes, int(batch.source_mask.sum()), batch.num_tokens)
    found = []
    for dropout in (0.1, 0.0):
        now = Sizes(**{**vars(sizes), "dropout": dropout})
        torch.manual_seed(settings.seed)
        products = products_with_weights(sizes, batch, settings)
        contestants: dict[str, Callable[[], object]] = {
            OURS: _ours(now, batch, settings),
            **{name: stepper(build(now), batch, settings) for name, build in RIVALS.items()},
            PEAK: product,
            PRODUCTS: products,
            NEEDED: needed_kernels(sizes, num_weights, batch, products, settings),
        }
        seconds = contest(contestants, settings, rounds=settings.rounds(30))
        peak, multiplying, least = (seconds.pop(name) for name in (PEAK, PRODUCTS, NEEDED))
        row = compare(f"dropout {dropout:g}", seconds, reach={}, amounts=float(batch.num_tokens), unit="tokens/s")
        for name, taken in seconds.items():
            shares = [(needed / own) / (operations / full) for own, full in zip(taken, peak, strict=True)]
            row["contestants"][name]["share_of_peak"] = sorted(shares)[len(shares) // 2]
        best = max(RIVALS, key=lambda name: row["contestants"][name]["rate"]["median"])
        ratio = row["contestants"][best]["ours_is_times_faster"]["median"]
        row.update(best_rival=best, reach={best: GOAL}, reached={best: ratio >= GOAL})
        row["bound"] = {best: row["contestants"][best]["seconds"]["median"] / spread(least)["median"]}
        for name, taken in (("products", multiplying), ("needed", least)):
            row[f"{name}_share_of_step"] = spread([t / own for t, own in zip(taken, seconds[OURS], strict=True)])
        row["peak_gflops"] = operations / min(peak) / 1e9
        found.append(row)
    more = {
        "sizes": {**vars(sizes), "rows": rows, "length": length, "padding": padding},
        "real_target_tokens": batch.num_tokens,
        "operations_needed": needed,
        "share_of_peak": "floating point operations per second that the real tokens need, divided by those of a square "
        "matrix product of size 2048 in the same round",
        "bound": BOUND,
    }
    return found, more


def _model(sizes: Sizes) -> Transformer:
    return Transformer(
        sizes.vocab_size,
        sizes.vocab_size,
        d_model=sizes.d_model,
        num_heads=sizes.num_heads,
        d_ff=sizes.d_ff,
        num_layers=sizes.num_layers,
        dropout=sizes.dropout,
        tied=False,
    )


def _ours(sizes: Sizes, batch: Batch, settings: Settings) -> Callable[[], object]:
    steps = train(
        _model(sizes).to(settings.device),
        [batch.to(settings.device)],
        epochs=10**6,
        lr=1e-4,
        bf16=settings.dtype == torch.bfloat16,
        compile=settings.compile,
    )
    return lambda: next(steps)


def products_with_weights(sizes: Sizes, batch: Batch, settings: Settings) -> Callable[[], None]:
    """All matrix products with weights of one step: ``x W`` forward, and the gradients of ``x`` and ``W`` backward."""
    d_model, d_ff = sizes.d_model, sizes.d_ff
    source_len, target_len = batch.source.numel(), batch.target_in.numel()
    square, wide, narrow = (d_model, d_model), (d_model, d_ff), (d_ff, d_model)
    encoder = [(source_len, *shape) for shape in (*[square] * 4, wide, narrow)]
    decoder = [(target_len, *shape) for shape in (*[square] * 6, wide, narrow)] + [(source_len, *square)] * 2
    shapes = (encoder + decoder) * sizes.num_layers + [(target_len, d_model, sizes.vocab_size)]
    place: Any = {"device": settings.device, "dtype": settings.dtype}
    tensors = {
        shape: (torch.randn(shape[:2], **place), torch.randn(shape[1:], **place), torch.randn(shape[::2], **place))
        for shape in set(shapes)
    }

    def multiply() -> None:
        for shape in shapes:
            x, weight, grad = tensors[shape]
            x @ weight, grad @ weight.T, x.T @ grad

    return multiply


def needed_kernels(
    sizes: Sizes, num_weights: int, batch: Batch, products: Callable[[], None], settings: Settings
) -> Callable[[], None]:
    """The products with weights, attention without a mask or dropout, our loss and torch's fused Adam."""
    rows, source_len, target_len = len(batch.source), batch.source.shape[1], batch.target_in.shape[1]
    place: Any = {"device": settings.device, "dtype": settings.dtype}
    head = sizes.d_model // sizes.num_heads
    fastest = {**place, "dtype": torch.float32} if settings.device == "cpu" else place  # slower in 16 bits on a CPU
    attention = [
        [
            torch.randn(rows, sizes.num_heads, length, head, **fastest, requires_grad=True)
            for length in (queries, keys, keys)
        ]
        for queries, keys in ((source_len, source_len), (target_len, target_len), (target_len, source_len))
    ]
    logits = torch.randn(rows, target_len, sizes.vocab_size, **place, requires_grad=True)
    target, mask = batch.target_out.to(settings.device), batch.target_mask.to(settings.device)
    weights = torch.zeros(num_weights, device=settings.device)
    weights.grad = torch.zeros_like(weights)
    adam = torch.optim.Adam([weights], fused=True)

    def step() -> None:
        products()
        for _ in range(sizes.num_layers):
            for tensors in attention:
                output = F.scaled_dot_product_attention(*tensors)
                torch.autograd.grad(output, tensors, output)
        torch.autograd.grad(cross_entropy(logits, target, mask), logits)
        adam.step()

    return step


def operations_needed(sizes: Sizes, source_tokens: int, target_tokens: int) -> float:
    """Floating point operations of the matrix products with weights, forward and backward, for real tokens only."""
    square = sizes.d_model**2
    feed_forward = 2 * sizes.d_model * sizes.d_ff
    source = sizes.num_layers * (4 * square + feed_forward + 2 * square)  # encoder, and keys and values of the decoder
    target = sizes.num_layers * (4 * square + 2 * square + feed_forward) + sizes.d_model * sizes.vocab_size
    return 3 * 2.0 * (source * source_tokens + target * target_tokens)
