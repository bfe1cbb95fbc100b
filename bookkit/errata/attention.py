"""Scores, weights and masks."""

from __future__ import annotations

import math

import torch

from attnbook.attention.masks import causal_mask, lengths_to_mask, masked_softmax
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention
from bookkit.errata.core import Outcome, check, error_of, weights_of

# Scores and weights


@check
def large_scores_make_the_softmax_gradient_vanish() -> Outcome:
    """The largest entry of the softmax's Jacobian, for the products of longer and longer vectors."""
    largest = []
    for d in (1, 16, 256, 4096):
        query, key = torch.randn(200, d, dtype=torch.float64), torch.randn(200, 8, d, dtype=torch.float64)
        p = (key @ query.unsqueeze(-1)).squeeze(-1).softmax(-1)
        jacobian = p.diag_embed() - p.unsqueeze(-1) * p.unsqueeze(-2)
        largest.append(jacobian.abs().amax((-1, -2)))
    medians = [float(entry.median()) for entry in largest]
    bounded = max(float(entry.max()) for entry in largest) <= 0.25 + 1e-12
    text = "Median of the Jacobian's largest entry for d = 1, 16, 256, 4096: " + ", ".join(f"{m:.1e}" for m in medians)
    return Outcome(bounded and medians[-1] < 0.01 * medians[0], f"{text}. None of them is above 1/4.")


@check
def weights_sum_to_one() -> Outcome:
    """For any scores, so the sum of the weights carries no information."""
    sums = (10 * torch.randn(100, 7)).softmax(-1).sum(-1)
    return Outcome(torch.allclose(sums, torch.ones(100)), "In 100 rows of random scores, all weights sum to 1.")


@check
def values_do_not_change_the_weights() -> Outcome:
    """Compute weights with two different sets of values."""
    query, key = torch.randn(1, 3, 8), torch.randn(1, 5, 8)
    module = DotProductAttention()
    values = [torch.randn(1, 5, 4), torch.randn(1, 5, 4)]
    same = torch.equal(*[weights_of(module, query, key, value) for value in values])
    outputs = [module(query, key, value) for value in values]
    text = "With different values, the weights are the same. The outputs differ; their size is that of the values."
    return Outcome(same and not torch.equal(*outputs) and outputs[0].shape == (1, 3, 4), text)


@check
def every_value_enters_the_mean() -> Outcome:
    """The smallest weight, and the output compared with the values."""
    query, key, value = torch.randn(1, 1, 8), torch.randn(1, 5, 8), torch.eye(5).unsqueeze(0)
    output = DotProductAttention()(query, key, value).squeeze()
    nearest = float((value.squeeze() - output).norm(dim=1).min())
    shares = ", ".join(f"{share:.2f}" for share in output.tolist())
    text = f"Five values get the weights {shares}; the distance from the output to the nearest value is {nearest:.2f}."
    return Outcome(bool((output > 0).all()) and nearest > 0.1, text)


@check
def a_score_belongs_to_a_pair() -> Outcome:
    """The weight that different words give to one word."""
    x = torch.randn(1, 5, 8)
    weights = weights_of(DotProductAttention(), x, x, x).squeeze()
    column = weights[:, 0]
    text = f"The weights that five words give the first word: {', '.join(f'{w:.2f}' for w in column.tolist())}."
    return Outcome(float(column.max() - column.min()) > 0.05, text)


@check
def a_word_attends_to_itself_too() -> Outcome:
    """The diagonal of a self-attention without a mask."""
    x = torch.randn(1, 5, 8)
    diagonal = weights_of(MultiHeadAttention(8, 2).eval(), x, x, x).mean(1).squeeze().diagonal()
    text = f"Weights that five words give themselves: {', '.join(f'{w:.2f}' for w in diagonal.tolist())}."
    return Outcome(bool((diagonal > 0).all()), text)


@check
def a_score_without_w_v_is_a_vector() -> Outcome:
    """tanh(W1 q + W2 k) for one query and one key."""
    W_1, W_2 = torch.randn(6, 3), torch.randn(6, 4)
    found = torch.tanh(W_1 @ torch.randn(3) + W_2 @ torch.randn(4))
    return Outcome(found.dim() == 1, f"The result has the shape {tuple(found.shape)}; a score has the shape ().")


@check
def vectors_of_different_sizes_cannot_be_added() -> Outcome:
    """Add a query and a key of different sizes, the case for which additive attention is recommended."""
    name = error_of(lambda: torch.randn(3) + torch.randn(4))
    works = AdditiveAttention(3, 4, 6)(torch.randn(1, 1, 3), torch.randn(1, 2, 4), torch.randn(1, 2, 4))
    text = f"Adding vectors of sizes 3 and 4 raises a {name}. Adding their projections works."
    return Outcome(bool(name) and works.shape == (1, 1, 4), text)


@check
def a_dot_product_needs_equal_sizes() -> Outcome:
    """A query and a key of different sizes."""
    name = error_of(lambda: torch.randn(3) @ torch.randn(4))
    return Outcome(bool(name), f"The product of sizes 3 and 4 raises a {name}.")


