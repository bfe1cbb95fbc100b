"""Checkpoints: a loaded model is the saved one, and a file is there whole or not at all."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open

from attnbook.data import Subwords, Vocabulary, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import CheckpointError, known_models, load_model, read_checkpoint, save_checkpoint
from attnbook.training.loop import train
from attnbook.translation.translate import translate
from tests.support.checkpoint_files import VOCABULARIES, refused, rewrite
from tests.support.small_training import PAIRS, SOURCE, TARGET, make, make_batches


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


def test_equal_content_is_equal_bytes(tmp_path: Path) -> None:
    for name in "ab":
        save_checkpoint(tmp_path / name, make(), vocabularies=VOCABULARIES, progress={"x": 1, "y": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(ValueError, match=r"^source_vocabulary\b"):
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


def test_whoever_reads_while_a_file_is_replaced_reads_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make(seed=1))
    old = path.read_bytes()
    with path.open("rb") as reader:
        start = reader.read(100)
        save_checkpoint(path, make(seed=2))
        assert start + reader.read() == old != path.read_bytes()


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
