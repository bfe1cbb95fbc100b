"""The training generator: what a step is, what it costs nobody, and that it goes on where it stopped."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.bahdanau import Bahdanau
from attnbook.data import Batches, Pair, Vocabulary, collate
from attnbook.metrics import perplexity
from attnbook.optim import Guard, adam, constant, cross_entropy, linear_decay
from attnbook.recording import record_attention
from attnbook.recurrent import Seq2Seq
from attnbook.trainer import Step
from attnbook.training import train
from attnbook.transformer import Transformer

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
PAIRS = [Pair(tuple(WORDS[i : i + n]), tuple(w.upper() for w in WORDS[i : i + n])) for n in (2, 3, 5) for i in range(4)]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(seed: int = 0, dropout: float = 0.3) -> Bahdanau:
    torch.manual_seed(seed)
    return Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, dropout=dropout)


def make_batches(seed: int = 0, pairs: Sequence[Pair] = PAIRS) -> Batches:
    return Batches(pairs, SOURCE, TARGET, batch_size=4, seed=seed)


def losses(model: nn.Module, batches: Any = None, **options: Any) -> list[float]:
    return [step.loss for step in train(model, make_batches() if batches is None else batches, **options)]


def weights(model: nn.Module) -> list[torch.Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def same(left: Sequence[torch.Tensor], right: Sequence[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(left, right, strict=True))


# --- the loss


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_cross_entropy_is_its_formula_over_real_tokens(smoothing: float) -> None:
    torch.manual_seed(0)
    logits, target = torch.randn(3, 5, 7), torch.randint(7, (3, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
    total = 0.0
    for b in range(3):
        for t in range(5):
            if mask[b, t]:
                p = logits[b, t].exp() / logits[b, t].exp().sum()
                for v in range(7):
                    q = (1 - smoothing) * (v == int(target[b, t])) + smoothing / 7
                    total -= q * math.log(float(p[v]))
    summed = cross_entropy(logits, target, mask, label_smoothing=smoothing, reduction="sum")
    assert float(summed) == pytest.approx(total, rel=1e-5)
    mean = cross_entropy(logits, target, mask, label_smoothing=smoothing)
    assert float(mean) == pytest.approx(total / 8, rel=1e-5)
    library = F.cross_entropy(logits[mask], target[mask], label_smoothing=smoothing)
    torch.testing.assert_close(mean, library)
    torch.testing.assert_close(cross_entropy(logits[mask], target[mask], label_smoothing=smoothing), library)


def test_padding_changes_neither_loss_nor_gradient() -> None:
    torch.manual_seed(0)
    logits, target = torch.randn(2, 4, 6, requires_grad=True), torch.randint(6, (2, 4))
    mask = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0]]).bool()
    loss = cross_entropy(logits, target, mask, label_smoothing=0.1)
    (gradient,) = torch.autograd.grad(loss, logits)
    assert gradient[~mask].abs().max() == 0 and gradient[mask].abs().min() > 0
    changed = logits.detach().clone()
    changed[~mask] = 1e4
    other = torch.where(mask, target, (target + 1) % 6)
    assert torch.equal(cross_entropy(changed, other, mask, label_smoothing=0.1), loss)


def test_a_loss_without_real_tokens_is_zero_and_bf16_logits_give_an_fp32_loss() -> None:
    logits, target = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64)
    assert float(cross_entropy(logits, target, torch.zeros(2, 3, dtype=torch.bool))) == 0
    assert cross_entropy(logits.bfloat16(), target).dtype == torch.float32


def test_ids_of_padding_do_not_matter_and_ids_may_be_small() -> None:
    logits, target, mask = torch.randn(3, 4), torch.tensor([1, 2, 99]), torch.tensor([True, True, False])
    expected = cross_entropy(logits[:2], target[:2])
    assert torch.equal(cross_entropy(logits, target, mask), expected)
    assert torch.equal(cross_entropy(logits, target.int(), mask), expected)
    assert torch.equal(cross_entropy(logits[0], target[0]), cross_entropy(logits[:1], target[:1]))


def test_cross_entropy_refuses_what_does_not_fit() -> None:
    logits, target, mask = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64), torch.ones(2, 3).bool()
    with pytest.raises(ValueError, match=r"target has shape \(2, 4\)"):
        cross_entropy(logits, torch.zeros(2, 4, dtype=torch.int64), mask)
    with pytest.raises(TypeError, match=r"mask has dtype torch.float32: wanted torch.bool"):
        cross_entropy(logits, target, mask.float())
    with pytest.raises(ValueError, match=r"mask has shape \(2, 2\)"):
        cross_entropy(logits, target, mask[:, :2])
    with pytest.raises(TypeError, match=r"target has dtype torch.float32: wanted torch.int64 ids"):
        cross_entropy(logits, target.float())
    for wrong in (4, -1, -100):  # -100 is what the library would skip, and count
        with pytest.raises(ValueError, match=f"target has the id {wrong}: wanted 0 <= id < 4, the vocabulary size"):
            cross_entropy(logits, target.index_fill(1, torch.tensor([2]), wrong))
    with pytest.raises(ValueError, match="label_smoothing is 1"):
        cross_entropy(logits, target, mask, label_smoothing=1)
    with pytest.raises(ValueError, match="reduction is 'none'"):
        cross_entropy(logits, target, mask, reduction="none")


# --- schedules


def test_constant_and_linear_schedules() -> None:
    assert [constant(2.0)(s) for s in (1, 5, 10**6)] == [2.0] * 3
    assert [constant(2.0, warmup=4)(s) for s in (1, 2, 4, 5)] == [0.5, 1.0, 2.0, 2.0]
    rate = linear_decay(1.0, warmup=4, total=13)
    assert [rate(s) for s in (1, 2, 3, 4)] == [0.25, 0.5, 0.75, 1.0]
    falling = [rate(s) for s in range(4, 15)]
    assert all(a > b for a, b in pairwise(falling)) and falling[-1] == pytest.approx(0)
    assert rate(9) == pytest.approx(0.5) and rate(100) == 0
    assert linear_decay(1.0, total=4)(1) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: constant(0), "peak is 0: wanted above 0"),
        (lambda: constant(1, warmup=-1), "warmup is -1"),
        (lambda: linear_decay(1, warmup=5, total=5), "total is 5: wanted more than warmup = 5"),
        (lambda: linear_decay(1, total=0), "total is 0"),
    ],
)
def test_schedules_refuse_what_makes_no_sense(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- steps


def test_training_is_a_generator_and_its_steps_say_what_happened() -> None:
    batches = make_batches()
    run = train(make(), batches, epochs=3, lr=0.01)
    assert inspect.isgenerator(run)
    steps = list(run)
    assert [s.number for s in steps] == list(range(1, 10)) and {s.total for s in steps} == {9}
    assert [s.epoch for s in steps] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [s.ends_epoch for s in steps] == [False, False, True] * 3
    assert [s.tokens for s in steps[:3]] == [int(b.target_mask.sum()) for b in batches.epoch(0)]
    assert sum(s.tokens for s in steps[:3]) == sum(len(p.target) + 1 for p in PAIRS)
    assert all(s.lr == 0.01 and s.seconds > 0 and s.tokens_per_second == s.tokens / s.seconds for s in steps)
    assert steps[-1].elapsed == pytest.approx(sum(s.seconds for s in steps))


def test_the_first_loss_is_that_of_the_untrained_model() -> None:
    model, batches = make(dropout=0.0), make_batches()
    (first,) = [b for i, b in enumerate(batches.epoch(0)) if i == 0]
    wanted = F.cross_entropy(model(first)[first.target_mask], first.target_out[first.target_mask])
    assert next(train(model, batches, steps=1)).loss == pytest.approx(wanted.item(), rel=1e-6)


@pytest.mark.parametrize("family", [Seq2Seq, Bahdanau, Transformer])
def test_every_family_learns_by_heart(family: Any) -> None:
    sizes = {"d_model": 32, "d_ff": 64} if family is Transformer else {"embed_size": 32, "num_hiddens": 32}
    torch.manual_seed(1)
    model = family(len(SOURCE), len(TARGET), dropout=0.0, **sizes)
    batch = collate(PAIRS, SOURCE, TARGET)
    found = losses(model, [batch], steps=150, lr=0.01)
    assert abs(found[0] - math.log(len(TARGET))) < 1.2
    assert found[-1] < 0.05
    assert perplexity(model, [batch]) < 1.05


def test_the_schedule_reaches_the_optimizer_and_the_optimizer_can_be_chosen() -> None:
    made: list[torch.optim.Optimizer] = []

    def sgd(parameters: Sequence[nn.Parameter]) -> torch.optim.Optimizer:
        made.append(torch.optim.SGD(parameters, lr=123.0))
        return made[-1]

    model = make(dropout=0.0)
    before = weights(model)
    batch = collate(PAIRS, SOURCE, TARGET)
    run = train(model, [batch], steps=3, lr=lambda step: 0.1 / step, optimizer=sgd, clip_norm=None)
    assert [s.lr for s in (next(run), next(run))] == [0.1, 0.05] and made[0].param_groups[0]["lr"] == 0.05
    other = make(dropout=0.0)
    assert same(before, weights(other))
    next(train(other, [batch], steps=1, lr=0.1, optimizer=sgd, clip_norm=None))
    reference = make(dropout=0.0)
    cross_entropy(reference(batch), batch.target_out, batch.target_mask).backward()
    for old, new, p in zip(before, weights(other), reference.parameters(), strict=True):
        torch.testing.assert_close(new, old - 0.1 * p.grad)


def test_clipping_bounds_the_norm_of_the_gradient() -> None:
    def norm(model: nn.Module) -> float:
        return float(torch.stack([p.grad.norm() for p in model.parameters()]).norm())

    free, clipped = make(dropout=0.0), make(dropout=0.0)
    next(train(free, make_batches(), steps=1, clip_norm=None))
    next(train(clipped, make_batches(), steps=1, clip_norm=0.01))
    assert norm(free) > 0.05 and norm(clipped) == pytest.approx(0.01, rel=1e-3)
    for p, q in zip(free.parameters(), clipped.parameters(), strict=True):
        torch.testing.assert_close(q.grad, p.grad * (0.01 / norm(free)), rtol=1e-3, atol=1e-8)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_accumulated_batches_are_one_big_batch(smoothing: float) -> None:
    whole, parts = make(dropout=0.0), make(dropout=0.0)
    big = [collate(PAIRS, SOURCE, TARGET)]
    small = [collate(part, SOURCE, TARGET) for part in (PAIRS[:3], PAIRS[3:11], PAIRS[11:])]
    one = list(train(whole, big, epochs=4, lr=0.01, label_smoothing=smoothing))
    other = list(train(parts, small, epochs=4, lr=0.01, label_smoothing=smoothing, accumulate=3))
    assert len(one) == len(other) == 4
    for a, b in zip(one, other, strict=True):
        assert a.loss == pytest.approx(b.loss, rel=1e-5) and a.tokens == b.tokens and a.epoch == b.epoch
    for p, q in zip(whole.parameters(), parts.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-5)


def test_accumulation_over_an_uneven_end() -> None:
    steps = list(train(make(), make_batches(), epochs=3, accumulate=2))
    assert [s.number for s in steps] == [1, 2, 3, 4, 5] and steps[0].total == 5
    assert [s.epoch for s in steps] == [1, 2, 2, 3, 3]
    assert [s.ends_epoch for s in steps] == [False, True, True, False, True]
    assert sum(s.tokens for s in steps) == 3 * sum(len(p.target) + 1 for p in PAIRS)


def test_bf16_trains_and_keeps_fp32_weights() -> None:
    model = make(dropout=0.0)
    exact = losses(make(dropout=0.0), epochs=10, lr=0.02)
    found = losses(model, epochs=10, lr=0.02, bf16=True)
    assert found != exact and found == pytest.approx(exact, rel=0.1, abs=0.05)
    assert {p.dtype for p in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("off", [torch.no_grad, torch.inference_mode])
def test_a_caller_who_turned_gradients_off_may_train(off: Any) -> None:
    """As one does who translates in the same loop."""
    model = make()
    with off():
        found = losses(model, epochs=2)
    assert found == losses(make(), epochs=2)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None and shutil.which("clang++") is None, reason="no C++ compiler")
def test_compiled_training_has_the_same_losses() -> None:
    torch.manual_seed(0)
    model = Transformer(len(SOURCE), len(TARGET), d_model=16, num_heads=2, d_ff=32, num_layers=1, dropout=0.0)
    other = copy.deepcopy(model)
    batches = [collate(PAIRS[:8], SOURCE, TARGET), collate(PAIRS[8:], SOURCE, TARGET)]
    found = losses(model, batches, epochs=2, lr=0.01, compile=True)
    assert found == pytest.approx(losses(other, batches, epochs=2, lr=0.01), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_a_transformer_is_compiled_as_one_graph_for_all_lengths(positions: str) -> None:
    """Where one function cannot be compiled, what calls it runs as if nothing were."""
    model = Transformer(
        *map(len, (SOURCE, TARGET)), d_model=8, num_heads=2, d_ff=8, num_layers=1, positions=positions, dropout=0.0
    )
    graphs: list[Any] = []

    def keep(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    compiled = torch.compile(model, backend=keep, dynamic=True)
    for batch in (collate(PAIRS[:8], SOURCE, TARGET), collate(PAIRS[8:], SOURCE, TARGET)):
        assert torch.equal(compiled(batch), model(batch))
    assert len(graphs) == 1


# --- what happens between steps


def test_the_seed_decides_everything_and_the_caller_nothing() -> None:
    quiet = losses(make(), epochs=3)
    assert quiet == losses(make(), epochs=3)
    assert quiet != losses(make(), epochs=3, seed=1)
    model, noisy = make(), []
    batch = collate(PAIRS, SOURCE, TARGET)
    for i, step in enumerate(train(model, make_batches(), epochs=3)):
        noisy.append(step.loss)
        torch.manual_seed(i)
        torch.rand(5)
        with torch.no_grad():
            model(batch)  # dropout draws numbers
        model.eval()
        model(batch).sum().backward()  # a stray gradient, in eval mode
    assert noisy == quiet


def test_training_leaves_the_callers_random_numbers_alone() -> None:
    model = make()
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    losses(model, epochs=1)
    assert torch.equal(torch.rand(3), wanted)


def test_a_step_is_in_train_mode_whatever_came_before() -> None:
    model, modes = make(), []
    model.register_forward_pre_hook(lambda module, args: modes.append(module.training))
    for _ in train(model, make_batches(), steps=3):
        model.eval()
    assert modes == [True] * 3


def test_pausing_and_stopping() -> None:
    model = make()
    run = train(model, make_batches(), epochs=50)
    first = next(run)
    before = weights(model)
    assert isinstance(first, Step) and same(before, weights(model))  # nothing goes on by itself
    next(run)
    assert not same(before, weights(model))
    run.close()
    assert list(run) == [] and perplexity(model, make_batches().epoch(0)) > 1
    for step in train(model, make_batches(), epochs=50):
        if step.number == 2:
            break
    assert math.isfinite(step.loss)


def test_recording_changes_no_loss_and_holds_one_batch() -> None:
    quiet = losses(make(), epochs=17)
    model, watched = make(), []
    batches = make_batches()
    with record_attention(model) as record:
        for step in train(model, batches, epochs=17):
            watched.append(step.loss)
            assert record["decoder.cross_attention"].shape[0] == 4
    assert len(quiet) == 51 and watched == quiet


# --- numbers that are not numbers


class Poisoned(Bahdanau):
    """Gives NaN at the third step, in the loss or in the gradient alone."""

    calls = 0
    where = "loss"

    def decode_features(self, target_in: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        features, state = super().decode_features(target_in, state)
        self.calls += 1
        if self.calls == 3:
            if self.where == "loss":
                features = features * float("nan")
            else:
                features.register_hook(lambda gradient: gradient * float("inf"))
        return features, state


@pytest.mark.parametrize("where", ["loss", "gradient"])
@pytest.mark.parametrize("clip_norm", [1.0, None])
def test_a_number_that_is_none_is_an_error_before_it_reaches_a_weight(where: str, clip_norm: float | None) -> None:
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = where
    run = train(model, make_batches(), epochs=5, clip_norm=clip_norm)
    next(run), next(run)
    before = weights(model)
    with pytest.raises(FloatingPointError, match=r"step 3 is (nan|inf): wanted a finite number.*lower lr"):
        next(run)
    assert same(before, weights(model))


@pytest.mark.parametrize("optimizer", [adam, torch.optim.Adam, lambda p: torch.optim.SGD(p, momentum=0.9)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_guard_that_looks_late_takes_the_finite_steps_and_names_the_other(
    optimizer: Any, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a GPU does, here on the CPU: the device skips the step, the error comes later."""
    monkeypatch.setattr("attnbook.optim.LOOK_EVERY", 4)
    parameter, reference = (nn.Parameter(torch.ones(3, dtype=dtype)) for _ in range(2))
    guard, plain = Guard(optimizer([parameter]), parameter.device, late=True), optimizer([reference])
    steps = [(1.0, 0.0), (-2.0, 0.0), (3.0, math.inf), (4.0, 0.0)]  # gradient, loss
    for number, (gradient, loss) in enumerate(steps, start=1):
        parameter.grad = torch.full_like(parameter, gradient)
        guard.note(number, torch.tensor(loss))
        if number < len(steps):
            guard.step()
        else:
            with pytest.raises(FloatingPointError, match="step 3 is inf: wanted a finite number"):
                guard.step()
        if math.isfinite(loss):
            reference.grad = torch.full_like(reference, gradient)
            plain.step()
        assert torch.equal(parameter, reference)
    assert guard.skipped
    guard.look()  # says it once


