"""The benchmarks run, at a small size; how fast anything is, no test says."""

from __future__ import annotations

import ast
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
import torch

pytest.importorskip("d2l", reason="benchmarks compare with d2l: pip install --no-deps -r requirements-d2l.txt")

from attnbook.data import Batches, Pair
from attnbook.data.corpus import grammar_corpus
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from benchmarks import additive, files, greedy, headline, lengths, overhead, pictures, scaling, tables, training_step
from benchmarks.__main__ import lines
from benchmarks.harness import OURS, Settings, compare, contest, spread, write
from benchmarks.rivals import RIVALS, Sizes
from benchmarks.sentences import random_batch

pytestmark = pytest.mark.slow
SETTINGS = Settings(quick=True, threads=1)
SIZES = Sizes(vocab_size=50, d_model=16, num_heads=2, d_ff=32, num_layers=2, max_length=32)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def rival_packages() -> None:
    for package in ("transformers", "x_transformers"):
        pytest.importorskip(package, reason="rivals are not installed: pip install -r requirements-bench.txt")


def check(rows: list[dict[str, Any]], rivals: set[str]) -> None:
    for row in rows:
        assert set(row["contestants"]) == {OURS} | rivals
        for name, found in row["contestants"].items():
            for figure in (found["seconds"], found["rate"]):
                assert 0 < figure["low"] <= figure["median"] <= figure["high"] < math.inf
            assert ("ours_is_times_faster" in found) == (name != OURS)
        assert set(row["reach"]) == set(row["reached"]) <= rivals
        assert len(lines(row)) == 1 + len(row["contestants"])


def test_contest_gives_equal_rounds_in_changing_order() -> None:
    turns: list[str] = []
    contestants = {name: (lambda name=name: turns.append(name)) for name in "abc"}
    seconds = contest(contestants, SETTINGS, rounds=20, warmup=3)
    assert {name: len(taken) for name, taken in seconds.items()} == {"a": 20, "b": 20, "c": 20}
    assert len(turns) == 3 * 23
    rounds = {"".join(turns[start : start + 3]) for start in range(0, len(turns), 3)}
    assert {"".join(sorted(turn)) for turn in rounds} == {"abc"}
    assert len(rounds) > 1


def test_compare_ratio_is_median_over_rounds() -> None:
    seconds = {OURS: [1.0, 2.0, 1.0], "rival": [3.0, 8.0, 2.0]}
    row = compare("work", seconds, reach={"rival": 3.5}, amounts={OURS: 10, "rival": 5}, unit="things/s")
    found = row["contestants"]["rival"]
    assert found["ours_is_times_faster"]["median"] == pytest.approx(6.0)  # 6, 8 and 4
    assert row["contestants"][OURS]["rate"]["median"] == pytest.approx(10.0)
    assert row["reached"] == {"rival": True}


def test_spread_is_between_quantiles() -> None:
    assert spread(range(101)) == pytest.approx({"median": 50, "low": 10, "high": 90})


def test_write_records_provenance_without_host_name(tmp_path: Path) -> None:
    path = write("name", SETTINGS, [{"work": "x"}], folder=tmp_path, notes=["y"])
    found = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == "name-quick.json"
    assert {"command", "date", "commit", "machine", "versions", "settings", "rows", "notes"} <= set(found)
    assert {"cpu", "cores", "threads", "device"} <= set(found["machine"])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_random_batch_has_the_requested_padding() -> None:
    batch = random_batch(64, 24, 0.25, 100, seed=0)
    assert batch.num_tokens == int(batch.target_mask.sum()) == 0.75 * 64 * 24
    assert int(batch.source_mask.sum()) == 0.75 * 64 * 24
    assert bool((batch.target_in[:, 1:] == batch.target_out[:, :-1]).all())


def test_batches_side_imports_only_the_copy() -> None:
    """The module runs with an old copy of the package, so it may import only the package and torch."""
    code = ast.parse(Path(tables.__file__).with_name("batches_side.py").read_text(encoding="utf-8"))
    found = {node.module for node in ast.walk(code) if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in ast.walk(code) if isinstance(node, ast.Import) for alias in node.names}
    assert {str(name).partition(".")[0] for name in found} - sys.stdlib_module_names == {"attnbook", "torch"}


def test_rivals_reduce_their_loss_on_one_batch() -> None:
    """The first loss of every rival is near log(vocabulary), and training on one batch reduces it."""
    rival_packages()
    torch.manual_seed(0)
    sizes = Sizes(**{**vars(SIZES), "dropout": 0.0})
    batch = random_batch(4, 6, 0.25, sizes.vocab_size, seed=1)
    for name, build in RIVALS.items():
        model, loss = build(sizes)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        losses = []
        for _ in range(10):
            optimizer.zero_grad()
            value = loss(batch)
            value.backward()
            optimizer.step()
            losses.append(value.item())
        assert losses[0] < 3 * math.log(sizes.vocab_size), name
        assert losses[-1] < 0.8 * losses[0], name


