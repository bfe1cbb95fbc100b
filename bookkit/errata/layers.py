"""Embedding, feed-forward network, normalization; and CNN, RNN and self-attention compared."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import sinusoidal_table
from attnbook.models.transformer import FeedForward
from bookkit.errata.core import Outcome, check, rounded


@check
def a_class_needs_its_imports() -> Outcome:
    """Define a class on nn.Module without any import."""
    try:
        exec("class Layer(nn.Module):\n    pass", {})
        name = ""
    except NameError as error:
        name = str(error)
    return Outcome("nn" in name, f"NameError: {name}.")


@check
def a_variable_is_a_tensor() -> Outcome:
    """What torch.autograd.Variable returns."""
    from torch.autograd import Variable

    tensor = torch.ones(2)
    found = Variable(tensor, requires_grad=False)  # type: ignore[no-untyped-call]
    return Outcome(
        type(found) is Tensor and found.data_ptr() == tensor.data_ptr(),
        "Variable returns a tensor that shares the memory.",
    )


@check
def embeddings_do_not_start_between_minus_one_and_one() -> Outcome:
    """Share of a fresh nn.Embedding that lies outside."""
    outside = float((nn.Embedding(1000, 64).weight.abs() > 1).float().mean())
    return Outcome(outside > 0.25, f"{outside:.0%} of the entries of a new layer lie outside [-1, 1].")


@check
def an_embedding_layer_gives_one_vector_per_id() -> Outcome:
    """The shape of an embedded sequence."""
    shape = tuple(nn.Embedding(20, 3)(torch.randint(20, (1, 5))).shape)
    return Outcome(shape == (1, 5, 3), f"A sequence of 5 ids becomes a tensor of shape {shape}.")


@check
def without_a_relu_two_layers_are_one() -> Outcome:
    """Two linear layers, compared with one layer that has the product of their matrices; and with a ReLU between."""
    first, second, x = nn.Linear(4, 16), nn.Linear(16, 4), torch.randn(100, 4)
    with torch.no_grad():
        one = x @ (second.weight @ first.weight).T + second.weight @ first.bias + second.bias
        plain = float((second(first(x)) - one).abs().max())
        bent = float((second(first(x).relu()) - one).abs().max())
    text = f"One linear layer reproduces two to within {plain:.0e}; with a ReLU between them, it is off by {bent:.2f}."
    return Outcome(plain < 1e-5 and bent > 0.1, text)


@check
def the_scale_unbalances_the_embedding_of_the_notes() -> Outcome:
    """Root mean squares of both summands for d = 512, before and after the factor."""
    d = 512
    words, codes = nn.Embedding(1000, d).weight.detach(), sinusoidal_table(100, d)
    before, code = float(words.square().mean().sqrt()), float(codes.square().mean().sqrt())
    after = before * math.sqrt(d)
    text = f"RMS for d = 512: embedding {before:.2f} before and {after:.1f} after the factor, position {code:.2f}."
    return Outcome(before / code < 2 and after / code > 20, text)


@check
def one_more_in_the_bias_is_another_network() -> Outcome:
    """Add b + 1 instead of b_1."""
    network, x = FeedForward(4, 8), torch.randn(5, 4)
    with torch.no_grad():
        right = network(x)
        network.W_1.bias.add_(1)
        difference = float((network(x) - right).abs().max())
    return Outcome(difference > 0.1, f"The outputs differ by up to {difference:.2f}.")


@check
def the_feed_forward_network_knows_no_position() -> Outcome:
    """Permute the positions."""
    network, x, order = FeedForward(4, 8), torch.randn(1, 5, 4), torch.randperm(5)
    with torch.no_grad():
        difference = float((network(x[:, order]) - network(x)[:, order]).abs().max())
    return Outcome(difference < 1e-6, f"Permuted input gives the permuted output to within {rounded(difference)}.")


# Normalization


@check
def the_norm_of_the_notes_is_not_its_formula() -> Outcome:
    """x.std() by default, and with the D of the formula."""
    x = torch.randn(100, 8, dtype=torch.float64)
    centered = x - x.mean(-1, keepdim=True)
    code, formula = (centered / (x.std(-1, keepdim=True, correction=c) + 1e-6) for c in (1, 0))
    library = nn.functional.layer_norm(x, (8,), eps=1e-12)
    ratio = float((code / formula).mean())
    text = f"With D = 8, the code gives {ratio:.4f} times the formula; the root of 7/8 is {math.sqrt(7 / 8):.4f}."
    return Outcome(torch.allclose(formula, library, atol=1e-4) and not torch.allclose(code, library, atol=0.01), text)


@check
def dividing_by_the_variance_does_not_normalize() -> Outcome:
    """Variance after dividing by the variance, and by its root."""
    x = 3 * torch.randn(10_000, dtype=torch.float64)
    centered = x - x.mean()
    wrong, right = float((centered / x.var()).var()), float((centered / x.std()).var())
    text = f"Variance {float(x.var()):.1f} becomes {wrong:.2f} if σ is the variance, {right:.2f} if σ is its root."
    return Outcome(abs(wrong - 1) > 0.5 and abs(right - 1) < 1e-9, text)


@check
def normalization_keeps_the_shape() -> Outcome:
    """Skewness of an exponential sample before and after, which is 0 for a normal one."""
    x = torch.empty(100_000, dtype=torch.float64).exponential_()

    def skewness(y: Tensor) -> float:
        return float((((y - y.mean()) / y.std()) ** 3).mean())

    before, after = skewness(x), skewness(nn.functional.layer_norm(x, x.shape))
    return Outcome(
        after > 1.5 and math.isclose(before, after, rel_tol=1e-3), f"Skewness: {before:.2f} before, {after:.2f} after."
    )


@check
def normalization_is_of_tokens_and_not_of_samples() -> Outcome:
    """Compare nn.LayerNorm with normalizing one token, and with normalizing one sentence."""
    x = torch.randn(2, 3, 8).add(torch.arange(3).view(1, 3, 1))
    found = nn.LayerNorm(8, elementwise_affine=False)(x)

    def standardise(axes: tuple[int, ...]) -> Tensor:
        centered = x - x.mean(axes, keepdim=True)
        return centered / (x.var(axes, keepdim=True, correction=0) + 1e-5).sqrt()

    token, sample = (float((standardise(axes) - found).abs().max()) for axes in ((2,), (1, 2)))
    text = f"nn.LayerNorm differs by {token:.0e} from normalizing tokens and by {sample:.1f} from normalizing samples."
    return Outcome(token < 1e-5 and sample > 0.1, text)


@check
def layer_normalization_sees_one_token() -> Outcome:
    """Change one sentence of a batch and look at the other, with layer and with batch normalization."""
    x = torch.randn(2, 3, 8)
    changed = x.clone()
    changed[1] += 5 * torch.randn(3, 8)
    layer, batch = nn.LayerNorm(8), nn.BatchNorm1d(8)
    with torch.no_grad():
        of_layer = float((layer(changed)[0] - layer(x)[0]).abs().max())
        of_batch = float((batch(changed.mT).mT[0] - batch(x.mT).mT[0]).abs().max())
    text = (
        f"A changed second sentence changes the first by {of_layer:.0f} with layer, by {of_batch:.1f} with batch norm."
    )
    return Outcome(of_layer == 0 and of_batch > 0.1, text)


@check
def gradients_shrink_and_grow_by_products() -> Outcome:
    """Forty invertible linear layers, so none of them loses information about the input."""
    sizes = []
    for scale in (0.8, 1.25):
        x = torch.randn(16, dtype=torch.float64, requires_grad=True)
        y = x
        for _ in range(40):
            y = scale * nn.init.orthogonal_(torch.empty(16, 16, dtype=torch.float64)) @ y
        (gradient,) = torch.autograd.grad(y[0], x)
        sizes.append(float(gradient.norm()))
    text = f"After 40 invertible layers, the gradient has size {sizes[0]:.0e} if each layer shrinks it a little"
    return Outcome(sizes[0] < 1e-3 and sizes[1] > 1e3, f"{text} and {sizes[1]:.0e} if each stretches it a little.")


# CNN, RNN and self-attention


def _flops(module: nn.Module, *inputs: Tensor) -> int:
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(*inputs)
    return int(counter.get_total_flops())


class _Mix(nn.Module):
    """Scores and weighted sum: self-attention without its projections."""

    def forward(self, x: Tensor) -> Tensor:
        return (x @ x.mT).softmax(-1) @ x


class _Recur(nn.Module):
    """h = tanh(W x + U h), written out so that every product is counted."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.W, self.U = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        h = x.new_zeros(x.shape[0], x.shape[2])
        for word in x.unbind(1):
            h = torch.tanh(self.W(word) + self.U(h))
        return h