@check
def the_root_of_the_model_size_scales_too_much() -> Outcome:
    """Variance of the scores of the paper's heads, divided by either root."""
    d, d_k = 512, 64
    products = (torch.randn(20_000, d_k) * torch.randn(20_000, d_k)).sum(1)
    too_small, right = float((products / math.sqrt(d)).var()), float((products / math.sqrt(d_k)).var())
    text = (
        f"Divided by the root of d = 512, scores have variance {too_small:.2f}; by the root of d_k = 64, {right:.2f}."
    )
    return Outcome(too_small < 0.2 and 0.9 < right < 1.1, text)


@check
def the_summands_have_four_axes() -> Outcome:
    """Projected queries and keys, each with one added axis."""
    query, key = torch.randn(2, 3, 6).unsqueeze(2), torch.randn(2, 5, 6).unsqueeze(1)
    text = f"{tuple(query.shape)} + {tuple(key.shape)} gives {tuple((query + key).shape)}."
    return Outcome(query.dim() == key.dim() == 4, text)


@check
def torch_has_no_transpose_b() -> Outcome:
    """Pass the argument that a comment mentions."""
    x = torch.ones(1, 2, 2)
    name = error_of(lambda: torch.bmm(x, x, transpose_b=True))  # type: ignore[call-overload]
    return Outcome(name == "TypeError", f"torch.bmm(..., transpose_b=True) raises a {name}.")


@check
def a_dot_is_no_product_sign() -> Outcome:
    r"""In Unicode, \dot is a combining accent and \cdot an operator."""
    import unicodedata

    accent, operator = unicodedata.combining("\u0307"), unicodedata.category("\u22c5")
    text = "\\dot is the accent U+0307, placed above a letter; \\cdot is the operator U+22C5."
    return Outcome(accent > 0 and operator == "Sm", text)


# Masks


@check
def scores_are_hidden_and_not_weights() -> Outcome:
    """Use a large negative number as a score before the softmax, and as a weight."""
    scores, value = torch.randn(1, 4), torch.ones(4, 1)
    hidden = torch.tensor([[False, False, True, True]])
    before = scores.masked_fill(hidden, -1e6).softmax(-1) @ value
    after = scores.softmax(-1).masked_fill(hidden, -1e6) @ value
    text = f"Masked scores give {float(before):.0f} as the mean of four ones, masked weights {float(after):,.0f}."
    return Outcome(math.isclose(float(before), 1, abs_tol=1e-5) and float(after) < -1e5, text)


@check
def a_million_is_not_infinity() -> Outcome:
    """Both numbers in a row where all keys are hidden, and in one with visible keys."""
    finite, infinite = torch.full((4,), -1e6).softmax(-1), torch.full((4,), -torch.inf).softmax(-1)
    shown = [torch.tensor([1.0, 2.0, hidden]).softmax(-1) for hidden in (-1e6, -torch.inf)]
    text = f"For hidden keys only, -1e6 gives {finite.tolist()}, -inf gives {infinite.tolist()}. Otherwise they agree."
    return Outcome(bool(infinite.isnan().all()) and not finite.isnan().any() and torch.equal(*shown), text)


@check
def a_row_that_may_see_nothing_sees_everything() -> Outcome:
    """A row of -1e9, compared with a softmax that handles such rows."""
    notes = torch.randn(1, 4).masked_fill(torch.ones(1, 4, dtype=torch.bool), -1e9).softmax(-1)
    ours = masked_softmax(torch.randn(1, 4), torch.zeros(1, 4, dtype=torch.bool))
    text = f"Four hidden keys get {notes.tolist()[0]}; the book's masked softmax gives {ours.tolist()[0]}."
    return Outcome(torch.allclose(notes, torch.full((1, 4), 0.25)) and not ours.any(), text)


@check
def a_billion_does_not_fit_into_half_precision() -> Outcome:
    """Fill float16 scores with -1e9."""
    scores, hidden = torch.zeros(1, 4, dtype=torch.float16), torch.tensor([[False, False, True, True]])
    name = error_of(lambda: scores.masked_fill(hidden, -1e9))
    return Outcome(
        bool(name), f"In float16 it raises a {name}; the lowest number is {torch.finfo(torch.float16).min:.0f}."
    )


@check
def the_mask_of_the_notes_meets_the_heads() -> Outcome:
    """Broadcast (batch, 1, length) against scores of (batch, heads, length, length)."""
    visible = lengths_to_mask(torch.tensor([5, 2]), 5).long()  # (batch, length): the second sentence has two words
    notes = visible.unsqueeze(1)
    fails = error_of(lambda: torch.zeros(2, 4, 5, 5).masked_fill(notes == 0, -1e9))
    weights = torch.zeros(2, 2, 5, 5).masked_fill(notes == 0, -1e9).softmax(-1)  # as many heads as sentences
    hidden = [(i, head) for i in range(2) for head in range(2) if weights[i, head, 0, 4] == 0]
    text = f"2 sentences and 4 heads: {fails}. 2 of each: the last key is hidden for (sentence, head) = {hidden}."
    return Outcome(bool(fails) and hidden == [(0, 1), (1, 1)], text)


@check
def a_causal_mask_is_not_symmetric() -> Outcome:
    """Compare the mask with its transpose."""
    mask = causal_mask(5)
    text = "Position 0 may not attend to 4, but 4 may attend to 0."
    return Outcome(not torch.equal(mask, mask.T) and not mask[0, 4] and bool(mask[4, 0]), text)
