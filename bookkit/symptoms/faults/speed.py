"""Planted faults: speed and memory. They count sizes and calls; a clock would make the checks depend on the machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakSet

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook import Transformer, causal_mask
from attnbook.attention.causal import GroupedAttention
from attnbook.data import BOS
from bookkit.symptoms.faults.core import Names, message_of, planted


def saved_for_backward(call: Callable[[], object]) -> list[int]:
    """The number of entries of every tensor that a call saves for its backward pass."""
    sizes: list[int] = []

    def pack(tensor: Tensor) -> Tensor:
        sizes.append(tensor.numel())
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        call()
    return sizes


@planted
def mask_needs_memory(cause: str | None) -> Names:
    batch, heads, n = 2, 4, 64
    q = torch.randn(batch, heads, n, 8, requires_grad=True)
    mask: Tensor = causal_mask(n)
    if cause == "learned bias":
        mask = torch.zeros(n, n, requires_grad=True)
    if cause == "one per head":
        mask = mask.expand(batch, heads, n, n).contiguous()
    saved = saved_for_backward(lambda: F.scaled_dot_product_attention(q, q, q, attn_mask=mask))
    return locals()


@planted
def slower_after_a_mask(cause: str | None) -> Names:
    q, mask = torch.randn(2, 4, 16, 8, requires_grad=True), causal_mask(16)[None, None]  # four axes
    dropout_p = 0.1 if cause == "dropout" else 0.0
    if cause == "three axes":
        mask = mask[0]
    if cause == "learned bias":
        mask = torch.zeros(1, 1, 16, 16, requires_grad=True)

    def fused() -> Tensor:
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in your own code, read them: they give the reason
            return F.scaled_dot_product_attention(q, q, q, attn_mask=mask, dropout_p=dropout_p)

    message = message_of(fused)
    return locals()


@planted
def out_of_memory_for_long_texts(cause: str | None) -> Names:
    attention, project = nn.MultiheadAttention(16, 2, batch_first=True), nn.Linear(16, 16)

    def by_library(x: Tensor) -> tuple[Tensor, Tensor | None]:
        output, weights = attention(x, x, x, need_weights=cause == "weights returned")
        return output, weights

    def by_hand(x: Tensor) -> tuple[Tensor, Tensor | None]:
        return (project(x) @ x.mT / 4).softmax(-1) @ x, None

    attend = by_hand if cause == "written by hand" else by_library
    saved = {}  # entries saved for the backward pass, by length
    for n in (64, 128, 256):
        x = torch.randn(1, n, 16)
        saved[n] = sum(saved_for_backward(partial(attend, x)))
    return locals()


@planted
def memory_grows_with_every_step(cause: str | None) -> Names:
    class Held:
        """Stands for a tensor that the graph holds."""

        def __init__(self, tensor: Tensor) -> None:
            self.tensor = tensor

    model, attention = nn.Linear(16, 16), nn.MultiheadAttention(16, 2, batch_first=True)
    alive: WeakSet[Held] = WeakSet()
    counts, losses, maps = [], [], []

    def pack(tensor: Tensor) -> Held:
        held = Held(tensor.detach())
        alive.add(held)
        return held

    for _ in range(5):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda held: held.tensor):
            x = model(torch.randn(2, 5, 16))
            output, weights = attention(x, x, x)
            loss = output.square().mean()
        losses.append(loss if cause == "losses kept" else loss.item())
        maps.append(weights if cause == "weights kept" else weights.detach())
        del x, output, weights, loss
        counts.append(len(alive))  # saved tensors that are still in memory
    return locals()


@planted
def evaluation_needs_memory(cause: str | None) -> Names:
    model, batch = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)).eval(), torch.randn(8, 16)
    result: list[Tensor] = []

    def evaluate() -> None:
        with torch.set_grad_enabled(cause == "no no_grad"):
            result.append(model(batch))

    saved = saved_for_backward(evaluate)
    logits = result[0]
    return locals()


@planted
def every_token_is_slower(cause: str | None) -> Names:
    model = Transformer(24, 24, d_model=16, num_heads=2, d_ff=32, num_layers=1).eval()
    source, written, rows, reads = torch.tensor([[5, 6, 7]]), [BOS], [], []
    layer: Any = model.decoder[0]
    layer.feed_forward.register_forward_hook(lambda m, args, output: rows.append(args[0].shape[1]))
    model.encoder[0].register_forward_hook(lambda m, args, output: reads.append(1))
    with torch.no_grad():
        start = state = model.encode(source)
        for _ in range(8):
            fed, before = written[-1:], state
            if cause == "no cache":
                fed, before = written, start
            if cause == "source read again":
                fed, before = written[-1:], replace(state, memory=model.encode(source).memory)
            logits, state = model.decode(torch.tensor([fed]), before)
            written.append(int(logits[0, -1].argmax()))
    return locals()


@planted
def shared_heads_save_nothing(cause: str | None) -> Names:
    layer, num_heads, num_groups = GroupedAttention(32, 8, 2), 8, 2
    x = torch.randn(1, 10, 32)
    cache = layer(x)[1]
    if cause == "repeated before caching":
        cache = (cache[0].repeat_interleave(4, 1), cache[1].repeat_interleave(4, 1))
    if cause == "no groups":
        num_groups, layer = 8, GroupedAttention(32, 8, 8)
        cache = layer(x)[1]
    entries = cache[0].numel()  # of the keys
    of_all_heads = 10 * 32
    return locals()


@planted
def output_layer_needs_memory(cause: str | None) -> Names:
    features, out = torch.randn(2, 50, 16), nn.Linear(16, 1000)
    logits = out(features if cause == "all positions" else features[:, -1:])
    chosen = logits[:, -1].argmax(-1)  # all that writing needs
    return locals()


@planted
def more_memory_than_the_model(cause: str | None) -> Names:
    model = nn.Linear(32, 32)
    optimizer = (torch.optim.SGD if cause is None else torch.optim.Adam)(model.parameters(), lr=0.1)
    model(torch.randn(4, 32)).sum().backward()
    optimizer.step()
    parameters = sum(p.numel() for p in model.parameters())
    kept = sum(v.numel() for state in optimizer.state.values() for v in state.values() if torch.is_tensor(v))
    return locals()
