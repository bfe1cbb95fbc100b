"""Errors of the command line: one line without a traceback, before any work, and without leftover files."""

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
def test_unwritable_output_is_reported_before_the_work(command: list[str], trained: Path, tmp_path: Path) -> None:
    result = run(*(part.format(trained) for part in command), tmp_path, code=1)
    assert result.output.startswith(f"error: {tmp_path} cannot be written")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "nowhere", "a"], "run must be a folder"),
        (["train", "{}", "--family", "elman"], "family must be"),
        (["train", "{}", "--corpus", "wmt"], "corpus must be"),
        (["train", "{}", "--epochs", "0"], "epochs must be"),
        (["train", "{}", "--lr", "-1"], "lr must be"),
        (["train", "{}", "--device", "abacus"], "device must be"),
        (["train", "{}", "--device", "meta"], "device must be"),
        (["train", "{}", "--family", "transformer", "--size", "6"], "size must be"),
        (["train", "{}", "--label-smoothing", "1.5"], "label_smoothing must be"),
        (["train", "{}", "--lr", "inf"], "lr must be"),
        (["train", "{}", "--seed", str(2**70)], "seed must be"),
        (["train", "{}", "--corpus", "tatoeba", "--data", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_invalid_argument_is_one_line_and_leaves_no_run(arguments: list[str], message: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    given = [a.format(folder) for a in arguments]
    extra = ["--pairs", "40"] if "train" in given and "--pairs" not in given else []
    result = run(*given, *extra, code=1)
    assert message in result.output and result.output.strip().splitlines()[-1].startswith("error: ")
    assert not folder.exists()


def test_translate_refuses_empty_sentence_and_damaged_run(trained: Path, tmp_path: Path) -> None:
    assert "must be non-empty" in run("translate", trained, " ", code=1).output
    assert run("attend", trained, " ", code=1).output.startswith("error: sentence must be non-empty")
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "run.json").write_text("{")
    assert "was not written by `attnbook train`" in run("translate", folder, "a", code=1).output
    for other in ("[]", "3", '{"options": {}}', '{"options": {"size": "8"}, "punctuated": true}', "[" * 100000):
        (folder / "run.json").write_text(other)
        assert "was not written by `attnbook train`" in run("translate", folder, "a", code=1).output
    (folder / "run.json").write_text('{"options": {"color": 3}, "punctuated": true}')
    assert "color" in run("translate", folder, "a", code=1).output
    (folder / "run.json").write_text((trained / "run.json").read_text())
    assert "run must have a checkpoint" in run("translate", folder, "a", code=1).output
    whole = (trained / "checkpoint.safetensors").read_bytes()
    (folder / "checkpoint.safetensors").write_bytes(whole[:1000])
    assert "is not a complete checkpoint" in run("translate", folder, "a", code=1).output


def test_invalid_export_and_unknown_split_are_errors(trained: Path, tmp_path: Path) -> None:
    model, *vocabularies = load_run(trained).model
    for options in ([], None, {"size": "8"}):
        save_checkpoint(tmp_path / "e", model, vocabularies=tuple(vocabularies), progress={"options": options})
        assert "was not written by `attnbook export`" in run("translate", tmp_path / "e", "a", code=1).output
    assert "split must be one of valid, test" in run("evaluate", trained, "--split", "dev", code=1).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--subwords", "100"], "subwords must be"),
        (["--subwords", "1000000000"], "subwords must be"),
        (["--pairs", "2000000000"], "pairs must be"),
        (["--held-out", "0.1"], "held_out must be"),
        (["--languages", "en-de"], "languages must be"),
        (["--corpus", "a", "--corpus", "b"], "corpus must be"),
        (["--source", "a", "--source", "b", "--target", "c"], "source must be"),
        (["--corpus", "grammar", "--valid", __file__], "valid must be"),
        (["--data", __file__], "data must be"),
        (["--subwords", "400", "--min-count", "2"], "min_count must be"),
        (["--source", "a"], "target must be"),
        (["--corpus", __file__, "--source", __file__, "--target", __file__, "--languages", "en-de"], "source must be"),
        (["--corpus", "grammar", "--source", __file__], "source must be"),
        (["--corpus", __file__], "languages must be"),
        (["--corpus", __file__, "--languages", "german"], "languages must be"),
        (["--corpus", __file__, "--languages", "en-de", "--test", "nowhere.tsv"], "test must be"),
        (["--source", ".", "--target", ".", "--languages", "en-de"], "source must be"),
        (
            ["--corpus", __file__, "--languages", "en-de", *["--valid", __file__] * 3],
            "valid must be",
        ),
    ],
)
def test_train_names_invalid_option(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run("train", tmp_path / "run", *arguments, code=1)
    assert message in result.output and result.output.startswith("error: ")
    assert not (tmp_path / "run").exists()


def test_options_named_in_errors_exist() -> None:
    source = Path(tatoeba_file.__file__).read_text(encoding="utf-8")
    advised = set(re.findall(r"--[a-z][a-z-]*", source))
    assert advised and all(option in run("train", "--help").output for option in advised)


def test_train_refuses_empty_run_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "run must be" in run("train", "", *SMALL, code=1).output
    assert list(tmp_path.iterdir()) == []


def test_refused_train_does_not_fix_options_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise ValueError("no")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", refused)
        run("train", tmp_path / "run", *SMALL, "--lr", "0.1", code=1)
    assert not (tmp_path / "run" / "run.json").exists()
    # Nor does a run that was killed before it saved anything.
    RunFolder(tmp_path / "run").create(Options(lr=0.1), punctuated=True)
    run("train", tmp_path / "run", *SMALL, "--epochs", "1")
    assert load_run(tmp_path / "run").options.lr == Options().lr


def test_train_leaves_foreign_run_json_unchanged(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"mine": 1}')
    assert "run.json was not written by `attnbook train`" in run("train", tmp_path, *SMALL, code=1).output
    assert (tmp_path / "run.json").read_text() == '{"mine": 1}'
    result = run("train", tmp_path / "run.json", *SMALL, code=1)
    assert "run must be a folder" in result.output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes\nframes"),
            "error: out of memory",
        ),
        (ModuleNotFoundError("sacrebleu is not installed"), "error: sacrebleu is not installed"),
    ],
)
def test_out_of_memory_and_missing_package_are_one_line(
    error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(training, "train", refused)
    result = run("train", tmp_path / "run", *SMALL, code=1)
    assert message in result.output and "frames" not in result.output


def test_training_data_refuses_files_of_other_corpus(tmp_path: Path) -> None:
    folder, files = RunFolder(tmp_path / "run"), Files((tmp_path / "p.tsv",), {})
    with pytest.raises(ValueError, match="files"):
        folder.training_data(Options(corpus="files"))
    with pytest.raises(ValueError, match="files"):
        folder.training_data(Options(), files=files)
    with pytest.raises(ValueError, match="corpus"):
        load_corpus(Options(corpus="files"))


@pytest.mark.parametrize(
    "option",
    [{"size": 2.5}, {"size": None}, {"seed": True}, {"bf16": "no"}, {"lr": "1"}, {"languages": 3}, {"pairs": 1e3}],
)
def test_options_name_value_of_wrong_type(option: dict[str, Any]) -> None:
    ((name, _),) = option.items()
    with pytest.raises(TypeError, match=name):
        Options(**option)
    assert Options(lr=1, pairs=None).lr == 1
    assert json.dumps(asdict(Options(seed=np.int64(3), lr=np.float32(0.5)))) == json.dumps(
        asdict(Options(seed=3, lr=0.5))
    )
