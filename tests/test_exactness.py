"""What must hold for every translation model: nothing leaks, nothing depends on padding or company."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention.masks import lengths_to_mask
from attnbook.data import Batch
from attnbook.models.transformer import Transformer
from attnbook.training.optim import cross_entropy
from tests.support.small_models import (
    FAMILIES,
    NAMES,
    SOURCE_LENGTHS,
    TARGET_LENGTHS,
    TARGET_VOCABULARY,
    VARIANTS,
    build,
    random_batch,
)

names = pytest.mark.parametrize("name", NAMES)
modes = pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])


def widened(batch: Batch, more_source: int, more_target: int, filler: int) -> Batch:
    """The same sentences with more padding, and with another id wherever padding stands."""

    def ids(tensor: Tensor, mask: Tensor, more: int) -> Tensor:
        filled = tensor.where(mask, filler)
        return torch.cat((filled, filled.new_full((len(batch), more), filler)), 1)

    def mask(tensor: Tensor, more: int) -> Tensor:
        return torch.cat((tensor, tensor.new_zeros(len(batch), more)), 1)

    return replace(
        batch,
        source=ids(batch.source, batch.source_mask, more_source),
        source_mask=mask(batch.source_mask, more_source),
        target_in=ids(batch.target_in, batch.target_mask, more_target),
        target_out=ids(batch.target_out, batch.target_mask, more_target),
        target_mask=mask(batch.target_mask, more_target),
    )


def rows_of(batch: Batch, rows: list[int]) -> Batch:
    """Some rows of a batch, as wide as the longest of them."""
    source_mask, target_mask = batch.source_mask[rows], batch.target_mask[rows]
    source, target = int(source_mask.sum(1).max()), int(target_mask.sum(1).max())
    return Batch(
        source=batch.source[rows, :source],
        source_mask=source_mask[:, :source],
        target_in=batch.target_in[rows, :target],
        target_out=batch.target_out[rows, :target],
        target_mask=target_mask[:, :target],
        num_tokens=int(target_mask.sum()),
        pairs=tuple(batch.pairs[row] for row in rows),
    )


# What depends on what
@names
@modes
def test_the_future_never_leaks(name: str, training: bool, batch: Batch) -> None:
    """Another target token t changes no logit before t, to the last bit, and changes those at t and behind."""
    model = build(name).train(training)
    logits = model(batch)
    for t in range(batch.target_in.shape[1]):
        target_in = batch.target_in.clone()
        target_in[:, t] = (target_in[:, t] + 7) % TARGET_VOCABULARY
        changed = model(replace(batch, target_in=target_in))
        assert torch.equal(changed[:, :t], logits[:, :t])
        assert not torch.isclose(changed[:, t:], logits[:, t:]).all(-1).any(), "the past does matter"


@names
@modes
def test_every_source_word_matters(name: str, training: bool, batch: Batch) -> None:
    """So that the tests of what must not matter can fail."""
    model = build(name).train(training)
    logits = model(batch)
    reach = VARIANTS[name][1].get("window", "global") != "local-m"  # a fixed window may look behind a short source
    for row, length in enumerate(SOURCE_LENGTHS):
        for i in range(length):
            source = batch.source.clone()
            source[row, i] = 4 + (source[row, i] - 4 + 7) % 15
            changed = model(replace(batch, source=source))
            others = [r for r in range(3) if r != row]
            assert torch.equal(changed[others], logits[others])
            assert reach is False or not torch.allclose(changed[row], logits[row], atol=1e-6)


@names
@given(more_source=st.integers(0, 3), more_target=st.integers(0, 3), filler=st.integers(0, 18), training=st.booleans())
@settings(deadline=None, max_examples=5)
def test_padding_changes_nothing(name: str, more_source: int, more_target: int, filler: int, training: bool) -> None:
    """Neither how much there is, nor which ids stand there, in logits and in gradients."""
    batch = random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)
    found = []
    for padded in (batch, widened(batch, more_source, more_target, filler)):
        model = build(name).train(training)
        logits = model(padded)[padded.target_mask]
        cross_entropy(logits, padded.target_out[padded.target_mask]).backward()
        found.append((logits, [parameter.grad for parameter in model.parameters()]))
    torch.testing.assert_close(found[1], found[0], atol=1e-5, rtol=0)


@names
@given(rows=st.permutations(range(3)), training=st.booleans())
@settings(deadline=None, max_examples=3)
def test_permuting_the_batch_permutes_the_output(name: str, rows: list[int], training: bool) -> None:
    batch = random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)
    model = build(name).train(training)
    torch.testing.assert_close(model(rows_of(batch, rows)), model(batch)[rows], atol=1e-5, rtol=0)


@names
@modes
def test_a_batch_of_one_equals_its_row(name: str, training: bool, batch: Batch) -> None:
    model = build(name).train(training)
    logits = model(batch)
    for row in range(3):
        alone = model(rows_of(batch, [row]))
        torch.testing.assert_close(alone, logits[row : row + 1, : alone.shape[1]], atol=1e-5, rtol=0)


@names
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_source_without_a_real_token_gives_numbers_and_no_gradient(name: str, dtype: torch.dtype) -> None:
    """Its row must not poison the others: no NaN forward or backward, in any precision."""
    model = build(name).to(dtype)
    batch = random_batch((4, 3), (3, 5))
    batch.source[1] = 9
    empty = replace(batch, source_mask=lengths_to_mask(torch.tensor([4, 0])))
    embeddings = model.source_embedding if isinstance(model, Transformer) else model.get_submodule("encoder.embedding")
    assert isinstance(embeddings, nn.Embedding)
    logits = model(empty)
    assert logits.dtype == dtype and torch.isfinite(logits).all()
    torch.testing.assert_close(logits[:1], model(batch)[:1])
    logits[1].float().sum().backward()
    for parameter in model.parameters():
        assert parameter.grad is None or torch.isfinite(parameter.grad).all()
    assert embeddings.weight.grad is None or not embeddings.weight.grad[9].any()
    model.zero_grad()
    model(empty)[0].float().sum().backward()
    assert all(parameter.grad is None or torch.isfinite(parameter.grad).all() for parameter in model.parameters())


# Precision
@names
def test_fp64_is_what_fp32_rounds(name: str, batch: Batch) -> None:
    expected = build(name)(batch)
    model = build(name).double()
    logits = model(batch)
    assert logits.dtype == torch.float64
    torch.testing.assert_close(logits.float(), expected, atol=1e-5, rtol=1e-5)


@names
@pytest.mark.parametrize("way", ["bf16 weights", "fp16 weights", "bf16 autocast"])
def test_low_precision_is_near_fp32_forward_and_backward(name: str, way: str, batch: Batch) -> None:
    expected = build(name, gain=1.0)(batch)
    model = build(name, gain=1.0)
    if way == "bf16 autocast":
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(batch)
            stepped, _ = model.decode(batch.target_in[:, :1], model.encode(batch.source, batch.source_mask))
    else:
        model = model.to({"bf16 weights": torch.bfloat16, "fp16 weights": torch.float16}[way])
        logits = model(batch)
        stepped, _ = model.decode(batch.target_in[:, :1], model.encode(batch.source, batch.source_mask))
    assert logits.dtype == (torch.float16 if way == "fp16 weights" else torch.bfloat16)
    torch.testing.assert_close(logits.float(), expected, atol=0.15, rtol=0)
    torch.testing.assert_close(stepped.float(), expected[:, :1], atol=0.15, rtol=0)
    loss = cross_entropy(logits, batch.target_out, batch.target_mask)
    assert loss.dtype == torch.float32
    loss.backward()
    weights = dict(model.named_parameters())
    assert all(parameter.grad is None or torch.isfinite(parameter.grad).all() for parameter in weights.values())
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in (model.head.weight,))


@pytest.mark.parametrize("name", FAMILIES)
@given(
    source_lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    data=st.data(),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    training=st.booleans(),
)
@settings(deadline=None, max_examples=8)
def test_any_lengths_give_finite_logits_of_the_promised_shape(
    name: str, source_lengths: list[int], data: st.DataObject, dtype: torch.dtype, training: bool
) -> None:
    target_lengths = [data.draw(st.integers(1, 6)) for _ in source_lengths]
    batch = random_batch(source_lengths, target_lengths, seed=data.draw(st.integers(0, 99)))
    model = build(name, dropout=0.3).to(dtype).train(training)
    logits = model(batch)
    assert logits.shape == (len(batch), max(target_lengths), TARGET_VOCABULARY)
    assert logits.dtype == dtype and torch.isfinite(logits).all()
    cross_entropy(logits, batch.target_out, batch.target_mask).backward()
    grads = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    assert grads and all(torch.isfinite(grad).all() for grad in grads)