@pytest.mark.parametrize("name", sorted(RIVALS))
def test_rivals_ignore_padding_in_the_loss(name: str) -> None:
    rival_packages()
    torch.manual_seed(0)
    sizes = Sizes(**{**vars(SIZES), "dropout": 0.0})
    batch = random_batch(4, 6, 0.25, sizes.vocab_size, seed=1)
    model, loss = RIVALS[name](sizes)
    model.train()
    before = loss(batch).item()
    batch.source[~batch.source_mask] = 7
    batch.target_out[~batch.target_mask] = 7
    assert loss(batch).item() == pytest.approx(before, rel=1e-5)


def test_training_step_compares_every_rival() -> None:
    rival_packages()
    rows, _ = training_step.run(SETTINGS, SIZES, rows=4, length=8)
    check(rows, set(RIVALS))
    assert all(0 < found["share_of_peak"] < 10 for row in rows for found in row["contestants"].values())
    for row in rows:
        (rival, bound), *_ = row["bound"].items()
        assert rival == row["best_rival"] and bound > 0
        assert row["products_share_of_step"]["median"] > 0 and row["needed_share_of_step"]["median"] > 0


def test_operations_needed_counts_six_per_weight_and_token() -> None:
    sizes = Sizes(vocab_size=50, d_model=8, num_heads=2, d_ff=12, num_layers=2)
    weights = 2 * (4 * 64 + 2 * 96) + 2 * (8 * 64 + 2 * 96) + 50 * 8
    assert training_step.operations_needed(sizes, 10, 10) == 6 * 10 * weights


WORDS = ["a", "b", "c", "d", "e", "f"]
REVERSED = [Pair(tuple(WORDS[i % 6 :]), tuple(reversed(WORDS[i % 6 :]))) for i in range(40)]


def headline_protocol(epochs: int) -> headline.Protocol:
    both = {"Bahdanau": epochs, "Transformer": epochs}
    return headline.Protocol(both, width=8, hidden=8, heads=2, epochs_a_turn=2)


def test_headline_counts_equal_tokens_on_both_sides() -> None:
    pairs = REVERSED
    rows, _ = headline.run(SETTINGS, headline_protocol(4), pairs)
    check(rows, {"D2L"})
    for row in rows:
        tokens = {found["tokens_an_epoch"] for found in row["contestants"].values()}
        assert tokens == {sum(len(pair.target) + 1 for pair in pairs)}
        assert all(0 < found["loss"] < math.log(20) for found in row["contestants"].values())


