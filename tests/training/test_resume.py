"""Resuming a run: equal to an uninterrupted one, and refused with the checkpoint of another run."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnbook.data import Batches, Pair, collate
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import CheckpointError, load_model, read_checkpoint, save_checkpoint
from attnbook.training.loop import train
from attnbook.training.tensor_file import unseal
from tests.support.checkpoint_files import VOCABULARIES, refused, rewrite
from tests.support.small_training import PAIRS, SOURCE, TARGET, make, make_batches


def run_losses(path: Path | None, **options: Any) -> Iterator[tuple[int, str]]:
    settings = {"steps": 20, "lr": 0.01, "checkpoint_every": 4, **options}
    for step in train(make(), make_batches(), checkpoint=path, **settings):
        yield step.number, step.loss.hex()


@pytest.mark.parametrize("optimizer", [torch.optim.AdamW, lambda p: torch.optim.SGD(p, momentum=0.9)])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_resume_after_break_equals_uninterrupted_run(tmp_path: Path, optimizer: Any, accumulate: int) -> None:
    options = {"optimizer": optimizer, "accumulate": accumulate, "label_smoothing": 0.1}
    wanted = list(run_losses(None, **options))
    found: list[tuple[int, str]] = []
    while len(found) < 20:  # break after every third step
        for i, step in enumerate(run_losses(tmp_path / "run", **options)):
            found.append(step)
            if i == 2:
                break
    assert found == wanted
    assert list(run_losses(tmp_path / "run", **options)) == []
    assert [n for n, _ in run_losses(tmp_path / "run", **options, steps=22)] == [21, 22]  # more steps than planned


def test_resume_accepts_optimizer_options_of_another_torch(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(run_losses(path, steps=4))
    optimizer = unseal(path.read_bytes())[1]["optimizer"]
    group = optimizer["param_groups"][0]
    del group["maximize"]
    group["of_another_torch"] = True
    rewrite(path, optimizer=optimizer)
    assert list(run_losses(path, steps=6)) == list(run_losses(None, steps=6))[4:]


def test_resume_accepts_vocabularies_in_a_list(tmp_path: Path) -> None:
    given: Any = list(VOCABULARIES)
    for number in (1, 2):
        steps = train(make(), make_batches(), steps=number, checkpoint=tmp_path / "m", vocabularies=given)
        assert [step.number for step in steps] == [number]


def test_error_in_loop_or_step_saves_finished_steps(tmp_path: Path) -> None:
    path = tmp_path / "run"
    model = make()

    def watch() -> None:
        for step in train(model, make_batches(), steps=20, checkpoint=path, checkpoint_every=100):
            if step.number == 5:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch()
    found = read_checkpoint(path)
    assert found.progress["number"] == 5

    def interrupt(module: Any, args: Any) -> None:
        raise KeyboardInterrupt

    run = train(model, make_batches(), steps=20, checkpoint=path, checkpoint_every=100)
    assert next(run).number == 6
    handle = model.register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        next(run)
    handle.remove()
    wanted = dict(run_losses(None, checkpoint_every=100, lr=1e-3))
    assert [(s.number, s.loss.hex()) for s in train(make(), make_batches(), steps=8, checkpoint=path)] == [
        (n, wanted[n]) for n in (7, 8)
    ]


def test_interrupt_of_a_save_saves_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    run = train(make(), make_batches(), steps=20, checkpoint=path, checkpoint_every=3)
    assert [next(run).number for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    sync, calls = os.fsync, iter([KeyboardInterrupt, None])

    def interrupted(handle: int) -> None:
        if error := next(calls):
            raise error
        sync(handle)

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(run)
    assert read_checkpoint(path).progress["number"] == 6


def test_resume_adds_to_elapsed_time(tmp_path: Path) -> None:
    *_, before = train(make(), make_batches(), steps=2, checkpoint=tmp_path / "run")
    (after,) = train(make(), make_batches(), steps=3, checkpoint=tmp_path / "run")
    assert after.elapsed == pytest.approx(before.elapsed + after.seconds)


def test_interrupt_in_the_middle_of_an_update_saves_nothing(tmp_path: Path) -> None:
    """Some weights are those after the step, the others those before it."""

    class Interrupted(torch.optim.SGD):
        def step(self, closure: Any = None) -> None:
            super().step(closure)
            if taken == 2:
                raise KeyboardInterrupt

    taken = 0
    run = train(make(), make_batches(), steps=9, optimizer=Interrupted, checkpoint=tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        for step in run:
            taken = step.number
    assert taken == 2 and not (tmp_path / "run").exists()


def test_abandoned_run_does_not_overwrite_checkpoint_of_next_run(tmp_path: Path) -> None:
    path = tmp_path / "run"
    model = make()
    dropped = train(model, make_batches(), steps=20, checkpoint=path, checkpoint_every=100)
    next(dropped)
    following = train(model, make_batches(), steps=3, checkpoint=path, checkpoint_every=100)
    assert len(list(following)) == 3
    dropped.close()  # as when its last reference disappears
    assert read_checkpoint(path).progress["number"] == 3


def test_checkpoint_may_be_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    list(train(make(), make_batches(), steps=3, checkpoint=tmp_path / "link", checkpoint_every=1))
    assert (tmp_path / "link").is_symlink() and read_checkpoint(tmp_path / "file").progress["number"] == 3
    assert [s.number for s in train(make(), make_batches(), steps=4, checkpoint=tmp_path / "link")] == [4]


RUNS = """
import os, signal, sys
import torch
torch.set_num_threads(1)
from attnbook.training.loop import train
from tests.support.small_training import make, make_batches

