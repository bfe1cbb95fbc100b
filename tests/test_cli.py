"""The command line: a run from its first step to its export."""

from __future__ import annotations

import html
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import attnbook
from attnbook.cli.options import Options
from attnbook.cli.run_folder import load_corpus, load_run
from attnbook.training.checkpoint import read_checkpoint
from attnbook.translation import evaluate as evaluation
from tests.support.command_line import SMALL, run
from tests.support.external_data import DATA


def test_help_says_what_there_is() -> None:
    for command in ("train", "translate", "evaluate", "attend", "export"):
        assert command in run("--help").output
        assert "Usage" in run(command, "--help").output


def test_a_finished_run_has_nothing_to_do_and_another_is_refused(trained: Path) -> None:
    before = (trained / "checkpoint.safetensors").read_bytes()
    assert "trained" in run("train", trained, *SMALL).output
    result = run("train", trained, *SMALL, "--lr", "0.01", code=1)
    assert "error: " in result.output and "options['lr']: it has 0.004, wanted 0.01" in result.output
    assert (trained / "checkpoint.safetensors").read_bytes() == before


def test_translate_takes_arguments_or_lines(trained: Path) -> None:
    spoken = run("translate", trained, "She is happy.", "I'm reading a book.", "--beam", "2").stdout
    piped = run("translate", trained, "--beam", "2", stdin="She is happy.\n\nI'm reading a book.\n").stdout
    assert spoken == piped and len(spoken.splitlines()) == 2
    windows = run("translate", trained, "--beam", "2", stdin="\ufeffShe is happy.\r\nI'm reading a book.\r\n")
    assert windows.stdout == spoken


def test_blank_lines_are_said_and_other_bytes_refused(trained: Path) -> None:
    result = run("translate", trained, stdin="\nShe is happy.\n \n\u200b\n\n")
    assert len(result.stdout.splitlines()) == 1
    assert "warning: blank lines are left out of the translations: 4 (line 1, 3, 4, ...)" in result.stderr
    assert "blank" not in run("translate", trained, stdin="She is happy.\n").stderr
    result = run("translate", trained, stdin=b"She is happy.\nCaf\xe9.\n", code=1)
    assert "error: standard input cannot be read ('utf-8' codec" in result.output
    assert "wanted text in utf-8" in result.output


