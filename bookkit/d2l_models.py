"""D2L's two translation models, built from the blocks of the package d2l.

The package d2l 1.0.3 contains the blocks, the encoders, the training loop and the prediction function, but not the
decoders, which are defined in the pages of the D2L book (Zhang et al., 2021, sections 11.4 and 11.7). The decoders here
follow those pages. As in the book, the Transformer's decoder applies its causal mask in training mode only, and gives
every predicted token position 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.data import Pair
from attnbook.pages.d2l_compat import import_d2l

d2l: Any = import_d2l()


class Translator(nn.Module):
    """Encoder and decoder with the interface that ``d2l.train_seq2seq`` and ``d2l.predict_seq2seq`` expect."""

    encoder: Any
    decoder: Any

    def __init__(self, encoder: nn.Module, decoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source: Tensor, target_in: Tensor, source_lengths: Tensor) -> tuple[Tensor, Any]:
        state = self.decoder.init_state(self.encoder(source, source_lengths), source_lengths)
        output: tuple[Tensor, Any] = self.decoder(target_in, state)
        return output


class BahdanauDecoder(d2l.AttentionDecoder):  # type: ignore[misc]
    """Section 11.4: a GRU; its input is the word and a context that is queried with the last layer's state."""

    def __init__(self, vocab_size: int, embed_size: int, num_hiddens: int, num_layers: int, dropout: float) -> None:
        super().__init__()
        self.attention = d2l.AdditiveAttention(num_hiddens, dropout)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + num_hiddens, num_hiddens, num_layers, dropout=dropout)
        self.dense = nn.LazyLinear(vocab_size)

    def init_state(self, encoded: tuple[Tensor, Tensor], lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        outputs, hidden = encoded
        return outputs.permute(1, 0, 2), hidden, lengths

    def forward(self, words: Tensor, state: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Any]:
        memory, hidden, lengths = state
        outputs, self._weights = [], []
        for word in self.embedding(words).permute(1, 0, 2):
            context = self.attention(hidden[-1].unsqueeze(1), memory, memory, lengths)
            step = torch.cat((context, word.unsqueeze(1)), dim=-1).permute(1, 0, 2)
            output, hidden = self.rnn(step, hidden)
            outputs.append(output)
            self._weights.append(self.attention.attention_weights)
        return self.dense(torch.cat(outputs)).permute(1, 0, 2), (memory, hidden, lengths)

    @property
    def attention_weights(self) -> list[Tensor]:
        return self._weights


class TransformerDecoderBlock(nn.Module):
    """Section 11.7: masked self-attention over the target so far, attention to the source, feed-forward."""

    def __init__(self, width: int, hidden: int, heads: int, dropout: float, index: int) -> None:
        super().__init__()
        self.index = index
        self.attention1 = d2l.MultiHeadAttention(width, heads, dropout)
        self.addnorm1 = d2l.AddNorm(width, dropout)
        self.attention2 = d2l.MultiHeadAttention(width, heads, dropout)
        self.addnorm2 = d2l.AddNorm(width, dropout)
        self.ffn = d2l.PositionWiseFFN(hidden, width)
        self.addnorm3 = d2l.AddNorm(width, dropout)

    def forward(self, x: Tensor, state: list[Any]) -> tuple[Tensor, list[Any]]:
        memory, memory_lengths, inputs = state
        before = inputs[self.index]
        inputs[self.index] = x if before is None else torch.cat((before, x), dim=1)
        visible = None
        if self.training:
            visible = torch.arange(1, x.shape[1] + 1, device=x.device).repeat(x.shape[0], 1)
        y = self.addnorm1(x, self.attention1(x, inputs[self.index], inputs[self.index], visible))
        z = self.addnorm2(y, self.attention2(y, memory, memory, memory_lengths))
        return self.addnorm3(z, self.ffn(z)), state


class TransformerDecoder(d2l.AttentionDecoder):  # type: ignore[misc]
    """Section 11.7: embeddings with positions, blocks, a dense layer."""

    def __init__(self, vocab_size: int, width: int, hidden: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.scale = math.sqrt(width)
        self.embedding = nn.Embedding(vocab_size, width)
        self.positions = d2l.PositionalEncoding(width, dropout)
        self.blocks = nn.ModuleList(TransformerDecoderBlock(width, hidden, heads, dropout, i) for i in range(layers))
        self.dense = nn.LazyLinear(vocab_size)

    def init_state(self, memory: Tensor, lengths: Tensor) -> list[Any]:
        return [memory, lengths, [None] * len(self.blocks)]

    def forward(self, words: Tensor, state: list[Any]) -> tuple[Tensor, list[Any]]:
        x = self.positions(self.embedding(words) * self.scale)
        self._weights: list[list[Tensor]] = [[], []]
        block: Any
        for block in self.blocks:
            x, state = block(x, state)
            self._weights[0].append(block.attention1.attention.attention_weights)
            self._weights[1].append(block.attention2.attention.attention_weights)
        return self.dense(x), state

    @property
    def attention_weights(self) -> list[list[Tensor]]:
        return self._weights


def bahdanau(source_vocabulary: int, target_vocabulary: int, *, width: int, layers: int, dropout: float) -> Translator:
    """D2L's model of section 11.4, initialized as in ``d2l.train_seq2seq``."""
    encoder = d2l.Seq2SeqEncoder(source_vocabulary, width, width, layers, dropout)
    return _initialized(Translator(encoder, BahdanauDecoder(target_vocabulary, width, width, layers, dropout)))


def transformer(
    source_vocabulary: int, target_vocabulary: int, *, width: int, hidden: int, heads: int, layers: int, dropout: float
) -> Translator:
    """D2L's model of section 11.7, initialized as in ``d2l.train_seq2seq``."""
    encoder = d2l.TransformerEncoder(source_vocabulary, width, hidden, heads, layers, dropout)
    decoder = TransformerDecoder(target_vocabulary, width, hidden, heads, layers, dropout)
    return _initialized(Translator(encoder, decoder))


def _initialized(model: Translator) -> Translator:
    words = torch.zeros(1, 2, dtype=torch.int64)
    model(words, words, torch.tensor([2]))  # lazy layers learn their sizes
    model.apply(d2l.init_seq2seq)
    return model


def load(pairs: Sequence[Pair], batch_size: int, num_steps: int) -> tuple[Any, Any, Any]:
    """Do what ``d2l.load_data_nmt`` does for given sentences; return the batches and the two vocabularies."""
    reserved = ["<pad>", "<bos>", "<eos>"]
    arrays, vocabularies = [], []
    for sentences in ([list(pair.source) for pair in pairs], [list(pair.target) for pair in pairs]):
        vocabulary = d2l.Vocab(sentences, min_freq=2, reserved_tokens=reserved)
        arrays += d2l.build_array_nmt(sentences, vocabulary, num_steps)
        vocabularies.append(vocabulary)
    return d2l.load_array(tuple(arrays), batch_size), *vocabularies


def train(
    model: Translator, batches: Any, target_vocabulary: Any, lr: float, device: str
) -> Iterator[tuple[float, int]]:
    """Train like ``d2l.train_seq2seq``, but without its live plot, which slows training down.

    Yields:
        after each epoch, without end: the sum of D2L's loss over the epoch, and the number of real target tokens.
    """
    model.to(device).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    loss = d2l.MaskedSoftmaxCELoss()
    while True:
        metric = d2l.Accumulator(2)
        for batch in batches:
            optimizer.zero_grad()
            source, source_lengths, target, target_lengths = (tensor.to(device) for tensor in batch)
            bos = torch.tensor([target_vocabulary["<bos>"]] * target.shape[0], device=device).reshape(-1, 1)
            logits, _ = model(source, torch.cat([bos, target[:, :-1]], 1), source_lengths)
            value = loss(logits, target, target_lengths)
            value.sum().backward()
            d2l.grad_clipping(model, 1)
            optimizer.step()
            with torch.no_grad():
                metric.add(value.sum(), target_lengths.sum())
        yield metric[0], int(metric[1])
