"""The harness of the long runs, tested on runs that take a second."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attnbook.data import Corpus, Example, grammar
from attnbook.data.corpus import split_key
from attnbook.data.tatoeba import read
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import LoadedModel
from bookkit import ROOT
from experiments import beams, d2l_protocol
from experiments import run as harness
from experiments.breakdown import BINS, breakdown
from experiments.corpora import Vocabularies
from experiments.ledger import Ledger
from experiments.plan import GRAMMAR_FAMILIES, TATOEBA_FAMILIES, Experiment, plan
from experiments.record import SUMMARY, command_line, summarize, write
from tests.support.external_data import DATA

TINY = {"embed_size": 8, "num_hiddens": 12, "dropout": 0.0}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    pairs = grammar.sample(60, seed=3)
    held_out = {"valid": pairs[40:50], "test": pairs[50:]}
    return Corpus(pairs[:40], {name: [Example((pair,)) for pair in part] for name, part in held_out.items()})


@pytest.fixture(scope="module")
def vocabularies(corpus: Corpus) -> Vocabularies:
    return corpus.vocabularies()


def experiment(
    epochs: int | None = 2, *, kind: type = Bahdanau, options: dict | None = None, seed: int = 0
) -> Experiment:
    return Experiment("tiny", kind.__name__.lower(), kind, options or TINY, 3e-3, 2, 120, epochs, 0.0, seed)


def run(corpus: Corpus, folder: Path, *, epochs: int | None = 2, budget: float = 0.0, kind: type = Bahdanau) -> dict:
    chosen = experiment(epochs, kind=kind)
    return harness.train_and_score(
        chosen, corpus, corpus.vocabularies(), budget=budget, checkpoints=folder, progress=False
    )


def interrupt_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Make runs fail after a number of steps, as if the process were stopped."""

    def few(*args: object, **options: object):  # type: ignore[no-untyped-def]
        stream = train(*args, **options)
        try:
            for number in range(steps + 1):
                if number == steps:
                    raise KeyboardInterrupt
                yield next(stream)
        finally:
            stream.close()

    train = harness.train
    monkeypatch.setattr(harness, "train", few)


def test_result_has_provenance_and_scores(corpus: Corpus, tmp_path: Path) -> None:
    content = run(corpus, tmp_path)
    assert {"command", "commit", "date", "versions", "machine", "seed"} <= content.keys()
    assert set(content["machine"]) == {"cpu", "cores", "threads"}
    assert content["versions"]["torch"].startswith(torch.__version__.split("+")[0])
    training, test = content["training"], content["results"]["test"]
    assert (
        training["epochs"] == 2
        and training["cpu_seconds"] >= 0
        and training["tokens"] == 2 * sum(len(pair.target) + 1 for pair in corpus.train)
    )
    steps = [point["step"] for point in training["curve"]]
    assert steps == sorted(set(steps)) and steps[-1] == training["steps"]
    assert test["sentences"] == 10 and test["perplexity"] > 1 and 0 <= test["bleu"] <= 100
    assert set(test["alignment_error_rate"]) == {"decoder.cross_attention"}
    assert sum(scores["sentences"] for scores in test["by_length"]) == 10
    assert len(content["samples"]) == 10 and content["samples"][0].keys() == {"source", "references", "output"}
    json.dumps(content)


def test_interrupted_run_equals_uninterrupted_run(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(corpus, tmp_path / "whole")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            run(corpus, tmp_path / "parts")
    parts = run(corpus, tmp_path / "parts")
    assert parts["results"] == whole["results"] and parts["samples"] == whole["samples"]
    assert parts["training"]["steps"] == whole["training"]["steps"]
    losses = [[point["loss"] for point in content["training"]["curve"]][-1] for content in (whole, parts)]
    assert losses[0] == losses[1]


def test_budget_includes_time_before_interruption(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10**6))
    monkeypatch.setattr(harness.time, "process_time", lambda: next(clock))  # every step costs one second
    with monkeypatch.context() as patch:
        interrupt_after(patch, 6)
        with pytest.raises(KeyboardInterrupt):
            run(corpus, tmp_path, epochs=None, budget=10.0)
    spent = Ledger.open(tmp_path / "tiny.bahdanau.0.json", 6).seconds
    content = run(corpus, tmp_path, epochs=None, budget=10.0)
    assert spent == 6 and content["training"]["cpu_seconds"] == 10 and content["training"]["steps"] == 10
    again = run(corpus, tmp_path, epochs=None, budget=10.0)  # as if killed before the result was written
    assert again["results"] == content["results"] and again["training"] == content["training"]


