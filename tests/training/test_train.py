"""The training generator: its steps, their losses and side effects."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import shutil
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.data import collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.training.loss import cross_entropy
from attnbook.training.trainer import Step, loss_share
from attnbook.translation.metrics import perplexity
from tests.support.small_training import PAIRS, SOURCE, TARGET, losses, make, make_batches, same, weights


def test_train_is_a_generator_of_steps() -> None:
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


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_first_loss_is_loss_of_untrained_model(smoothing: float) -> None:
    model, batches = make(dropout=0.0), make_batches()
    first = next(batches.epoch(0))
    logits, target = model(first)[first.target_mask], first.target_out[first.target_mask]
    wanted = F.cross_entropy(logits, target, label_smoothing=smoothing)
    (step,) = train(model, batches, steps=1, label_smoothing=smoothing)
    assert step.loss == pytest.approx(wanted.item(), rel=1e-6)


@pytest.mark.parametrize("family", [Seq2Seq, Bahdanau, Transformer])
def test_every_family_memorizes_a_batch(family: Any) -> None:
    sizes = {"d_model": 32, "d_ff": 64} if family is Transformer else {"embed_size": 32, "num_hiddens": 32}
    torch.manual_seed(1)
    model = family(len(SOURCE), len(TARGET), dropout=0.0, **sizes)
    batch = collate(PAIRS, SOURCE, TARGET)
    found = losses(model, [batch], steps=150, lr=0.01)
    assert abs(found[0] - math.log(len(TARGET))) < 1.2
    assert found[-1] < 0.05
    assert perplexity(model, [batch]) < 1.05


def test_train_sets_learning_rate_of_given_optimizer() -> None:
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


def test_clip_norm_bounds_gradient_norm() -> None:
    def norm(model: nn.Module) -> float:
        return float(torch.stack([p.grad.norm() for p in model.parameters()]).norm())

    free, clipped = make(dropout=0.0), make(dropout=0.0)
    next(train(free, make_batches(), steps=1, clip_norm=None))
    next(train(clipped, make_batches(), steps=1, clip_norm=0.01))
    assert norm(free) > 0.05 and norm(clipped) == pytest.approx(0.01, rel=1e-3)
    for p, q in zip(free.parameters(), clipped.parameters(), strict=True):
        torch.testing.assert_close(q.grad, p.grad * (0.01 / norm(free)), rtol=1e-3, atol=1e-8)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_accumulate_equals_one_large_batch(smoothing: float) -> None:
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


def test_accumulate_crosses_epochs_and_shortens_last_step() -> None:
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
def test_train_works_under_no_grad(off: Any) -> None:
    """As when the caller's loop also translates."""
    model = make()
    with off():
        found = losses(model, epochs=2)
    assert found == losses(make(), epochs=2)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None and shutil.which("clang++") is None, reason="no C++ compiler")
def test_compile_gives_same_losses() -> None:
    torch.manual_seed(0)
    model = Transformer(len(SOURCE), len(TARGET), d_model=16, num_heads=2, d_ff=32, num_layers=1, dropout=0.0)
    other = copy.deepcopy(model)
    batches = [collate(PAIRS[:8], SOURCE, TARGET), collate(PAIRS[8:], SOURCE, TARGET)]
    found = losses(model, batches, epochs=2, lr=0.01, compile=True)
    assert found == pytest.approx(losses(other, batches, epochs=2, lr=0.01), rel=1e-4)


@pytest.mark.parametrize("kind", [Bahdanau, Transformer])
def test_attention_is_recorded_in_compiled_training(kind: type[Any]) -> None:
    """Only that of the last step, as without ``compile``."""
    sizes = {"d_model": 16, "num_heads": 2} if kind is Transformer else {"num_hiddens": 8}
    batch, records = collate(PAIRS[:8], SOURCE, TARGET), []
    for compiles in (False, True):
        torch.manual_seed(0)
        model = kind(len(SOURCE), len(TARGET), dropout=0.0, **sizes)
        with record_attention(model) as record:
            losses(model, [batch], epochs=3, compile=compiles)
        records.append(record)
    assert records[0].keys() == records[1].keys() and len(records[0])
    for name, recorded in records[0].items():
        assert torch.equal(recorded, records[1][name])


@pytest.mark.parametrize("name", ["source", "target_in", "target_out"])
def test_compile_checks_ids(name: str) -> None:
    """Compiled code would end the process."""
    batch = collate(PAIRS[:8], SOURCE, TARGET)
    ids = getattr(batch, name).clone()
    ids[0, 0] = 99
    wrong = dataclasses.replace(batch, **{name: ids})
    with pytest.raises(ValueError, match=f"{name} must be ids between 0 and .*, got 99"):
        losses(make(), [wrong], epochs=1, compile=True)


