"""Other implementations of the Transformer, each as a module and a loss, so that all train in the same way."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.positional import sinusoidal_table
from attnbook.data import BOS, EOS, PAD, Batch
from benchmarks.harness import Settings
from bookkit import d2l_models

IGNORED = -100


@dataclass(frozen=True)
class Sizes:
    """Sizes of a Transformer, the same for all contestants.

    Args:
        vocab_size: size of each vocabulary.
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        num_layers: layers of encoder and decoder.
        dropout: the library's ``dropout`` option.
        max_length: number of positions, if the library needs it.
    """

    vocab_size: int = 8000
    d_model: int = 256
    num_heads: int = 8
    d_ff: int = 1024
    num_layers: int = 3
    dropout: float = 0.1
    max_length: int = 128


MIDDLE = Sizes()
Loss = Callable[[Batch], Tensor]
Rival = tuple[nn.Module, Loss]


def d2l_blocks(sizes: Sizes) -> Rival:
    """D2L's blocks, with the library's cross-entropy over the real tokens."""
    model = d2l_models.transformer(
        sizes.vocab_size,
        sizes.vocab_size,
        width=sizes.d_model,
        hidden=sizes.d_ff,
        heads=sizes.num_heads,
        layers=sizes.num_layers,
        dropout=sizes.dropout,
    )

    def loss(batch: Batch) -> Tensor:
        logits, _ = model(batch.source, batch.target_in, batch.source_mask.sum(1))
        return _cross_entropy(logits, batch)

    return model, loss


class TorchTransformer(nn.Module):
    """``torch.nn.Transformer`` between embeddings with sinusoidal positions and a head."""

    table: Tensor

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.scale = math.sqrt(sizes.d_model)
        self.source_embedding = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.target_embedding = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.register_buffer("table", sinusoidal_table(sizes.max_length, sizes.d_model))
        self.dropout = nn.Dropout(sizes.dropout)
        self.transformer = nn.Transformer(
            sizes.d_model,
            sizes.num_heads,
            sizes.num_layers,
            sizes.num_layers,
            sizes.d_ff,
            sizes.dropout,
            batch_first=True,
        )
        self.head = nn.Linear(sizes.d_model, sizes.vocab_size)

    def forward(self, batch: Batch) -> Tensor:
        length = batch.target_in.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=batch.target_in.device).triu(1)
        features = self.transformer(
            self._embed(self.source_embedding, batch.source),
            self._embed(self.target_embedding, batch.target_in),
            tgt_mask=future,
            src_key_padding_mask=~batch.source_mask,
            memory_key_padding_mask=~batch.source_mask,
            tgt_is_causal=True,
        )
        logits: Tensor = self.head(features)
        return logits

    def _embed(self, embedding: nn.Embedding, ids: Tensor) -> Tensor:
        embedded: Tensor = self.dropout(embedding(ids) * self.scale + self.table[: ids.shape[1]])
        return embedded


def torch_transformer(sizes: Sizes) -> Rival:
    model = TorchTransformer(sizes)
    return model, lambda batch: _cross_entropy(model(batch), batch)


def x_transformers(sizes: Sizes) -> Rival:
    """``XTransformer`` with its fused attention; it shifts the target and computes the loss itself."""
    from x_transformers import XTransformer

    sides = {
        f"{side}_{name}": value
        for side in ("enc", "dec")
        for name, value in {
            "num_tokens": sizes.vocab_size,
            "max_seq_len": sizes.max_length,
            "depth": sizes.num_layers,
            "heads": sizes.num_heads,
            "attn_dim_head": sizes.d_model // sizes.num_heads,
            "ff_mult": sizes.d_ff / sizes.d_model,
            "attn_flash": True,
            "ff_dropout": sizes.dropout,
            "attn_dropout": sizes.dropout,
            "emb_dropout": sizes.dropout,
        }.items()
    }
    model = XTransformer(dim=sizes.d_model, ignore_index=IGNORED, **sides)

    def loss(batch: Batch) -> Tensor:
        target = torch.cat((batch.target_in[:, :1], _labels(batch)), 1)
        value: Tensor = model(batch.source, target, mask=batch.source_mask)
        return value

    return model, loss


def marian(sizes: Sizes) -> Rival:
    """Hugging Face's Marian, randomly initialized, with torch's fused attention."""
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=sizes.vocab_size,
        d_model=sizes.d_model,
        encoder_layers=sizes.num_layers,
        decoder_layers=sizes.num_layers,
        encoder_attention_heads=sizes.num_heads,
        decoder_attention_heads=sizes.num_heads,
        encoder_ffn_dim=sizes.d_ff,
        decoder_ffn_dim=sizes.d_ff,
        dropout=sizes.dropout,
        activation_function="relu",
        scale_embedding=True,
        max_position_embeddings=sizes.max_length,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=BOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
    )
    config._attn_implementation = "sdpa"
    model = MarianMTModel(config)

    def loss(batch: Batch) -> Tensor:
        logits = model(
            input_ids=batch.source, attention_mask=batch.source_mask, decoder_input_ids=batch.target_in, use_cache=False
        ).logits
        return _cross_entropy(logits, batch)

    return model, loss


RIVALS: dict[str, Callable[[Sizes], Rival]] = {
    "D2L": d2l_blocks,
    "torch.nn.Transformer": torch_transformer,
    "x-transformers": x_transformers,
    "Marian": marian,
}


def stepper(rival: Rival, batch: Batch, settings: Settings, lr: float = 1e-4) -> Callable[[], None]:
    """Return a function for one training step as in ``attnbook.train``: same clipping, same fused Adam."""
    model, loss = rival
    model.to(settings.device).train()
    batch = batch.to(settings.device)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=lr, betas=(0.9, 0.98), eps=1e-9, fused=True)
    compiled = torch.compile(loss, dynamic=True) if settings.compile else loss

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with settings.autocast():
            value = compiled(batch)
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    return step


def _labels(batch: Batch) -> Tensor:
    return batch.target_out.masked_fill(~batch.target_mask, IGNORED)


def _cross_entropy(logits: Tensor, batch: Batch) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1).float(), _labels(batch).flatten(), ignore_index=IGNORED)
