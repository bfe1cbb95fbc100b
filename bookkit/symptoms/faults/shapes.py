"""Planted faults: shapes and masks."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook import MultiHeadAttention, causal_mask, lengths_to_mask, masked_softmax
from bookkit.symptoms.faults.core import Names, message_of, planted


@planted
def padding_gets_weight(cause: str | None) -> Names:
    mask = lengths_to_mask(torch.tensor([3, 5]), 5)  # (batch, keys): True = a real token
    scores = torch.randn(2, 5, 5)  # (batch, queries, keys)
    plain = scores.softmax(-1)
    allowed = mask[:, None, :].expand(2, 5, 5)
    if cause == "no mask":
        allowed = torch.ones_like(allowed)
    if cause == "inverted":
        allowed = ~allowed
    if cause == "wrong axis":
        allowed = mask[:, :, None].expand(2, 5, 5)  # hides rows, not columns
    weights = masked_softmax(scores, allowed)
    return locals()


@planted
def mask_seems_ignored(cause: str | None) -> Names:
    allowed = causal_mask(5)  # (queries, keys): True = may attend
    plain = 6 * torch.randn(5, 5)
    scores = plain.masked_fill(~allowed, float("-inf"))
    if cause == "not assigned":
        scores = plain.clone()
        scores.masked_fill(~allowed, float("-inf"))  # returns a new tensor, which is dropped
    if cause == "zeros and ones added":
        scores = plain + allowed.float()
    if cause == "number too small":
        scores = plain.masked_fill(~allowed, -3.0)
    weights = scores.softmax(-1)
    return locals()


@planted
def rows_do_not_sum_to_one(cause: str | None) -> Names:
    mask = lengths_to_mask(torch.tensor([3, 5]), 5)[:, None, :]
    dropout = nn.Dropout(0.5).train(cause == "dropout")
    scores = torch.randn(2, 5, 5)
    plain = scores.softmax(-1)
    if cause == "wrong axis":
        weights = scores.softmax(1)
    elif cause == "mask after the softmax":
        weights = plain * mask
    else:
        weights = dropout(masked_softmax(scores, mask))
    return locals()


@planted
def nan_in_the_output(cause: str | None) -> Names:
    lengths = torch.tensor([0, 5] if cause == "empty sentence" else [3, 5])
    real = lengths_to_mask(lengths, 5)
    if cause == "padding on the left":
        real = real.flip(1)
    allowed = real[:, None, :] & causal_mask(5)  # (batch, queries, keys)
    if cause == "queries of padding hidden":
        allowed = allowed & real[:, :, None]
    if cause == "inverted":
        allowed = ~real[:, None, :].expand(2, 5, 5)
    weights = torch.randn(2, 5, 5).masked_fill(~allowed, float("-inf")).softmax(-1)
    return locals()


@planted
def nan_gradient_finite_output(cause: str | None) -> Names:
    raw = torch.randn(2, 4)
    if cause == "square root of zero":
        raw[0] = 0
    raw.requires_grad_()
    x = raw / (1 + raw.pow(2).sum(-1, keepdim=True)).sqrt()
    if cause == "square root of zero":
        x = raw / (1 + raw.pow(2).sum(-1, keepdim=True).sqrt())
    scores = x @ x.mT
    if cause == "repaired afterwards":
        scores = scores + torch.tensor([[float("-inf")] * 2, [0.0, 0.0]])  # the first row has no key left
    weights = scores.softmax(-1)
    output = torch.where(weights.isnan(), 0.0, weights) @ torch.arange(2.0)
    (gradient,) = torch.autograd.grad(output.sum(), raw)
    return locals()


@planted
def sentences_mix(cause: str | None) -> Names:
    x = torch.randn(2, 5, 16)  # (batch, length, d_model)
    layer = nn.MultiheadAttention(16, 2, batch_first=cause is None)

    def arranged(x: Tensor) -> Tensor:
        """What the layer is given."""
        return x.reshape(5, 2, 16) if cause == "reshape for transpose" else x

    def run(x: Tensor) -> Tensor:
        fed = arranged(x)
        output: Tensor = layer(fed, fed, fed)[0]
        return output.reshape(2, 5, 16)

    changed = torch.cat([x[:1], torch.randn(1, 5, 16)])  # another second sentence
    fed = arranged(x)
    difference = (run(x) - run(changed))[0].abs().max()  # of the first sentence
    return locals()


@planted
def future_leaks(cause: str | None) -> Names:
    head_dim, length = 4, 6
    allowed = causal_mask(length)
    if cause == "no causal mask":
        allowed = torch.ones_like(allowed)
    if cause == "one diagonal too many":
        allowed = torch.ones(length, length).tril(diagonal=1).bool()
    project = nn.Linear(8, 8)

    def split(x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, heads, length, head_dim)"""
        if cause == "heads cut with view":
            return x.view(1, 2, length, head_dim)
        return x.view(1, length, 2, head_dim).transpose(1, 2)

    def run(x: Tensor) -> Tensor:
        heads = split(project(x))
        return F.scaled_dot_product_attention(heads, heads, heads, attn_mask=allowed).transpose(1, 2).flatten(2)

    x = torch.randn(1, length, 8)
    changed = torch.cat([x[:, :3], torch.randn(1, 3, 8)], 1)  # other tokens from position 3 on
    projected = project(x)
    heads = split(projected)
    difference = (run(x) - run(changed))[:, :3].abs().max()  # of the outputs before position 3
    return locals()


