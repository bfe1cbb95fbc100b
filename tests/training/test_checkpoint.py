"""Checkpoint files: written completely or not at all, equal after loading, and refused when damaged."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from attnbook.data import Subwords, Vocabulary, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import CheckpointError, known_models, load_model, read_checkpoint, save_checkpoint
from attnbook.training.loop import train
from attnbook.training.optim import adam
from attnbook.training.tensor_file import seal, unseal
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
def test_load_model_equals_saved_model(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "model.safetensors"
    model(collate(PAIRS, *VOCABULARIES))  # calls must not change what is saved
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
def test_load_model_keeps_precision(kind: Any, dtype: torch.dtype, tmp_path: Path) -> None:
    sizes = {"d_model": 8, "num_heads": 2} if kind is Transformer else {"embed_size": 8, "num_hiddens": 8}
    model = kind(len(SOURCE), len(TARGET), **sizes).to(dtype).eval()
    save_checkpoint(tmp_path / "m", model, vocabularies=VOCABULARIES)
    loaded, batch = load_model(tmp_path / "m").model, collate(PAIRS, *VOCABULARIES)
    assert {tensor.dtype for tensor in [*loaded.parameters(), *loaded.buffers()]} == {dtype}
    assert torch.equal(loaded(batch), model(batch))
    with refused(tmp_path / "m", "dtype"):
        read_checkpoint(tmp_path / "m").restore(kind(len(SOURCE), len(TARGET), **sizes))


def test_save_checkpoint_unwraps_compiled_model(tmp_path: Path) -> None:
    model = make()
    save_checkpoint(tmp_path / "m", torch.compile(model, backend="eager"), vocabularies=VOCABULARIES)
    loaded = load_model(tmp_path / "m").model
    assert type(loaded) is Bahdanau
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), loaded.parameters(), strict=True))
    other = make(seed=1)
    read_checkpoint(tmp_path / "m").restore(torch.compile(other, backend="eager"))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_checkpoint_keeps_subword_vocabularies(tmp_path: Path) -> None:
    subwords = Subwords.build([["maison", "maisons"], ["la", "maison"]], size=300)
    model = Seq2Seq(len(subwords), len(TARGET), embed_size=4, num_hiddens=4)
    save_checkpoint(tmp_path / "m", model, vocabularies=(subwords, TARGET))
    assert load_model(tmp_path / "m").source_vocabulary == subwords


def test_checkpoint_is_safetensors_with_tied_matrix_once(tmp_path: Path) -> None:
    tied = Transformer(9, 11, d_model=8, num_heads=2, d_ff=16, num_layers=1, tied=True)
    save_checkpoint(tmp_path / "m", tied, progress={"note": [1, "zwei", None]})
    with safe_open(tmp_path / "m", framework="np") as file:  # as any program that reads safetensors
        meta, names = json.loads(file.metadata()["attnbook"]), set(file.keys())
    assert meta["model"] == "Transformer" and meta["config"] == tied.config
    assert meta["progress"] == {"note": [1, "zwei", None]}
    assert len(names & {"model.head.weight", "model.target_embedding.weight"}) == 1
    again = Transformer(9, 11, d_model=8, num_heads=2, d_ff=16, num_layers=1, tied=True)
    read_checkpoint(tmp_path / "m").restore(again)
    assert again.head.weight is again.target_embedding.weight
    assert torch.equal(again.head.weight, tied.head.weight)


def test_seal_keeps_a_transposed_view_apart() -> None:
    square = torch.arange(4.0).view(2, 2)
    tensors, _ = unseal(seal({"a": square, "b": square.T}, {}))
    assert torch.equal(tensors["a"], square) and torch.equal(tensors["b"], square.T)


def test_restore_keeps_the_options_of_the_optimizer(tmp_path: Path) -> None:
    model = make()
    save_checkpoint(tmp_path / "m", model, optimizer=adam(list(model.parameters())))
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, foreach=True)
    read_checkpoint(tmp_path / "m").restore(model, optimizer)
    (group,) = optimizer.param_groups
    assert group["betas"] == (0.9, 0.98) and group["foreach"] and not group["fused"]


@pytest.mark.parametrize("path", [None, 5, 2.5, ["model.safetensors"], b"model.safetensors"])
def test_load_model_refuses_path_of_another_type(path: Any) -> None:
    with pytest.raises(TypeError, match=r"^path\b"):
        load_model(path)


def test_load_model_builds_known_classes_only(tmp_path: Path) -> None:
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
    with pytest.raises(CheckpointError, match=r"model must be one of .*'os.exec'"):
        load_model(tmp_path / "m")


def test_save_checkpoint_is_reproducible(tmp_path: Path) -> None:
    for name in "ab":
        save_checkpoint(tmp_path / name, make(), vocabularies=VOCABULARIES, progress={"x": 1, "y": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_save_checkpoint_refuses_unreadable_content(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(ValueError, match="source_vocabulary"):
        save_checkpoint(path, make(), vocabularies=(Vocabulary(("a",)), TARGET))
    with refused(path, "plain data"):
        save_checkpoint(path, make(), progress={"seen": {1, 2}})
    with pytest.raises(TypeError, match="vocabularies"):
        save_checkpoint(path, make(), vocabularies=SOURCE)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model"):
        save_checkpoint(path, torch.nn.Linear(1, 1))  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.parametrize("place", [".", "file/run"])
def test_train_checks_checkpoint_path_before_first_step(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="cannot be written"):
        train(make(), make_batches(), steps=5, checkpoint=tmp_path / place)


def test_save_checkpoint_leaves_open_readers_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make(seed=1))
    old = path.read_bytes()
    with path.open("rb") as reader:
        start = reader.read(100)
        save_checkpoint(path, make(seed=2))
        assert start + reader.read() == old != path.read_bytes()


def test_save_checkpoint_on_full_disk_keeps_old_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="needs POSIX limits of file sizes")
    path = tmp_path / "m"
    save_checkpoint(path, make(seed=1), vocabularies=VOCABULARIES)
    old = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(old) // 2, limits[1]))  # the system refuses to write more
    try:
        with pytest.raises(CheckpointError, match=r"cannot be written \(.* MB\)"):
            save_checkpoint(path, make(seed=2), vocabularies=VOCABULARIES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == old and [p.name for p in tmp_path.iterdir()] == ["m"]


def test_train_on_full_disk_keeps_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert all(bool(p.isfinite().all()) for p in model.parameters())  # and the model can still be used
    rest = [s.number for s in train(make(), make_batches(), steps=12, checkpoint=path)]
    assert rest == list(range(4, 13))


@pytest.mark.parametrize("every", [1, 100])
def test_train_does_not_save_non_finite_weights(tmp_path: Path, every: int) -> None:
    path = tmp_path / "run"
    list(train(make(), make_batches(), steps=1, checkpoint=path))
    content = path.read_bytes()
    schedule = {1: 1e-3, 2: 1e300}
    run = train(make(), make_batches(), steps=2, lr=schedule.__getitem__, checkpoint=path, checkpoint_every=every)
    with pytest.raises(FloatingPointError, match=r"must be finite.* step 2"):
        list(run)
    assert path.read_bytes() == content


def test_read_checkpoint_refuses_other_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="path"):
        load_model(tmp_path / "nothing")
    path = tmp_path / "m"
    save_checkpoint(path, make())
    with pytest.raises(CheckpointError, match="vocabularies"):
        load_model(path)
    whole = path.read_bytes()
    for content in (b"", b"PK\x03\x04 nonsense", whole[: len(whole) // 2], whole[:-1], whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"is not a complete checkpoint|is damaged"):
            read_checkpoint(path)
    for metadata in (None, {"format": "pt"}, {"attnbook": "{}"}, {"attnbook": '{"format": []}'}):
        save_file({"a": torch.zeros(2)}, path, metadata)
        with pytest.raises(CheckpointError, match=r"is not a complete checkpoint|format"):
            read_checkpoint(path)


def test_read_checkpoint_detects_any_changed_byte(tmp_path: Path) -> None:
    path = tmp_path / "m"
    list(train(make(), make_batches(), steps=1, checkpoint=path, vocabularies=VOCABULARIES))
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    positions = torch.randperm(len(whole), generator=torch.Generator().manual_seed(0))[:300].tolist()
    for position in [*range(8), *range(8, header, 37), header - 1, *positions, len(whole) - 1]:
        for flip in (0x01, 0x29):  # 0x29 turns a space into a tab
            path.write_bytes(whole[:position] + bytes([whole[position] ^ flip]) + whole[position + 1 :])
            with pytest.raises(CheckpointError, match=re.escape(str(path))):
                read_checkpoint(path)
    path.write_bytes(whole)
    read_checkpoint(path)


def test_train_refuses_checkpoint_of_earlier_format(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "m", {"format": "attnbook-checkpoint-1"})
    with pytest.raises(CheckpointError, match="attnbook-checkpoint-1"):
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
def test_load_model_with_invalid_metadata_names_the_file(tmp_path: Path, name: str, value: Any) -> None:
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
def test_load_model_bounds_memory_and_time(tmp_path: Path, kind: Any, config: dict[str, Any]) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, kind(len(SOURCE), len(TARGET)), vocabularies=VOCABULARIES)
    rewrite(path, config={**kind(len(SOURCE), len(TARGET)).config, **config})
    resource = pytest.importorskip("resource", reason="needs POSIX to measure the memory of a process")
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        load_model(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB; the file asks for gigabytes
    assert time.process_time() - started < 5  # and would take minutes or never end


def test_load_model_refuses_config_with_too_many_layers(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, Transformer(len(SOURCE), len(TARGET)), vocabularies=VOCABULARIES)
    rewrite(path, config={**Transformer(len(SOURCE), len(TARGET)).config, "num_layers": 10**6})
    with refused(path, "config"):
        load_model(path)


def test_read_checkpoint_names_invalid_metadata(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make())
    rewrite(path, model=[])
    with refused(path, r"metadata .*model must be of type str, got \[\]"):
        read_checkpoint(path)


def test_restore_into_other_model_raises_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_checkpoint(path, make())
    checkpoint = read_checkpoint(path)
    other = make(seed=1, num_hiddens=12)
    before = [p.detach().clone() for p in other.parameters()]
    with refused(path, r"model.config\['num_hiddens'\]"):
        checkpoint.restore(other)
    with refused(path, "differs in model: .*Bahdanau.*Seq2Seq"):
        checkpoint.restore(Seq2Seq(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8))
    grown = make()
    grown.head = torch.nn.Linear(8, 99)
    with refused(path, "shape of head.weight"):
        checkpoint.restore(grown)
    grown = make()
    grown.more = torch.nn.Linear(1, 1)
    with refused(path, r"model.state_dict\(\): .*'more.weight'"):
        checkpoint.restore(grown)
    with refused(path, "without an optimizer"):
        checkpoint.restore(make(), torch.optim.Adam(make().parameters()))
    first, second, *_ = other.parameters()
    save_checkpoint(path, other, optimizer=torch.optim.SGD([first]))
    with refused(path, "number of trained parameters"):
        read_checkpoint(path).restore(other, torch.optim.SGD([first, second]))
    assert all(torch.equal(a, b) for a, b in zip(before, other.parameters(), strict=True))
