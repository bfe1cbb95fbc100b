"""Functions and modules, forward and backward, on a GPU as on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention import causal, kernels, masks, multihead, pooling, positional, scoring
from attnbook.models import language_model, luong
from attnbook.models.seq2seq import GRUEncoder
from attnbook.models.transformer import DecoderLayer, EncoderLayer
from attnbook.observe import attribution, explicit
from attnbook.training.loss import cross_entropy
from attnbook.translation import alignment
from tests.device.compare import compare, gradients, numbers

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
MASK = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]]).bool().unsqueeze(1)  # the second row is fully masked


def module(make: Callable[[], nn.Module], device: str) -> Any:
    """Make a module with the same weights on both devices, all different from their initial values."""
    torch.manual_seed(1)
    made = make()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(numbers(*parameter.shape, seed=2), alpha=0.1)
    return made.to(device)


def test_masks_equal_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        lengths, scores = torch.tensor([3, 1, 0]).to(device), numbers(3, 4, 5).to(device).requires_grad_()
        mask = masks.lengths_to_mask(lengths, 5)
        yield mask
        yield masks.lengths_to_mask(lengths)
        causal_mask = masks.causal_mask(4, 5, device=scores.device)
        yield causal_mask
        yield masks.combine_masks(mask[:, None], causal_mask[None], None)
        for allowed in (None, mask[:, None], torch.zeros_like(scores, dtype=torch.bool)):
            weights = masks.masked_softmax(scores, allowed)
            yield weights
            yield gradients(weights, [scores])

    compare(compute)


@pytest.mark.parametrize("kernel", [pooling.gaussian, pooling.boxcar, pooling.epanechnikov])
@pytest.mark.parametrize("width", [0.7, torch.tensor(0.7), torch.tensor([0.7])], ids=["float", "scalar", "vector"])
def test_nadaraya_watson_equals_cpu(kernel: pooling.Kernel, width: Any) -> None:
    """A width in a one-element tensor may be on the CPU."""

    def compute(device: str) -> Iterator[Any]:
        query, key, value = (numbers(n, seed=n).to(device).requires_grad_() for n in (4, 6, 6))
        yield pooling.average_pooling(query, value)
        yield pooling.nadaraya_watson_weights(query, key, kernel, width=width)
        pooled = pooling.nadaraya_watson(query, key, value, kernel, width=width)
        yield pooled
        yield gradients(pooled, [query, key, value])

    compare(compute)


def test_learned_kernel_regression_equals_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        key, value = numbers(6).to(device), numbers(6, seed=1).to(device)
        model = module(lambda: pooling.NadarayaWatson(0.5), device)
        predicted = model(key, key, value, pooling.leave_one_out_mask(6, device=key.device))
        yield predicted
        yield gradients(predicted, model.parameters())

    compare(compute)


SCORED: dict[str, Callable[[], nn.Module]] = {
    "dot": lambda: scoring.DotProductAttention(scaled=False),
    "scaled dot": lambda: scoring.DotProductAttention(),
    "general": lambda: scoring.GeneralAttention(4, 4, scaled=True),
    "additive": lambda: scoring.AdditiveAttention(4, 4, 7),
}


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("block", [kernels.ADDITIVE_BLOCK_BYTES, 1])
def test_scored_attention_equals_cpu(name: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", block)

    def compute(device: str) -> Iterator[Any]:
        query, key, value = (numbers(2, n, 4, seed=n).to(device).requires_grad_() for n in (3, 5, 5))
        attention, seen = module(SCORED[name], device), []
        with kernels.observing({attention: seen.append}):
            output = attention(query, key, value, MASK.to(device))
        yield output
        yield seen
        yield gradients(output, [query, key, value, *attention.parameters()])

    compare(compute)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_rows_without_an_allowed_key_pool_nothing(dtype: torch.dtype) -> None:
    """With heads of 64 entries, for which a GPU has more kernels than for small ones. A simulated GPU passes anyway."""
    torch.manual_seed(0)
    attention = multihead.MultiHeadAttention(64, 1, bias=False).to("cuda", dtype)
    query, key, value = (numbers(2, 8, 64, seed=n).to("cuda", dtype).requires_grad_() for n in range(3))
    mask = torch.ones(2, 8, 8, dtype=torch.bool).tril(-1)  # the first query has no key
    output = attention(query, key, value, mask.to("cuda"))
    assert not output[:, 0].any() and output[:, 1:].any(-1).all()
    found = gradients(output, [query, key, value])
    assert all(gradient is not None and gradient.isfinite().all() for gradient in found)
    (of_value,) = gradients(attention(query, key, value, mask.to("cuda"))[:, 0], [value])
    assert of_value is not None and not of_value.any()
    pooled = causal.causal_pooling(*(tensor.unsqueeze(1) for tensor in (query, key, value)), mask[0].to("cuda"))
    assert not pooled[:, 0].any() and pooled[:, 1:].any(-1).all()
    full = [tensor.detach().float().unsqueeze(1) for tensor in (query, key, value)]
    with torch.autocast("cuda", torch.bfloat16):  # the kernel computes in 16 bits, whatever the inputs are
        pooled = causal.causal_pooling(*full, mask[0].to("cuda"))
    assert not pooled[:, 0].any() and pooled[:, 1:].any(-1).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("options", [{}, {"rotary": True}, {"bias": False, "key_size": 6, "value_size": 3}])
def test_multi_head_attention_equals_cpu(options: dict[str, Any], dtype: torch.dtype) -> None:
    def compute(device: str) -> Iterator[Any]:
        attention = module(lambda: multihead.MultiHeadAttention(8, 2, **options), device).to(dtype)
        sizes = (8, options.get("key_size", 8), options.get("value_size", 8))
        query, key, value = (numbers(2, 5, n, seed=n).to(device, dtype).requires_grad_() for n in sizes)
        for mask in (None, MASK.to(device)):
            for is_causal in (False, True):
                output = attention(query, key, value, mask, causal=is_causal)
                yield output
                yield gradients(output, [query, value])
                seen: list[Tensor] = []
                with kernels.observing({attention: seen.append}):
                    yield attention(query, key, value, mask, causal=is_causal)
                yield seen
        past = attention.project_key_value(key[:, :3], value[:, :3])
        longer = attention.project_key_value(key[:, 3:], value[:, 3:], past)
        yield attention.attend(query[:, -2:], longer, causal=True)

    compare(compute)


POSITIONS: dict[str, Callable[[], nn.Module]] = {
    "sinusoidal": lambda: positional.SinusoidalPositions(8),
    "learned": lambda: positional.LearnedPositions(8, 300),
    "rotary": lambda: positional.RotaryPositions(8),
    "rotary, numbers in tensors": lambda: positional.RotaryPositions(
        8, base=torch.tensor([500.0]), stretch=torch.tensor([4.0])
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_equal_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        positions, x = module(POSITIONS[name], device), numbers(2, 7, 8).to(device)
        for offset in (0, 100, 250):  # where the table of 128 positions has grown
            yield positions(x, offset)
            yield positions(x.bfloat16(), offset)
        yield positional.frequencies(8, device=x.device)

    compare(compute)


CAUSAL: dict[str, Callable[[], nn.Module]] = {
    "grouped": lambda: causal.GroupedAttention(16, 4, 2),
    "multi-query": lambda: causal.GroupedAttention(16, 4, 1, rotary=False, qk_norm=True),
    "multi-head": lambda: causal.GroupedAttention(16, 4, 4),
    "latent": lambda: causal.LatentAttention(16, 4, 6, 4),
    "differential": lambda: causal.DifferentialAttention(16, 2),
}


@pytest.mark.parametrize("name", CAUSAL)
def test_causal_attention_equals_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        attention, x = module(CAUSAL[name], device), numbers(2, 6, 16).to(device)
        output, kept = attention(x)
        yield output
        yield kept
        yield gradients(output, attention.parameters())
        _, past = attention(x[:, :4])
        yield attention(x[:, 4:], past)
        yield attention(x, None, torch.ones(6, 6, dtype=torch.bool, device=x.device).tril())

    compare(compute)


FEED_FORWARD: dict[str, Callable[[], nn.Module]] = {
    "SwiGLU": lambda: language_model.SwiGLU(16, 20),
    "experts": lambda: language_model.MixtureOfExperts(16, [language_model.SwiGLU(16, 8) for _ in range(3)]),
}


@pytest.mark.parametrize("attention", CAUSAL)
@pytest.mark.parametrize("feed_forward", FEED_FORWARD)
@pytest.mark.parametrize("sinusoidal", [False, True])
def test_language_model_equals_cpu(attention: str, feed_forward: str, sinusoidal: bool) -> None:
    """A whole text, and its end with the cache of its beginning."""

    def make() -> nn.Module:
        blocks = [language_model.Block(16, CAUSAL[attention](), FEED_FORWARD[feed_forward]()) for _ in range(2)]
        return language_model.LanguageModel(11, 16, blocks, sinusoidal=sinusoidal)

    def compute(device: str) -> Iterator[Any]:
        model, ids = module(make, device), torch.arange(14).view(2, 7).remainder(11).to(device)
        logits, _ = model(ids)
        yield logits
        yield gradients(logits, model.parameters())
        _, past = model(ids[:, :3])
        yield model(ids[:, 3:], past)

    compare(compute)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_gru_encoder_equals_cpu(bidirectional: bool, training: bool, recwarn: pytest.WarningsRecorder) -> None:
    """Also a backward pass in eval mode, and no warning of cuDNN about scattered weights."""
    source = torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0], [0, 0, 0, 0]])

    def compute(device: str) -> Iterator[Any]:
        encoder = module(lambda: GRUEncoder(10, 4, 6, 2, bidirectional=bidirectional), device).train(training)
        mask = source.to(device) > 0
        memory, hidden = encoder(source.to(device), mask)
        yield memory
        yield hidden
        yield gradients(torch.cat((memory.flatten(), hidden.flatten())), encoder.parameters())

    compare(compute)
    assert not [warning for warning in recwarn if "contiguous" in str(warning.message)]


@pytest.mark.parametrize("pre_norm", [False, True])
def test_transformer_layers_equal_cpu(pre_norm: bool) -> None:
    def compute(device: str) -> Iterator[Any]:
        x, memory = numbers(2, 5, 8).to(device), numbers(2, 5, 8, seed=1).to(device)
        encoder = module(lambda: EncoderLayer(8, 2, 12, pre_norm=pre_norm), device)
        decoder = module(lambda: DecoderLayer(8, 2, 12, pre_norm=pre_norm), device)
        read = encoder(x, MASK.to(device))
        yield read
        yield gradients(read, encoder.parameters())
        _, past = decoder(x[:, :3], memory, MASK.to(device))
        yield decoder(x[:, 3:], memory, MASK.to(device), past=past)

    compare(compute)


def test_local_attention_helpers_equal_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        center = torch.tensor([[0.0, 2.5, 4.0]]).to(device)
        for half_width in (2, torch.tensor([2])):
            yield luong.local_window(center, half_width, 6)  # type: ignore[arg-type]
            yield luong.local_gaussian(center, half_width, 6)  # type: ignore[arg-type]

    compare(compute)


def test_cross_entropy_equals_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        logits, target = (
            numbers(3, 5, 7).to(device).requires_grad_(),
            torch.arange(15).view(3, 5).remainder(7).to(device),
        )
        for mask in (None, (numbers(3, 5) > 0).to(device)):
            for options in ({}, {"label_smoothing": 0.1}, {"reduction": "sum"}):
                loss = cross_entropy(logits, target, mask, **options)  # type: ignore[arg-type]
                yield loss
                yield torch.autograd.grad(loss, logits)

    compare(compute)


def test_measures_of_attention_equal_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        weights, value = numbers(2, 3, 4, 4).softmax(-1).to(device), numbers(2, 3, 4, 5).to(device)
        yield attribution.rollout([weights, weights])
        yield attribution.by_value_norms(weights, value)
        yield attribution.by_gradient(weights, value @ value.mT)
        yield alignment.links_from_weights(weights[0, 0])
        query, key = numbers(2, 4, 3, 8).to(device), numbers(2, 2, 5, 8).to(device)
        bias = torch.zeros(3, 5).masked_fill(torch.ones(3, 5).triu(1).bool(), -torch.inf).to(device)
        yield explicit.scaled_dot_product_weights(query, key, key, enable_gqa=True)
        yield explicit.scaled_dot_product_weights(query, key, key, bias, enable_gqa=True, scale=0.1)
        yield explicit.scaled_dot_product_weights(query, key, key, is_causal=True, enable_gqa=True)

    compare(compute)