def test_headline_bound_compares_our_compiled_training(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: set[torch.nn.Module] = set()

    def compile_nothing(function: Callable[..., Any], **_: object) -> Callable[..., Any]:
        def call(model: torch.nn.Module, *arguments: Any) -> Any:
            compiled.add(model)
            return function(model, *arguments)

        return call

    monkeypatch.setattr(torch, "compile", compile_nothing)
    assert headline.bound("Transformer", REVERSED, headline_protocol(20), SETTINGS) > 0
    assert [type(model) for model in compiled] == [Transformer]


def test_greedy_compares_with_d2l_and_marian(monkeypatch: pytest.MonkeyPatch) -> None:
    rival_packages()
    monkeypatch.setattr(greedy, "TURN", 0.0)
    rows, _ = greedy.run(SETTINGS, SIZES, SIZES, batch=3, length=5)
    assert {name for row in rows for name in row["contestants"]} == {OURS, "D2L", "Marian"}
    for row in rows:
        check([row], set(row["contestants"]) - {OURS})


def test_converted_models_write_equal_translations() -> None:
    rival_packages()
    pytest.importorskip("ctranslate2", reason="rivals are not installed: pip install -r requirements-bench.txt")
    corpus = grammar_corpus("french", train=300, composition=0)
    vocabulary, _ = corpus.vocabularies(shared=True)
    torch.manual_seed(0)
    sizes = {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_layers": 2}
    model = Transformer(len(vocabulary), len(vocabulary), **sizes, shared=True)
    for _ in train(model, Batches(corpus.train, vocabulary, vocabulary, batch_size=32), epochs=12, lr=0.01):
        pass
    rows, more = files.race(model.eval(), vocabulary, [pair.source for pair in corpus.train[:40]], SETTINGS)
    check(rows, {"Marian", "CTranslate2"})
    assert more["equal_translations"]["greedy"] == {"Marian": 1.0, "CTranslate2": 1.0}
    assert min(more["equal_translations"]["beam of 4"].values()) > 0.5
    assert {row["work"] for row in rows} == {"greedy", "greedy, int8", "beam of 4", "beam of 4, int8"}
    rounded = next(row for row in rows if row["work"] == "greedy, int8")
    # CTranslate2's int8 kernel depends on the processor: without VNNI it gave none of this tiny model's translations.
    assert all(0.5 < rounded["contestants"][name]["same_as_fp32"] <= 1 for name in (OURS, "Marian"))


def test_additive_measures_the_memory_of_both_sides() -> None:
    rows, _ = additive.run(SETTINGS, queries=256, keys=384, hidden=64)
    check(rows, {"D2L"})
    makes_all = 256 * 384 * 64 * 4
    assert all(row["contestants"]["D2L"]["peak_bytes"] > makes_all / 2 for row in rows)
    assert all(0 <= row["memory_share"] < 1 for row in rows)


def test_additive_rivals_do_the_same_work() -> None:
    """With the same weights both give the same output, so neither does less work."""
    torch.manual_seed(0)
    ours, theirs = additive.modules(8)
    theirs.load_state_dict(ours.state_dict())
    x, lengths_to_see = torch.randn(1, 6, 8), torch.tensor([4])
    mask = (torch.arange(6) < 4)[None, None]
    torch.testing.assert_close(ours(x, x, x, mask), theirs(x, x, x, lengths_to_see))


def test_lengths_has_a_row_per_length() -> None:
    rows, _ = lengths.run(SETTINGS, lengths=(4, 8))
    check(rows, {lengths.EXPLICIT})
    assert [row["length"] for row in rows] == [4, 8]


def test_pictures_draw_the_committed_results() -> None:
    found = tables.load_all()
    pictures.decoding(found["greedy"])
    labels = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert labels[:2] == ["Transformer, small:\nattnbook", "Transformer, small:\nD2L"] and len(labels) == 6
    pictures.growth(found["lengths"])
    assert [len(axes.lines) for axes in plt.gcf().axes] == [2, 2]
    pictures.corpora(found["corpora"])
    training, *_ = plt.gca().lines
    assert list(training.get_ydata()) == [row["resumed"]["peak_mb"] for row in found["corpora"]["rows"]]
    plt.close("all")


def test_results_of_cpu_in_fp32_come_first() -> None:
    first, *others = tables.of(tables.load_all(), "training_step")
    assert first["settings"]["dtype"] == "torch.float32" and others


def test_allreduce_cost_equals_ring_formula() -> None:
    assert scaling.allreduce(1, 1e9, 1e-3, 1e9) == 0
    assert scaling.allreduce(2, 1e9, 1e-3, 1e9) == pytest.approx(2 * (1e-3 + 0.5))
    assert scaling.allreduce(1000, 1e9, 0.0, 1e9) == pytest.approx(
        2, rel=0.01
    )  # twice the gradient for any number of processes
    constants = {"batch": 1.0, "optimizer": 0.1, "latency": 0.0, "bandwidth": 1e9, "bytes": 1e9}
    assert scaling.predicted(1, 5, constants, cores=4) == pytest.approx(5.1)
    assert scaling.predicted(2, 5, constants, cores=4) == pytest.approx(3 + 0.1 + 1)
    assert scaling.predicted(2, 5, constants, cores=1) == pytest.approx(2 * (3 + 0.1) + 1)


def test_excess_interval_contains_ratio_of_sums() -> None:
    others = 1 + torch.rand(2000, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    looks = torch.zeros_like(others)
    looks[::40] = 1.2  # one update per 40 steps, which takes 3 % of their time
    found = overhead.excess(others + looks, others, seed=0)
    assert found["median"] == pytest.approx((looks.sum() / others.sum()).item())
    assert 0 < found["low"] < found["median"] < found["high"] < 2 * found["median"]
    assert overhead.excess(others, others, seed=0) == {"median": 0, "low": 0, "high": 0}


def test_take_turns_trains_copies_on_equal_batches_and_watches_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = overhead.ours(0)["Bahdanau, small"]
    losses: list[float] = []
    watched: list[int] = []
    monkeypatch.setattr(overhead.Packed, "update", lambda view, step: watched.append(step.number))

    def steps(model: Any, count: int) -> Iterator[Any]:
        for step in plain.steps(model, count):
            losses.append(float(step.loss))
            yield step

    seconds, _ = overhead.take_turns(overhead.Case(plain.model, steps, plain.view), 3, Settings())
    assert set(seconds) == set(overhead.ARMS) and all(
        values.shape == (3,) and (values > 0).all() for values in seconds.values()
    )
    assert watched == [1, 2, 3]
    for number in range(3):
        torch.testing.assert_close(losses[3 * number : 3 * number + 3], [losses[3 * number]] * 3)


def test_stopwatch_stops_outside_its_block() -> None:
    watch = overhead.Stopwatch()
    with watch.running():
        time.sleep(0.01)
    assert watch() == watch() >= 0.01
