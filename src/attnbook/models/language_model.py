"""Decoder-only language models, of parts that can be exchanged: what a translator's decoder is without a source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_range
from attnbook.attention.causal import Kept, Linear
from attnbook.attention.positional import SinusoidalPositions
from attnbook.models.base import check_ids


class SwiGLU(nn.Module):
    r"""A gated feed-forward network: :math:`W_2 (\mathrm{SiLU}(W_1 x) \odot W_3 x)` (Shazeer 2020).

    Args:
        d_model: size of input and output.
        d_ff: size of the hidden layer; two thirds of that without a gate has as many parameters.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_counts(d_model=d_model, d_ff=d_ff)
        self.W_1, self.W_2, self.W_3 = Linear(d_model, d_ff), Linear(d_ff, d_model), Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        output: Tensor = self.W_2(F.silu(self.W_1(x)) * self.W_3(x))
        return output


class MixtureOfExperts(nn.Module):
    r"""Of several feed-forward networks, each token uses the one that a router finds best for it (Fedus et al. 2022):
    :math:`p_e(x)\,\mathrm{FFN}_e(x)` with :math:`p = \mathrm{softmax}(W x)` and :math:`e = \arg\max p`.

    After a call ``balance`` is :math:`E \sum_e f_e \bar p_e`, with the share :math:`f_e` of tokens that expert
    :math:`e` got: 1 where all get as many, 0 where there is no token. Added to the loss, it keeps the router from using
    few of them.

    Args:
        d_model: size of a token's vector.
        experts: the networks, ``(tokens, d_model)`` -> ``(tokens, d_model)``.

    Raises:
        ValueError: ``d_model`` is below 1, or there is no expert.
    """

    balance: Tensor

    def __init__(self, d_model: int, experts: Iterable[nn.Module]) -> None:
        super().__init__()
        check_counts(d_model=d_model)
        self.experts = nn.ModuleList(experts)
        check_range("experts", list(self.experts), len(self.experts) > 0, "one or more")
        self.router = Linear(d_model, len(self.experts))

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        p = self.router(x).softmax(-1)  # (..., experts)
        best, chosen = p.max(-1)
        output = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            mine = chosen == e
            output[mine] = (best[mine].unsqueeze(-1) * expert(x[mine])).to(x.dtype)  # under autocast it is of another
        tokens = max(chosen.numel(), 1)
        share = F.one_hot(chosen.flatten(), len(self.experts)).to(p.dtype).sum(0) / tokens
        self.balance = len(self.experts) * (share * p.reshape(-1, len(self.experts)).sum(0) / tokens).sum()
        return output

    def __getstate__(self) -> dict[str, Any]:
        """A copy has not been called yet: the graph of ``balance`` cannot be copied."""
        return {name: value for name, value in vars(self).items() if name != "balance"}


class Block(nn.Module):
    """One layer, each part with its norm before it: attention, then feed-forward.

    Args:
        d_model: size of a token's vector.
        attention: as ``GroupedAttention``.
        feed_forward: ``(..., d_model)`` -> ``(..., d_model)``.
        norm: makes a norm of that size.
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

    def forward(self, x: Tensor, past: Kept | None = None, mask: Tensor | None = None) -> tuple[Tensor, Kept]:
        """As ``forward``."""
        pooled, kept = self.attention(self.norm_1(x), past, mask)
        x = x + pooled
        return x + self.feed_forward(self.norm_2(x)), kept


class LanguageModel(nn.Module):
    """Says of each place of a text how probable each token is as the next one.

    Args:
        vocab_size: number of ids.
        d_model: size of a token's vector.
        blocks: the layers.
        sinusoidal: add the positions of 2017 to the embeddings; for blocks that don't turn their queries and keys.
        norm: makes the norm behind the last layer.

    Raises:
        ValueError: a size is below 1.
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
        self, ids: Tensor, past: Sequence[Kept] | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, list[Kept]]:
        """Logits of the next token, and the cache.

        Args:
            ids: ``(batch, length)``, the tokens behind the ``past``.
            past: what this method returned for the tokens before.
            mask: as in ``forward``.

        Returns:
            ``(batch, length, vocab_size)``, by the weights of the embedding, and what each layer keeps.

        Raises:
            ValueError: ``ids`` has another shape or an id outside the vocabulary, or ``past`` is of another depth.
            TypeError: ``ids`` are not integers, or ``past`` is no sequence.
        """
        check_ids("ids", ids, self.embedding.num_embeddings)
        if past is not None and not isinstance(past, Sequence):
            raise TypeError(f"past is of type {type(past).__name__}: wanted what the model kept of the tokens before")
        if past is not None and len(past) != len(self.blocks):
            raise ValueError(f"past is of {len(past)} layers: wanted {len(self.blocks)}, as the model")
        x = self.embedding(ids) * self.embedding.embedding_dim**0.5
        if self.positions is not None:
            x = self.positions(x, 0 if past is None else past[0][0].shape[-2])
        kept = []
        pasts: Sequence[Kept | None] = [None] * len(self.blocks) if past is None else past
        for block, layer_past in zip(self.blocks, pasts, strict=True):
            x, layer_kept = block(x, layer_past, mask)
            kept.append(layer_kept)
        return self.norm(x) @ self.embedding.weight.T, kept
