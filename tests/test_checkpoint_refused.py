"""A file that is damaged, of another hand or of another model is refused by name, and nothing is changed."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from attnbook.models.bahdanau import Bahdanau
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import CheckpointError, load_model, read_checkpoint, save_checkpoint
from attnbook.training.loop import train
from tests.support.checkpoint_files import VOCABULARIES, refused, rewrite
from tests.support.small_training import SOURCE, TARGET, make, make_batches


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="path"):
        load_model(tmp_path / "nothing")
    path = tmp_path / "m"
    save_checkpoint(path, make())
    with pytest.raises(CheckpointError, match="has no vocabularies"):
        load_model(path)
    whole = path.read_bytes()
    for content in (b"", b"PK\x03\x04 nonsense", whole[: len(whole) // 2], whole[:-1], whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"is no checkpoint, or not a whole one|is damaged"):
            read_checkpoint(path)
    for metadata in (None, {"format": "pt"}, {"attnbook": "{}"}, {"attnbook": '{"format": []}'}):
        save_file({"a": torch.zeros(2)}, path, metadata)
        with pytest.raises(CheckpointError, match=r"is no checkpoint, or not a whole one|by another attnbook"):
            read_checkpoint(path)


def test_any_byte_that_is_not_as_it_was_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    list(train(make(), make_batches(), steps=1, checkpoint=path, vocabularies=VOCABULARIES))
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    positions = torch.randperm(len(whole), generator=torch.Generator().manual_seed(0))[:300].tolist()
    for position in [*range(8), *range(8, header, 37), header - 1, *positions, len(whole) - 1]:
        for flip in (0x01, 0x29):  # the other turns a blank into a tab
            path.write_bytes(whole[:position] + bytes([whole[position] ^ flip]) + whole[position + 1 :])
            with pytest.raises(CheckpointError, match=re.escape(str(path))):
                read_checkpoint(path)
    path.write_bytes(whole)
    read_checkpoint(path)


def test_an_earlier_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "m", {"format": "attnbook-checkpoint-1"})
    with pytest.raises(CheckpointError, match=r"earlier attnbook .*; remove the file and train anew, or use the ver"):
        train(make(), make_batches(), steps=1, checkpoint=tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("aliases", None),
        ("aliases", []),
        ("aliases", {"model.x": "model.y"}),
        ("config", None),
        ("config", []),
        ("config", {**make().config, "embed_size": -3}),
        ("config", {**make().config, "embed_size": 10**15}),
        ("model", []),
        ("optimizer", {}),
        ("progress", []),
        ("vocabularies", {}),
        ("vocabularies", [SOURCE.to_json()]),
        ("vocabularies", [SOURCE.to_json(), {"kind": "words", "words": [1]}]),
        ("vocabularies", [SOURCE.to_json(), {"kind": "words", "words": ["a"]}]),
    ],
)
def test_metadata_of_another_hand_is_an_error_that_names_the_file(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make(), vocabularies=VOCABULARIES)
    rewrite(path, **{name: value})
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        load_model(path)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (Bahdanau, {"num_hiddens": 20_000}),
        (Bahdanau, {"num_layers": 10**9}),
        (Transformer, {"d_model": 10**6}),
        (Transformer, {"num_layers": 10**7}),
        (Transformer, {"positions": "learned", "max_length": 10**9}),
        (Transformer, {"d_ff": 10**400}),
    ],
)
def test_a_small_file_cannot_ask_for_much_memory_or_time(tmp_path: Path, kind: Any, config: dict[str, Any]) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, kind(len(SOURCE), len(TARGET)), vocabularies=VOCABULARIES)
    rewrite(path, config={**kind(len(SOURCE), len(TARGET)).config, **config})
    resource = pytest.importorskip("resource", reason="the memory of a process is POSIX's to tell")
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        load_model(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB; the file asks for gigabytes
    assert time.process_time() - started < 5  # and for minutes, or for ever


def test_layers_without_end_are_said(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, Transformer(len(SOURCE), len(TARGET)), vocabularies=VOCABULARIES)
    rewrite(path, config={**Transformer(len(SOURCE), len(TARGET)).config, "num_layers": 10**6})
    with refused(path, "has a config that Transformer refuses: it has many more tensors than the file$"):
        load_model(path)


def test_what_metadata_of_another_hand_have_wrong_is_said(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make())
    rewrite(path, model=[])
    with refused(
        path, r"has metadata that save_checkpoint\(\) does not write \(TypeError: model is \[\]: wanted str\)$"
    ):
        read_checkpoint(path)


def test_another_model_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make())
    checkpoint = read_checkpoint(path)
    other = make(seed=1, num_hiddens=12)
    before = [p.detach().clone() for p in other.parameters()]
    with refused(path, r"model.config\['num_hiddens'\]: it has 8, wanted 12"):
        checkpoint.restore(other)
    with refused(path, "differs in model: it has 'Bahdanau', wanted 'Seq2Seq'"):
        checkpoint.restore(Seq2Seq(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8))
    grown = make()
    grown.head = torch.nn.Linear(8, 99)
    with refused(path, r"the shape of head.weight: it has \(12, 8\), wanted \(99, 8\)"):
        checkpoint.restore(grown)
    grown = make()
    grown.more = torch.nn.Linear(1, 1)
    with refused(path, r"differs in model.state_dict\(\): it has \[.*, wanted \[.*'more.weight'"):
        checkpoint.restore(grown)
    with refused(path, "has no optimizer"):
        checkpoint.restore(make(), torch.optim.Adam(make().parameters()))
    first, second, *_ = other.parameters()
    save_checkpoint(path, other, optimizer=torch.optim.SGD([first]))
    with refused(path, r"differs in the number of trained parameters: it has \[1\], wanted \[2\]"):
        read_checkpoint(path).restore(other, torch.optim.SGD([first, second]))
    assert all(torch.equal(a, b) for a, b in zip(before, other.parameters(), strict=True))
