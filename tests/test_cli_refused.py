"""Errors of the command line: one line, at once, without a traceback, and nothing is left behind."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnbook.cli.options import Options
from attnbook.cli.run_folder import Files, RunFolder, load_corpus, load_run
from attnbook.data import tatoeba_file
from attnbook.training import loop as training
from attnbook.training.checkpoint import save_checkpoint
from tests.support.command_line import SMALL, run


@pytest.mark.parametrize("command", [["evaluate", "{}", "--json"], ["attend", "{}", "She is happy.", "--html"]])
def test_a_file_that_cannot_be_written_is_named_before_the_work(
    command: list[str], trained: Path, tmp_path: Path
) -> None:
    result = run(*(part.format(trained) for part in command), tmp_path, code=1)
    assert result.output.startswith(f"error: {tmp_path} cannot be written: it is a folder")


@pytest.mark.parametrize("name", ["checkpoint.safetensors", "run.json"])
def test_an_export_does_not_take_the_place_of_the_run(name: str, trained: Path) -> None:
    before = (trained / name).read_bytes()
    assert "wanted another file than the run's own" in run("export", trained, trained / name, code=1).output
    assert (trained / name).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "nowhere", "a"], "nowhere is no run"),
        (["train", "{}", "--family", "elman"], "family is 'elman': wanted one of seq2seq, bahdanau"),
        (["train", "{}", "--corpus", "wmt"], "corpus is 'wmt': wanted grammar, tatoeba, or a file"),
        (["train", "{}", "--epochs", "0"], "epochs is 0: wanted 1 or more"),
        (["train", "{}", "--lr", "-1"], "lr is -1.0: wanted above 0"),
        (["train", "{}", "--device", "abacus"], "device is 'abacus': wanted 'cpu'"),
        (["train", "{}", "--device", "meta"], "device is 'meta': wanted 'cpu', 'cuda' or 'auto', one that is here"),
        (["train", "{}", "--family", "transformer", "--size", "6"], "size is 6: wanted a multiple of 4"),
        (["train", "{}", "--label-smoothing", "1.5"], "label_smoothing is 1.5: wanted 0 <= label_smoothing < 1"),
        (["train", "{}", "--lr", "inf"], "lr is inf: wanted above 0, and finite"),
        (["train", "{}", "--seed", str(2**70)], "wanted 0 <= seed < 2**63"),
        (["train", "{}", "--corpus", "tatoeba", "--data", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_bad_input_is_one_line_and_leaves_no_run(arguments: list[str], message: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    given = [a.format(folder) for a in arguments]
    extra = ["--pairs", "40"] if "train" in given and "--pairs" not in given else []
    result = run(*given, *extra, code=1)
    assert message in result.output and result.output.strip().splitlines()[-1].startswith("error: ")
    assert not folder.exists()


def test_an_empty_sentence_and_a_damaged_run_are_errors(trained: Path, tmp_path: Path) -> None:
    assert "wanted at least one token" in run("translate", trained, " ", code=1).output
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "run.json").write_text("{")
    assert "is not what `attnbook train` writes" in run("translate", folder, "a", code=1).output
    for other in ("[]", "3", '{"options": {}}', '{"options": {"size": "8"}, "punctuated": true}', "[" * 100000):
        (folder / "run.json").write_text(other)
        assert "is not what `attnbook train` writes" in run("translate", folder, "a", code=1).output
    (folder / "run.json").write_text('{"options": {"colour": 3}, "punctuated": true}')
    assert "colour" in run("translate", folder, "a", code=1).output
    (folder / "run.json").write_text((trained / "run.json").read_text())
    assert "has no checkpoint yet" in run("translate", folder, "a", code=1).output
    whole = (trained / "checkpoint.safetensors").read_bytes()
    (folder / "checkpoint.safetensors").write_bytes(whole[:1000])
    assert "not a whole one" in run("translate", folder, "a", code=1).output


def test_an_export_of_another_hand_and_an_unknown_split_are_errors(trained: Path, tmp_path: Path) -> None:
    model, *vocabularies = load_run(trained).model
    for options in ([], None, {"size": "8"}):
        save_checkpoint(tmp_path / "e", model, vocabularies=tuple(vocabularies), progress={"options": options})
        assert "is not what `attnbook export` writes" in run("translate", tmp_path / "e", "a", code=1).output
    assert "wanted one that this corpus has, valid, test" in run("evaluate", trained, "--split", "dev", code=1).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--subwords", "100"], "subwords is 100: wanted 260"),
        (["--subwords", "1000000000"], "subwords is 1000000000: wanted 260 (every byte and 4 special ids) to 1000000"),
        (["--pairs", "2000000000"], "pairs is 2000000000: wanted at most 1000000 of the grammar"),
        (["--held-out", "0.1"], "held_out is 0.1: wanted above 0 and below 0.5, and a corpus of your own"),
        (["--languages", "en-de"], "languages is 'en-de': wanted en-fr or en-zh, what grammar has"),
        (["--corpus", "a", "--corpus", "b"], "corpus is ['a', 'b']: wanted one; put files together before"),
        (["--source", "a", "--source", "b", "--target", "c"], "source is ['a', 'b']: wanted one"),
        (["--corpus", "grammar", "--valid", __file__], "wanted none, as grammar has such sentences itself"),
        (["--data", __file__], "wanted --corpus tatoeba with it; sentences of your own are --corpus FILE"),
        (["--subwords", "400", "--min-count", "2"], "min_count is 2: wanted 1, or no --subwords"),
        (["--source", "a"], "corpus is None, source is a and target is None: wanted a corpus alone, or source and"),
        (["--corpus", __file__], "languages is None: wanted the codes of source and target, such as en-de"),
        (["--corpus", __file__, "--languages", "german"], "languages is 'german': wanted the codes"),
        (["--corpus", __file__, "--languages", "en-de", "--test", "nowhere.tsv"], "nowhere.tsv is not there"),
        (["--source", ".", "--target", ".", "--languages", "en-de"], ". is a folder: wanted a file of sentences"),
        (
            ["--corpus", __file__, "--languages", "en-de", *["--valid", __file__] * 3],
            "wanted a file of pairs, or those",
        ),
    ],
)
def test_a_refused_command_says_at_once_what_is_wrong(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run("train", tmp_path / "run", *arguments, code=1)
    assert message in result.output and result.output.startswith("error: ")
    assert not (tmp_path / "run").exists()


def test_what_an_error_advises_to_give_is_an_option() -> None:
    source = Path(tatoeba_file.__file__).read_text(encoding="utf-8")
    advised = set(re.findall(r"--[a-z][a-z-]*", source))
    assert advised and all(option in run("train", "--help").output for option in advised)


def test_a_run_needs_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "run is '': wanted the name of a folder" in run("train", "", *SMALL, code=1).output
    assert list(tmp_path.iterdir()) == []


def test_what_was_refused_does_not_bind_the_next_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise ValueError("no")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", refused)
        run("train", tmp_path / "run", *SMALL, "--lr", "0.1", code=1)
    assert not (tmp_path / "run" / "run.json").exists()
    # A run that was killed before it saved anything has nothing to lose either.
    RunFolder(tmp_path / "run").create(Options(lr=0.1), punctuated=True)
    run("train", tmp_path / "run", *SMALL, "--epochs", "1")
    assert load_run(tmp_path / "run").options.lr == Options().lr


def test_what_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"mine": 1}')
    assert "run.json is not what `attnbook train` writes" in run("train", tmp_path, *SMALL, code=1).output
    assert (tmp_path / "run.json").read_text() == '{"mine": 1}'
    result = run("train", tmp_path / "run.json", *SMALL, code=1)
    assert "run.json is a file: wanted the folder of a run" in result.output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes\nframes"), "error: no room"),
        (ModuleNotFoundError("sacrebleu is not installed: wanted"), "error: sacrebleu is not installed"),
    ],
)
def test_too_little_memory_or_a_missing_package_is_one_line(
    error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(training, "train", refused)
    result = run("train", tmp_path / "run", *SMALL, code=1)
    assert message in result.output and "frames" not in result.output


def test_files_belong_to_a_corpus_of_ones_own(tmp_path: Path) -> None:
    folder, files = RunFolder(tmp_path / "run"), Files((tmp_path / "p.tsv",), {})
    with pytest.raises(ValueError, match="files is None: wanted Files, as the corpus of options is 'files'"):
        folder.training_data(Options(corpus="files"))
    with pytest.raises(ValueError, match="wanted None, as the corpus of options is 'grammar'"):
        folder.training_data(Options(), files=files)
    with pytest.raises(ValueError, match="corpus is 'files': wanted grammar or tatoeba"):
        load_corpus(Options(corpus="files"))


@pytest.mark.parametrize(
    "option",
    [{"size": 2.5}, {"size": None}, {"seed": True}, {"bf16": "no"}, {"lr": "1"}, {"languages": 3}, {"pairs": 1e3}],
)
def test_an_option_of_another_type_is_named(option: dict[str, Any]) -> None:
    ((name, _),) = option.items()
    with pytest.raises(TypeError, match=name):
        Options(**option)
    assert Options(lr=1, pairs=None).lr == 1
    assert json.dumps(asdict(Options(seed=np.int64(3), lr=np.float32(0.5)))) == json.dumps(
        asdict(Options(seed=3, lr=0.5))
    )
