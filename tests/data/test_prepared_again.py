"""A prepared corpus is opened again or refused: nothing half done, damaged or of another hand counts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from attnbook.data import preparation
from attnbook.data.preparation import Settings
from attnbook.data.prepared import PreparedCorpus, open_prepared, prepare
from tests.data.sample_files import LINES


def test_a_prepared_corpus_is_opened_and_another_refused(make) -> None:
    corpus = make(LINES)
    before = (corpus.folder / "corpus.json").stat().st_mtime_ns
    assert make(LINES, keep=True).facts == corpus.facts  # written anew, with the same bytes
    assert (corpus.folder / "corpus.json").stat().st_mtime_ns == before
    with pytest.raises(ValueError, match=r"corpus .*subwords"):
        make(LINES, keep=True, subwords=400)
    with pytest.raises(ValueError, match=r"corpus .*p\.tsv"):
        make([*LINES[:-1], LINES[-1].replace("cats", "dogs")], keep=True)
    with pytest.raises(ValueError, match="corpus"):
        make(LINES, keep=True, test=LINES[:3])
    assert open_prepared(corpus.folder).facts == corpus.facts
    assert make(LINES[:700]).facts["pairs"] < corpus.facts["pairs"]  # nothing depends on it: made anew


def test_a_corpus_that_a_run_needs_by_now_is_kept(make, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, trained, write = make(LINES), [], preparation.Preparation._write
    monkeypatch.setattr(preparation.Preparation, "_write", lambda *a: trained.append(1) or write(*a))
    with pytest.raises(ValueError, match=r"corpus .*subwords"):
        make(LINES, keep=lambda: bool(trained), subwords=400)
    assert trained and [path.name for path in corpus.folder.parent.iterdir()] == ["corpus"]
    assert open_prepared(corpus.folder).facts == corpus.facts


def test_an_interrupted_preparation_leaves_nothing(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = preparation.Preparation._write

    def interrupted(*arguments: Any) -> Any:
        write(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(preparation.Preparation, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make(LINES)
    assert not (tmp_path / "run").exists()
    assert make(LINES).facts["pairs"] > 700


@pytest.mark.parametrize("name", ["corpus", "corpus.part"])
def test_a_folder_of_another_hand_is_left_alone(make, name: str, tmp_path: Path) -> None:
    own = tmp_path / "run" / name / "pairs.tsv"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    (own.parent / "corpus.json").write_text("{}")
    with pytest.raises(ValueError, match=r"corpus" if name == "corpus" else r"pairs\.tsv"):
        make(LINES)
    (own.parent / "corpus.json").unlink()
    with pytest.raises(ValueError, match=name):
        make(LINES)
    assert own.read_text() == "mine" and [path.name for path in (tmp_path / "run").iterdir()] == [name]


def test_a_file_or_a_link_in_place_of_the_folder_is_left_alone(make, tmp_path: Path) -> None:
    place = tmp_path / "run" / "corpus"
    place.parent.mkdir()
    place.write_text("mine")
    with pytest.raises(ValueError, match="corpus"):
        make(LINES)
    assert place.read_text() == "mine"
    place.unlink()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="corpus"):
        make(LINES)


def test_a_file_that_changes_while_it_is_read_is_refused(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = preparation.Preparation._write

    def changed(*arguments: Any) -> Any:
        with (tmp_path / "p.tsv").open("a") as file:
            file.write("more\tmehr\n")
        return write(*arguments)

    monkeypatch.setattr(preparation.Preparation, "_write", changed)
    with pytest.raises(ValueError, match=r"p\.tsv"):
        make(LINES)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"format": "attnbook-corpus-1"}'])
def test_a_damaged_description_is_named(make, content: str, keep: bool) -> None:
    corpus = make(LINES)
    (corpus.folder / "corpus.json").write_text(content)
    with pytest.raises(ValueError, match="corpus"):
        make(LINES, keep=keep)
    with pytest.raises(ValueError, match="corpus"):
        open_prepared(str(corpus.folder))


def test_facts_that_are_missing_are_named(make) -> None:
    corpus = make(LINES)
    manifest = json.loads((corpus.folder / "corpus.json").read_text())
    (corpus.folder / "corpus.json").write_text(json.dumps({**manifest, "facts": {"pairs": 1}}))
    with pytest.raises(ValueError, match="digest, punctuated, report"):
        make(LINES)


PROGRAM = """
import os, signal, sys
from pathlib import Path
from attnbook.data import preparation
from attnbook.data.prepared import prepare
from attnbook.data.preparation import Settings
add, left = preparation.PairWriter.add, [int(sys.argv[2])]
def dying(self, *pair):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, *pair)
preparation.PairWriter.add = dying
folder = Path(sys.argv[1])
print(prepare(folder / "run" / "corpus", Settings(("en", "de")), [folder / "p.tsv"], {}).facts["digest"])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_killed_preparation_starts_clean(make, tmp_path: Path) -> None:
    wanted = make(LINES).facts["digest"]
    (tmp_path / "run").rename(tmp_path / "other")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    assert subprocess.run([*command, "300"], capture_output=True).returncode == -signal.SIGKILL
    assert not (tmp_path / "run" / "corpus").exists() and (tmp_path / "run" / "corpus.part").exists()
    done = subprocess.run([*command, "0"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == wanted
    assert not (tmp_path / "run" / "corpus.part").exists()


def test_of_two_at_once_one_prepares(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl", reason="locks of files are POSIX's")
    make(LINES)
    (tmp_path / "run").rename(tmp_path / "other")
    calls, run = [], preparation.Preparation.run
    monkeypatch.setattr(preparation.Preparation, "run", lambda *a: calls.append(1) or run(*a))
    found: list[PreparedCorpus] = []

    def again() -> PreparedCorpus:
        return prepare(tmp_path / "run" / "corpus", Settings(("en", "de")), [tmp_path / "p.tsv"], {})

    threads = [threading.Thread(target=lambda: found.append(again())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and len(calls) == 1 and len({corpus.facts["digest"] for corpus in found}) == 1


@pytest.mark.parametrize("name", ["corpus.json", "vocabularies.json", "held_out.json", "target_starts.npy"])
def test_a_damaged_corpus_is_an_error(make, name: str) -> None:
    corpus = make(LINES)
    (corpus.folder / name).write_text("{")
    with pytest.raises((ValueError, OSError)):
        open_prepared(corpus.folder).batches(batch_size=4)


@pytest.mark.parametrize("name", ["vocabularies.json", "held_out.json"])
def test_another_word_in_a_file_is_an_error(make, name: str) -> None:
    corpus = make(LINES, held_out=0.1)
    text = (corpus.folder / name).read_text(encoding="utf-8")
    (corpus.folder / name).write_text(text.replace("Katzen", "Hunde", 1), encoding="utf-8")
    with pytest.raises(ValueError, match=name):
        open_prepared(corpus.folder)


def test_prepare_and_open_prepared_name_arguments_of_another_type(tmp_path) -> None:
    settings = Settings(("en", "de"))
    calls = {
        "folder": [lambda: open_prepared(None), lambda: prepare(5, settings, [], {})],
        "settings": [lambda: prepare(tmp_path, None, [], {})],
        "train": [lambda: prepare(tmp_path, settings, None, {}), lambda: prepare(tmp_path, settings, [5], {})],
        "test": [lambda: prepare(tmp_path, settings, [], {"test": "a.tsv"})],
    }
    for name, several in calls.items():
        for call in several:
            with pytest.raises(TypeError, match=f"^{name}"):
                call()
