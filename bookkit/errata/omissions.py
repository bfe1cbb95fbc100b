"""What the notes leave out, and its consequences."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import sinusoidal_table
from bookkit.errata.core import Outcome, check, rounded


def _attend(x: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention of rows to themselves, without projections."""
    return F.scaled_dot_product_attention(x, x, x, mask)


@check
def attention_without_positions_permutes() -> Outcome:
    """A layer of attention, on words in two orders."""
    layer, x, order = MultiHeadAttention(8, 2), torch.randn(1, 5, 8), torch.tensor([3, 0, 4, 1, 2])
    codes = sinusoidal_table(5, 8)
    with torch.no_grad():
        bare, placed = (
            float(
                (layer(y[:, order] + p, y[:, order] + p, y[:, order] + p) - layer(y + p, y + p, y + p)[:, order])
                .abs()
                .max()
            )
            for y, p in ((x, torch.zeros_like(codes)), (x, codes))
        )
    text = f"Permuted words give permuted outputs to within {bare:.0e}; with positions they differ by {placed:.2f}."
    return Outcome(bare < 1e-6 and placed > 0.01, text)


@check
def batch_norm_folds_into_the_layer_before_it() -> Outcome:
    """Merge a batch normalization into the linear layer before it."""
    linear, norm, x = nn.Linear(6, 4), nn.BatchNorm1d(4), torch.randn(32, 6)
    with torch.no_grad():
        for _ in range(20):
            norm(linear(torch.randn(64, 6)))  # sets the running statistics
        norm.eval()
        assert norm.running_var is not None and norm.running_mean is not None
        factor = norm.weight / (norm.running_var + norm.eps).sqrt()
        folded = nn.Linear(6, 4)
        folded.weight.copy_(factor[:, None] * linear.weight)
        folded.bias.copy_(factor * (linear.bias - norm.running_mean) + norm.bias)
        gap = float((folded(x) - norm(linear(x))).abs().max())
    return Outcome(gap < 1e-5, f"One linear layer gives the same result as both, to within {gap:.0e}.")


@check
def random_weights_are_not_learned() -> Outcome:
    """Check whether the matrices can be trained, and the sign of the scores."""
    x, W_q, W_k = torch.rand(5, 4), torch.rand(4, 4), torch.rand(4, 4)
    least = float(((x @ W_q) @ (x @ W_k).T / 2).min())
    text = f"No matrix requires a gradient, and the smallest of 25 scores is {least:.2f}."
    return Outcome(not (W_q.requires_grad or W_k.requires_grad) and least > 0, text)


@check
def one_matrix_shifts_all_positions() -> Outcome:
    """Apply one rotation by three positions everywhere; and find a map between two random vectors."""
    size, places = 16, torch.arange(100, dtype=torch.float64)
    rates = 10000 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = places[:, None] * rates
    codes = torch.stack((angles.sin(), angles.cos()), -1)  # (positions, pairs, 2)
    cos, sin = (3 * rates).cos(), (3 * rates).sin()
    turn = torch.stack((torch.stack((cos, -sin), -1), torch.stack((sin, cos), -1)), -2)  # (pairs, 2, 2)
    off = float((torch.einsum("npi,pij->npj", codes[:-3], turn) - codes[3:]).abs().max())
    one, other = torch.randn(2, 1, size, dtype=torch.float64)
    trivial = float((one @ (torch.linalg.pinv(one) @ other) - other).abs().max())
    text = f"One rotation of each pair moves all of 97 positions by three, to within {off:.0e}."
    return Outcome(off < 1e-12 and trivial < 1e-9, f"{text} A linear map between two random vectors exists too.")