def test_learning_rate_falls_to_zero_with_the_budget(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.json")
    schedule = ledger.decay(1.0, warmup=2, budget=8.0)
    rates = []
    for step in range(1, 6):
        rates.append(schedule(step))
        ledger.add(2.0, 7)
    assert rates == [0.5, 0.75, 0.5, 0.25, 0.0]
    ledger.save()
    reopened = Ledger.open(ledger.path, 3)
    assert reopened.spent == [2.0, 4.0, 6.0] and reopened.tokens == [7, 14, 21]
    assert reopened.decay(1.0, warmup=2, budget=8.0)(3) == rates[2]
    with pytest.raises(ValueError, match="must have 9 steps"):
        Ledger.open(ledger.path, 9)


@pytest.mark.parametrize("kind", [Seq2Seq, Transformer])
def test_alignment_is_scored_only_for_models_with_attention(
    corpus: Corpus, vocabularies: Vocabularies, kind: type
) -> None:
    torch.manual_seed(0)
    options = TINY if kind is Seq2Seq else {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 2}
    model = kind(*map(len, vocabularies), **options)
    results, _ = breakdown(model, corpus, vocabularies)
    rates = results["test"].get("alignment_error_rate", {})
    if kind is Seq2Seq:
        assert rates == {}
    else:
        best = rates.pop("best head on valid")
        assert set(rates) == {"decoder.0.cross_attention", "decoder.1.cross_attention"}
        assert best["head"].endswith(("[0]", "[1]")) and 0 <= best["rate"] <= 1


def test_breakdown_puts_every_length_in_one_bin() -> None:
    starts = [low for low, _ in BINS]
    ends = [high for _, high in BINS]
    assert starts[0] == 1 and ends[-1] is None and starts[1:] == [end + 1 for end in ends[:-1] if end is not None]


def test_summary_has_means_and_missing_runs(corpus: Corpus, tmp_path: Path) -> None:
    content = run(corpus, tmp_path / "runs", epochs=1)
    for seed, bleu in enumerate((10.0, 20.0)):
        content["results"]["test"]["bleu"] = bleu
        write(tmp_path / f"tiny.bahdanau.{seed}.json", {**content, "seed": seed})
    planned = [f"tiny.bahdanau.{seed}" for seed in range(3)]
    summary = summarize(tmp_path, planned)
    (row,) = summary["rows"]
    assert row["test"]["bleu"] == {"mean": 15.0, "spread": pytest.approx(7.0711, abs=1e-3)}
    assert row["seeds"] == [0, 1] and summary["not_run"] == ["tiny.bahdanau.2"]
    shares = list(row["test"]["exact_by_phenomenon"].values())
    assert shares == sorted(shares) and len(shares) > 3


@pytest.mark.parametrize("families, sizes", [(GRAMMAR_FAMILIES, (600, 900)), (TATOEBA_FAMILIES, (6000, 8000))])
def test_families_have_similar_numbers_of_parameters(families: dict, sizes: tuple[int, int]) -> None:
    counts = {
        name: sum(parameter.numel() for parameter in kind(*sizes, **options).parameters())
        for name, (kind, options, _, _) in families.items()
    }
    middle = sorted(counts.values())[len(counts) // 2]
    assert all(abs(count / middle - 1) < 0.1 for count in counts.values()), counts


def test_names_are_unique() -> None:
    names = [experiment.name for experiment in plan()]
    assert len(names) == len(set(names))


def test_experiment_minutes_replace_default_budget(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10**6))
    monkeypatch.setattr(harness.time, "process_time", lambda: next(clock))  # every step costs one second
    threads: list[int] = []
    monkeypatch.setattr(harness.torch, "set_num_threads", threads.append)
    longer = replace(experiment(None), family="longer", minutes=0.2)
    wider = replace(experiment(None), family="wider", threads=2)
    monkeypatch.setattr(harness, "plan", lambda: iter([experiment(None), longer, wider]))
    monkeypatch.setattr(harness, "CORPORA", {"tiny": lambda: (corpus, corpus.vocabularies())})
    folders = ["--results", str(tmp_path), "--checkpoints", str(tmp_path / "checkpoints")]
    harness.main(["tiny.*", "--minutes", "0.1", *folders])
    families = ("bahdanau", "longer", "wider")
    results = [json.loads((tmp_path / f"tiny.{family}.0.json").read_text()) for family in families]
    assert [result["training"]["budget_cpu_seconds"] for result in results] == [6, 12, 12]
    assert [result["training"]["steps"] for result in results] == [6, 12, 12]
    assert threads == [1, 1, 2]


def test_command_fails_for_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        harness.main(["no-such-run"])
    assert "names must be names of runs" in capsys.readouterr().err


def test_beams_chooses_on_valid_and_reports_test(
    corpus: Corpus, vocabularies: Vocabularies, monkeypatch: pytest.MonkeyPatch
) -> None:
    valid, test = corpus.held_out["valid"], corpus.held_out["test"]

    def known(loaded: LoadedModel, examples: object, width: int, penalty: float) -> float:
        return {id(valid): 10 * (width == 4) + penalty, id(test): 1 - penalty}[id(examples)]

    monkeypatch.setattr(beams, "bleu", known)
    loaded = LoadedModel(Bahdanau(9, 9, **TINY), *vocabularies)
    found = beams.chosen(loaded, valid, test)
    assert found["best"] == {"width": 4, "penalty": 2.0, "bleu": 12.0}
    assert found["test"] == {"greedy": 1.0, "best": -1.0}
    monkeypatch.undo()
    greedy = beams.bleu(LoadedModel(Bahdanau(*map(len, vocabularies), **TINY), *vocabularies), valid, 1, 0.0)
    assert 0 <= greedy < 20


def test_recorded_command_has_no_local_paths() -> None:
    given = ["grammar-*", "--minutes", "10", "--results", "/here/there", "--checkpoints=/nowhere", "--list"]
    assert command_line("experiments.run", given) == "python -m experiments.run grammar-* --minutes 10 --list"


def test_committed_summary_agrees_with_committed_runs() -> None:
    folder = ROOT / "results" / "experiments"
    paths = sorted(set(folder.glob("*.json")) - {folder / SUMMARY})
    planned = [planned.name for planned in (*plan(), *d2l_protocol.plan())]
    assert {path.stem for path in paths} <= set(planned)
    for path in paths:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert content["name"] == path.stem
        assert {"command", "commit", "date", "versions", "machine", "seed", "results", "samples"} <= content.keys()
    assert json.loads((folder / SUMMARY).read_text(encoding="utf-8")) == summarize(folder, planned)


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (DATA / "fra-eng.zip").exists():
        pytest.skip("fra-eng.zip is neither in ATTNBOOK_DATA nor in ../shared/data")
    monkeypatch.setenv("ATTNBOOK_DATA", str(DATA))


@pytest.mark.slow
@pytest.mark.usefixtures("real_data")
def test_d2l_protocol_scores_unseen_sentences() -> None:
    content = d2l_protocol.train_and_score(d2l_protocol.D2LExperiment("bahdanau", 0), epochs=1)
    assert content["data"]["train_rows"] == 601 and content["training"]["steps"] == 10
    assert content["results"]["unseen"]["sentences"] == 600
    rows = read("french")
    seen = {split_key(row.source) for row in rows[:601]}
    assert not any(split_key(row.source) in seen for row in d2l_protocol.unseen(rows))
    assert [shown["source"] for shown in content["shown_by_d2l"]] == list(d2l_protocol.SHOWN)
