"""A corpus prepared from files: its contents, reopening it, and damaged folders."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnbook._internal.files import LOCK
from attnbook.data import Subwords, Vocabulary, pipeline, reader, vocabulary_stream
from attnbook.data.corpus import split_key
from attnbook.data.pipeline import DUPLICATE, HELD_OUT, IDENTICAL, Settings
from attnbook.data.prepared_corpus import PreparedCorpus, open_prepared, prepare
from attnbook.data.text import tokenize
from tests.data.sample_files import LINES


def decoded(corpus: PreparedCorpus) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The training pairs, decoded from their ids."""
    return [
        (tuple(corpus.vocabularies[0].decode(source)), tuple(corpus.vocabularies[1].decode(target)))
        for batch in corpus.batches(batch_size=7).epoch(0)
        for source, target in zip(batch.source.tolist(), batch.target_out.tolist(), strict=True)
    ]


def tokens(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = line.split("\t")
    return tokenize(source, "en"), tokenize(target, "de")


@pytest.mark.parametrize("subwords", [None, 400])
def test_prepare_trains_on_or_holds_out_every_pair(make, subwords: int | None) -> None:
    corpus = make(LINES, subwords=subwords, held_out=0.1)
    trained = decoded(corpus)
    held = [(p.source, p.target) for examples in corpus.held_out.values() for e in examples for p in e.pairs]
    assert Counter(trained + held) == Counter(map(tokens, LINES))
    assert all(40 < len(examples) < 120 for examples in corpus.held_out.values())
    assert corpus.facts["pairs"] == len(trained) == sum(len(batch.source) for batch in corpus.batches(batch_size=7))
    kind = Vocabulary if subwords is None else Subwords
    assert all(isinstance(vocabulary, kind) for vocabulary in corpus.vocabularies)
    if kind is Vocabulary:
        for side, vocabulary in enumerate(corpus.vocabularies):
            assert vocabulary == Vocabulary.build([pair[side] for pair in trained])


def test_prepare_keeps_equal_sources_on_one_side(make) -> None:
    others = [f"i SEE {n} cats!\tIch sehe {n} Katzen !" for n in range(800)]
    corpus = make([*LINES, *others], held_out=0.1)
    keys = [{split_key(source) for source, _ in decoded(corpus)}]
    keys += [{split_key(example.source) for example in examples} for examples in corpus.held_out.values()]
    assert len(keys) == 3 and not keys[0] & keys[1] and not keys[0] & keys[2] and not keys[1] & keys[2]
    assert len(keys[0] | keys[1] | keys[2]) == 800


def test_prepare_removes_held_out_sources_from_training(make) -> None:
    test = [*LINES[:5], "I see 0 cats .\tKatzen sehe ich 0 ."]
    corpus = make([*LINES, "I SEE 3 CATS\tx"], test=test)
    examples = corpus.held_out["test"]
    assert [len(example.references) for example in examples] == [2, 1, 1, 1, 1]
    assert not {split_key(source) for source, _ in decoded(corpus)} & {split_key(e.source) for e in examples}
    assert f"{HELD_OUT}: 6 (lines 1, 2, 3, ...)" in corpus.facts["report"] and corpus.held_out["valid"]


def test_prepare_drops_and_counts_duplicates(make) -> None:
    corpus = make([*LINES, LINES[3], "  I see 3  cats .\tIch sehe 3 Katzen .", "OK\tOK", LINES[4]], held_out=0.001)
    assert f"{DUPLICATE}: 3 (lines 801, 802, 804)" in corpus.facts["report"]
    assert f"{IDENTICAL}: 1 (line 803)" in corpus.facts["report"]
    assert corpus.facts["pairs"] + sum(map(len, corpus.held_out.values())) == 800


def test_prepare_finds_duplicates_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = np.random.default_rng(0).integers(0, 500, 2000).astype(np.uint64)
    whole = pipeline._first_of_each(hashes)
    monkeypatch.setattr(pipeline, "PART", 100)
    assert np.array_equal(pipeline._first_of_each(hashes), whole)
    seen: set[int] = set()
    assert whole.tolist() == [not (h in seen or seen.add(h)) for h in hashes.tolist()]


def test_prepare_drops_and_counts_long_sentences(make) -> None:
    noise = "".join(random.Random(0).choices("abcdefghijklmnop", k=400)) + "\tc"
    corpus = make([*LINES, "a " * 12 + "\tb", noise], subwords=300, max_length=100)
    assert "longer than 100 words or subwords: 1 (line 802)" in corpus.facts["report"]
    assert "(line 801" in make([*LINES, "a " * 12 + "\tb"], max_length=10).facts["report"]


def test_prepare_takes_the_first_pairs(make) -> None:
    part = decoded(make(LINES, pairs=30))
    assert len(part) == 30 and not Counter(part) - Counter(decoded(make(LINES)))
    with pytest.raises(ValueError, match=r"p\.tsv"):
        make(LINES, pairs=900)


def test_prepare_bounds_vocabularies(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_stream, "MOST_WORDS", 10)
    made = make(LINES)
    assert [len(vocabulary) for vocabulary in made.vocabularies] == [14, 14]
    frequent = 4 + made.facts["pairs"]  # a number in each
    assert f"target: the vocabulary holds the 10 most frequent of {frequent} words" in made.facts["report"].splitlines()
    monkeypatch.setattr(vocabulary_stream, "MOST_COUNTED", 50)  # of 800 numbers that occur once each
    assert {"I", "see", "cats", "."} <= set(make(LINES, min_count=2).vocabularies[0].words)


def test_drop_rare_words_bounds_number_of_words_that_are_not_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_stream, "MOST_COUNTED", 10)
    count = Counter({str(i): i for i in range(2, 13)})  # 11 words, each seen twice or more
    vocabulary_stream.drop_rare_words(count)
    assert count == {str(i): i for i in range(8, 13)}
    count = Counter({"once": 1, **{str(i): i for i in range(2, 6)}, **dict.fromkeys("abcdef", 1)})
    vocabulary_stream.drop_rare_words(count)
    assert count == {str(i): i for i in range(2, 6)}


