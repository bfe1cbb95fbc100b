"""Properties of every translation model: no leaks, no effect of padding or other rows, no tensors kept; it learns."""

from __future__ import annotations

import copy
import gc
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention.kernels import Attention
from attnbook.attention.masks import lengths_to_mask
from attnbook.data import Batch, Pair, Vocabulary, collate
from attnbook.data.grammar import sample
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.training.loss import cross_entropy
from attnbook.translation.metrics import corpus_bleu
from attnbook.translation.translate import translate
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
    """The same sentences with more padding and another padding id."""

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


# Dependencies
@names
@modes
def test_logits_do_not_depend_on_future_tokens(name: str, training: bool, batch: Batch) -> None:
    """Changing target token t leaves all logits before t equal bit for bit, and changes those from t on."""
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
def test_logits_depend_on_every_source_word(name: str, training: bool, batch: Batch) -> None:
    """Shows that the tests of independence can fail."""
    model = build(name).train(training)
    logits = model(batch)
    reach = VARIANTS[name][1].get("window", "global") != "local-m"  # a fixed window may lie beyond a short source
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
@settings(max_examples=5)
def test_logits_and_gradients_do_not_depend_on_padding(
    name: str, more_source: int, more_target: int, filler: int, training: bool
) -> None:
    """Neither on the amount of padding nor on its ids."""
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
@settings(max_examples=3)
def test_permuted_batch_gives_permuted_logits(name: str, rows: list[int], training: bool) -> None:
    batch = random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)
    model = build(name).train(training)
    torch.testing.assert_close(model(rows_of(batch, rows)), model(batch)[rows], atol=1e-5, rtol=0)


@names
@modes
def test_batch_of_one_equals_its_row(name: str, training: bool, batch: Batch) -> None:
    model = build(name).train(training)
    logits = model(batch)
    for row in range(3):
        alone = model(rows_of(batch, [row]))
        torch.testing.assert_close(alone, logits[row : row + 1, : alone.shape[1]], atol=1e-5, rtol=0)


@names
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_empty_source_gives_finite_logits_and_no_gradient(name: str, dtype: torch.dtype) -> None:
    """No NaN in the other rows, forward or backward, in any precision."""
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
def test_fp64_logits_round_to_fp32_logits(name: str, batch: Batch) -> None:
    expected = build(name)(batch)
    model = build(name).double()
    logits = model(batch)
    assert logits.dtype == torch.float64
    torch.testing.assert_close(logits.float(), expected, atol=1e-5, rtol=1e-5)


@names
@pytest.mark.parametrize("way", ["bf16 weights", "fp16 weights", "bf16 autocast"])
def test_low_precision_is_close_to_fp32(name: str, way: str, batch: Batch) -> None:
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
    assert model.head.weight.grad.any()


