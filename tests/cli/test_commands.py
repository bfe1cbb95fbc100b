"""The commands, from training a run to exporting it."""

from __future__ import annotations

import html
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import attnbook
from attnbook.cli.options import Family, Options
from attnbook.cli.run_folder import load_corpus, load_run, new_model
from attnbook.data import Vocabulary
from attnbook.training.checkpoint import read_checkpoint
from attnbook.translation import evaluate as evaluation
from tests.support.command_line import SMALL, run
from tests.support.external_data import DATA


def test_help_lists_commands() -> None:
    for command in ("train", "translate", "evaluate", "attend", "export"):
        assert command in run("--help").output
        assert "Usage" in run(command, "--help").output


def test_train_on_finished_run_does_nothing_and_refuses_other_options(trained: Path) -> None:
    before = (trained / "checkpoint.safetensors").read_bytes()
    assert "trained" in run("train", trained, *SMALL).output
    result = run("train", trained, *SMALL, "--lr", "0.01", code=1)
    assert result.output.startswith("error: ") and "options['lr']" in result.output
    assert "another folder" in result.output
    assert (trained / "checkpoint.safetensors").read_bytes() == before


def test_translate_reads_arguments_or_standard_input(trained: Path) -> None:
    given = run("translate", trained, "She is happy.", "I'm reading a book.", "--beam", "2").stdout
    piped = run("translate", trained, "--beam", "2", stdin="She is happy.\n\nI'm reading a book.\n").stdout
    assert given == piped and len(given.splitlines()) == 2
    windows = run("translate", trained, "--beam", "2", stdin="\ufeffShe is happy.\r\nI'm reading a book.\r\n")
    assert windows.stdout == given


def test_translate_skips_blank_lines_and_refuses_other_encodings(trained: Path) -> None:
    result = run("translate", trained, stdin="\nShe is happy.\n \n\u200b\n\n")
    assert len(result.stdout.splitlines()) == 1
    assert "warning: skipped 4 blank lines (lines 1, 3, 4, ...)" in result.stderr
    assert "blank" not in run("translate", trained, stdin="She is happy.\n").stderr
    result = run("translate", trained, stdin=b"She is happy.\nCaf\xe9.\n", code=1)
    assert "error: standard input must be utf-8 text" in result.output


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no C locale on this system")
def test_translate_refuses_other_encodings_in_the_c_locale(trained: Path) -> None:
    command = [sys.executable, "-m", "attnbook", "translate", str(trained)]
    found = subprocess.run(command, input=b"Caf\xe9.\n", capture_output=True, env={**os.environ, "LC_ALL": "C"})
    assert found.returncode == 1 and found.stderr.startswith(b"error: standard input must be utf-8 text")


