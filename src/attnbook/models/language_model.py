"""Decoder-only language models with interchangeable parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_range
from attnbook.attention.causal import KVCache, Linear
from attnbook.attention.positional import SinusoidalPositions
from attnbook.models.base import check_ids


class SwiGLU(nn.Module):
    r"""A gated feed-forward network: :math:`W_2 (\mathrm{SiLU}(W_1 x) \odot W_3 x)` (Shazeer 2020).

    Args:
        d_model: size of input and output.
        d_ff: size of the hidden layer; two thirds of an ungated one gives the same number of parameters.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_counts(d_model=d_model, d_ff=d_ff)
        self.W_1, self.W_2, self.W_3 = Linear(d_model, d_ff), Linear(d_ff, d_model), Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        hidden = F.silu(self.W_1(x)) * self.W_3(x)  # (..., d_ff)
        output: Tensor = self.W_2(hidden)  # (..., d_model)
        return output


class MixtureOfExperts(nn.Module):
    r"""Several feed-forward networks, of which a router chooses one for each token (Fedus et al. 2022).

    The output is :math:`p_e(x)\,\mathrm{FFN}_e(x)` with :math:`p = \mathrm{softmax}(W x)` and
    :math:`e = \arg\max p`. After a call, ``balance`` is :math:`E \sum_e f_e \bar p_e`, where :math:`E` is the number of
    experts, :math:`f_e` the proportion of tokens that expert :math:`e` received, and :math:`\bar p_e` the mean of
    :math:`p_e` over the tokens: 1 if all receive the same number, 0 if there is no token. As a term of the loss it
    keeps the router from using only a few experts.

    Args:
        d_model: size of a token's vector.
        experts: the networks, ``(tokens, d_model)`` -> ``(tokens, d_model)``.

    Raises:
        ValueError: ``d_model`` is below 1, or ``experts`` is empty.
    """

    balance: Tensor

    def __init__(self, d_model: int, experts: Iterable[nn.Module]) -> None:
        super().__init__()
        check_counts(d_model=d_model)
        self.experts = nn.ModuleList(experts)
        check_range("experts", list(self.experts), len(self.experts) > 0, "one or more networks")
        self.router = Linear(d_model, len(self.experts))

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        p = self.router(x).softmax(-1)  # (..., experts)
        best, chosen = p.max(-1)  # (...)
        output = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            routed = chosen == e  # (...)
            # (tokens, d_model); under autocast an expert returns another dtype
            output[routed] = (best[routed].unsqueeze(-1) * expert(x[routed])).to(x.dtype)
        tokens = max(chosen.numel(), 1)
        share = F.one_hot(chosen.flatten(), len(self.experts)).to(p.dtype).sum(0) / tokens  # (experts,)
        self.balance = len(self.experts) * (share * p.reshape(-1, len(self.experts)).sum(0) / tokens).sum()
        return output

    def __getstate__(self) -> dict[str, Any]:
        """Leave out ``balance``, whose graph cannot be copied."""
        return {name: value for name, value in vars(self).items() if name != "balance"}


class Block(nn.Module):
    """One pre-norm layer: attention, then feed-forward.

    Args:
        d_model: size of a token's vector.
        attention: a module with the interface of `GroupedAttention`.
        feed_forward: ``(..., d_model)`` -> ``(..., d_model)``.
        norm: builds a norm of a given size.
    """

    def __init__(
        self,
        d_model: int,
        attention: nn.Module,
        feed_forward: nn.Module,
        norm: Callable[[int], nn.Module] = nn.RMSNorm,
    ) -> None:
        super().__init__()
        self.norm_1, self.attention = norm(d_model), attention
        self.norm_2, self.feed_forward = norm(d_model), feed_forward

    def forward(self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """Apply the layer. Arguments and results are those of the attention, such as `GroupedAttention`."""
        pooled, cache = self.attention(self.norm_1(x), past, mask)  # (batch, length, d_model)
        x = x + pooled
        return x + self.feed_forward(self.norm_2(x)), cache


class LanguageModel(nn.Module):
    r"""A model of :math:`p(x_{t+1} \mid x_1, \ldots, x_t)`: the logits of the next token at every position.

    Args:
        vocab_size: number of ids.
        d_model: size of a token's vector.
        blocks: the layers.
        sinusoidal: add sinusoidal positions to the embeddings, for blocks without rotary positions.
        norm: builds the norm after the last layer.

    Raises:
        ValueError: a size is below 1.

    Example:
        >>> from attnbook.models.language_model import Block, SwiGLU
        >>> block = Block(16, GroupedAttention(16, num_heads=4, num_groups=2), SwiGLU(16, 32))
        >>> model = LanguageModel(vocab_size=10, d_model=16, blocks=[block])
        >>> logits, past = model(torch.tensor([[1, 4, 5]]))
        >>> logits.shape
        torch.Size([1, 3, 10])
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        blocks: Iterable[nn.Module],
        *,
        sinusoidal: bool = False,
        norm: Callable[[int], nn.Module] = nn.RMSNorm,
    ) -> None:
        super().__init__()
        check_counts(vocab_size=vocab_size, d_model=d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.positions = SinusoidalPositions(d_model) if sinusoidal else None
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm(d_model)

    def forward(
        self, ids: Tensor, past: Sequence[KVCache] | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, list[KVCache]]:
        """Compute the logits of the next token, and the cache.

        Args:
            ids: ``(batch, length)``, the tokens after the ``past``.
            past: the cache that this method returned for the preceding tokens.
            mask: see `GroupedAttention`.

        Returns:
            logits ``(batch, length, vocab_size)``, computed with the embedding table, and the cache of each layer.

        Raises:
            ValueError: ``ids`` has another shape or an id outside the vocabulary (on a GPU, torch raises another
                error), or ``past`` does not have one cache per layer.
            TypeError: ``ids`` are not integers, or ``past`` is not a sequence.
        """
        check_ids("ids", ids, self.embedding.num_embeddings)
        if past is not None and not isinstance(past, Sequence):
            raise TypeError(f"past must be a sequence with the cache of each layer, got {type(past).__name__}")
        if past is not None and len(past) != len(self.blocks):
            raise ValueError(f"past must have one cache per layer, {len(self.blocks)}, got {len(past)}")
        x = self.embedding(ids) * self.embedding.embedding_dim**0.5  # (batch, length, d_model)
        if self.positions is not None:
            x = self.positions(x, 0 if past is None else past[0][0].shape[-2])
        caches = []
        pasts: Sequence[KVCache | None] = [None] * len(self.blocks) if past is None else past
        for block, layer_past in zip(self.blocks, pasts, strict=True):
            x, cache = block(x, layer_past, mask)
            caches.append(cache)
        return self.norm(x) @ self.embedding.weight.T, caches  # (batch, length, vocab_size)
