r"""Scores between a query and the keys, and the attention that each makes.

Every module here pools values by :math:`\mathrm{softmax}(a(q, k))` and differs in the score :math:`a`:

- `AdditiveAttention`: :math:`w_v^\top \tanh(W_q q + W_k k)` (Bahdanau et al. 2015, A.1.2)
- `DotProductAttention`: :math:`q^\top k / \sqrt d` (Vaswani et al. 2017, 3.2.1) or :math:`q^\top k` (Luong et al.
  2015, 3.1)
- `GeneralAttention`: :math:`q^\top W k` (Luong et al. 2015, 3.1)
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attnbook._internal.validate import check_attention_inputs, check_counts, check_dropout, check_tensors
from attnbook.attention.masks import check_mask, masked_softmax

# The largest (batch, queries, keys, hidden) block that an additive score makes at once: small enough for a CPU cache.
ADDITIVE_BLOCK_BYTES = 1 << 22


class Attention(nn.Module):
    """What every attention module shares: somebody may look at its weights, and it keeps none of them.

    ``observer`` is set from outside while somebody looks. It is called with the detached weights,
    ``(batch, num_heads, queries, keys)``, before dropout. Looking never changes an output. ``softmax`` makes weights of
    scores and mask; `attnbook.observe.interventions` puts another one in its place for a while.
    """

    observer: Callable[[Tensor], None] | None = None
    softmax: Callable[[Tensor, Tensor | None], Tensor] = staticmethod(masked_softmax)


@contextmanager
def observing(observers: Mapping[Attention, Callable[[Tensor], None]]) -> Iterator[None]:
    """Let others observe these modules for a while; whoever observed them does so again afterwards."""
    before = {module: module.observer for module in observers}
    try:
        for module, observer in observers.items():
            module.observer = observer
        yield
    finally:
        for module, earlier in before.items():
            module.observer = earlier


class ScoredAttention(Attention):
    """Attention from one score per query and key; a subclass gives the score.

    Args:
        dropout: probability with which a weight is dropped in training.
        query_size: size of a query; any if None.
        key_size: size of a key; any if None.
    """

    def __init__(self, dropout: float = 0.0, query_size: int | None = None, key_size: int | None = None) -> None:
        super().__init__()
        check_dropout(dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.query_size = query_size
        self.key_size = key_size

    def project_key(self, key: Tensor) -> Tensor:
        """The part of the score that depends on the keys alone: computed once a source, not once a step."""
        return key

    @abstractmethod
    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        """Scores ``(batch, queries, keys)`` from ``(batch, queries, query_size)`` and projected keys."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Pool the values.

        Args:
            query: ``(batch, queries, query_size)``.
            key: ``(batch, keys, key_size)``.
            value: ``(batch, keys, value_size)``.
            mask: bool ``(batch, queries, keys)``, with 1 where it is shared; True = may attend.

        Returns:
            ``(batch, queries, value_size)``; zeros where no key is allowed.

        Raises:
            ValueError: shapes disagree.
            TypeError: ``mask`` is not boolean, or something else not floating point.
        """
        check_attention_inputs(query, key, value, query_size=self.query_size, key_size=self.key_size)
        return self.attend(query, self.project_key(key), value, mask)

    def attend(
        self,
        query: Tensor,
        projected_key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        scale: Tensor | None = None,
    ) -> Tensor:
        """As ``forward``, with keys that went through ``project_key`` before.

        Args:
            query: ``(batch, queries, query_size)``.
            projected_key: what ``project_key`` returned.
            value: ``(batch, keys, value_size)``.
            mask: as in ``forward``.
            scale: ``(batch, queries, keys)``, factors for the weights after the softmax, as local attention has them.
        """
        scores = self.score(query, projected_key)  # (batch, queries, keys)
        check_attention_mask(mask, scores.shape)
        weights = self.softmax(scores, mask)
        if scale is not None:
            weights = weights * scale.to(weights.dtype)
        if self.observer is not None:
            self.observer(weights.detach().unsqueeze(1))
        pooled: Tensor = self.dropout(weights) @ value
        return pooled


class DotProductAttention(ScoredAttention):
    r"""Dot-product attention, :math:`a(q, k) = q^\top k / \sqrt d` or, unscaled, :math:`q^\top k`.

    The dot product of two vectors with :math:`d` independent entries of mean 0 and variance 1 has variance
    :math:`d`; the scale brings it back to 1 (Vaswani et al. 2017, 3.2.1). Unscaled: Luong et al. 2015, 3.1, dot.

    Args:
        dropout: probability with which a weight is dropped in training.
        scaled: divide by the square root of the query size.
    """

    def __init__(self, dropout: float = 0.0, *, scaled: bool = True) -> None:
        super().__init__(dropout)
        self.scaled = scaled

    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        if query.shape[-1] != projected_key.shape[-1]:
            raise ValueError(
                f"query has size {query.shape[-1]}: wanted that of key, {projected_key.shape[-1]}; "
                "GeneralAttention and AdditiveAttention score vectors of different sizes"
            )
        scores = query @ projected_key.transpose(-2, -1)
        return scores / math.sqrt(query.shape[-1]) if self.scaled else scores


class GeneralAttention(ScoredAttention):
    r"""Bilinear attention, :math:`a(q, k) = q^\top W k` (Luong et al. 2015, 3.1, general) or, scaled,
    :math:`q^\top W k / \sqrt d`.

    Args:
        query_size: size :math:`d` of a query.
        key_size: size of a key.
        dropout: probability with which a weight is dropped in training.
        scaled: divide by the square root of the query size, as `DotProductAttention` does.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is no probability.
    """

    def __init__(self, query_size: int, key_size: int, dropout: float = 0.0, *, scaled: bool = False) -> None:
        check_counts(query_size=query_size, key_size=key_size)
        super().__init__(dropout, query_size, key_size)
        self.W = nn.Linear(key_size, query_size, bias=False)
        self.scaled = scaled

    def project_key(self, key: Tensor) -> Tensor:
        projected: Tensor = self.W(key)
        return projected

    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        scores = query @ projected_key.transpose(-2, -1)
        return scores / math.sqrt(query.shape[-1]) if self.scaled else scores


class AdditiveAttention(ScoredAttention):
    r"""Additive attention, :math:`a(q, k) = w_v^\top \tanh(W_q q + W_k k)` (Bahdanau et al. 2015, A.1.2).

    Luong's concat score, :math:`v^\top \tanh(W [q; k])`, is the same with :math:`W = [W_q, W_k]`.

    Args:
        query_size: size of a query.
        key_size: size of a key.
        num_hiddens: size of the hidden layer.
        dropout: probability with which a weight is dropped in training.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is no probability.
    """

    def __init__(self, query_size: int, key_size: int, num_hiddens: int, dropout: float = 0.0) -> None:
        check_counts(query_size=query_size, key_size=key_size, num_hiddens=num_hiddens)
        super().__init__(dropout, query_size, key_size)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)

    def project_key(self, key: Tensor) -> Tensor:
        projected: Tensor = self.W_k(key)
        return projected

    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        return additive_score(self.W_q(query), projected_key, self.w_v.weight[0])


def additive_score(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    r""":math:`\sum_h w_h \tanh(q_h + k_h)` for every query and key.

    The (batch, queries, keys, hidden) tensor inside exists only in blocks of at most `ADDITIVE_BLOCK_BYTES` (or one
    query of one batch row, if that is larger), forward and backward: the backward pass computes the blocks again.
    Where there is more than one block, it can be differentiated once, and by autograd alone.

    Args:
        query: ``(batch, queries, num_hiddens)``, projected.
        key: ``(batch, keys, num_hiddens)``, projected.
        weight: ``(num_hiddens,)``.

    Returns:
        scores ``(batch, queries, keys)``.
    """
    block = query.shape[0] * query.shape[1] * key.shape[1] * key.shape[2] * query.element_size()
    if block <= ADDITIVE_BLOCK_BYTES:
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
            # d tanh = 1 - tanh^2, times the upstream gradient; the weight is the same in every term
            features.square_().neg_().add_(1).mul_(upstream.unsqueeze(-1))
            grad_query[row, part] = features.sum(1)
            grad_key[row] += features.sum(0)
        return grad_query * weight, grad_key * weight, grad_weight


def _features(query: Tensor, key: Tensor) -> Tensor:
    """(queries, hidden), (keys, hidden) -> (queries, keys, hidden)"""
    return (query.unsqueeze(1) + key.unsqueeze(0)).tanh_()


def _blocks(query: Tensor, key: Tensor) -> Iterator[tuple[int, slice]]:
    """A batch row and some of its queries at a time."""
    bytes_per_query = key.shape[1] * key.shape[2] * query.element_size()
    step = max(1, ADDITIVE_BLOCK_BYTES // max(1, bytes_per_query))
    for row in range(query.shape[0]):
        for start in range(0, query.shape[1], step):
            yield row, slice(start, start + step)


def check_attention_mask(mask: Tensor | None, shape: torch.Size) -> None:
    """Check a mask against the scores' ``shape``: the same rank, so that no axis is taken for another.

    Raises:
        TypeError: the mask is no tensor, or not boolean.
        ValueError: another rank, or sizes that do not broadcast.
    """
    if mask is None:
        return
    check_tensors(mask=mask)
    if mask.dim() != len(shape):
        raise ValueError(
            f"mask has shape {tuple(mask.shape)}: wanted rank {len(shape)}, broadcasting to {tuple(shape)}; "
            "a padding mask is mask[:, None, :], a causal one mask[None]"
        )
    check_mask(mask, shape)
