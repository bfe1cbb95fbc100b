"""Checkpoints: whole or not at all, of one model and one run, and a killed run that goes on as if nothing had been."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save, save_file

from attnbook.bahdanau import Bahdanau
from attnbook.checkpoint import (
    CheckpointError,
    known_models,
    load_model,
    read_checkpoint,
    save_checkpoint,
)
from attnbook.data import Batches, Pair, Subwords, Vocabulary, collate
from attnbook.decoding import translate
from attnbook.encoder_decoder import EncoderDecoder
from attnbook.luong import Luong
from attnbook.recurrent import Seq2Seq
from attnbook.tensor_file import FORMAT, unseal
from attnbook.training import train
from attnbook.transformer import Transformer

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
PAIRS = [Pair(tuple(WORDS[i : i + n]), tuple(w.upper() for w in WORDS[i : i + n])) for n in (2, 3, 5) for i in range(4)]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))
VOCABULARIES = (SOURCE, TARGET)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(seed: int = 0, **options: Any) -> Bahdanau:
    torch.manual_seed(seed)
    return Bahdanau(len(SOURCE), len(TARGET), **{"embed_size": 8, "num_hiddens": 8, "dropout": 0.3, **options})


def make_batches(seed: int = 0) -> Batches:
    return Batches(PAIRS, SOURCE, TARGET, batch_size=4, seed=seed)


def refused(path: Path, message: str) -> pytest.RaisesExc[CheckpointError]:
    """An error that names the file, and then what is wrong with it."""
    return pytest.raises(CheckpointError, match=f"^{re.escape(str(path))} .*{message}")


def rewrite(path: Path, **changes: Any) -> None:
    """The file as another hand would make it: other metadata, and a digest that fits."""
    tensors, data = unseal(path.read_bytes())
    data = {**data, "aliases": {}, **changes}
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    content = save(tensors, {"attnbook": json.dumps({"format": FORMAT, "digest": "0" * 64, **data})})
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content.replace(b"0" * 64, digest, 1))


# --- the file


@pytest.mark.parametrize(
    "model",
    [
        Seq2Seq(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, bidirectional=True),
        Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, num_layers=2),
        Luong(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8),
        Transformer(len(SOURCE), len(TARGET), d_model=8, num_heads=2, d_ff=16, num_layers=1, tied=True),
        Transformer(len(SOURCE), len(TARGET), d_model=8, num_heads=2, d_ff=16, num_layers=1, positions="learned"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_loaded_model_is_the_saved_one(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "model.safetensors"
    model(collate(PAIRS, *VOCABULARIES))  # whatever a call leaves behind does not matter
    save_checkpoint(path, model, vocabularies=VOCABULARIES)
    loaded, source, target = load_model(path)
    assert type(loaded) is type(model) and loaded is not model and not loaded.training
    assert loaded.config == model.config and (source, target) == VOCABULARIES
    for (name, one), (other_name, other) in zip(model.named_parameters(), loaded.named_parameters(), strict=True):
        assert name == other_name and torch.equal(one, other) and one.data_ptr() != other.data_ptr()
    sentences = [p.source for p in PAIRS]
    assert translate(loaded, sentences, source, target, max_length=9) == translate(
        model, sentences, *VOCABULARIES, max_length=9
    )
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize("kind", [Bahdanau, Transformer])
def test_a_loaded_model_has_the_precision_of_the_saved_one(kind: Any, dtype: torch.dtype, tmp_path: Path) -> None:
    sizes = {"d_model": 8, "num_heads": 2} if kind is Transformer else {"embed_size": 8, "num_hiddens": 8}
    model = kind(len(SOURCE), len(TARGET), **sizes).to(dtype).eval()
    save_checkpoint(tmp_path / "m", model, vocabularies=VOCABULARIES)
    loaded, batch = load_model(tmp_path / "m").model, collate(PAIRS, *VOCABULARIES)
    assert {tensor.dtype for tensor in [*loaded.parameters(), *loaded.buffers()]} == {dtype}
    assert torch.equal(loaded(batch), model(batch))
    with refused(tmp_path / "m", rf"differs in the dtype of .*: it has {dtype}, wanted torch.float32"):
        read_checkpoint(tmp_path / "m").restore(kind(len(SOURCE), len(TARGET), **sizes))


def test_a_compiled_model_is_saved_as_the_model_itself(tmp_path: Path) -> None:
    model = make()
    save_checkpoint(tmp_path / "m", torch.compile(model, backend="eager"), vocabularies=VOCABULARIES)
    loaded = load_model(tmp_path / "m").model
    assert type(loaded) is Bahdanau
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), loaded.parameters(), strict=True))
    other = make(seed=1)
    read_checkpoint(tmp_path / "m").restore(torch.compile(other, backend="eager"))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_subword_vocabularies_are_kept(tmp_path: Path) -> None:
    subwords = Subwords.build([["maison", "maisons"], ["la", "maison"]], size=300)
    model = Seq2Seq(len(subwords), len(TARGET), embed_size=4, num_hiddens=4)
    save_checkpoint(tmp_path / "m", model, vocabularies=(subwords, TARGET))
    assert load_model(tmp_path / "m").source_vocabulary == subwords


def test_the_file_is_safetensors_and_json_and_holds_a_tied_matrix_once(tmp_path: Path) -> None:
    tied = Transformer(9, 11, d_model=8, num_heads=2, d_ff=16, num_layers=1, tied=True)
    save_checkpoint(tmp_path / "m", tied, progress={"note": [1, "zwei", None]})
    with safe_open(tmp_path / "m", framework="np") as file:  # any program that reads safetensors finds the weights
        meta, names = json.loads(file.metadata()["attnbook"]), set(file.keys())
    assert meta["model"] == "Transformer" and meta["config"] == tied.config
    assert meta["progress"] == {"note": [1, "zwei", None]}
    assert len(names & {"model.head.weight", "model.target_embedding.weight"}) == 1
    again = Transformer(9, 11, d_model=8, num_heads=2, d_ff=16, num_layers=1, tied=True)
    read_checkpoint(tmp_path / "m").restore(again)
    assert again.head.weight is again.target_embedding.weight
    assert torch.equal(again.head.weight, tied.head.weight)


def test_a_file_names_a_class_that_is_known_or_none_at_all(tmp_path: Path) -> None:
    strangers = {type("Luong", (EncoderDecoder,), {}), type("Bahdanau", (Bahdanau,), {})}
    known = set(known_models().values())
    assert {Seq2Seq, Bahdanau, Luong, Transformer} <= known and not strangers & known

    class Unknown(Seq2Seq):
        pass

    save_checkpoint(
        tmp_path / "m", Unknown(len(SOURCE), len(TARGET), embed_size=4, num_hiddens=4), vocabularies=VOCABULARIES
    )
    assert type(load_model(tmp_path / "m").model) is Unknown
    rewrite(tmp_path / "m", model="os.exec")
    with pytest.raises(CheckpointError, match=r"model of class 'os.exec': wanted one of .*Bahdanau"):
        load_model(tmp_path / "m")


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"path is .*nothing: wanted a checkpoint file"):
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


def test_equal_content_is_equal_bytes(tmp_path: Path) -> None:
    for name in "ab":
        save_checkpoint(tmp_path / name, make(), vocabularies=VOCABULARIES, progress={"x": 1, "y": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


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


def test_what_metadata_of_another_hand_have_wrong_is_said(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make())
    rewrite(path, model=[])
    with refused(
        path, r"has metadata that save_checkpoint\(\) does not write \(TypeError: model is \[\]: wanted str\)$"
    ):
        read_checkpoint(path)


def test_what_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(ValueError, match="source_vocabulary has 5 ids: wanted 12, as the model"):
        save_checkpoint(path, make(), vocabularies=(Vocabulary(("a",)), TARGET))
    with refused(path, "cannot be written: .* set .*; wanted plain data, which JSON can hold$"):
        save_checkpoint(path, make(), progress={"seen": {1, 2}})
    with pytest.raises(TypeError, match="vocabularies is of type Vocabulary: wanted two, of source and target"):
        save_checkpoint(path, make(), vocabularies=SOURCE)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model is of type Linear: wanted an EncoderDecoder"):
        save_checkpoint(path, torch.nn.Linear(1, 1))  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.parametrize("place", [".", "file/run"])
def test_a_place_that_cannot_be_written_is_known_before_the_first_step(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="cannot be written"):
        train(make(), make_batches(), steps=5, checkpoint=tmp_path / place)


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


def test_whoever_reads_while_a_file_is_replaced_reads_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make(seed=1))
    old = path.read_bytes()
    with path.open("rb") as reader:
        start = reader.read(100)
        save_checkpoint(path, make(seed=2))
        assert start + reader.read() == old != path.read_bytes()


# --- a full disk


def test_a_full_disk_is_an_error_and_the_old_file_stays(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of file sizes are POSIX's")
    path = tmp_path / "m"
    save_checkpoint(path, make(seed=1), vocabularies=VOCABULARIES)
    old = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(old) // 2, limits[1]))  # the system refuses to write more
    try:
        with pytest.raises(CheckpointError, match=r"cannot be written \(.* MB\).*an earlier file is as it was"):
            save_checkpoint(path, make(seed=2), vocabularies=VOCABULARIES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == old and [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_disk_that_fills_up_while_training_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    model = make()
    run = train(model, make_batches(), steps=12, checkpoint=path, checkpoint_every=3)
    for _ in range(4):
        next(run)
    assert read_checkpoint(path).progress["number"] == 3

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CheckpointError, match="No space left on device"):
            for _ in range(10):
                next(run)
    assert read_checkpoint(path).progress["number"] == 3 and [p.name for p in tmp_path.iterdir()] == ["run"]
    assert all(bool(p.isfinite().all()) for p in model.parameters())  # and the model is still at hand
    rest = [s.number for s in train(make(), make_batches(), steps=12, checkpoint=path)]
    assert rest == list(range(4, 13))


# --- going on


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


@pytest.mark.parametrize("every", [1, 100])
def test_weights_that_are_no_numbers_are_not_saved(tmp_path: Path, every: int) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=1, checkpoint=path))
    content = path.read_bytes()
    schedule = {1: 1e-3, 2: 1e300}
    run = train(make(), make_batches(), steps=2, lr=schedule.__getitem__, checkpoint=path, checkpoint_every=every)
    with pytest.raises(FloatingPointError, match=r"is not finite after step 2: .*; .*was not written"):
        list(run)
    assert path.read_bytes() == content


def test_a_checkpoint_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    list(train(make(), make_batches(), steps=3, checkpoint=tmp_path / "link", checkpoint_every=1))
    assert (tmp_path / "link").is_symlink() and read_checkpoint(tmp_path / "file").progress["number"] == 3
    assert [s.number for s in train(make(), make_batches(), steps=4, checkpoint=tmp_path / "link")] == [4]


# --- kill -9

RUNS = """
import os, signal, sys
import torch
torch.set_num_threads(1)
from test_checkpoint import make, make_batches, train

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
def test_a_run_killed_again_and_again_has_the_losses_of_one_that_was_not(tmp_path: Path) -> None:
    wanted = [(s.number, s.loss.hex()) for s in train(make(), make_batches(), steps=24, lr=0.01)]
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
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
