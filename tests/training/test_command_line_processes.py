"""``attnbook train`` under torchrun: every corpus, new, resumed and refused, in one, two and three processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.data import grammar
from attnbook.training.checkpoint import read_checkpoint
from tests.support.torchrun import PAIRS, TATOEBA, Start, launcher

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not torch.distributed.is_available() or not hasattr(os, "fork"), reason="no Gloo, or no fork, on this system"
    ),
]

SIZES = "--size 8 --batch-size 8 --accumulate 3 --epochs 2 --dropout 0.3 --warmup 0 --device cpu --checkpoint-every 1"
SMALL = SIZES.split()
EXACT = 1e-12
LIMIT = 10.0  # seconds in which all processes must end
CORPORA = ["grammar", "tatoeba", "pairs", "files"]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with launcher() as function:
        yield function


@dataclass(frozen=True)
class Sentences:
    """Files of sentence pairs.

    Args:
        pairs: file with a tab-separated pair on each line.
        source, target: files with one sentence on each line.
    """

    pairs: Path
    source: Path
    target: Path

    def arguments(self, corpus: str) -> list[str]:
        """The options of ``train`` that name a corpus."""
        own = ["--languages", "en-fr", "--held-out", "0.1"]
        return {
            "grammar": ["--pairs", str(PAIRS)],
            "tatoeba": ["--corpus", "tatoeba", "--data", str(TATOEBA), "--pairs", str(PAIRS), "--max-length", "5"],
            "pairs": ["--corpus", str(self.pairs), *own],
            "files": ["--source", str(self.source), "--target", str(self.target), *own],
        }[corpus]


@pytest.fixture
def sentences(tmp_path: Path) -> Sentences:
    found = Sentences(tmp_path / "pairs.tsv", tmp_path / "english", tmp_path / "french")
    rows = [
        (grammar.join(pair.source, "english"), grammar.join(pair.target, "french"))
        for pair in grammar.sample(64, seed=7)
    ]
    found.pairs.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8")
    for path, column in zip((found.source, found.target), zip(*rows, strict=True), strict=True):
        path.write_text("".join(f"{sentence}\n" for sentence in column), encoding="utf-8")
    return found


def assert_same_weights(one: Path, other: Path) -> None:
    left, right = (read_checkpoint(folder / "checkpoint.safetensors") for folder in (one, other))
    assert left.progress["number"] == right.progress["number"]
    for name, weights in left.tensors.items():
        assert weights.dtype == torch.float64
        assert float((weights - right.tensors[name]).abs().max()) < EXACT, name


def assert_refused(result: Any, word: str) -> None:
    """The command fails soon, with one clear message and no traceback of the processes or of Gloo."""
    assert result.status != 0, result.output
    assert result.seconds < LIMIT, (result.seconds, result.output)
    assert len(result.errors) == 1 and word in result.errors[0], result.output
    assert "connectFullMesh" not in result.output and "Gloo" not in result.output, result.output


@pytest.mark.parametrize("corpus", CORPORA)
def test_train_in_processes_resumes_and_ends_with_the_weights_of_one(
    corpus: str, sentences: Sentences, start: Start, tmp_path: Path
) -> None:
    if corpus == "tatoeba" and not TATOEBA.is_file():
        pytest.skip(f"no file {TATOEBA}")
    train = [*sentences.arguments(corpus), *SMALL]
    whole = start("train", tmp_path / "whole", *train)
    assert whole.status == 0 and whole.output.count("trained;") == 1, whole.output
    total = read_checkpoint(tmp_path / "whole" / "checkpoint.safetensors").progress["number"]
    # Each row is one run, interrupted after every number of processes except the last.
    for worlds in ((2, 3, 1), (3, 2)):
        folder = tmp_path / "-".join(map(str, worlds))
        for i, world in enumerate(worlds):
            last = i == len(worlds) - 1
            fault: dict[str, Any] = {} if last else {"fault": "interrupt", "at": 3}
            result = start("train", folder, *train, processes=world, **fault)
            assert result.output.count("bahdanau with") == 1, result.output
            assert result.output.count(f"/{total} [") > 0  # the progress bar
            if last:
                assert result.status == 0 and result.output.count("trained;") == 1, result.output
                assert result.output.count("epoch 2: held-out perplexity") == 1
            else:
                assert_refused(result, "the same command resumes")
                assert 1 <= read_checkpoint(folder / "checkpoint.safetensors").progress["number"] < total
        assert_same_weights(tmp_path / "whole", folder)
    for world in (1, 2, 3):
        refused = start("train", tmp_path / "whole", *train, "--lr", "0.5", processes=world)
        assert_refused(refused, "options['lr']")


@pytest.mark.parametrize("world", [2, 3])
def test_train_in_processes_reports_a_refusal_once(
    world: int, sentences: Sentences, start: Start, tmp_path: Path
) -> None:
    folder = tmp_path / "run"

    def refused(word: str, *arguments: object) -> None:
        result = start("train", folder, *arguments, *SMALL, processes=world)
        assert_refused(result, word)

    own = sentences.arguments("pairs")
    refused("family", "--family", "elman")
    refused("Usage", "--no-such-option")
    refused("corpus", "--corpus", tmp_path / "missing.tsv", "--languages", "en-fr")
    bad = tmp_path / "bad.tsv"
    bad.write_text("no tab\n" * 20)
    refused("bad.tsv", "--corpus", bad, "--languages", "en-fr")
    few = start("train", folder, *own, *SMALL, "--accumulate", world - 1, processes=world)
    assert_refused(few, "accumulate")
    assert not folder.exists()
    folder.touch()
    refused("run must be a folder", *own)
    folder.unlink()

    # A run with a checkpoint: other data, and a damaged checkpoint.
    assert start("train", folder, *own, *SMALL, processes=world).status == 0
    content = sentences.pairs.read_bytes()
    sentences.pairs.write_bytes(content.replace(b"\n", b"!\n", 1))
    refused("another corpus", *own)
    sentences.pairs.write_bytes(content)
    checkpoint = folder / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    refused("checkpoint.safetensors", *own)
    shutil.rmtree(folder)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(("fault", "word"), [("out of memory", "out of memory"), ("full disk", "No space left")])
def test_train_in_processes_reports_a_fault_of_one_process_once(
    fault: str, word: str, rank: int, sentences: Sentences, start: Start, tmp_path: Path
) -> None:
    if fault == "full disk" and rank == 1:
        pytest.skip("process 0 alone writes")
    train = [*sentences.arguments("grammar"), *SMALL]
    result = start("train", tmp_path / "run", *train, processes=2, fault=fault, rank=rank, at=2)
    assert_refused(result, word)


def test_train_in_processes_ends_soon_when_one_is_killed(sentences: Sentences, start: Start, tmp_path: Path) -> None:
    train = [*sentences.arguments("grammar"), *SMALL]
    result = start("train", tmp_path / "run", *train, processes=2, fault="killed", rank=1, at=2)
    assert result.status != 0 and result.seconds < LIMIT and len(result.errors) <= 1, result.output
    # torchrun reports the killed process if it ends the other one first
    assert "SIGKILL" in result.output or "lost another process" in result.output, result.output


@pytest.mark.parametrize("world", [2, 3])
@pytest.mark.parametrize("fault", ["", "stall"])
def test_processes_may_end_immediately(world: int, fault: str, start: Start) -> None:
    """A process that has nothing to do waits until the others are connected to it."""
    result = start("do_nothing", processes=world, fault=fault, rank=world - 1)
    assert (result.status, result.output) == (0, ""), result.output
    result = start("refuse", processes=world, fault=fault, rank=world - 1)
    assert "accumulate must be >= " in result.output and "Gloo" not in result.output, result.output