def kept_graphs() -> tuple[list[Any], Callable[[Any, Any], Any]]:
    """An empty list, and a backend of ``torch.compile`` that adds each graph to it and runs it as it is."""
    graphs: list[Any] = []

    def keep(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    return graphs, keep


@pytest.mark.slow
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_transformer_compiles_to_one_graph_for_all_lengths(positions: str) -> None:
    """A function that cannot be compiled would split the graph without an error."""
    model = Transformer(
        *map(len, (SOURCE, TARGET)), d_model=8, num_heads=2, d_ff=8, num_layers=1, positions=positions, dropout=0.0
    )
    graphs, keep = kept_graphs()
    compiled = torch.compile(model, backend=keep, dynamic=True)
    for batch in (collate(PAIRS[:8], SOURCE, TARGET), collate(PAIRS[8:], SOURCE, TARGET)):
        assert torch.equal(compiled(batch), model(batch))
    assert len(graphs) == 1


@pytest.mark.slow
def test_model_and_loss_compile_to_one_graph() -> None:
    """Outside the graph, the loss would cost several percent of a step without any error."""
    model = Transformer(*map(len, (SOURCE, TARGET)), d_model=8, num_heads=2, d_ff=8, num_layers=1, dropout=0.0)
    graphs, keep = kept_graphs()
    compiled = torch.compile(loss_share, backend=keep, dynamic=True)
    for batch in (collate(PAIRS[:8], SOURCE, TARGET), collate(PAIRS[8:], SOURCE, TARGET)):
        arguments = (model, batch, torch.tensor(float(batch.num_tokens)), False, 0.1)
        assert torch.allclose(compiled(*arguments), loss_share(*arguments))
    assert len(graphs) == 1


def test_losses_depend_on_seed_and_not_on_caller() -> None:
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


def test_train_restores_random_state_of_caller() -> None:
    model = make()
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    losses(model, epochs=1)
    assert torch.equal(torch.rand(3), wanted)


def test_step_runs_in_train_mode_after_eval_of_a_part() -> None:
    model, found = make(), []
    for step in train(model, make_batches(), steps=3):
        found.append(step.loss)
        model.encoder.eval()
    assert found == losses(make(), steps=3)


def test_step_runs_in_train_mode_after_eval() -> None:
    model, modes = make(), []
    model.register_forward_pre_hook(lambda module, args: modes.append(module.training))
    for _ in train(model, make_batches(), steps=3):
        model.eval()
    assert modes == [True] * 3


def test_train_can_be_paused_and_closed() -> None:
    model = make()
    run = train(model, make_batches(), epochs=50)
    first = next(run)
    before = weights(model)
    assert isinstance(first, Step) and same(before, weights(model))  # no step is taken until requested
    next(run)
    assert not same(before, weights(model))
    run.close()
    assert list(run) == [] and perplexity(model, make_batches().epoch(0)) > 1
    for step in train(model, make_batches(), epochs=50):
        if step.number == 2:
            break
    assert math.isfinite(step.loss)


def test_recording_changes_no_loss_and_keeps_one_batch() -> None:
    quiet = losses(make(), epochs=17)
    model, watched = make(), []
    batches = make_batches()
    with record_attention(model) as record:
        for step in train(model, batches, epochs=17):
            watched.append(step.loss)
            assert record["decoder.cross_attention"].shape[0] == 4
    assert len(quiet) == 51 and watched == quiet


def test_random_numbers_are_saved_in_every_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before torch 2.13, ``fork_rng`` refused None as a type of device, and then no model could train."""
    fork_rng = torch.random.fork_rng

    def old(devices: Any = None, enabled: bool = True, device_type: str = "cuda") -> Any:
        return fork_rng(devices, enabled, device_type=torch.device(device_type).type)

    monkeypatch.setattr(torch.random, "fork_rng", old)
    assert len(losses(make(), steps=2)) == 2


def test_random_numbers_depend_on_place_in_step() -> None:
    """The numbers of a batch differ from those of other places, and do not depend on the other batches."""

    class Noisy(Bahdanau):
        def decode(self, target_in: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
            drawn.append(float(torch.rand(())))
            return super().decode(target_in, state)

    drawn: list[float] = []
    torch.manual_seed(0)
    batches = [collate(PAIRS[:4], SOURCE, TARGET)] * 3
    list(train(Noisy(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8), batches, steps=2, accumulate=3))
    together, drawn = drawn, []
    assert len(set(together)) == 6
    list(train(Noisy(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8), batches[:1], steps=2, accumulate=1))
    assert drawn == [together[0], together[3]]


def test_train_leaves_frozen_parameters_unchanged() -> None:
    model = make()
    model.encoder.requires_grad_(False)
    before = weights(model.encoder)
    losses(model, epochs=1, optimizer=lambda parameters: torch.optim.SGD(parameters, weight_decay=0.1))
    assert same(before, weights(model.encoder))