@planted
def view_size_is_not_compatible(cause: str | None) -> Names:
    heads = torch.randn(2, 4, 5, 8).transpose(1, 2)  # (batch, heads, length, head_dim) -> (batch, length, heads, ...)
    if cause is None:
        heads = heads.contiguous()
    message = message_of(lambda: heads.view(2, 5, 32))
    return locals()


@planted
def shape_of_attn_mask(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(3, 5, 16)
    padding = ~lengths_to_mask(torch.tensor([3, 5, 4]), 5)  # (batch, keys): True = padding
    attn_mask: Tensor | None = None
    key_padding_mask: Tensor | None = padding
    if cause == "padding mask":
        attn_mask, key_padding_mask = padding, None
    if cause == "one per sentence":
        attn_mask, key_padding_mask = padding[:, None, :].expand(3, 5, 5), None
    if cause == "sequence first":
        attention = nn.MultiheadAttention(16, 2)
        attn_mask, key_padding_mask = torch.ones(5, 5, dtype=torch.bool).triu(1), None
    message = message_of(lambda: attention(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask))
    return locals()


@planted
def mat1_and_mat2(cause: str | None) -> Names:
    rnn = nn.GRU(8, 16, batch_first=True, bidirectional=cause == "two directions")
    layer, num_heads, head_dim = nn.Linear(16, 16), 4, 4
    fed = rnn(torch.randn(2, 5, 8))[0]
    if cause == "heads not joined":
        fed = fed.view(2, 5, num_heads, head_dim)
    message = message_of(lambda: layer(fed))
    return locals()


@planted
def wrong_only_in_batches(cause: str | None) -> Names:
    lengths, heads = torch.tensor([2, 4, 3]), 2
    x = torch.randn(3, 4, 8)
    folded = lengths.repeat_interleave(heads)  # one length per sentence and head
    if cause == "repeat":
        folded = lengths.repeat(heads)
    if cause == "mask of the first sentence":
        folded = lengths[:1].expand(3 * heads)
    mask = lengths_to_mask(folded, 4)  # (batch * heads, keys)

    def attend(x: Tensor, mask: Tensor) -> Tensor:
        split = x.view(len(x), -1, heads, 4).transpose(1, 2).flatten(0, 1)  # (batch * heads, length, 4)
        out = F.scaled_dot_product_attention(split, split, split, attn_mask=mask[:, None, :])
        return out.view(len(x), heads, -1, 4).transpose(1, 2).flatten(2)

    together = attend(x, mask)
    alone = [attend(x[i : i + 1, :n], torch.ones(heads, int(n), dtype=torch.bool)) for i, n in enumerate(lengths)]
    return locals()


@planted
def recurrent_state_of_padding(cause: str | None) -> Names:
    lengths = torch.tensor([2, 5])
    x, rnn = torch.randn(2, 5, 8), nn.GRU(8, 16, batch_first=True)
    fed: Tensor | nn.utils.rnn.PackedSequence = x
    if cause is None:
        fed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    hidden = rnn(fed)[1][-1]  # (batch, hidden): the state that starts the decoder
    outputs = rnn(x)[0]
    alone = rnn(x[:1, :2])[1][-1]
    return locals()


@planted
def left_padding_changes_output(cause: str | None) -> Names:
    words, positions = nn.Embedding(20, 16), nn.Embedding(8, 16)
    attention = MultiHeadAttention(16, 2)
    ids = torch.tensor([[0, 0, 5, 6, 7], [8, 9, 5, 6, 7]])  # padding on the left
    mask = ids != 0
    places = (mask.cumsum(1) - 1).clamp(min=0)
    if cause == "positions count padding":
        places = torch.arange(5).expand(2, 5)
    if cause == "padding not masked":
        mask = torch.ones_like(mask)
    x = words(ids) + positions(places)
    together = attention(x, x, x, mask[:, None, :])
    short = words(ids[:1, 2:]) + positions(torch.arange(3))
    alone = attention(short, short, short)
    return locals()


@planted
def word_order_does_not_matter(cause: str | None) -> Names:
    words, table = nn.Embedding(20, 16)(torch.randint(0, 20, (5, 6))), torch.randn(6, 16)
    added = table.expand(5, 6, 16)
    if cause == "no positions":
        added = torch.zeros(5, 6, 16)
    if cause == "along the batch":
        added = table[:5, None, :].expand(5, 6, 16)  # (length, 1, d_model) was written for length first
    x, order = words + added, torch.tensor([5, 0, 3, 1, 4, 2])
    permuted = words[:, order] + added
    attention = MultiHeadAttention(16, 2)
    output, of_permuted = attention(x, x, x), attention(permuted, permuted, permuted)
    return locals()


@planted
def tensors_on_different_devices(cause: str | None) -> Names:
    class Positions(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            if cause == "plain attribute":
                self.table = torch.randn(8, 16)
            else:
                self.register_buffer("table", torch.randn(8, 16))

        def forward(self, x: Tensor) -> Tensor:
            return x + self.table[: x.shape[1]]

    model = Positions().to("meta")  # stands in for a GPU
    x = torch.randn(2, 5, 16, device="cpu" if cause == "input not moved" else "meta")
    return locals()


@planted
def double_and_float(cause: str | None) -> Names:
    layer = nn.Linear(4, 4)
    x = torch.from_numpy(torch.randn(2, 4).double().numpy())  # NumPy computes in float64
    if cause is None:
        x = x.float()
    message = message_of(lambda: layer(x))
    return locals()


@planted
def expected_target_size(cause: str | None) -> Names:
    logits, target = torch.randn(2, 5, 10), torch.randint(0, 10, (2, 5))  # (batch, length, classes)
    fed = logits if cause == "classes last" else logits.transpose(1, 2)
    message = message_of(lambda: F.cross_entropy(fed, target))
    return locals()


@planted
def embed_dim_must_be_divisible(cause: str | None) -> Names:
    d_model, num_heads = 64, 5 if cause == "no whole head" else 4
    message = message_of(lambda: nn.MultiheadAttention(d_model, num_heads))
    return locals()
