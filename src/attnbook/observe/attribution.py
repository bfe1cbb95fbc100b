"""Attribution: attention weights scaled by value norms or gradients, and attention rollout through all layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._pytree import tree_map_only

from attnbook._internal.validate import check_floating, check_range, check_type
from attnbook.models.base import eval_mode, uncompiled
from attnbook.observe.explicit import MULTI_HEAD, multi_head_weights, scaled_dot_product_weights
from attnbook.observe.recorder import Calls, join_calls, own_random_state
from attnbook.observe.torch_attention import PRODUCT, SOFTMAX, factors, over_last_axis, used_weights
from attnbook.observe.tracer import Tracer


@dataclass(frozen=True)
class Traced:
    """One attention of a forward pass.

    Args:
        weights: ``(batch, num_heads, queries, keys)``.
        value: ``(batch, num_heads, keys, size)``.
        output: the result, part of the model's autograd graph.
        to_heads: maps the gradient of ``output`` to the gradient of ``weights @ value``.
    """

    weights: Tensor
    value: Tensor
    output: Tensor
    to_heads: Callable[[Tensor], Tensor]


def by_value_norms(weights: Tensor, value: Tensor) -> Tensor:
    r"""Weights times the norms of the values, normalized per row: :math:`\alpha_{ij} \lVert v_j \rVert`.

    A token with a large weight and a value near zero, such as a separator, gets a small share. Kobayashi et al. (2020,
    "Attention is Not Only a Weight", section 2) take the norm after the head's output projection. This function takes
    it before the projection, where every implementation has separate values.

    Args:
        weights: ``(..., queries, keys)``.
        value: ``(..., keys, size)``.

    Raises:
        ValueError: the number of values differs from the number of keys.
        TypeError: an argument is not a dense floating-point tensor.
    """
    check_floating(weights=weights, value=value)
    fits = value.dim() >= 2 and value.shape[-2:-1] == weights.shape[-1:]
    check_range("value.shape", tuple(value.shape), fits, f"(..., keys, size) for weights {tuple(weights.shape)}")
    return shares(weights * value.norm(dim=-1).unsqueeze(-2))


def by_gradient(weights: Tensor, gradient: Tensor) -> Tensor:
    r"""Weights times their gradient where the product is positive, normalized per row: :math:`(A \odot \nabla A)^+`.

    After Chefer et al. (2021, "Generic Attention-model Explainability", equation 5), who then take the mean over heads.

    Args:
        weights: ``(..., queries, keys)``.
        gradient: gradient of the explained number with respect to the weights, of the same shape.

    Raises:
        ValueError: the shapes differ.
        TypeError: an argument is not a dense floating-point tensor.
    """
    check_floating(weights=weights, gradient=gradient)
    fits = gradient.shape == weights.shape and weights.dim() >= 1
    check_range("gradient.shape", tuple(gradient.shape), fits, f"{tuple(weights.shape)}, the shape of weights")
    return shares((weights * gradient).clamp(min=0))


def rollout(layers: Sequence[Tensor]) -> list[Tensor]:
    r"""Attention rollout: how much of each input token reaches each row of a layer.

    .. math:: \tilde A_l \tilde A_{l-1} \cdots \tilde A_1

    :math:`\tilde A = (\bar A + I) / 2` is the mean over heads plus the residual connection, normalized per row
    (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3).

    Args:
        layers: self-attention ``(batch, num_heads, tokens, tokens)`` of each layer, first layer first.

    Returns:
        ``(batch, 1, tokens, tokens)`` for each layer.

    Raises:
        ValueError: ``layers`` is empty, a layer has another shape, or shapes or dtypes differ between layers.
        TypeError: a layer is not a dense floating-point tensor.
    """
    check_type("layers", layers, isinstance(layers, Iterable), "a sequence of tensors")
    layers = list(layers)
    check_floating(**{f"layers[{i}]": layer for i, layer in enumerate(layers)})
    shapes = [tuple(layer.shape) for layer in layers]
    squares = all(len(shape) == 4 and shape[1] > 0 and shape[2] == shape[3] for shape in shapes)
    if not squares or len({(shape[0], shape[2]) for shape in shapes}) != 1 or len({x.dtype for x in layers}) != 1:
        raise ValueError(f"layers must have the same dtype and shape (batch, num_heads, tokens, tokens), got {shapes}")
    found: list[Tensor] = []
    for layer in layers:
        mean = layer.mean(1, keepdim=True)
        mixed = shares(mean + torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device))
        found.append(mixed @ found[-1] if found else mixed)
    return found


def shares(rows: Tensor) -> Tensor:
    """Divide each row by its sum; rows of zeros stay zero."""
    total = rows.sum(-1, keepdim=True)
    return rows / total.where(total > 0, 1)


def logits_of(output: Any) -> Any:
    """Return the logits of a model's output: its ``logits``, the first item of a tuple, or the output itself."""
    first = output[0] if type(output) is tuple and output else output
    return first.get("logits") if isinstance(first, Mapping) else getattr(first, "logits", first)