def run(write, kill_in_save):
    saves, fsync = 0, os.fsync
    def dying(handle):
        nonlocal saves
        saves += 1
        if saves == kill_in_save:  # the temporary file is written, but has not replaced the old one
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(handle)
    os.fsync = dying
    for step in train(make(), make_batches(), steps=24, lr=0.01, checkpoint=sys.argv[1], checkpoint_every=1):
        print(step.number, step.loss.hex(), file=write, flush=True)

for kill_in_save, kill_after in ((6, 0), (1, 0), (9, 0), (0, 2), (0, 5), (0, 0)):
    read, write = os.pipe()
    child = os.fork()  # everything is already imported
    if child == 0:
        os.close(read)
        run(os.fdopen(write, "w"), kill_in_save)
        os._exit(0)
    os.close(write)
    for count, line in enumerate(os.fdopen(read), start=1):
        print(line, end="")
        if count == kill_after:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    print("killed" if os.WIFSIGNALED(status) else f"ended {status}", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_resume_after_kills_equals_uninterrupted_run(root: Path, tmp_path: Path) -> None:
    wanted = [(s.number, s.loss.hex()) for s in train(make(), make_batches(), steps=24, lr=0.01)]
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, str(script), str(tmp_path / "checkpoint")]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    found: dict[int, str] = {}
    *ends, last = [line for line in output.splitlines() if not line[0].isdigit()]
    for number, loss in (line.split() for line in output.splitlines() if line[0].isdigit()):
        assert found.setdefault(int(number), loss) == loss  # a repeated step has the same loss
    assert last == "ended 0" and len(ends) == 5
    killed = ends.count("killed")
    assert killed >= 3  # in a save; on a busy machine a run may have ended before it is killed between two
    assert sorted(found.items()) == wanted
    assert math.isfinite(float.fromhex(found[24]))
    leftovers = [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"]
    assert leftovers == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_smoothing": 0.1}, r"train\(\)\['label_smoothing'\]"),
        ({"seed": 3}, r"train\(\)\['seed'\]"),
        ({"clip_norm": None}, r"train\(\)\['clip_norm'\]"),
        ({"lr": 0.02}, "lr at step 1"),
        ({"lr": lambda step: 0.01 if step < 4 else 0.03}, "lr at step 4"),
        ({"optimizer": torch.optim.SGD}, "optimizer: .*Adam.*SGD"),
        ({"optimizer": torch.optim.Adam}, r"param_groups\[0\]\['betas'\]"),
        (
            {"vocabularies": VOCABULARIES},
            "vocabularies",
        ),
        ({"steps": 4}, "at step 5.*got 4"),
    ],
)
def test_resume_with_other_settings_raises_and_changes_nothing(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, lr=0.01, checkpoint=path))
    content = path.read_bytes()
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with refused(path, message):
        train(model, make_batches(), **{"steps": 9, "lr": 0.01, "checkpoint": path, **options})
    assert path.read_bytes() == content
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_resume_with_other_model_or_data_raises(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, checkpoint=path))
    with refused(path, r"model.config\['num_layers'\]"):
        train(make(num_layers=2), make_batches(), steps=9, checkpoint=path)
    fewer = Batches(PAIRS[:-1], SOURCE, TARGET, batch_size=4)
    for batches in (make_batches(seed=1), fewer, list(make_batches().epoch(1))):
        with refused(path, "differs in batches"):
            train(make(), batches, steps=9, checkpoint=path)
    save_checkpoint(path, make())
    with refused(path, "without a training run"):
        train(make(), make_batches(), steps=9, checkpoint=path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "5"),
        ("number", -5),
        ("number", 0),
        ("number", True),
        ("number", 6),  # more steps than batches
        ("position", None),
        ("position", "5"),
        ("position", -1),
        ("position", 10**400),
        ("elapsed", "long"),
        ("elapsed", -1.0),
        ("elapsed", math.nan),
        ("settings", None),
        ("settings", []),
        ("data", None),
        ("lr", []),
        ("lr", {}),
        ("lr", {"1": 0.01, "2": "0.01", "4": 0.01, "5": 0.01}),
    ],
)
def test_resume_with_invalid_progress_raises_and_changes_nothing(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, lr=0.01, checkpoint=path))
    progress = {**read_checkpoint(path).progress, name: value}
    rewrite(path, progress={key: entry for key, entry in progress.items() if entry is not None})
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        train(model, make_batches(), steps=9, lr=0.01, checkpoint=path)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_resume_with_foreign_optimizer_state_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, checkpoint=path))
    _, data = unseal(path.read_bytes())
    rewrite(path, optimizer={**data["optimizer"], "values": [[999, "step", 1.0]]})
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with refused(path, "optimizer state"):
        train(model, make_batches(), steps=9, checkpoint=path)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def other_batches() -> Iterator[Any]:
    """Data with as many batches as PAIRS, and in most cases the same first batch."""
    changed = list(PAIRS)
    changed[0] = Pair(PAIRS[0].source, PAIRS[1].target)
    yield "another target", Batches(changed, SOURCE, TARGET, batch_size=4)
    changed = [*PAIRS[:-1], Pair(PAIRS[-2].source, PAIRS[-1].target)]
    yield "another source", Batches(changed, SOURCE, TARGET, batch_size=4)
    yield "another seed", make_batches(seed=1)
    yield "another size", Batches(PAIRS, SOURCE, TARGET, batch_size=5)
    yield "not shuffled", Batches(PAIRS, SOURCE, TARGET, batch_size=4, shuffle=False)
    yield "another order", Batches(PAIRS[::-1], SOURCE, TARGET, batch_size=4)
    epoch = list(make_batches().epoch(0))
    yield "a list", epoch
    for i in range(3):
        yield (
            f"without the last of batch {i}",
            [*epoch[:i], collate(epoch[i].pairs[:-1], SOURCE, TARGET), *epoch[i + 1 :]],
        )
    yield "in another order", [epoch[0], epoch[2], epoch[1]]


