"""A run that was stopped, interrupted or killed goes on as if nothing had been."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.training.checkpoint import read_checkpoint
from attnbook.training.loop import train
from attnbook.training.tensor_file import unseal
from tests.support.checkpoint_files import VOCABULARIES, rewrite
from tests.support.small_training import make, make_batches


def run_losses(path: Path | None, **options: Any) -> Iterator[tuple[int, str]]:
    settings = {"steps": 20, "lr": 0.01, "checkpoint_every": 4, **options}
    for step in train(make(), make_batches(), checkpoint=path, **settings):
        yield step.number, step.loss.hex()


@pytest.mark.parametrize("optimizer", [torch.optim.AdamW, lambda p: torch.optim.SGD(p, momentum=0.9)])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_stopped_run_goes_on_bit_for_bit(tmp_path: Path, optimizer: Any, accumulate: int) -> None:
    options = {"optimizer": optimizer, "accumulate": accumulate, "label_smoothing": 0.1}
    wanted = list(run_losses(None, **options))
    found: list[tuple[int, str]] = []
    while len(found) < 20:  # stop by break, after every third step
        for i, step in enumerate(run_losses(tmp_path / "run", **options)):
            found.append(step)
            if i == 2:
                break
    assert found == wanted
    assert list(run_losses(tmp_path / "run", **options)) == []
    assert [n for n, _ in run_losses(tmp_path / "run", **options, steps=22)] == [21, 22]  # further than planned


def test_an_optimizer_of_another_torch_may_have_one_option_more_or_less(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(run_losses(path, steps=4))
    optimizer = unseal(path.read_bytes())[1]["optimizer"]
    group = optimizer["param_groups"][0]
    del group["maximize"]
    group["of_another_torch"] = True
    rewrite(path, optimizer=optimizer)
    assert list(run_losses(path, steps=6)) == list(run_losses(None, steps=6))[4:]


def test_vocabularies_in_a_list_are_those_in_a_tuple(tmp_path: Path) -> None:
    given: Any = list(VOCABULARIES)
    for number in (1, 2):
        steps = train(make(), make_batches(), steps=number, checkpoint=tmp_path / "m", vocabularies=given)
        assert [step.number for step in steps] == [number]


def test_an_error_in_the_callers_loop_or_in_a_step_saves_what_was_done(tmp_path: Path) -> None:
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


def test_a_dropped_run_does_not_write_over_the_one_that_follows(tmp_path: Path) -> None:
    path = tmp_path / "run"
    model = make()
    dropped = train(model, make_batches(), steps=20, checkpoint=path, checkpoint_every=100)
    next(dropped)
    following = train(model, make_batches(), steps=3, checkpoint=path, checkpoint_every=100)
    assert len(list(following)) == 3
    dropped.close()  # as when the traceback that held it is gone
    assert read_checkpoint(path).progress["number"] == 3


def test_a_checkpoint_may_be_a_link(tmp_path: Path) -> None:
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
        if saves == kill_in_save:  # the temporary file is written, and has not taken the old one's place
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(handle)
    os.fsync = dying
    for step in train(make(), make_batches(), steps=24, lr=0.01, checkpoint=sys.argv[1], checkpoint_every=1):
        print(step.number, step.loss.hex(), file=write, flush=True)

for kill_in_save, kill_after in ((6, 0), (1, 0), (9, 0), (0, 2), (0, 5), (0, 0)):
    read, write = os.pipe()
    child = os.fork()  # of a process that has imported everything
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
def test_a_run_killed_again_and_again_has_the_losses_of_one_that_was_not(root: Path, tmp_path: Path) -> None:
    wanted = [(s.number, s.loss.hex()) for s in train(make(), make_batches(), steps=24, lr=0.01)]
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, str(script), str(tmp_path / "checkpoint")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    found: dict[int, str] = {}
    *ends, last = [line for line in said.splitlines() if not line[0].isdigit()]
    for number, loss in (line.split() for line in said.splitlines() if line[0].isdigit()):
        assert found.setdefault(int(number), loss) == loss  # a step that is taken again is the same step
    assert last == "ended 0" and len(ends) == 5
    killed = ends.count("killed")
    assert killed >= 3  # in a save; on a busy machine a run may have ended before it is killed between two
    assert sorted(found.items()) == wanted
    assert math.isfinite(float.fromhex(found[24]))
    leftovers = [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"]
    assert leftovers == []