@pytest.mark.parametrize("name", FAMILIES)
@given(
    source_lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    data=st.data(),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    training=st.booleans(),
)
@settings(max_examples=8)
def test_any_lengths_give_finite_logits_of_the_right_shape(
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


attending = pytest.mark.parametrize("name", [name for name in NAMES if VARIANTS[name][0] is not Seq2Seq])


def losses(model: EncoderDecoder, batches: list[Batch], steps: int) -> list[Tensor]:
    torch.manual_seed(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    found = []
    for step in range(steps):
        batch = batches[step % len(batches)]
        loss = cross_entropy(model(batch), batch.target_out, batch.target_mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    return found


@attending
def test_recording_does_not_change_losses(name: str) -> None:
    """With dropout, also of attention weights, to detect a changed random state."""
    batches = [random_batch((3, 1), (2, 3)), random_batch((2, 4), (3, 1), seed=1)]
    options: dict[str, Any] = {}
    if VARIANTS[name][0] is Transformer:
        options = {"attention_dropout": 0.1, "num_layers": 1}
    steps = 50 if name in FAMILIES else 10
    silent = losses(build(name, dropout=0.1, gain=1.0, **options), batches, steps)
    model = build(name, dropout=0.1, gain=1.0, **options)
    with record_attention(model) as record:
        seen = losses(model, batches, steps)
        assert len(record) == len(record.names)
    assert all(torch.equal(a, b) for a, b in zip(silent, seen, strict=True))
    assert float(seen[-2]) < float(seen[0])  # of the same batch


def held_tensors(value: Any, path: str) -> Iterator[str]:
    """Every tensor that can be reached from a value through plain containers and attributes."""
    if isinstance(value, Tensor):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from held_tensors(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for i, item in enumerate(value):
            yield from held_tensors(item, f"{path}[{i}]")
    elif getattr(value, "__closure__", None):
        for cell in value.__closure__:
            yield from held_tensors(cell.cell_contents, f"{path}.<closure>")
    elif not isinstance(value, (type, nn.Module)) and hasattr(value, "__dict__"):
        yield from held_tensors(vars(value), path)


def held_by_modules(model: nn.Module) -> list[str]:
    own = {"_parameters", "_buffers", "_modules"}
    return [
        found
        for name, module in model.named_modules()
        for key, value in vars(module).items()
        if key not in own and key not in ("_flat_weights", "_flat_weight_refs")  # the library's own, of nn.GRU
        for found in held_tensors(value, f"{name}.{key}")
    ]


def use(model: EncoderDecoder, batch: Batch) -> None:
    """Use a model in every way: record attention, train, encode and decode."""
    if not isinstance(model, Seq2Seq):
        with record_attention(model) as record:
            cross_entropy(model(batch), batch.target_out, batch.target_mask).backward()
        assert len(record)
    cross_entropy(model(batch), batch.target_out, batch.target_mask).backward()
    model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))


@pytest.mark.parametrize("name", NAMES)
def test_modules_hold_no_tensors_after_use(name: str, batch: Batch) -> None:
    model = build(name)
    keys = set(model.state_dict())
    use(model, batch)
    assert held_by_modules(model) == []
    assert set(model.state_dict()) == keys


@pytest.mark.parametrize("name", FAMILIES)
def test_no_tensor_survives_a_step(name: str, batch: Batch) -> None:
    model = build(name)
    use(model, batch)  # so that gradients exist already
    gc.collect()
    gc.freeze()  # get_objects() leaves out all existing objects
    try:
        use(model, batch)
        gc.collect()
        left = [tuple(thing.shape) for thing in gc.get_objects() if issubclass(type(thing), Tensor)]
    finally:
        gc.unfreeze()  # or no later test could free them
    assert left == []


def test_held_by_modules_finds_hidden_tensors(batch: Batch) -> None:
    model = build("bahdanau")
    attention = next(module for module in model.modules() if isinstance(module, Attention))
    kept: list[Tensor] = []
    attention.observer = kept.append
    attention.hidden_away = {"deep": [(lambda: kept[0])]}  # type: ignore[assignment]
    model(batch)
    assert any("hidden_away['deep'][0].<closure>[0]" in found for found in held_by_modules(model))


@pytest.mark.parametrize("name", NAMES)
def test_deepcopy_and_loaded_state_give_equal_logits(name: str, batch: Batch) -> None:
    model = build(name)
    logits = model(batch)
    copied = copy.deepcopy(model)
    loaded = build(name, seed=1)
    assert not torch.equal(loaded(batch), logits)
    loaded.load_state_dict(model.state_dict())
    assert torch.equal(copied(batch), logits) and torch.equal(loaded(batch), logits)
    with torch.no_grad():
        for parameter in copied.parameters():
            parameter.zero_()
    assert torch.equal(model(batch), logits), "a copy shares its weights"


@pytest.mark.parametrize("name", NAMES)
def test_first_loss_is_close_to_uniform_guess(name: str) -> None:
    """It is log(vocabulary) plus half the variance of the logits.

    That variance is near 0 in recurrent models and 1/3 in a Transformer with an untied head. A tied head multiplies
    normalized features by embeddings of variance 1/d_model: variance 1.
    """
    vocabulary = 1000
    kind, options = VARIANTS[name]
    sizes = {"d_model": 64, "num_heads": 4, "d_ff": 128} if kind is Transformer else {"num_hiddens": 32}
    if options.get("num_heads") == 1:
        sizes = {"d_model": 63, "num_heads": 1, "d_ff": 128}
    batch = random_batch([8] * 16, [9] * 16, target_vocabulary=vocabulary)
    model = build(name, gain=1.0, target_vocab_size=vocabulary, **sizes)
    with torch.no_grad():
        above = float(cross_entropy(model(batch), batch.target_out, batch.target_mask)) - math.log(vocabulary)
    if kind is not Transformer:
        assert abs(above) < 0.15
    else:
        expected = 1 / 6 if options.get("tied") is False else 1 / 2
        assert abs(above - expected) < 0.3


def short_pairs() -> list[Pair]:
    return [pair for pair in sample(200, seed=3) if len(pair.source) <= 7][:32]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_models_memorize_16_pairs(name: str) -> None:
    pairs = short_pairs()[:16]
    assert len(pairs) == 16
    source = Vocabulary.build([pair.source for pair in pairs])
    target = Vocabulary.build([pair.target for pair in pairs])
    kind, options = VARIANTS[name]
    sizes = {"embed_size": 64, "num_hiddens": 64}
    if kind is Transformer:
        sizes = {"d_model": 32, "num_heads": 4, "d_ff": 64, "num_layers": 1}
        if options.get("num_heads") == 1:
            sizes |= {"d_model": 33, "num_heads": 1}
    model = build(name, gain=1.0, source_vocab_size=len(source), target_vocab_size=len(target), **sizes)
    batch = collate(pairs, source, target)
    for _ in train(model, [batch], steps=40, lr=1e-2 if kind is Transformer else 1.5e-2):
        pass
    translations = translate(model, [pair.source for pair in pairs], source, target, max_length=20)
    assert corpus_bleu([found.target for found in translations], [[pair.target] for pair in pairs]) == pytest.approx(
        100
    )
    assert [found.target for found in translations] == [pair.target for pair in pairs]