def test_evaluate_prints_and_writes_the_figures(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    result = run("evaluate", trained, "--limit", 40, "--json", out, "--split", "valid")
    figures = json.loads(out.read_text())
    assert figures["sentences"] == 40 and figures["split"] == "valid"
    assert 0 <= figures["exact"] <= 1 and 0 <= figures["bleu"] <= 100 and 0 < figures["chrf"] <= 100
    assert 0 < figures["alignment_error_rate"]["decoder.cross_attention"] <= 1
    assert f"BLEU {figures['bleu']:.2f}" in result.output and "alignment error rate" in result.output
    assert "split is 'training': wanted one" in run("evaluate", trained, "--split", "training", code=1).output
    several = run("evaluate", trained, *["--file", out] * 3, code=1).output
    assert "wanted a file of pairs, or those of source and target" in several
    assert "data is " in (said := run("evaluate", trained, "--data", out, code=1).output)
    assert "wanted none, as grammar is no corpus that --data could replace" in said


def test_what_is_infinite_is_null_in_json(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "held_out_perplexity", lambda *_: math.inf)
    result = run("evaluate", trained, "--limit", 2, "--json", tmp_path / "figures.json")
    assert "perplexity inf" in result.output
    assert json.loads((tmp_path / "figures.json").read_text(), parse_constant=pytest.fail)["perplexity"] is None


def test_attend_prints_where_words_looked_and_writes_a_page(trained: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("attend", trained, "<b>She</b> is happy.", "--html", page)
    spoken, table = result.stdout.split("\n\ndecoder.cross_attention\n")
    pieces = {line.split()[1] for line in table.split("\n\n")[0].splitlines()}
    assert spoken and pieces <= {"<unk>", *Options().tokenize("<b>She</b> is happy.")} and pieces
    text = page.read_text(encoding="utf-8")
    assert text.lower().startswith("<!doctype html") and spoken in html.unescape(text)


def test_an_export_translates_as_the_run_does_and_is_smaller(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    run("export", trained, out)
    assert out.stat().st_size < 0.6 * (trained / "checkpoint.safetensors").stat().st_size
    assert read_checkpoint(out).optimizer is None
    for command in (["translate"], ["attend"]):
        assert run(*command, out, "She is happy.").stdout == run(*command, trained, "She is happy.").stdout
    assert load_run(out).options == load_run(trained).options


@pytest.mark.parametrize("family", ["seq2seq", "luong", "transformer"])
def test_every_family_and_the_chinese_side(family: str, tmp_path: Path) -> None:
    options = ["--pairs", 40, "--size", 8, "--epochs", 1, "--batch-size", 20, "--languages", "en-zh"]
    run("train", tmp_path / "r", *options, "--family", family)
    result = run("evaluate", tmp_path / "r", "--limit", 5)
    assert ("alignment error rate" in result.output) == (family != "seq2seq")
    assert " " not in run("translate", tmp_path / "r", "She is happy.").stdout.strip()
    if family == "seq2seq":
        assert "model must" in run("attend", tmp_path / "r", "She is happy.", code=1).output


def test_the_real_corpus_from_a_file(tmp_path: Path) -> None:
    if not (DATA / "cmn-eng.txt").is_file():
        pytest.skip(f"no cmn-eng.txt in {DATA}")
    options = ["--corpus", "tatoeba", "--languages", "en-zh", "--data", DATA, "--pairs", 60, "--max-length", 6]
    run("train", tmp_path / "r", *options, "--size", 8, "--epochs", 1, "--subwords", 600)
    result = run("evaluate", tmp_path / "r", "--data", DATA, "--limit", 5)
    assert "BLEU" in result.output and "alignment" not in result.output
    run("attend", tmp_path / "r", "Go!")


def test_longer_sentences_of_the_grammar_are_left_out() -> None:
    whole, short = (load_corpus(Options(pairs=150, max_length=longest)) for longest in (None, 7))
    for name, examples in short.held_out.items():
        assert examples == [e for e in whole.held_out[name] if max(len(e.source), *map(len, e.references)) <= 7]
    assert short.train == [pair for pair in whole.train if max(len(pair.source), len(pair.target)) <= 7]
    assert 0 < len(short.train) < 150
    with pytest.raises(ValueError, match="max_length is 1: wanted more, none of 150 pairs is so short"):
        load_corpus(Options(pairs=150, max_length=1))


def test_doubtful_sentences_are_translated_with_a_warning(trained: Path) -> None:
    pair = load_corpus(Options(pairs=150)).train[0]
    text = " ".join(pair.source)
    result = run("translate", trained, text[:-2], text, f"x {text}")
    assert len(result.stdout.splitlines()) == 3
    warnings = [line for line in result.stderr.splitlines() if "did not end" not in line]
    assert warnings == [
        f"warning: {text[:-2]!r} ends without a full stop, unlike nearly all sentences that the model was trained on",
        f"warning: {'x ' + text!r} has what the model does not know: x",
    ]
    assert "ends without a full stop" in run("attend", trained, text[:-2]).stderr
    result = run("translate", trained, f"\x1b {text}")  # no warning commands the terminal
    assert r"has what the model does not know: '\x1b'" in result.stderr and "\x1b" not in result.stderr


def test_translate_and_evaluate_search_alike(trained: Path) -> None:
    figures = run("evaluate", trained, "--limit", 5).output
    assert "5 sentences of test, beam 4" in figures
    assert figures == run("evaluate", trained, "--limit", 5, "--beam", 4).output


def test_an_alignment_error_rate_is_explained(trained: Path) -> None:
    assert "gold alignment links it to" in run("evaluate", trained, "--limit", 5).output


@pytest.mark.slow
def test_an_export_is_the_same_byte_for_byte(trained: Path, tmp_path: Path) -> None:
    """In this process, and in another one."""
    run("export", trained, tmp_path / "one")
    command = [sys.executable, "-m", "attnbook", "export", str(trained), str(tmp_path / "two")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_version() -> None:
    assert run("--version").output == f"attnbook {attnbook.__version__}\n"


def test_help_does_not_wait_for_torch() -> None:
    program = "import sys, attnbook.__main__, attnbook.cli; print('torch' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False False\n"


@pytest.mark.parametrize("corpus", ["grammar", "tatoeba"])
def test_an_accent_may_be_written_in_two_ways(corpus: str) -> None:
    options = Options(corpus=corpus)
    assert options.tokenize("cafe\u0301") == options.tokenize("caf\u00e9") == ("caf\u00e9",)


def test_vocabularies_come_from_training_pairs_alone() -> None:
    corpus = load_corpus(Options(pairs=50))
    source, target = corpus.vocabularies()
    assert len(source) == 4 + len({w for p in corpus.train for w in p.source})
    assert len(target) == 4 + len({w for p in corpus.train for w in p.target})
    held_out = {example.source for examples in corpus.held_out.values() for example in examples}
    assert not held_out & {p.source for p in corpus.train}
