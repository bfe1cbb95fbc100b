"""The command line on the user's own files of sentences."""

from __future__ import annotations

import gzip
import html
import json
import re
import shutil
from pathlib import Path

import pytest

from attnbook.cli.run_folder import load_held_out, load_run
from attnbook.data import Subwords, Vocabulary, grammar
from attnbook.data.corpus import split_key
from attnbook.data.text import tokenize
from tests.support.command_line import run

SMALL = ["--size", "8", "--epochs", "1", "--batch-size", "32", "--device", "cpu", "--languages", "en-fr"]
ROWS = [
    f"{grammar.join(pair.source, 'english')}\t{grammar.join(pair.target, 'french')}"
    for pair in grammar.sample(300, seed=7)
]


def write(path: Path, rows: list[str]) -> Path:
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("family", "options"), [("bahdanau", []), ("transformer", ["--subwords", "400"]), ("luong", ["--min-count", "2"])]
)
def test_file_of_pairs_trains_evaluates_attends_and_exports(family: str, options: list[str], tmp_path: Path) -> None:
    file = write(tmp_path / "pairs.tsv", [*ROWS[:250], "no tab", *ROWS[250:]])
    folder = tmp_path / "run"
    result = run("train", folder, "--corpus", file, "--family", family, *SMALL, *options, "--held-out", "0.1")
    assert "301 rows\n  different number of columns: 1 (line 251)" in result.output
    assert re.search(r"2\d\d sentence pairs", result.output) and "held-out perplexity" in result.output
    trained = (folder / "checkpoint.safetensors").read_bytes()
    run("train", folder, "--corpus", file, "--family", family, *SMALL, *options, "--held-out", "0.1")
    assert (folder / "checkpoint.safetensors").read_bytes() == trained

    loaded = load_run(folder)
    assert isinstance(loaded.model.source_vocabulary, Subwords if "--subwords" in options else Vocabulary)
    out = tmp_path / "figures.json"
    assert "alignment" not in run("evaluate", folder, "--limit", 4, "--json", out).output
    assert json.loads(out.read_text())["sentences"] == 4
    translation = run("translate", folder, ROWS[0].split("\t")[0]).stdout
    page = tmp_path / "page.html"
    assert run("attend", folder, ROWS[0].split("\t")[0], "--html", page).stdout.startswith(translation)
    assert html.escape(translation.strip()) in page.read_text(encoding="utf-8")

    exported = tmp_path / "model.safetensors"
    run("export", folder, exported)
    assert run("translate", exported, ROWS[0].split("\t")[0]).stdout == translation
    scored = run("evaluate", exported, "--file", write(tmp_path / "mine.tsv", ROWS[:6])).output
    assert scored.startswith("6 sentences of mine.tsv, beam 4")
    assert "file must be given" in run("evaluate", exported, code=1).output


def test_aligned_files_with_held_out_files_train(tmp_path: Path) -> None:
    columns = list(zip(*(row.split("\t") for row in ROWS), strict=True))
    source, target = (write(tmp_path / name, list(column)) for name, column in zip(("en", "fr"), columns, strict=True))
    packed = tmp_path / "en.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    test = [write(tmp_path / f"test.{name}", list(c[:9])) for name, c in zip(("en", "fr"), columns, strict=True)]
    given = ["--source", packed, "--target", target, "--test", test[0], "--test", test[1]]
    result = run("train", tmp_path / "run", *given, *SMALL)
    assert "test.en and test.fr: 9 rows" in result.output and "en.gz and fr: 300 rows" in result.output
    held_out = load_held_out(tmp_path / "run", load_run(tmp_path / "run").options)
    wanted = {split_key(tokenize(text, "en")) for text in columns[0][:9]}
    assert {split_key(example.source) for example in held_out["test"]} == wanted
    assert "sentences of test" in run("evaluate", tmp_path / "run", "--limit", 3).output


def test_chinese_target_is_split_into_characters_and_joined(tmp_path: Path) -> None:
    rows = [
        f"{grammar.join(pair.source, 'english')}\t{grammar.join(pair.target, 'chinese')}"
        for pair in grammar.sample(120, seed=7, target="chinese")
    ]
    small = [*SMALL[:-1], "en-zh"]
    run("train", tmp_path / "run", "--corpus", write(tmp_path / "p", rows), *small)
    loaded = load_run(tmp_path / "run")
    assert max(map(len, loaded.model.target_vocabulary.words)) == 1
    assert " " not in run("translate", tmp_path / "run", rows[0].split("\t")[0]).stdout.strip()


def test_other_data_or_refused_file_changes_nothing(tmp_path: Path) -> None:
    file, folder = write(tmp_path / "pairs.tsv", ROWS), tmp_path / "run"
    write(tmp_path / "bad.tsv", ["no tab"] * 20)
    refused = run("train", folder, "--corpus", tmp_path / "bad.tsv", *SMALL, code=1)
    assert "error: bad.tsv must be UTF-8" in refused.output and not folder.exists()
    run("train", folder, "--corpus", file, *SMALL)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    write(file, ROWS[1:])
    assert "another corpus" in run("train", folder, "--corpus", file, *SMALL, code=1).output
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    file.unlink()
    assert "corpus must be" in run("train", folder, "--corpus", file, *SMALL, code=1).output
    shutil.rmtree(folder / "corpus")
    assert "not a prepared corpus" in run("evaluate", folder, code=1).output


def test_train_leaves_foreign_corpus_folder_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus").mkdir()
    file = write(tmp_path / "corpus" / "pairs.tsv", ROWS)
    monkeypatch.chdir(tmp_path)
    result = run("train", ".", "--corpus", "corpus/pairs.tsv", *SMALL, code=1)
    assert "error: corpus contains pairs.tsv" in result.output
    assert file.read_text(encoding="utf-8").splitlines() == ROWS
    run("train", "run", "--corpus", "corpus/pairs.tsv", *SMALL)


def test_invisible_marks_are_removed_as_in_training(tmp_path: Path) -> None:
    folder, sentence = tmp_path / "run", ROWS[0].split("\t")[0]
    run("train", folder, "--corpus", write(tmp_path / "p.tsv", ROWS), *SMALL)
    marked = f"\u200f{sentence[:3]}\u00ad{sentence[3:]}\u202c"
    assert run("translate", folder, marked).stdout == run("translate", folder, sentence).stdout
    options = load_run(folder).options
    assert options.tokenize(marked) == options.tokenize(sentence)
    assert options.tokenize("می\u200cخواهم") == ("می\u200cخواهم",)  # a joiner that carries meaning