def test_resume_compares_all_data_and_their_order(tmp_path: Path) -> None:
    path = tmp_path / "run"
    given = [("the same", make_batches()), *other_batches()]
    for name, batches in given:
        path.unlink(missing_ok=True)
        list(train(make(), batches, steps=1, checkpoint=path))
        for other_name, other in given:
            if other_name == name:
                list(train(make(), other, steps=1, checkpoint=path))
                continue
            with pytest.raises(CheckpointError, match="differs in batches"):
                train(make(), other, steps=2, checkpoint=path)


@pytest.mark.parametrize(
    "groups",
    ["abc", [], [[]], ["abc"], [{}], [{"params": None}], [{"params": 3}], [{"params": "ab"}], None, [{"params": [[]]}]],
)
def test_resume_with_invalid_param_groups_raises_and_changes_nothing(tmp_path: Path, groups: Any) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=2, checkpoint=path))
    _, data = unseal(path.read_bytes())
    rewrite(path, optimizer={**data["optimizer"], "param_groups": groups})
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        train(model, make_batches(), steps=9, checkpoint=path)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_invalid_checkpoint_path_is_a_checkpoint_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with refused(path, "cannot be"):
        train(make(), make_batches(), steps=1, checkpoint=path)
    with refused(path, "cannot be written"):
        save_checkpoint(path, make())
    with pytest.raises((CheckpointError, FileNotFoundError), match=re.escape(str(path))):
        read_checkpoint(path)


def test_unreadable_checkpoint_is_a_checkpoint_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=1, checkpoint=path, vocabularies=VOCABULARIES))

    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refused)  # root may read any file
    for call in (load_model, read_checkpoint, lambda path: train(make(), make_batches(), steps=1, checkpoint=path)):
        with pytest.raises(CheckpointError, match="cannot be read: Permission denied"):
            call(path)


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ({"d_model": np.int64(8), "num_heads": np.int32(2), "dropout": np.float32(0.5)}, {}),
        ({}, {"seed": np.int64(3), "accumulate": np.int64(2), "bf16": np.bool_(False)}),
        ({}, {"label_smoothing": np.float32(0.5), "clip_norm": np.float32(0.5), "lr": np.float32(0.25)}),
    ],
)
def test_resume_accepts_python_numbers_for_those_of_numpy(
    tmp_path: Path, sizes: dict[str, Any], options: dict[str, Any]
) -> None:
    def build(**given: Any) -> Transformer:
        torch.manual_seed(0)
        small = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 1}
        return Transformer(len(SOURCE), len(TARGET), **{**small, **given})

    def losses(model: Transformer, steps: int, **more: Any) -> list[float]:
        return [step.loss for step in train(model, make_batches(), steps=steps, vocabularies=VOCABULARIES, **more)]

    plain_sizes, plain = ({name: value.item() for name, value in given.items()} for given in (sizes, options))
    path = tmp_path / "run"
    first = losses(build(**sizes), 2, checkpoint=path, **options)
    rest = losses(build(**plain_sizes), 3, checkpoint=path, **plain)
    assert first + rest == losses(build(**plain_sizes), 3, **plain)
    assert load_model(path).model.config == build(**plain_sizes).config
