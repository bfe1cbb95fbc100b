"""Attention with several heads."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention
from bookkit.errata.core import Outcome, check, error_of, weights_of


def _split(x: Tensor, num_heads: int, size: int) -> Tensor:
    """(batch, length, d_model) -> (batch, heads, length, size), whatever the sizes are."""
    return x.reshape(x.shape[0], -1, num_heads, size).transpose(1, 2)


@check
def heads_that_do_not_divide_mix_positions() -> Outcome:
    """d_model 10 and 4 heads of size 10 // 4 on 4 tokens: change one token and see which positions change."""
    d_model, num_heads, length = 10, 4, 4
    value = torch.randn(1, length, d_model)
    heads = _split(value, num_heads, d_model // num_heads)
    changed = value.clone()
    changed[:, 1] += 1
    touched = (_split(changed, num_heads, d_model // num_heads) != heads).any(-1).any(1).squeeze(0)
    joined = heads.transpose(1, 2).reshape(1, -1, d_model)
    places = touched.nonzero().flatten().tolist()
    text = f"{length} tokens become {heads.shape[2]} positions, without an error; token 1 is in positions {places}."
    return Outcome(heads.shape[2] == 5 and len(places) > 1 and joined.shape == value.shape, text)


@check
def one_head_can_have_any_pattern() -> Outcome:
    """Reproduce a random table of weights by one head on one-hot words."""
    wanted = torch.rand(5, 5, dtype=torch.float64).softmax(-1)
    words = torch.eye(5, dtype=torch.float64)
    W_q, W_k = wanted.log() * math.sqrt(5), torch.eye(5, dtype=torch.float64)
    weights = ((words @ W_q) @ (words @ W_k).T / math.sqrt(5)).softmax(-1)
    error = float((weights - wanted).abs().max())
    return Outcome(error < 1e-12, f"One head reproduces a random table of 5 × 5 weights to within {error:.0e}.")


@check
def every_head_reads_the_whole_input() -> Outcome:
    """Count the input features that the queries of head 0 depend on."""
    module = MultiHeadAttention(8, 2)
    x = torch.randn(1, 3, 8, requires_grad=True)
    head = _split(module.W_q(x), 2, 4)[:, 0]
    (gradient,) = torch.autograd.grad(head.sum(), x)
    features = int((gradient[0, 0] != 0).sum())
    return Outcome(features == 8, f"Head 0 of 2 depends on {features} of 8 features.")


@check
def values_of_the_list_of_heads_are_not_smaller() -> Outcome:
    """A list of two heads, with the note's shapes and with the paper's."""
    x, num_heads = torch.rand(5, 4), 2

    def joined(value_size: int) -> Tensor:
        heads = []
        for _ in range(num_heads):
            q, k, v = x @ torch.rand(4, 2), x @ torch.rand(4, 2), x @ torch.rand(4, value_size)
            heads.append((q @ k.T / math.sqrt(2)).softmax(-1) @ v)
        return torch.cat(heads, -1)

    notes, paper = joined(4).shape[1], joined(4 // num_heads).shape[1]
    return Outcome(
        (notes, paper) == (8, 4), f"Concatenated, the heads have {notes} features; with values of size d / h, {paper}."
    )


@check
def outputs_are_joined_and_not_weights() -> Outcome:
    """Compare the inputs of W_o with the shape of the weights."""
    module, x = MultiHeadAttention(8, 2), torch.randn(1, 5, 8)
    weights = weights_of(module, x, x, x)
    columns = weights.shape[-1]
    text = f"W_o takes {module.W_o.in_features} features (2 outputs of 4); a head's weights have {columns} columns."
    return Outcome(module.W_o.in_features == 8 and columns == 5, text)


@check
def the_output_matrix_is_shared() -> Outcome:
    """One W_o times all heads is the sum of its blocks times each head."""
    module, heads = MultiHeadAttention(8, 2, bias=False), torch.randn(3, 2, 4)
    whole = module.W_o(heads.flatten(1))
    blocks = sum(heads[:, i] @ module.W_o.weight[:, 4 * i : 4 * i + 4].T for i in range(2))
    assert isinstance(blocks, Tensor)
    text = f"There is one matrix of shape {tuple(module.W_o.weight.T.shape)}; each head has 4 of its rows."
    return Outcome(torch.allclose(whole, blocks, atol=1e-6), text)


@check
def several_heads_look_at_themselves_as_one_does() -> Outcome:
    """Mean weight that a word gives itself, in 50 fresh layers with one head and with eight."""
    x, means = torch.randn(1, 10, 64), []
    for num_heads in (1, 8):
        own = [weights_of(MultiHeadAttention(64, num_heads), x, x, x).diagonal(dim1=-2, dim2=-1) for _ in range(50)]
        means.append(float(torch.stack([weights.mean() for weights in own]).mean()))
    text = f"The mean weight of a word on itself, of ten: {means[0]:.3f} with one head, {means[1]:.3f} with eight."
    return Outcome(abs(means[0] - means[1]) < 0.02, text)


@check
def the_code_does_not_print_such_an_output() -> Outcome:
    """A thousand fresh layers on uniform input, as in the note."""
    largest, one_sign = [], 0
    for _ in range(1000):
        x = torch.rand(2, 5, 8)
        module = MultiHeadAttention(8, 2)
        output = module(x, x, x)
        largest.append(float(output.detach().abs().max()))
        one_sign += bool((output > 0).all() or (output < 0).all())
    spread = f"between {min(largest):.2f} and {max(largest):.2f}"
    text = f"In 1000 runs, the largest absolute value was {spread}, and all 80 had the same sign in {one_sign} runs"
    ends = "grad_fn" in repr(output)
    return Outcome(one_sign < 20 and min(largest) > 0.08 and ends, f"{text}; the printed tensor names its grad_fn.")


@check
def an_untrained_layer_takes_the_mean() -> Outcome:
    """Entropy of the weights of fresh layers on uniform input, relative to that of equal weights."""
    shares = []
    for _ in range(50):
        x = torch.rand(2, 5, 8)
        weights = weights_of(MultiHeadAttention(8, 2), x, x, x)
        shares.append(float(-(weights * weights.log()).sum(-1).mean()) / math.log(5))
    mean = sum(shares) / len(shares)
    return Outcome(mean > 0.98, f"In 50 runs, the mean entropy of the weights is {mean:.1%} of that of equal weights.")


@check
def a_printed_module_tests_nothing() -> Outcome:
    """Build and print a module whose forward is wrong."""

    class Broken(MultiHeadAttention):
        def forward(self, *args: object, **kwargs: object) -> Tensor:  # type: ignore[override]
            raise RuntimeError("wrong")

    module = Broken(8, 2).eval()
    printed = repr(module)
    name = error_of(lambda: module(torch.ones(1, 2, 8)))
    return Outcome("W_q" in printed and bool(name), f"The broken module prints its layers; calling it raises a {name}.")
