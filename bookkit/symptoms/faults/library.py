"""Planted faults: library pitfalls and half precision."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook import lengths_to_mask, record_attention
from bookkit.symptoms.faults.core import Names, message_of, planted


@planted
def multihead_attention_sees_padding(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(2, 5, 16)
    real = lengths_to_mask(torch.tensor([3, 4]), 5)  # (batch, keys): True = a real token
    key_padding_mask: Tensor | None = ~real
    if cause == "inverted":
        key_padding_mask = real
    if cause == "zeros and ones":
        key_padding_mask = (~real).float()
    if cause == "not passed":
        key_padding_mask = None
    weights = attention(x, x, x, key_padding_mask=key_padding_mask)[1]
    return locals()


@planted
def scaled_dot_product_sees_padding(cause: str | None) -> Names:
    q, k, v = torch.randn(3, 2, 1, 5, 8).unbind(0)
    real = lengths_to_mask(torch.tensor([3, 4]), 5)[:, None, None, :]  # True = a real token
    attn_mask = real
    if cause == "inverted":
        attn_mask = ~real
    if cause == "zeros and ones":
        attn_mask = real.float()
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
    changed = F.scaled_dot_product_attention(q, k, v.masked_fill(~real.mT, 100.0), attn_mask=attn_mask)
    return locals()


@planted
def weights_are_none(cause: str | None) -> Names:
    layer, x = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), torch.randn(1, 5, 16)
    calls: list[tuple[bool, Tensor | None]] = []

    def hook(module: nn.Module, args: Any, options: dict[str, Any], output: tuple[Tensor, Tensor | None]) -> None:
        calls.append((options.get("need_weights", True), output[1]))

    layer.self_attn.register_forward_hook(hook, with_kwargs=True)
    if cause == "inside a layer":
        layer(x)
    else:
        layer.self_attn(x, x, x)
    need_weights, weights = calls[-1]
    with record_attention(layer) as record:
        layer(x)
    recorded = next(iter(record.values()))
    return locals()


@planted
def output_attentions_are_missing(cause: str | None) -> Names:
    from transformers import GPT2Config, GPT2LMHeadModel

    implementation, output_attentions = "sdpa" if cause == "fused" else "eager", cause != "not requested"
    sizes: dict[str, Any] = {"vocab_size": 20, "n_positions": 16, "n_embd": 16, "n_layer": 1, "n_head": 2}
    model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=1)).eval()
    model.set_attn_implementation(implementation)
    attentions = model(torch.tensor([[0, 5, 6, 7]]), output_attentions=output_attentions).attentions
    return locals()


@planted
def transformer_output_depends_on_padding(cause: str | None) -> Names:
    model = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
    source, target = torch.randn(1, 5, 16), torch.randn(1, 3, 16)
    padding = torch.tensor([[False, False, False, True, True]])  # True = padding
    arguments = {"src_key_padding_mask": padding, "memory_key_padding_mask": padding}
    if cause == "memory mask missing":
        del arguments["memory_key_padding_mask"]
    if cause == "source mask missing":
        del arguments["src_key_padding_mask"]
    changed = torch.cat([source[:, :3], torch.randn(1, 2, 16)], 1)  # other padding
    output, of_changed = model(source, target, **arguments), model(changed, target, **arguments)
    return locals()


@planted
def transformer_decoder_sees_the_future(cause: str | None) -> Names:
    model, memory = nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, batch_first=True), torch.randn(1, 4, 16)
    target = torch.randn(1, 5, 16)
    arguments = {"tgt_mask": nn.Transformer.generate_square_subsequent_mask(5)}
    if cause == "no mask":
        del arguments["tgt_mask"]
    if cause == "triangle upside down":
        arguments["tgt_mask"] = torch.ones(5, 5).tril().bool()  # here True means hidden
    changed = torch.cat([target[:, :3], torch.randn(1, 2, 16)], 1)  # other tokens from position 3 on
    output, of_changed = model(target, memory, **arguments), model(changed, memory, **arguments)
    return locals()


@planted
def need_attn_mask_for_is_causal(cause: str | None) -> Names:
    attention, x, is_causal = nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(1, 5, 16), True
    attn_mask = None if cause == "mask missing" else nn.Transformer.generate_square_subsequent_mask(5)
    message = message_of(lambda: attention(x, x, x, attn_mask=attn_mask, is_causal=is_causal))
    return locals()


@planted
def eval_changes_padded_outputs(cause: str | None) -> Names:
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1 if cause == "dropout" else 0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=cause == "nested tensors")
    x, padding = torch.randn(2, 5, 16), ~lengths_to_mask(torch.tensor([3, 5]), 5)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # PyTorch announces that nested tensors are new
        in_training = encoder.train()(x, src_key_padding_mask=padding)
        in_use = encoder.eval()(x, src_key_padding_mask=padding)
    return locals()


@planted
def mismatched_masks(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(2, 5, 16)
    key_padding_mask = ~lengths_to_mask(torch.tensor([3, 5]), 5)
    attn_mask = torch.ones(5, 5, dtype=torch.bool).triu(1)
    if cause == "float and bool":
        attn_mask = nn.Transformer.generate_square_subsequent_mask(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attention(x, x, x, key_padding_mask=key_padding_mask, attn_mask=attn_mask)
    return locals()


@planted
def half_without_overflow(cause: str | None) -> Names:
    scores, hidden = torch.randn(4, 4).half(), torch.eye(4, dtype=torch.bool)
    fill = -1e9 if cause == "number too large" else torch.finfo(scores.dtype).min
    message = message_of(lambda: scores.masked_fill(hidden, fill))
    return locals()


@planted
def half_precision_nan(cause: str | None) -> Names:
    size = 60 if cause == "product too large" else 1
    query, key = (size * torch.ones(4, 64) + torch.randn(4, 64)).half(), (size * torch.ones(6, 64)).half()
    scores = query @ key.mT / 64**0.5
    if cause == "row without keys":
        scores[1] = float("-inf")
    weights = scores.softmax(-1)
    return locals()


@planted
def half_precision_gradients_are_zero(cause: str | None) -> Names:
    weight, x = torch.randn(8, 8), torch.randn(4, 8)
    scale = 1.0 if cause == "no loss scaling" else 2.0**14

    def gradient(dtype: torch.dtype, scale: float) -> Tensor:
        w = weight.to(dtype, copy=True).requires_grad_()
        loss = (x.to(dtype) @ w).float().mean() * 1e-7  # a small loss, as for one of many tokens
        return torch.autograd.grad(loss * scale, w)[0]

    half, full = gradient(torch.float16, scale), gradient(torch.float32, 1.0)
    return locals()


@planted
def bf16_weights_do_not_move(cause: str | None) -> Names:
    dtype = torch.bfloat16 if cause == "weights in bfloat16" else torch.float32
    weight = torch.ones(8, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1e-3)
    before = weight.detach().clone()
    for _ in range(20):
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.step()
    return locals()


@planted
def far_positions_are_equal(cause: str | None) -> Names:
    positions = torch.arange(600, dtype=torch.bfloat16 if cause == "positions in bfloat16" else torch.float32)
    angles = positions[:, None] * (10000 ** (-torch.arange(0, 16, 2) / 16)).to(positions.dtype)
    return locals()


@planted
def ported_weights_give_other_output(cause: str | None) -> Names:
    x, linear = torch.randn(5, 16), nn.Linear(16, 16, bias=False)
    angles = torch.arange(5)[:, None] * 100 ** (-torch.arange(8) / 8)

    def halves(x: Tensor) -> Tensor:
        """Rotary positions; entry i is paired with entry i + 8."""
        a, b = x[:, :8], x[:, 8:]
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)

    def neighbors(x: Tensor) -> Tensor:
        """Rotary positions; entry 2i is paired with entry 2i + 1."""
        a, b = x[:, ::2], x[:, 1::2]
        return torch.stack([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).flatten(1)

    original = halves(linear(x))
    weight = linear.weight.mT if cause == "matrix transposed" else linear.weight
    projected = x @ weight.mT
    output = neighbors(projected) if cause == "other rotary layout" else halves(projected)
    return locals()


@planted
def shorter_output_than_input(cause: str | None) -> Names:
    lengths = torch.tensor([2, 3])  # of two sentences that were padded to 5
    x, rnn = torch.randn(2, 5, 8), nn.GRU(8, 16, batch_first=True)
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    total_length = None if cause == "unpacked" else x.shape[1]
    memory, _ = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True, total_length=total_length)
    return locals()