def test_fast_encoder_equals_encode() -> None:
    sentences = [tokenize(line.replace("\t", " "), "en") for line in LINES]
    vocabulary = Subwords.build(sentences, size=350)
    encode = vocabulary_stream.fast_encoder(vocabulary)
    assert all(encode(sentence) == vocabulary.encode(sentence) for sentence in sentences)


def test_prepare_detects_final_punctuation(make) -> None:
    assert make(LINES).facts["punctuated"]
    assert not make([line.replace(" .", "") for line in LINES]).facts["punctuated"]


def test_prepare_ignores_punctuation_of_dropped_pairs(make) -> None:
    dropped = [f"a sentence of {100 + i} bytes and more .\tx" for i in range(100)]  # more than 30 subwords
    facts = make([*dropped, *(f"a {i}\tb" for i in range(20))], subwords=260, max_length=30).facts
    assert facts["pairs"] < 21 and not facts["punctuated"]


def test_prepare_counts_held_out_pairs_with_too_many_subwords(make) -> None:
    noise = "".join(random.Random(0).choices("abcdefghijklmnop", k=400)) + "\tc"
    report = make(LINES, test=[*LINES[:5], noise], subwords=300, max_length=100).facts["report"]
    assert report.endswith("test: 1 dropped, longer than 100 words or subwords")