@pytest.mark.parametrize("gradient", [math.nan, -math.inf])
def test_a_guard_sees_a_gradient_as_well_as_a_loss(gradient: float) -> None:
    parameter = nn.Parameter(torch.ones(3))
    guard = Guard(adam([parameter]), parameter.device, late=True)
    parameter.grad = torch.tensor([0.0, gradient, 1.0])
    guard.note(1, parameter.grad.norm())
    guard.step()
    assert torch.equal(parameter, torch.ones(3))
    with pytest.raises(FloatingPointError, match="step 1 is"):
        guard.look()


def test_looked_at_late_it_still_reaches_no_weight(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean = losses(make(), epochs=3)
    monkeypatch.setattr("attnbook.trainer.Guard", functools.partial(Guard, late=True))
    monkeypatch.setattr("attnbook.optim.LOOK_EVERY", 5)
    assert clean == losses(make(), epochs=3)  # without trouble the losses are the same as when looked at once
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = "loss"
    run = train(model, make_batches(), epochs=5, checkpoint=tmp_path / "run", checkpoint_every=2)
    next(run), next(run)
    before = weights(model)
    assert math.isnan(next(run).loss) and same(before, weights(model))
    assert math.isfinite(next(run).loss) and not same(before, weights(model))
    with pytest.raises(FloatingPointError, match="step 3 is nan"):
        next(run)
    assert all(bool(p.isfinite().all()) for p in model.parameters())
    again = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    resumed = train(again, make_batches(), epochs=5, checkpoint=tmp_path / "run")
    assert next(resumed).number == 3  # what was saved is from before


def test_the_random_numbers_of_a_batch_are_those_of_its_place_in_the_step() -> None:
    """So that it does not matter which process computes it: two places differ, and neither needs the other."""

    class Noisy(Bahdanau):
        def decode_features(self, target_in: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
            drawn.append(float(torch.rand(())))
            return super().decode_features(target_in, state)

    drawn: list[float] = []
    torch.manual_seed(0)
    batches = [collate(PAIRS[:4], SOURCE, TARGET)] * 3
    list(train(Noisy(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8), batches, steps=2, accumulate=3))
    together, drawn = drawn, []
    assert len(set(together)) == 6
    list(train(Noisy(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8), batches[:1], steps=2, accumulate=1))
    assert drawn == [together[0], together[3]]


# --- arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "epochs is None and steps is None: wanted one of them"),
        ({"epochs": 1, "steps": 1}, "epochs is 1 and steps is 1"),
        ({"epochs": 0}, "epochs is 0: wanted 1 or more, a whole number"),
        ({"epochs": 1.5}, "epochs is 1.5: wanted 1 or more, a whole number"),
        ({"steps": 1, "lr": math.inf}, "lr is inf: wanted above 0, and finite"),
        ({"steps": 1, "vocabularies": (SOURCE, Vocabulary(("a",)))}, "target_vocabulary has 5 ids: wanted 12, as the"),
        ({"steps": -1}, "steps is -1"),
        ({"steps": 1, "accumulate": 0}, "accumulate is 0"),
        ({"steps": 1, "checkpoint_every": 0}, "checkpoint_every is 0"),
        ({"steps": 1, "label_smoothing": 1.0}, "label_smoothing is 1.0: wanted 0 <= label_smoothing < 1"),
        ({"steps": 1, "clip_norm": 0.0}, "clip_norm is 0.0: wanted above 0, or None"),
        ({"steps": 1, "bf16": "no"}, "bf16 is 'no': wanted True or False"),
        ({"steps": 1, "compile": 1}, "compile is 1: wanted True or False"),
        ({"steps": 1, "lr": -1.0}, "lr is -1.0: wanted above 0"),
    ],
)
def test_bad_arguments_are_refused_by_the_call_itself(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(make(), make_batches(), **options)


def test_bad_batches_schedules_and_models_are_refused() -> None:
    for batches in (make_batches().epoch(0), PAIRS, "abc"):
        with pytest.raises(TypeError, match=r"batches is of type (map|list|str): wanted Batches, or a sequence"):
            train(make(), batches, steps=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"len\(batches\) is 0"):
        train(make(), [], steps=1)
    with pytest.raises(ValueError, match=r"lr at step 2 is nan: wanted a finite number"):
        list(train(make(), make_batches(), steps=2, lr=lambda step: 1.0 if step == 1 else math.nan))
    for vocabularies in ((SOURCE,), SOURCE):
        with pytest.raises(TypeError, match=r"vocabularies is of type \w+: wanted two, of source and target"):
            train(make(), make_batches(), steps=1, vocabularies=vocabularies)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="optimizer is of type Adam: wanted what makes one of the parameters"):
        train(make(), make_batches(), steps=1, optimizer=torch.optim.Adam(make().parameters()))  # type: ignore[arg-type]
    frozen = make().requires_grad_(False)
    with pytest.raises(ValueError, match="model is 'Bahdanau': wanted a parameter that requires a gradient"):
        train(frozen, make_batches(), steps=1)


def test_frozen_parameters_stay() -> None:
    model = make()
    model.encoder.requires_grad_(False)
    before = weights(model.encoder)
    losses(model, epochs=1)
    assert same(before, weights(model.encoder))