@check
def twice_the_length_costs_four_times() -> Outcome:
    """Counted operations of scores and sums."""
    short, long = (_flops(_Mix(), torch.randn(1, n, 16)) for n in (128, 256))
    return Outcome(long == 4 * short, f"{short:,} operations for 128 tokens, {long:,} for 256.")


@check
def self_attention_costs_more_on_long_sequences() -> Outcome:
    """Count the operations of attention and of a recurrent layer, for n below and above d."""
    d, found = 32, []
    for n in (8, 256):
        x = torch.randn(1, n, d)
        found.append((_flops(_Mix(), x), _flops(_Recur(d), x)))
    counts = "; ".join(f"{a:,} and {r:,} for n = {n}" for n, (a, r) in zip((8, 256), found, strict=True))
    text = f"Operations of attention and of a recurrent layer with d = 32: {counts}."
    return Outcome(found[0][0] < found[0][1] and found[1][0] > found[1][1], text)


@check
def parameters_do_not_depend_on_the_length() -> Outcome:
    """Use one set of parameters on sequences of 5 and of 50 tokens."""
    modules: dict[str, Callable[[Tensor], Tensor]] = {}
    rnn, attention, convolution = (
        nn.GRU(8, 8, batch_first=True),
        MultiHeadAttention(8, 2),
        nn.Conv1d(8, 8, 3, padding=1),
    )
    modules["RNN"] = lambda x: rnn(x)[0]
    modules["self-attention"] = lambda x: attention(x, x, x)
    modules["CNN"] = lambda x: convolution(x.mT).mT
    works = all(call(torch.randn(1, n, 8)).shape == (1, n, 8) for call in modules.values() for n in (5, 50))
    counts = [sum(p.numel() for p in module.parameters()) for module in (rnn, attention, convolution)]
    listed = ", ".join(f"{name} {count}" for name, count in zip(modules, counts, strict=True))
    return Outcome(works, f"The same parameters serve 5 and 50 tokens: {listed}.")


@check
def a_convolution_takes_sequences_of_any_length() -> Outcome:
    """nn.Conv1d on (batch, features, length), without an image or a matrix."""
    convolution = nn.Conv1d(8, 4, 3, padding=1)
    shapes = [tuple(convolution(torch.randn(1, 8, n)).shape) for n in (5, 50, 500)]
    return Outcome([shape[2] for shape in shapes] == [5, 50, 500], f"Outputs have the shapes {shapes}.")


@check
def every_position_reaches_every_other_in_one_layer() -> Outcome:
    """Count the inputs that one output depends on, after one layer."""
    x = torch.randn(1, 32, 8, requires_grad=True)
    attention, convolution = MultiHeadAttention(8, 2), nn.Conv1d(8, 8, 3, padding=1)
    reached = []
    for output in (attention(x, x, x)[0, 0], convolution(x.mT).mT[0, 0]):
        (gradient,) = torch.autograd.grad(output.sum(), x)
        reached.append(int((gradient[0] != 0).any(-1).sum()))
    text = f"Output 0 of 32 depends on {reached[0]} inputs after one attention, on {reached[1]} after one convolution."
    return Outcome(reached[0] == 32 and reached[1] < 32, text)
