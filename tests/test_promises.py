"""train() in train mode, with counts and NumPy's numbers; damaged web models."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from attnbook.data import Batches, Pair, Vocabulary
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import CheckpointError, load_model
from attnbook.training.loop import train
from attnbook.training.optim import cross_entropy
from attnbook.widgets.page_model import PageError, export_page, read_page

PAIRS = [Pair(tuple(word), tuple(reversed(word))) for word in ("abc", "bca", "ca", "aab", "cb", "abca")]
WORDS = Vocabulary.build(pair.source for pair in PAIRS)
IDS = torch.tensor([WORDS.encode(tuple("abc"))])
MASK = torch.ones_like(IDS, dtype=torch.bool)


def small(**options: object) -> Transformer:
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 1}
    return Transformer(len(WORDS), len(WORDS), **{**sizes, **options})  # type: ignore[arg-type]


def batches(**options: object) -> Batches:
    return Batches(PAIRS, WORDS, WORDS, **{"batch_size": 2, **options})  # type: ignore[arg-type]


def test_a_step_is_taken_in_train_mode_whatever_the_caller_did() -> None:
    def losses(disturb: Callable[[Transformer], object]) -> list[float]:
        model, found = small(dropout=0.5), []
        for step in train(model, batches(), steps=3):
            found.append(step.loss)
            disturb(model)
        return found

    assert losses(lambda model: model.encoder.eval()) == losses(lambda model: None)


@pytest.mark.parametrize("value", [0, -1, 2.5, None, "2", float("inf")])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("accumulate", lambda n: train(small(), batches(), steps=1, accumulate=n)),
        ("checkpoint_every", lambda n: train(small(), batches(), steps=1, checkpoint_every=n)),
    ],
)
def test_a_count_is_a_whole_number_above_zero(name: str, call: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match=name):
        call(value)


def test_cross_entropy_names_what_is_no_tensor() -> None:
    logits, target = torch.zeros(1, 3), torch.tensor([1])
    for given, name in (
        (([0.0], target, None), "logits"),
        ((logits, [1], None), "target"),
        ((logits, target, [True]), "mask"),
    ):
        with pytest.raises(TypeError, match=name):
            cross_entropy(*given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ({"d_model": np.int64(8), "num_heads": np.int32(2), "dropout": np.float32(0.5)}, {}),
        ({}, {"seed": np.int64(3), "accumulate": np.int64(2), "bf16": np.bool_(False)}),
        ({}, {"label_smoothing": np.float32(0.5), "clip_norm": np.float32(0.5), "lr": np.float32(0.25)}),
    ],
)
def test_numbers_of_numpy_train_and_are_saved(
    tmp_path: Path, sizes: dict[str, object], options: dict[str, object]
) -> None:
    """They do what Python's do, and a run made with either goes on with the other."""
    file = tmp_path / "run.safetensors"
    both = {"vocabularies": (WORDS, WORDS), "checkpoint": file, **options}
    first = [step.loss for step in train(small(**sizes), batches(seed=np.int64(3)), steps=2, **both)]  # type: ignore[arg-type]
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in (sizes | both).items()}
    again = small(**{name: plain[name] for name in sizes})
    options = {name: plain[name] for name in both}
    rest = [step.loss for step in train(again, batches(seed=3), steps=3, **options)]  # type: ignore[arg-type]
    file.unlink()
    whole = train(small(**{name: plain[name] for name in sizes}), batches(seed=3), steps=3, **options)  # type: ignore[arg-type]
    assert [step.loss for step in whole] == first + rest
    assert load_model(file).model.config["d_model"] == 8


def test_what_no_checkpoint_can_hold_is_refused_before_the_first_step(tmp_path: Path) -> None:
    model = small()
    model.config["kind"] = torch.float32
    with pytest.raises(CheckpointError, match=r"run\.safetensors cannot be written: .*dtype .*; wanted plain data"):
        train(model, batches(), steps=1, checkpoint=tmp_path / "run.safetensors")
    for seed in (None, "1", 1.5):
        with pytest.raises(ValueError, match="seed"):
            train(small(), batches(), steps=1, seed=seed)  # type: ignore[arg-type]


HUGE = {"name": "head.bias", "shape": [10**30], "kind": "fp16"}  # more than a number of the machine can count


@pytest.mark.parametrize(
    "change", [{"aliases": []}, {"tensors": [1]}, {"tensors": [HUGE]}, {"config": 1}, {"vocabularies": [1]}]
)
def test_a_page_of_another_form_is_a_page_error(change: dict[str, object]) -> None:
    plain = gzip.decompress(export_page(small(), (WORDS, WORDS)))
    (length,) = struct.unpack_from("<I", plain)
    header = json.dumps(json.loads(plain[4 : 4 + length]) | change).encode()
    with pytest.raises(PageError, match="content is damaged, or no model for a page"):
        read_page(gzip.compress(struct.pack("<I", len(header)) + header + plain[4 + length :]))