def sum_of_largest_logits(output: Any) -> Tensor:
    """The sum of the largest logit at each position; ``logits_of`` finds the logits.

    Raises:
        ValueError: the output has no logits, or logits for no class.
        TypeError: the logits are not floating point.
    """
    logits = logits_of(output)
    if not isinstance(logits, Tensor):
        raise ValueError(
            f"model must return logits, got {type(output).__name__}; pass explain to reduce its output to a number"
        )
    check_floating(logits=logits)
    check_range("logits.shape", tuple(logits.shape), 0 not in logits.shape[-1:], "(..., at least one class)")
    total: Tensor = logits.amax(-1).sum()
    return total


def attribute(
    model: nn.Module, *inputs: Any, explain: Callable[[Any], Tensor] = sum_of_largest_logits, **keywords: Any
) -> dict[str, dict[str, Tensor]]:
    """Run a model forward and backward once in eval mode, and attribute its output to attention weights.

    Parameters, their gradients and the random state do not change.

    Args:
        model: any module that ``record_attention`` accepts.
        inputs: positional arguments of the model.
        explain: maps the model's output to the number that is differentiated.
        keywords: keyword arguments of the model.

    Returns:
        ``{"value norms": ..., "gradient": ...}``, each ``(batch, num_heads, queries, keys)`` by module name.

    Raises:
        ValueError: no attention was recorded, ``explain`` does not return one number that depends on the output, or
            the model was created in inference mode.
        TypeError: ``model`` is not an nn.Module, or ``explain`` is not callable.
        RuntimeError: a module multiplies weights and values of unknown shapes, or hides its weights.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be an nn.Module, got {type(model).__name__}")
    check_type("explain", explain, callable(explain), "callable")
    inner = uncompiled(model)
    if any(tensor.is_inference() for tensor in (*inner.parameters(), *inner.buffers())):
        raise ValueError("model must be made outside torch.inference_mode, which keeps no gradients")
    trace = _AttributionTracer(inner)
    with eval_mode(inner), own_random_state(inner), torch.inference_mode(False), torch.enable_grad():
        inputs, keywords = tree_map_only(Tensor, _recorded_by_autograd, (inputs, keywords))
        trace.start()
        try:
            output = inner(*inputs, **keywords)
        finally:
            trace.stop()
        if not trace.found:
            raise ValueError(f"model must contain attention that can be recorded, got {type(inner).__name__}")
        number = explain(output)
        if not (isinstance(number, Tensor) and number.numel() == 1 and number.requires_grad):
            got = f"shape {tuple(number.shape)}" if isinstance(number, Tensor) else repr(number)
            raise ValueError(f"explain must return one number that depends on the model's output, got {got}")
        outputs = [one.output for _, one in trace.found]
        gradients = torch.autograd.grad(number, outputs, allow_unused=True)
    norms, products = Calls(), Calls()
    with norms.of_one_pass(), products.of_one_pass():
        for (name, one), gradient in zip(trace.found, gradients, strict=True):
            back = torch.zeros_like(one.output) if gradient is None else gradient
            norms.add(name, by_value_norms(one.weights, one.value))
            products.add(name, by_gradient(one.weights, one.to_heads(back) @ one.value.mT))
    return {
        kind: {name: join_calls(parts, name) for name, parts in calls.items()}
        for kind, calls in (("value norms", norms), ("gradient", products))
    }


class _AttributionTracer(Tracer):
    """Keeps the weights, values and output of every attention."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model, lambda *_: None)
        self._unfused = True
        self._reported_by_module: tuple[str, Tensor] | None = None  # name and weights, from a module of this package
        self.found: list[tuple[str, Traced]] = []

    def call(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        with self._tracing(module):
            return nn.Module._wrapped_call_impl(module, *args, **kwargs)

    def report(self, name: str, weights: Tensor) -> None:
        self._reported_by_module = name, weights.detach()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if not torch.is_grad_enabled():  # another tracer is recomputing weights
            return result
        if func is F.multi_head_attention_forward:
            result = (_in_graph(result[0]), result[1])
            value, to_heads = _inside_multi_head(**MULTI_HEAD.bind(*args, **kwargs).arguments)
            self._keep(multi_head_weights(*args, **kwargs), value, result[0], to_heads)
        elif func is F.scaled_dot_product_attention:
            result = _in_graph(result)
            value = kwargs["value"] if "value" in kwargs else args[2]
            self._keep(scaled_dot_product_weights(*args, **kwargs), value, result)
        elif func in SOFTMAX and over_last_axis(result, *args[1:], **kwargs):
            self._softmax = result.detach().clone()
        elif func in PRODUCT and self._softmax is not None:
            given = list(factors(args, kwargs))
            used = used_weights(self._softmax, func, given)
            if used is not None:
                if not any(used is each for each in given[:-1]):
                    name = self.names[self._inside[-1]]
                    raise RuntimeError(f"{name} must pass the weights before the values to its product")
                weights, self._softmax = self._softmax, None
                result = _in_graph(result)
                self._keep(weights, given[-1], result)
        return result

    def _keep(
        self, weights: Tensor, value: Tensor, output: Tensor, to_heads: Callable[[Tensor], Tensor] = lambda g: g
    ) -> None:
        name = self.names[self._inside[-1]]
        if self._reported_by_module is not None:
            (name, weights), self._reported_by_module = self._reported_by_module, None
        if value.dim() == 3 and weights.dim() == 4 and weights.shape[1] == 1:  # attention without a head axis
            value, to_heads = value.unsqueeze(1), lambda gradient: gradient.unsqueeze(1)
        if value.dim() == 4 and value.shape[1] < weights.shape[1]:  # several heads share a value
            value = value.repeat_interleave(weights.shape[1] // value.shape[1], 1)
        if weights.dim() != 4 or to_heads(output.detach()).shape != (*weights.shape[:-1], value.shape[-1]):
            raise RuntimeError(
                f"{name} must multiply weights (batch, heads, queries, keys) by values (batch, heads, keys, size), got "
                f"{tuple(weights.shape)} and {tuple(value.shape)}"
            )
        self.found.append((name, Traced(weights, value.detach(), output, to_heads)))


def _in_graph(output: Tensor) -> Tensor:
    """The same tensor as part of an autograd graph, even if every parameter is frozen."""
    return output if output.requires_grad else output.detach().requires_grad_().clone()


def _recorded_by_autograd(tensor: Tensor) -> Tensor:
    """Copy a tensor that was created in inference mode, which autograd would reject."""
    return tensor.clone() if tensor.is_inference() else tensor


def _inside_multi_head(
    *, value: Tensor, num_heads: int, embed_dim_to_check: int, in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None, out_proj_weight: Tensor, v_proj_weight: Tensor | None = None,
    bias_v: Tensor | None = None, add_zero_attn: bool = False, static_v: Tensor | None = None, **_: Any,
) -> tuple[Tensor, Callable[[Tensor], Tensor]]:  # fmt: skip
    """The projected values of ``F.multi_head_attention_forward``, and the backward map of its output projection."""
    start = 2 * embed_dim_to_check
    weight = in_proj_weight[start:] if v_proj_weight is None and in_proj_weight is not None else v_proj_weight
    assert weight is not None

    def split(x: Tensor) -> Tensor:
        """(length, batch, width) -> (batch, heads, length, size)"""
        x = x if x.dim() == 3 else x.unsqueeze(1)
        heads: Tensor = x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3)
        return heads

    bias = None if in_proj_bias is None else in_proj_bias[start:]
    projected = F.linear(value, weight, bias)
    if bias_v is not None:  # a learned value after the others
        projected = torch.cat([projected, bias_v.reshape(1, -1).expand_as(projected[:1])])
    heads = split(projected)
    if static_v is not None:
        heads = static_v.unflatten(0, (-1, num_heads))
    if add_zero_attn:
        heads = F.pad(heads, (0, 0, 0, 1))
    return heads, lambda gradient: split(gradient @ out_proj_weight.detach())