def test_prepare_writes_report_and_files(make) -> None:
    corpus = make([*LINES[:50], "no tab", *LINES[50:]])
    manifest = json.loads((corpus.folder / "corpus.json").read_text())
    assert manifest["files"]["train"][0]["name"] == "p.tsv"
    assert f"801 rows\n  {reader.COLUMNS}: 1 (line 51)" in manifest["facts"]["report"]
    assert sorted(path.name for path in corpus.folder.iterdir()) == [
        "corpus.json", "held_out.json", "source.npy", "source_starts.npy", "target.npy", "target_starts.npy",
        "vocabularies.json",
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "message"), [(["OK\tOK"], r"p\.tsv"), (["a\tb"], "min_count")])
def test_prepare_refuses_a_corpus_without_usable_pairs(make, lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(lines, min_count=2)


def test_prepare_opens_the_same_corpus_and_refuses_another(make) -> None:
    corpus = make(LINES)
    before = (corpus.folder / "corpus.json").stat().st_mtime_ns
    assert make(LINES, keep=True).facts == corpus.facts  # p.tsv rewritten with the same bytes
    assert (corpus.folder / "corpus.json").stat().st_mtime_ns == before
    with pytest.raises(ValueError, match=r"corpus .*subwords"):
        make(LINES, keep=True, subwords=400)
    with pytest.raises(ValueError, match=r"corpus .*p\.tsv"):
        make([*LINES[:-1], LINES[-1].replace("cats", "dogs")], keep=True)
    with pytest.raises(ValueError, match="corpus"):
        make(LINES, keep=True, test=LINES[:3])
    assert open_prepared(corpus.folder).facts == corpus.facts
    assert make(LINES[:700]).facts["pairs"] < corpus.facts["pairs"]  # nothing depends on it: replaced


def test_prepare_keeps_a_corpus_that_a_run_needs_meanwhile(make, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, trained, write = make(LINES), [], pipeline.Pipeline._write
    monkeypatch.setattr(pipeline.Pipeline, "_write", lambda *a: trained.append(1) or write(*a))
    with pytest.raises(ValueError, match=r"corpus .*subwords"):
        make(LINES, keep=lambda: bool(trained), subwords=400)
    assert trained and {path.name for path in corpus.folder.parent.iterdir()} == {"corpus", LOCK}
    assert open_prepared(corpus.folder).facts == corpus.facts


def test_prepare_interrupted_leaves_nothing(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = pipeline.Pipeline._write

    def interrupted(*arguments: Any) -> Any:
        write(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pipeline.Pipeline, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make(LINES)
    assert not (tmp_path / "run").exists()
    assert make(LINES).facts["pairs"] > 700


def test_prepare_names_the_folder_that_a_full_disk_cannot_hold(
    make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pipeline.Pipeline, "_write", full)
    with pytest.raises(OSError, match="corpus") as found:
        make(LINES)
    assert found.value.errno == errno.ENOSPC and found.value.filename.endswith("corpus")
    assert not list(tmp_path.glob("run/corpus*"))


def test_prepare_names_a_missing_input_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no\.tsv does not exist"):
        prepare(tmp_path / "corpus", Settings(languages=("en", "fr")), [tmp_path / "no.tsv"], {})


@pytest.mark.parametrize("name", ["corpus", "corpus.part"])
def test_prepare_leaves_foreign_files_alone(make, name: str, tmp_path: Path) -> None:
    own = tmp_path / "run" / name / "pairs.tsv"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    (own.parent / "corpus.json").write_text("{}")
    with pytest.raises(ValueError, match=r"corpus" if name == "corpus" else r"pairs\.tsv"):
        make(LINES)
    (own.parent / "corpus.json").unlink()
    with pytest.raises(ValueError, match=name):
        make(LINES)
    assert own.read_text() == "mine" and {path.name for path in (tmp_path / "run").iterdir()} == {name, LOCK}


def test_prepare_leaves_a_file_or_link_alone(make, tmp_path: Path) -> None:
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


def test_prepare_refuses_a_file_that_changes_while_read(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = pipeline.Pipeline._write

    def changed(*arguments: Any) -> Any:
        with (tmp_path / "p.tsv").open("a") as file:
            file.write("more\tmehr\n")
        return write(*arguments)

    monkeypatch.setattr(pipeline.Pipeline, "_write", changed)
    with pytest.raises(ValueError, match=r"p\.tsv"):
        make(LINES)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"format": "attnbook-corpus-1"}'])
def test_open_prepared_names_a_damaged_manifest(make, content: str, keep: bool) -> None:
    corpus = make(LINES)
    (corpus.folder / "corpus.json").write_text(content)
    with pytest.raises(ValueError, match="corpus"):
        make(LINES, keep=keep)
    with pytest.raises(ValueError, match="corpus"):
        open_prepared(str(corpus.folder))


def test_open_prepared_names_missing_facts(make) -> None:
    corpus = make(LINES)
    manifest = json.loads((corpus.folder / "corpus.json").read_text())
    (corpus.folder / "corpus.json").write_text(json.dumps({**manifest, "facts": {"pairs": 1}}))
    with pytest.raises(ValueError, match="digest, punctuated, report"):
        make(LINES)


PROGRAM = """
import os, signal, sys
from pathlib import Path
from attnbook.data import pipeline
from attnbook.data.prepared_corpus import prepare
from attnbook.data.pipeline import Settings
add, left = pipeline.PairWriter.add, [int(sys.argv[2])]
def dying(self, *pair):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, *pair)
pipeline.PairWriter.add = dying
folder = Path(sys.argv[1])
print(prepare(folder / "run" / "corpus", Settings(("en", "de")), [folder / "p.tsv"], {}).facts["digest"])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_prepare_killed_starts_from_the_beginning(make, tmp_path: Path) -> None:
    expected = make(LINES).facts["digest"]
    (tmp_path / "run").rename(tmp_path / "other")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    assert subprocess.run([*command, "300"], capture_output=True).returncode == -signal.SIGKILL
    assert not (tmp_path / "run" / "corpus").exists() and (tmp_path / "run" / "corpus.part").exists()
    done = subprocess.run([*command, "0"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
    assert not (tmp_path / "run" / "corpus.part").exists()


def test_prepare_twice_at_once_runs_once(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl", reason="locks of files are POSIX's")
    make(LINES)
    (tmp_path / "run").rename(tmp_path / "other")
    calls, run = [], pipeline.Pipeline.run
    monkeypatch.setattr(pipeline.Pipeline, "run", lambda *a: calls.append(1) or run(*a))
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
def test_open_prepared_refuses_damaged_files(make, name: str) -> None:
    corpus = make(LINES)
    (corpus.folder / name).write_text("{")
    with pytest.raises((ValueError, OSError)):
        open_prepared(corpus.folder).batches(batch_size=4)


@pytest.mark.parametrize("name", ["vocabularies.json", "held_out.json"])
def test_open_prepared_notices_a_changed_word(make, name: str) -> None:
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