@check
def a_causal_row_sees_itself_and_no_later_input() -> Outcome:
    """Which inputs change the output of each row."""
    x = torch.randn(1, 5, 4)
    mask = causal_mask(5)
    with torch.no_grad():
        before = _attend(x, mask)
        seen = []
        for i in range(5):
            changed = x.clone()
            changed[0, i] += 1
            seen.append((_attend(changed, mask) - before).abs().amax(-1)[0] > 0)
    table = torch.stack(seen).T  # (row, input)
    return Outcome(
        torch.equal(table, torch.ones(5, 5).tril().bool()),
        "Row i changes with inputs up to and including i, and with no later one.",
    )


@check
def without_projections_scores_are_symmetric() -> Outcome:
    """Score unit vectors against each other."""
    x = F.normalize(torch.randn(6, 16), dim=-1)
    scores = x @ x.T
    itself = torch.equal(scores.argmax(-1), torch.arange(6))
    symmetric = torch.allclose(scores, scores.T, rtol=0, atol=1e-6)  # bits may differ: the sum's order may
    return Outcome(symmetric and itself, "Scores are symmetric, and each row scores itself highest.")


@check
def the_last_query_needs_no_mask() -> Outcome:
    """Compare the last row of causal attention with a single query that sees all keys."""
    q, k, v = (torch.randn(1, 7, 4) for _ in range(3))
    whole = F.scaled_dot_product_attention(q, k, v, causal_mask(7))[:, -1:]
    gap = float((whole - F.scaled_dot_product_attention(q[:, -1:], k, v)).abs().max())
    return Outcome(gap < 1e-6, f"A single query that sees all keys gives the masked row, to within {rounded(gap)}.")


@check
def a_cache_of_inputs_projects_anew() -> Outcome:
    """Count the rows that are projected to keys while ten tokens are generated."""
    rows = {}
    for name in ("inputs", "keys"):
        layer, kept, count = nn.Linear(4, 4), torch.empty(0, 4), 0
        for _ in range(10):
            new = torch.randn(1, 4)
            projected = torch.cat((kept, new)) if name == "inputs" else new
            count += layer(projected).shape[0]
            kept = torch.cat((kept, new))
        rows[name] = count
    text = f"For ten tokens, {rows['inputs']} rows are projected if inputs are cached, {rows['keys']} if keys are."
    return Outcome(rows["inputs"] == 55 and rows["keys"] == 10, text)


@check
def a_second_chunk_sees_the_wrong_tokens() -> Outcome:
    """Pass six tokens at once, and as four and two with lengths that restart at 1."""
    x = torch.randn(1, 6, 4)
    whole = _attend(x, causal_mask(6))[:, 4:]
    from_one, from_past = (
        torch.arange(6) < torch.arange(start, start + 2)[:, None]  # (queries, keys)
        for start in (1, 5)
    )
    wrong, right = (
        float((F.scaled_dot_product_attention(x[:, 4:], x, x, mask) - whole).abs().max())
        for mask in (from_one, from_past)
    )
    text = f"The two rows are off by {wrong:.2f}; if the lengths continue from the first four, by {rounded(right)}."
    return Outcome(wrong > 0.1 and right < 1e-6, text)


@check
def undivided_scores_spread_the_gradient_of_a_query() -> Outcome:
    """Norms of the gradient of a query, over many rows of random vectors with d = 1024."""
    d, sizes = 1024, {}
    for name, divisor in (("undivided", 1.0), ("divided", math.sqrt(d))):
        query = torch.randn(400, 1, d, requires_grad=True)
        key, value = torch.randn(400, 8, d), torch.randn(400, 8, 1)
        (((query @ key.mT) / divisor).softmax(-1) @ value).sum().backward()
        assert query.grad is not None
        sizes[name] = query.grad.flatten(1).norm(dim=1)
    text = "; ".join(
        f"{name}: median {float(size.median()):.0e}, largest {float(size.max()):.2f}" for name, size in sizes.items()
    )
    undivided, divided = sizes["undivided"], sizes["divided"]
    spread = float(undivided.max() / undivided.median()) > 100 * float(divided.max() / divided.median())
    return Outcome(spread, f"Norm of the gradient of a query: {text}.")
