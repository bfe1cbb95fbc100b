"""The checkpoint of another run, by whatever it differs, is refused before anything is lost."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.data import Batches, Pair, collate
from attnbook.training.checkpoint import CheckpointError, read_checkpoint, save_checkpoint
from attnbook.training.loop import train
from attnbook.training.tensor_file import unseal
from tests.support.checkpoint_files import VOCABULARIES, refused, rewrite
from tests.support.small_training import PAIRS, SOURCE, TARGET, make, make_batches


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_smoothing": 0.1}, r"train\(\)\['label_smoothing'\]: it has 0.0, wanted 0.1"),
        ({"seed": 3}, r"train\(\)\['seed'\]: it has 0, wanted 3"),
        ({"clip_norm": None}, r"train\(\)\['clip_norm'\]: it has 1.0, wanted None"),
        ({"lr": 0.02}, r"lr at step 1: it has 0.01, wanted 0.02"),
        ({"lr": lambda step: 0.01 if step < 4 else 0.03}, r"lr at step 4: it has 0.01, wanted 0.03"),
        ({"optimizer": torch.optim.SGD}, "optimizer: it has 'Adam', wanted 'SGD'"),
        ({"optimizer": torch.optim.Adam}, r"param_groups\[0\]\['betas'\]: it has \[0.9, 0.98\], wanted \[0.9, 0.999\]"),
        (
            {"vocabularies": VOCABULARIES},
            r"vocabularies: .* of sizes None, wanted those given, of \[12, 12\]",
        ),
        ({"steps": 3}, "is at step 5, after 5 batches: wanted at most 3"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_before_anything_is_lost(
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


def test_a_checkpoint_of_another_model_or_other_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, checkpoint=path))
    with refused(path, r"model.config\['num_layers'\]: it has 1, wanted 2"):
        train(make(num_layers=2), make_batches(), steps=9, checkpoint=path)
    fewer = Batches(PAIRS[:-1], SOURCE, TARGET, batch_size=4)
    for batches in (make_batches(seed=1), fewer, list(make_batches().epoch(1))):
        with refused(path, "differs in batches"):
            train(make(), batches, steps=9, checkpoint=path)
    save_checkpoint(path, make())
    with refused(path, "has no training run"):
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
def test_progress_of_another_hand_is_refused_before_anything_is_changed(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, lr=0.01, checkpoint=path))
    progress = {**read_checkpoint(path).progress, name: value}
    rewrite(path, progress={key: entry for key, entry in progress.items() if entry is not None})
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        train(model, make_batches(), steps=9, lr=0.01, checkpoint=path)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_the_state_of_another_optimizer_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=5, checkpoint=path))
    _, data = unseal(path.read_bytes())
    rewrite(path, optimizer={**data["optimizer"], "values": [[999, "step", 1.0]]})
    model = make(seed=4)
    before = [p.detach().clone() for p in model.parameters()]
    with refused(path, "differs in the parameters that the optimizer has a state of: it has"):
        train(model, make_batches(), steps=9, checkpoint=path)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def other_batches() -> Iterator[Any]:
    """Data that have as many batches as PAIRS, and in most cases the same first one."""
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


def test_a_run_is_known_by_all_its_data_and_their_order(tmp_path: Path) -> None:
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
