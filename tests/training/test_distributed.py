"""Training in several processes: the weights of one process, one checkpoint, and no process that hangs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.training import distributed
from attnbook.training.checkpoint import read_checkpoint
from tests.support.distributed_runs import FAMILIES, STEPS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not torch.distributed.is_available() or not hasattr(os, "fork"), reason="no gloo, or no fork, on this system"
    ),
]

EXACT = 1e-12
# Without rotary positions, softmax does not depend on the bias of the keys. Its gradient consists of rounding errors,
# which Adam divides by their own size.
UNSEEN = ("self_attention.W_k.bias", "cross_attention.W_k.bias")

Found = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Found:
    """The results of the processes that tests/support/distributed_runs.py has started, by run and rank."""
    folder = tmp_path_factory.mktemp("processes")
    subprocess.run(
        [sys.executable, "-m", "tests.support.distributed_runs", str(folder)], check=True, cwd=root, timeout=600
    )
    return lambda name: dict(json.loads((folder / f"{name}.json").read_text()))


def differences(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """The largest difference of the losses, and of each weight."""
    assert len(one["losses"]) == len(other["losses"]) == STEPS
    return {
        name: float((torch.tensor(left, dtype=torch.float64) - torch.tensor(right, dtype=torch.float64)).abs().max())
        for name, left, right in [
            ("losses", one["losses"], other["losses"]),
            *((name, weight, other["weights"][name]) for name, weight in one["weights"].items()),
        ]
    }


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("world", [1, 2, 3])
def test_train_in_processes_has_losses_and_weights_of_one(found: Found, family: str, world: int) -> None:
    for rank in range(world):
        apart = differences(found("alone")[family], found(f"families-{world}.{rank}")["result"][family])
        if world == 1:
            assert set(apart.values()) == {0.0}  # bit for bit
        for name, difference in apart.items():
            assert difference < (1e-8 if name.endswith(UNSEEN) else EXACT), name


def test_train_with_idle_processes_has_weights_of_one(found: Found) -> None:
    for rank in range(3):
        idle = found(f"idle.{rank}")["result"]["transformer-sinusoidal"]
        apart = differences(found("alone-2")["transformer-sinusoidal"], idle)
        assert max(difference for name, difference in apart.items() if not name.endswith(UNSEEN)) < EXACT


def test_train_with_fewer_batches_than_processes_raises_everywhere(found: Found) -> None:
    for rank in range(3):
        seen = found(f"too few.{rank}")
        assert seen["error"] == "ValueError" and seen["message"].startswith("accumulate must be >= 3")


def test_recording_in_process_0_changes_no_loss(found: Found) -> None:
    plain = found("families-2.0")["result"]["bahdanau-paper"]["losses"]
    for rank in range(2):
        assert found(f"watched.{rank}")["result"]["losses"] == plain
    watched = found("watched.0")["result"]
    assert watched["looks"] > 1
    # Process 0 has the first and the third of the four batches of a step.
    assert len(watched["shapes"]) == STEPS // 2


def test_resume_with_another_number_of_processes_continues_the_run(found: Found) -> None:
    """Only process 0 writes and finds the file."""
    wanted = found("alone-resumed")["steps"]
    seen = []
    for world in (2, 3, 1):
        for rank in range(world):
            result = found(f"resumed-{world}.{rank}")["result"]
            assert not result["elsewhere"]
            for number, loss, tokens in result["steps"]:
                assert loss == pytest.approx(wanted[number - 1][1], abs=EXACT) and tokens == wanted[number - 1][2]
        seen += [number for number, _, _ in result["steps"]]
    assert seen == list(range(1, STEPS + 1))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("seed", "seed must"),
        ("clip_norm", "clip_norm must"),
        ("lr", "lr at step 1 must"),
        ("steps", "steps (or epochs), in batches, must"),
        ("data", "the digest of batches must"),
        ("weights", "the digest of the model's weights must"),
    ],
)
def test_train_with_different_settings_raises_everywhere(found: Found, what: str, message: str) -> None:
    for rank in range(2):
        seen = found(f"differing-{what}.{rank}")
        assert seen["error"] == "ValueError" and seen["message"].startswith(message)


LOST = "process {} of 2 lost another process"


@pytest.mark.parametrize(
    ("what", "errors"),
    [
        ("killed", [("ConnectionError", LOST.format(0)), None]),
        ("error", [("ConnectionError", LOST.format(0)), ("MemoryError", "no memory left in process 1")]),
        ("nan", [("FloatingPointError", "loss and gradient must be finite, got nan at step 3")] * 2),
        ("full disk", [("CheckpointError", ""), ("ConnectionError", LOST.format(1))]),
        ("frozen", [("ConnectionError", LOST.format(0)), None]),
    ],
)
def test_train_ends_everywhere_when_one_process_fails(found: Found, what: str, errors: list[Any]) -> None:
    for rank, error in enumerate(errors):
        if error is not None:
            seen = found(f"{what}.{rank}")
            assert (seen["error"], seen["message"][: len(error[1])]) == error
            assert seen["seconds"] < 60  # it does not hang; a busy machine may take longer


def test_meet_gives_a_new_name_after_each_restart() -> None:
    """The store outlives the processes: requests and answers of ended ones must be ignored."""
    store = torch.distributed.HashStore()
    store.set("question of 2", "asked by one that has ended")
    names = []
    for _ in range(3):
        with ThreadPoolExecutor() as pool:
            told = set(pool.map(lambda me: distributed._meet(store, me, 3), range(3)))
        assert len(told) == 1
        names += told
    assert len(set(names)) == 3


def test_meet_names_missing_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "PATIENCE", timedelta(seconds=0.1))
    with pytest.raises(RuntimeError, match=r"processes \[1, 2\] did not join"):
        distributed._meet(torch.distributed.HashStore(), 0, 3)


def test_collectives_return_at_once_in_a_single_process() -> None:
    assert distributed.world_size() == 1 and distributed.rank() == 0
    assert distributed.from_first(b"x") == b"x" and distributed.from_first(None) is None
    loss = torch.tensor(1.0)
    assert distributed.sum_gradients([], loss) is loss
    with distributed.processes(), distributed.first_process_first():
        assert not torch.distributed.is_initialized()


def test_torchrun_gives_weights_of_one_process(tmp_path: Path, root: Path) -> None:
    """Two processes: one line of each message, one checkpoint, and the weights of one process."""
    from tests.support.command_line import run  # needs the extra [cli]

    options = "--pairs 64 --size 8 --batch-size 16 --accumulate 2 --epochs 2 --dropout 0.3 --device cpu"
    torchrun = "-m torch.distributed.run --standalone --nproc-per-node 2 -m attnbook train"
    done = subprocess.run(
        [sys.executable, *torchrun.split(), str(tmp_path / "two"), *options.split()],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("0/4 [00:00<?") == 1  # one progress bar
    assert done.stdout.count("bahdanau with") == done.stdout.count("trained;") == 1
    run("train", tmp_path / "one", *options.split())
    one, two = (read_checkpoint(tmp_path / name / "checkpoint.safetensors") for name in ("one", "two"))
    assert one.progress["number"] == two.progress["number"] == 4
    for name, weight in one.tensors.items():
        torch.testing.assert_close(two.tensors[name], weight, rtol=1e-4, atol=1e-4)
