"""What attention needs from torch in addition to its formulas.

The other modules of this folder contain the mathematics of the chapters. This one holds what makes it exact and fast on
real hardware: fused kernels, precision, blocks that bound the memory, and hooks to observe and change the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attnbook._internal.tracing import can_read
from attnbook.attention.masks import causal_mask, check_attention_mask, combine_masks, masked_softmax

Softmax = Callable[[Tensor, Tensor | None], Tensor]
Observer = Callable[[Tensor], None]

# The largest (batch, queries, keys, hidden) block of an additive score: small enough for a CPU cache. On a GPU it is
# larger, because starting a kernel for a small block takes longer than computing the block.
ADDITIVE_BLOCK_BYTES = 1 << 22
GPU_BLOCK_FACTOR = 16


class Attention(nn.Module):
    """Base class of the attention modules: their weights can be observed and changed, and are never stored.

    ``observer``, if set, is called with the detached weights before dropout, ``(batch, num_heads, queries, keys)``.
    Observing never changes an output. ``softmax`` turns scores and mask into weights;
    `attnbook.observe.interventions` replaces it temporarily.
    """

    observer: Observer | None = None
    softmax: Softmax = staticmethod(masked_softmax)

    def notify(self, weights: Tensor) -> None:
        """Pass weights ``(batch, num_heads, queries, keys)`` to the observer, if there is one."""
        if self.observer is not None:
            self.observer(weights.detach())


@contextmanager
def observing(observers: Mapping[Attention, Observer]) -> Iterator[None]:
    """Set the observers of several modules; the previous ones are restored on exit."""
    before = {module: module.observer for module in observers}
    try:
        for module, observer in observers.items():
            module.observer = observer
        yield
    finally:
        for module, earlier in before.items():
            module.observer = earlier


def is_observed(model: nn.Module) -> bool:
    """Whether an attention module of the model has an observer."""
    return any(isinstance(module, Attention) and module.observer is not None for module in model.modules())


def multi_head_pooling(
    module: Attention, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *, causal: bool, dropout: float
) -> Tensor:
    r"""Pool the values of every head: :math:`\mathrm{softmax}(q k^\top / \sqrt{d}) v`, by a fused kernel if possible.

    Fused kernels have their own softmax and never store the weights. For an observer, the weights are computed
    separately. The result uses them only if ``module.softmax`` was replaced or, on a CPU, if q or k is not finite.

    Args:
        module: the attention module, for its ``observer`` and ``softmax``.
        q: ``(batch, num_heads, queries, head_dim)``.
        k: ``(batch, num_heads, keys, head_dim)``.
        v: ``(batch, num_heads, keys, head_dim)``.
        mask: bool ``(batch, queries, keys)``, with 1 where it is shared; True = may attend.
        causal: the queries are the last positions of the keys, and each attends up to its own position.
        dropout: probability with which a weight is dropped.

    Returns:
        ``(batch, num_heads, queries, head_dim)``.
    """
    queries, keys = q.shape[-2], k.shape[-2]
    check_attention_mask(mask, torch.Size((q.shape[0], queries, keys)))
    # The kernels' own causal path requires as many queries as keys; a single last query attends to every key anyway.
    causal_kernel = False
    if causal and mask is None and queries == keys:  # under torch.compile, `queries == keys` is not a bool
        causal_kernel = True
    if causal and not causal_kernel and queries > 1:
        mask = combine_masks(mask, causal_mask(queries, keys, device=q.device).unsqueeze(0))
    mask = None if mask is None else mask.unsqueeze(1)  # (batch, 1, queries, keys)

    explicit = module.softmax is not masked_softmax or _not_finite(q, k)
    if module.observer is not None or explicit:
        with torch.set_grad_enabled(explicit and torch.is_grad_enabled()):
            weights = _weights(module, q, k, causal_mask(queries, device=q.device) if causal_kernel else mask)
        module.notify(weights)
    if explicit:
        pooled: Tensor = F.dropout(weights, dropout) @ v
        return pooled
    return _fused(q, k, v, mask, dropout, causal_kernel)


def _not_finite(q: Tensor, k: Tensor) -> bool:
    """Whether a value is NaN or infinite. Fused CPU kernels treat a row of NaN scores as a fully masked row."""
    if not (can_read(q) and can_read(k)):
        return False
    if q.dtype.itemsize == 2:  # the sum of many fp16 numbers may overflow
        q, k = q.float(), k.float()
    return not math.isfinite(float(q.detach().sum()) + float(k.detach().sum()))


def _weights(module: Attention, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    """Compute the fused kernel's weights, with scores in at least fp32 because fp16 ends at 65,504."""
    dtype = torch.promote_types(q.dtype, torch.float32)
    with torch.autocast(q.device.type, enabled=False):
        scores = q.to(dtype) @ k.to(dtype).transpose(-2, -1) / math.sqrt(q.shape[-1])
        return module.softmax(scores, mask).to(q.dtype)


