"""Every intermediate array of a Transformer, by torch, under the names that the page's trace has."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.models.transformer import AddNorm, FeedForward, Transformer
from attnbook.observe.recorder import record_attention


@torch.no_grad()
def arrays_of(model: Transformer, source: list[int], read: list[int]) -> dict[str, Tensor]:
    """Arrays of one sentence whose decoder reads ``read``, without a batch dimension.

    Scores and weights of the decoder's self-attention are whole rows: the causal mask leaves -inf and 0.
    """
    modules: dict[str, tuple[Tensor, Tensor]] = {}

    def keep(name: str) -> Any:
        def hook(_: nn.Module, inputs: tuple[Tensor, ...], output: Any) -> None:
            if isinstance(output, Tensor):
                modules[name] = (inputs[0][0], output[0])

        return hook

    handles = [module.register_forward_hook(keep(name)) for name, module in model.named_modules()]
    ids = torch.tensor([source])
    with record_attention(model) as record:
        state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
        logits = model.decode(torch.tensor([read]), state)[0][0]
    for handle in handles:
        handle.remove()
    found = {"head.input": modules["head"][0], "head.logits": logits}
    for side, table in (("source", model.source_embedding), ("target", model.target_embedding)):
        rows = table(torch.tensor(source if side == "source" else read))
        total = modules[f"{side}_positions"][1]
        scaled = rows * math.sqrt(rows.shape[1])
        found |= {f"{side}.embedding": rows, f"{side}.scaled": scaled}
        found |= {f"{side}.position": total - scaled, f"{side}.sum": total}
    for name, module in model.named_modules():
        if isinstance(module, MultiHeadAttention):
            found |= _attention(
                name, module, modules, record[name][0], causal=name.startswith("decoder.") and "self" in name
            )
        elif isinstance(module, FeedForward):
            found[f"{name}.input"], found[f"{name}.output"] = modules[f"{name}.W_1"][0], modules[f"{name}.W_2"][1]
            found[f"{name}.hidden"] = modules[f"{name}.W_2"][0]
        elif isinstance(module, AddNorm):
            before, after = modules[f"{name}.norm"]
            x = before if module.pre_norm else _input(name, modules)
            total = modules[name][1] if module.pre_norm else before
            found |= {
                f"{name}.input": x,
                f"{name}.normalized": after,
                f"{name}.sum": total,
                f"{name}.change": total - x,
            }
        elif name in ("encoder_norm", "decoder_norm") and isinstance(module, nn.LayerNorm):
            found[f"{name}.input"], found[f"{name}.normalized"] = modules[name]
    return found


def _input(name: str, modules: dict[str, tuple[Tensor, Tensor]]) -> Tensor:
    """What a post-norm `AddNorm` reads: the input of its sublayer."""
    layer, number = name.rsplit(".add_norm_", 1)
    sublayers = ["self_attention.W_q", "feed_forward.W_1"]
    if layer.startswith("decoder"):
        sublayers.insert(1, "cross_attention.W_q")
    return modules[f"{layer}.{sublayers[int(number) - 1]}"][0]


def _attention(
    name: str, module: MultiHeadAttention, modules: dict[str, tuple[Tensor, Tensor]], weights: Tensor, *, causal: bool
) -> dict[str, Tensor]:
    (x, q), (memory, k), (_, v) = (modules[f"{name}.{part}"] for part in ("W_q", "W_k", "W_v"))
    found = {f"{name}.input": x, f"{name}.memory": memory, f"{name}.v": v}
    found |= {f"{name}.q_unrotated": q, f"{name}.k_unrotated": k}
    found[f"{name}.mixed"], found[f"{name}.output"] = modules[f"{name}.W_o"]
    split = [
        each.unflatten(1, (module.num_heads, -1)).transpose(0, 1) for each in (q, k)
    ]  # (num_heads, length, head_dim)
    if module.rotary is not None:
        split = [module.rotary(each) for each in split]
    found[f"{name}.q"], found[f"{name}.k"] = (each.transpose(0, 1).flatten(1) for each in split)
    scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
    for head in range(module.num_heads):
        found |= {f"{name}.scores.{head}": scores[head], f"{name}.weights.{head}": weights[head]}
    return found