def test_evaluate_prints_and_writes_scores(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    result = run("evaluate", trained, "--limit", 40, "--json", out, "--split", "valid")
    figures = json.loads(out.read_text())
    assert figures["sentences"] == 40 and figures["split"] == "valid"
    assert 0 <= figures["exact"] <= 1 and 0 <= figures["bleu"] <= 100 and 0 < figures["chrf"] <= 100
    assert 0 < figures["alignment_error_rate"]["decoder.cross_attention"] <= 1
    assert f"BLEU {figures['bleu']:.2f}" in result.output and "alignment error rate" in result.output
    assert "error: split must be" in run("evaluate", trained, "--split", "training", code=1).output
    several = run("evaluate", trained, *["--file", out] * 3, code=1).output
    assert several.startswith("error: file must be")
    assert run("evaluate", trained, "--data", out, code=1).output.startswith("error: data must be")


def test_evaluate_writes_infinity_as_null(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "held_out_perplexity", lambda *_, **__: math.inf)
    result = run("evaluate", trained, "--limit", 2, "--json", tmp_path / "figures.json")
    assert "perplexity inf" in result.output
    assert json.loads((tmp_path / "figures.json").read_text(), parse_constant=pytest.fail)["perplexity"] is None


def test_attend_prints_links_and_writes_page(trained: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("attend", trained, "<b>She</b> is happy.", "--html", page)
    translation, table = result.stdout.split("\n\ndecoder.cross_attention\n")
    pieces = {line.split()[1] for line in table.split("\n\n")[0].splitlines()}
    assert translation and pieces <= {"<unk>", *Options().tokenize("<b>She</b> is happy.")} and pieces
    text = page.read_text(encoding="utf-8")
    assert text.lower().startswith("<!doctype html") and translation in html.unescape(text)


def test_export_translates_like_the_run_and_is_smaller(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    run("export", trained, out)
    assert out.stat().st_size < 0.6 * (trained / "checkpoint.safetensors").stat().st_size
    assert read_checkpoint(out).optimizer is None
    for command in (["translate"], ["attend"]):
        assert run(*command, out, "She is happy.").stdout == run(*command, trained, "She is happy.").stdout
    assert load_run(out).options == load_run(trained).options


@pytest.mark.parametrize(("family", "both"), [("seq2seq", False), ("bahdanau", True), ("luong", True)])
def test_models_with_attention_read_in_both_directions(family: Family, both: bool) -> None:
    letters = Vocabulary.build([("a", "b")])
    assert new_model(Options(family=family), (letters, letters)).config["bidirectional"] is both


@pytest.mark.parametrize("family", ["seq2seq", "luong", "transformer"])
def test_every_family_trains_and_evaluates_on_chinese(family: str, tmp_path: Path) -> None:
    options = ["--pairs", 40, "--size", 8, "--epochs", 1, "--batch-size", 20, "--languages", "en-zh"]
    run("train", tmp_path / "r", *options, "--family", family)
    result = run("evaluate", tmp_path / "r", "--limit", 5)
    assert ("alignment error rate" in result.output) == (family != "seq2seq")
    assert " " not in run("translate", tmp_path / "r", "She is happy.").stdout.strip()
    if family == "seq2seq":
        assert "run must" in run("attend", tmp_path / "r", "She is happy.", code=1).output


def test_train_on_tatoeba_file(tmp_path: Path) -> None:
    if not (DATA / "cmn-eng.txt").is_file():
        pytest.skip(f"no cmn-eng.txt in {DATA}")
    options = ["--corpus", "tatoeba", "--languages", "en-zh", "--data", DATA, "--pairs", 60, "--max-length", 6]
    run("train", tmp_path / "r", *options, "--size", 8, "--epochs", 1, "--subwords", 600)
    result = run("evaluate", tmp_path / "r", "--data", DATA, "--limit", 5)
    assert "BLEU" in result.output and "alignment" not in result.output
    run("attend", tmp_path / "r", "Go!")


def test_load_corpus_leaves_out_longer_sentences() -> None:
    whole, short = (load_corpus(Options(pairs=150, max_length=longest)) for longest in (None, 7))
    for name, examples in short.held_out.items():
        assert examples == [e for e in whole.held_out[name] if max(len(e.source), *map(len, e.references)) <= 7]
    assert short.train == [pair for pair in whole.train if max(len(pair.source), len(pair.target)) <= 7]
    assert 0 < len(short.train) < 150
    with pytest.raises(ValueError, match="max_length"):
        load_corpus(Options(pairs=150, max_length=1))


def test_translate_warns_about_doubtful_sentences(trained: Path) -> None:
    pair = load_corpus(Options(pairs=150)).train[0]
    text = " ".join(pair.source)
    result = run("translate", trained, text[:-2], text, f"x {text}")
    assert len(result.stdout.splitlines()) == 3
    warnings = [line for line in result.stderr.splitlines() if "maximum length" not in line]
    assert warnings == [
        f"warning: {text[:-2]!r} has no final punctuation, unlike almost all training sentences",
        f"warning: {'x ' + text!r} contains words that the model does not know: x",
    ]
    assert "no final punctuation" in run("attend", trained, text[:-2]).stderr
    result = run("translate", trained, f"\x1b {text}")  # warnings contain no control characters
    assert r"does not know: '\x1b'" in result.stderr and "\x1b" not in result.stderr


def test_evaluate_uses_the_same_beam_as_translate(trained: Path) -> None:
    figures = run("evaluate", trained, "--limit", 5).output
    assert "5 sentences of test, beam 4" in figures
    assert figures == run("evaluate", trained, "--limit", 5, "--beam", 4).output


def test_evaluate_explains_alignment_error_rate(trained: Path) -> None:
    assert "gold alignment" in run("evaluate", trained, "--limit", 5).output


@pytest.mark.slow
def test_export_is_reproducible(trained: Path, tmp_path: Path) -> None:
    """In one process and across processes."""
    run("export", trained, tmp_path / "one")
    command = [sys.executable, "-m", "attnbook", "export", str(trained), str(tmp_path / "two")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_version_is_printed() -> None:
    assert run("--version").output == f"attnbook {attnbook.__version__}\n"


def test_help_does_not_import_torch() -> None:
    program = "import sys, attnbook.__main__, attnbook.cli; print('torch' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False False\n"


@pytest.mark.parametrize("corpus", ["grammar", "tatoeba"])
def test_tokenize_normalizes_accents(corpus: str) -> None:
    options = Options(corpus=corpus)
    assert options.tokenize("cafe\u0301") == options.tokenize("caf\u00e9") == ("caf\u00e9",)


def test_vocabularies_use_training_pairs_only() -> None:
    corpus = load_corpus(Options(pairs=50))
    source, target = corpus.vocabularies()
    assert len(source) == 4 + len({w for p in corpus.train for w in p.source})
    assert len(target) == 4 + len({w for p in corpus.train for w in p.target})
    held_out = {example.source for examples in corpus.held_out.values() for example in examples}
    assert not held_out & {p.source for p in corpus.train}