def _fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float, causal: bool) -> Tensor:
    """Torch's fused attention. On a CPU, 16-bit inputs run in fp32: the 16-bit backward pass is three times slower."""
    if q.device.type != "cpu" or q.dtype.itemsize != 2:
        pooled = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal=causal)
        return pooled if mask is None else zero_rows_without_key(pooled, mask)
    with torch.autocast("cpu", enabled=False):
        pooled = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), mask, dropout, is_causal=causal)
    return pooled.to(q.dtype)


def zero_rows_without_key(pooled: Tensor, mask: Tensor) -> Tensor:
    """Set rows without an allowed key to zero, where torch's kernel does not.

    It does on a CPU, and on CUDA in float32. cuDNN's 16-bit kernel pools some values there; Apple's may give NaN.

    Args:
        pooled: ``(batch, num_heads, queries, head_dim)``, from torch's fused attention. Its dtype is the kernel's;
            autocast may have converted the inputs.
        mask: bool, broadcasts to ``(batch, num_heads, queries, keys)``; True = may attend.
    """
    device = pooled.device.type
    if device == "cpu" or (device == "cuda" and pooled.dtype.itemsize > 2):
        return pooled
    return pooled.where(mask.any(-1, keepdim=True), 0.0)


def gaussian_weights(query: Tensor, key: Tensor, width: float) -> Tensor:
    r"""Compute :math:`\mathrm{softmax}_j(-u_j^2 / 2)`, :math:`u_j = (x - x_j)/h`, without overflow.

    Squares are taken relative to the nearest key, :math:`u_j^2 - u_0^2 = (|u_j| - |u_0|)(|u_j| + |u_0|)`. A key whose
    square overflows gets no weight.

    Args:
        query: ``(queries,)``.
        key: ``(keys,)``.
        width: :math:`h > 0`.

    Returns:
        ``(queries, keys)``; every row sums to 1.
    """
    distance = (query.unsqueeze(-1) - key).abs()  # (queries, keys)
    nearest = distance.amin(-1, keepdim=True)  # (queries, 1)
    farther = distance - nearest
    squares = farther / width * ((distance / 2 + nearest / 2) / width)
    return torch.softmax(-squares.where(farther != 0, 0), dim=-1)  # avoids 0 * infinity at the nearest key


def additive_score(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    r"""Compute :math:`\sum_h w_h \tanh(q_h + k_h)` for every query and key, in blocks of bounded memory.

    The intermediate ``(batch, queries, keys, hidden)`` tensor exists only in blocks of at most `ADDITIVE_BLOCK_BYTES`,
    on a GPU `GPU_BLOCK_FACTOR` times as much (or one query of one batch row, if that is larger). If there are several
    blocks, the backward pass recomputes them, and autograd supports only first derivatives.

    Args:
        query: ``(batch, queries, num_hiddens)``, projected.
        key: ``(batch, keys, num_hiddens)``, projected.
        weight: ``(num_hiddens,)``.

    Returns:
        scores ``(batch, queries, keys)``.
    """
    block = query.shape[0] * query.shape[1] * key.shape[1] * key.shape[2] * query.element_size()
    if block <= _block_bytes(query):
        return (query.unsqueeze(2) + key.unsqueeze(1)).tanh() @ weight
    scores: Tensor = _BlockwiseAdditiveScore.apply(query, key, weight)
    return scores


class _BlockwiseAdditiveScore(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query: Tensor, key: Tensor, weight: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        ctx.save_for_backward(query, key, weight)
        scores = query.new_empty(query.shape[0], query.shape[1], key.shape[1])
        for row, part in _blocks(query, key):
            scores[row, part] = _features(query[row, part], key[row]) @ weight
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # type: ignore[no-untyped-def]
        query, key, weight = ctx.saved_tensors
        grad_query, grad_key, grad_weight = (torch.zeros_like(tensor) for tensor in (query, key, weight))
        for row, part in _blocks(query, key):
            features = _features(query[row, part], key[row])  # (queries, keys, hidden)
            upstream = grad[row, part]  # (queries, keys)
            grad_weight += upstream.flatten() @ features.flatten(0, 1)
            # In place: the upstream gradient times d tanh = 1 - tanh^2. The weight is a common factor.
            torch.ops.aten.tanh_backward.grad_input(upstream.unsqueeze(-1), features, grad_input=features)
            grad_query[row, part] = features.sum(1)
            grad_key[row] += features.sum(0)
            del features  # before the next block is allocated
        return grad_query * weight, grad_key * weight, grad_weight


def _features(query: Tensor, key: Tensor) -> Tensor:
    """(queries, hidden), (keys, hidden) -> (queries, keys, hidden)"""
    return (query.unsqueeze(1) + key.unsqueeze(0)).tanh_()


def _block_bytes(query: Tensor) -> int:
    return ADDITIVE_BLOCK_BYTES * (1 if query.device.type == "cpu" else GPU_BLOCK_FACTOR)


def _blocks(query: Tensor, key: Tensor) -> Iterator[tuple[int, slice]]:
    """Yield a batch row and a slice of its queries at a time."""
    bytes_per_query = key.shape[1] * key.shape[2] * query.element_size()
    step = max(1, _block_bytes(query) // max(1, bytes_per_query))
    for row in range(query.shape[0]):
        for start in range(0, query.shape[1], step):
            yield row, slice(start, start + step)
