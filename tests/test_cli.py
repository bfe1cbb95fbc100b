"""The command line: a run from its first step to its export, and errors without a traceback."""

from __future__ import annotations

import html
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import attnbook
from attnbook import decoding, evaluation, training
from attnbook.checkpoint import read_checkpoint, save_checkpoint
from attnbook.cli import app
from attnbook.data import tatoeba_file
from attnbook.options import Options
from attnbook.runs import Files, RunFolder, load_corpus, load_run
from tests.outside import DATA

SMALL = ["--pairs", "150", "--size", "16", "--epochs", "2", "--batch-size", "16", "--device", "cpu"]


def run(*arguments: object, code: int = 0, stdin: str | bytes | None = None) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("runs") / "small"
    result = run("train", folder, *SMALL)
    assert "bahdanau with" in result.output and "150 sentence pairs" in result.output
    assert len(re.findall(r"epoch \d: held-out perplexity \d+\.\d\d", result.output)) == 2
    torch.set_num_threads(threads)
    return folder


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


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps files that are open")
def test_a_run_has_one_process(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    keep = "import sys; from attnbook.files import alone\nwith alone(sys.argv[1]): print(flush=True); input()"
    command = [sys.executable, "-c", keep, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        assert "run is used by another process" in run("train", tmp_path / "run", *SMALL, code=1).output
        assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
        other.kill()
    run("train", tmp_path / "run", *SMALL)


@pytest.mark.parametrize("command", [["evaluate", "{}", "--json"], ["attend", "{}", "She is happy.", "--html"]])
def test_a_file_that_cannot_be_written_is_named_before_the_work(
    command: list[str], trained: Path, tmp_path: Path
) -> None:
    result = run(*(part.format(trained) for part in command), tmp_path, code=1)
    assert result.output.startswith(f"error: {tmp_path} cannot be written: it is a folder")


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


@pytest.mark.parametrize("name", ["checkpoint.safetensors", "run.json"])
def test_an_export_does_not_take_the_place_of_the_run(name: str, trained: Path) -> None:
    before = (trained / name).read_bytes()
    assert "wanted another file than the run's own" in run("export", trained, trained / name, code=1).output
    assert (trained / name).read_bytes() == before


@pytest.mark.parametrize("family", ["seq2seq", "luong", "transformer"])
def test_every_family_and_the_chinese_side(family: str, tmp_path: Path) -> None:
    options = ["--pairs", 40, "--size", 8, "--epochs", 1, "--batch-size", 20, "--languages", "en-zh"]
    run("train", tmp_path / "r", *options, "--family", family)
    result = run("evaluate", tmp_path / "r", "--limit", 5)
    assert ("alignment error rate" in result.output) == (family != "seq2seq")
    assert " " not in run("translate", tmp_path / "r", "She is happy.").stdout.strip()
    if family == "seq2seq":
        assert "without attention" in run("attend", tmp_path / "r", "She is happy.", code=1).output


def test_the_real_corpus_from_a_file(tmp_path: Path) -> None:
    if not (DATA / "cmn-eng.txt").is_file():
        pytest.skip(f"no cmn-eng.txt in {DATA}")
    options = ["--corpus", "tatoeba", "--languages", "en-zh", "--data", DATA, "--pairs", 60, "--max-length", 6]
    run("train", tmp_path / "r", *options, "--size", 8, "--epochs", 1, "--subwords", 600)
    result = run("evaluate", tmp_path / "r", "--data", DATA, "--limit", 5)
    assert "BLEU" in result.output and "alignment" not in result.output
    run("attend", tmp_path / "r", "Go!")


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


def test_an_interrupted_run_goes_on_with_the_same_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, calls = tmp_path / "run", []
    train_model = training.train

    def interrupted(*arguments: Any, **options: Any) -> Any:
        for step in train_model(*arguments, **options):
            yield step
            calls.append(step.number)
            if len(calls) == 7:
                raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", interrupted)
    result = run("train", folder, *SMALL, code=130)
    assert "stopped after step 7 of 20; the same command goes on from there" in result.output
    assert read_checkpoint(folder / "checkpoint.safetensors").progress["number"] == 7
    run("train", folder, *SMALL)
    assert calls == list(range(1, 21))


COMMANDS = """
import os, shutil, signal, sys
import torch
from attnbook.cli import app
torch.set_num_threads(1)
count, fsync = 0, os.fsync
def dying(handle):
    global count
    count += 1
    if count == 8:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(handle)
if os.fork() == 0:  # of a process that has imported much
    os.fsync = dying
    app()
_, status = os.wait()
assert os.WTERMSIG(status) == signal.SIGKILL
shutil.copytree(sys.argv[2], sys.argv[2] + "-killed")
app()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_killed_command_ends_in_the_same_weights(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", COMMANDS, "train", str(folder), *SMALL, "--checkpoint-every", "1"]
    subprocess.run(command, check=True, capture_output=True)
    left = read_checkpoint(tmp_path / "killed-killed" / "checkpoint.safetensors")
    assert left.progress["number"] == 6  # one save is of run.json
    found, wanted = (read_checkpoint(f / "checkpoint.safetensors") for f in (folder, trained))
    assert found.tensors.keys() == wanted.tensors.keys()
    assert all(torch.equal(found.tensors[name], wanted.tensors[name]) for name in found.tensors)


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


def test_longer_sentences_of_the_grammar_are_left_out() -> None:
    whole, short = (load_corpus(Options(pairs=150, max_length=longest)) for longest in (None, 7))
    for name, examples in short.held_out.items():
        assert examples == [e for e in whole.held_out[name] if max(len(e.source), *map(len, e.references)) <= 7]
    assert short.train == [pair for pair in whole.train if max(len(pair.source), len(pair.target)) <= 7]
    assert 0 < len(short.train) < 150
    with pytest.raises(ValueError, match="max_length is 1: wanted more, none of 150 pairs is so short"):
        load_corpus(Options(pairs=150, max_length=1))


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
    ((name, value),) = option.items()
    with pytest.raises(TypeError, match=f"{name} is {re.escape(repr(value))} of type {type(value).__name__}: wanted"):
        Options(**option)
    assert Options(lr=1, pairs=None).lr == 1
    assert json.dumps(asdict(Options(seed=np.int64(3), lr=np.float32(0.5)))) == json.dumps(
        asdict(Options(seed=3, lr=0.5))
    )


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


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of another system")
@pytest.mark.parametrize("module", ["attnbook.cli", "numpy", "torch.nn", "attnbook.transformer"])
def test_control_c_while_importing_is_one_line(module: str, trained: Path, tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["attnbook", "translate", {str(trained)!r}, "She is happy."]
from attnbook.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "stopped\n")


def test_control_c_in_a_command_is_one_line(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(decoding, "translate", interrupted)
    assert run("translate", trained, "She is happy.", code=130).stderr == "stopped\n"


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
