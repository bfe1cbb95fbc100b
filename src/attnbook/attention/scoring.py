r"""Attention scores, and one attention module for each.

Every module pools values with the weights :math:`\mathrm{softmax}(a(q, k))`; they differ in the score :math:`a`:

- `AdditiveAttention`: :math:`w_v^\top \tanh(W_q q + W_k k)` (Bahdanau et al. 2015, A.1.2)
- `DotProductAttention`: :math:`q^\top k / \sqrt d` (Vaswani et al. 2017, 3.2.1) or :math:`q^\top k` (Luong et al.
  2015, 3.1)
- `GeneralAttention`: :math:`q^\top W k` (Luong et al. 2015, 3.1)
"""

from __future__ import annotations

import math
from abc import abstractmethod

from torch import Tensor, nn

from attnbook._internal.validate import check_attention_inputs, check_batch_size, check_counts, check_dropout
from attnbook.attention.kernels import Attention, additive_score
from attnbook.attention.masks import check_attention_mask


class ScoredAttention(Attention):
    """Attention with one score per query and key; a subclass defines the score.

    Args:
        dropout: probability with which a weight is dropped in training.
        query_size: size of a query; None accepts any size.
        key_size: size of a key; None accepts any size.

    Raises:
        ValueError: ``dropout`` is not a probability.
    """

    def __init__(self, dropout: float = 0.0, query_size: int | None = None, key_size: int | None = None) -> None:
        super().__init__()
        check_dropout(dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.query_size = query_size
        self.key_size = key_size

    def project_key(self, key: Tensor) -> Tensor:
        """Compute the part of the score that depends only on the keys: once per source instead of once per step.

        Args:
            key: ``(batch, keys, key_size)``.

        Returns:
            ``(batch, keys, size)``; the size depends on the score.
        """
        return key

    @abstractmethod
    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        """``(batch, queries, query_size)`` and projected keys -> scores ``(batch, queries, keys)``."""

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
            ValueError: the shapes disagree.
            TypeError: ``mask`` is not boolean, or another input is not floating point.
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
        """Pool the values like ``forward``, with keys from ``project_key``.

        Args:
            query: ``(batch, queries, query_size)``.
            projected_key: result of ``project_key``.
            value: ``(batch, keys, value_size)``.
            mask: as in ``forward``.
            scale: ``(batch, queries, keys)``, factors applied to the weights after the softmax, as in local attention.

        Returns:
            ``(batch, queries, value_size)``; zeros where no key is allowed.

        Raises:
            ValueError: the batch sizes differ (a batch of 1 is not broadcast), or ``mask`` or ``scale`` does not fit.
            ValueError, RuntimeError: other shapes disagree.
            TypeError: ``mask`` is not boolean.
        """
        check_batch_size(query, projected_key=projected_key, value=value)
        scores = self.score(query, projected_key)  # (batch, queries, keys)
        check_attention_mask(mask, scores.shape)
        weights = self.softmax(scores, mask)  # (batch, queries, keys)
        if scale is not None:
            if scale.shape != weights.shape:
                raise ValueError(f"scale must have shape {tuple(weights.shape)}, got {tuple(scale.shape)}")
            weights = weights * scale.to(weights.dtype)
        self.notify(weights.unsqueeze(1))  # (batch, 1, queries, keys)
        pooled: Tensor = self.dropout(weights) @ value  # (batch, queries, value_size)
        return pooled


class DotProductAttention(ScoredAttention):
    r"""Dot-product attention, :math:`a(q, k) = q^\top k / \sqrt d` or, unscaled, :math:`q^\top k`.

    The dot product of two independent vectors with :math:`d` independent entries of mean 0 and variance 1 has variance
    :math:`d`; the scale brings it back to 1 (Vaswani et al. 2017, 3.2.1). Unscaled: Luong et al. 2015, 3.1, "dot".

    Args:
        dropout: probability with which a weight is dropped in training.
        scaled: divide by the square root of the query size.

    Raises:
        ValueError: ``dropout`` is not a probability.

    Example:
        >>> query, key, value = torch.randn(2, 1, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 3)
        >>> mask = lengths_to_mask(torch.tensor([3, 5]))[:, None, :]  # (batch, 1, keys)
        >>> DotProductAttention()(query, key, value, mask).shape
        torch.Size([2, 1, 3])
    """

    def __init__(self, dropout: float = 0.0, *, scaled: bool = True) -> None:
        super().__init__(dropout)
        self.scaled = scaled

    def score(self, query: Tensor, projected_key: Tensor) -> Tensor:
        if query.shape[-1] != projected_key.shape[-1]:
            raise ValueError(
                f"query must have the size of key, {projected_key.shape[-1]}, got {query.shape[-1]}; "
                "GeneralAttention and AdditiveAttention accept different sizes"
            )
        scores = query @ projected_key.transpose(-2, -1)  # (batch, queries, keys)
        return scores / math.sqrt(query.shape[-1]) if self.scaled else scores


class GeneralAttention(ScoredAttention):
    r"""Bilinear attention, :math:`a(q, k) = q^\top W k` (Luong et al. 2015, 3.1, general) or, scaled,
    :math:`q^\top W k / \sqrt d`.

    Args:
        query_size: size :math:`d` of a query.
        key_size: size of a key.
        dropout: probability with which a weight is dropped in training.
        scaled: divide by the square root of the query size, as in `DotProductAttention`.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is not a probability.

    Example:
        >>> attention = GeneralAttention(query_size=4, key_size=6)
        >>> attention(torch.randn(2, 1, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 3)).shape
        torch.Size([2, 1, 3])
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
        scores = query @ projected_key.transpose(-2, -1)  # (batch, queries, keys)
        return scores / math.sqrt(query.shape[-1]) if self.scaled else scores


class AdditiveAttention(ScoredAttention):
    r"""Additive attention, :math:`a(q, k) = w_v^\top \tanh(W_q q + W_k k)` (Bahdanau et al. 2015, A.1.2).

    Luong's "concat" score, :math:`v^\top \tanh(W [q; k])`, is the same with :math:`W = [W_q, W_k]`.

    Args:
        query_size: size of a query.
        key_size: size of a key.
        num_hiddens: size of the hidden layer.
        dropout: probability with which a weight is dropped in training.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is not a probability.

    Example:
        >>> attention = AdditiveAttention(query_size=4, key_size=6, num_hiddens=8)
        >>> query, key, value = torch.randn(2, 1, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 3)
        >>> attention(query, key, value).shape
        torch.Size([2, 1, 3])
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
        # (batch, queries, 1, hidden) + (batch, 1, keys, hidden) -> (batch, queries, keys), in blocks of bounded memory
        return additive_score(self.W_q(query), projected_key, self.w_v.weight[0])
