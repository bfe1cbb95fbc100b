"""Our side of the comparison with toolkits: input files, meter, scores. No toolkit is needed."""

from __future__ import annotations

import io
import itertools
import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from attnbook.data import Batches, Corpus
from attnbook.data.corpus import grammar_corpus
from attnbook.translation.evaluate import scores
from benchmarks.harness import OURS
from benchmarks.toolkits import __main__ as toolkits
from benchmarks.toolkits import attnbook_side, least
from benchmarks.toolkits.meter import Meter
from benchmarks.toolkits.setting import SOURCE, TARGET, TRANSLATIONS, Setting, read_ids, unseen, write_corpus
from experiments.ledger import Ledger

SETTING = Setting(
    corpus="tiny",
    budget=40.0,
    turn=10.0,
    d_model=8,
    num_heads=2,
    d_ff=16,
    num_layers=1,
    dropout=0.1,
    lr=0.5,
    warmup=4,
    max_tokens=64,
)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    whole = grammar_corpus("french", train=60, composition=0)
    return replace(whole, held_out={name: examples[:7] for name, examples in whole.held_out.items()})


@pytest.fixture
def meter() -> Iterator[Meter]:
    """A meter whose clock advances by 0.75 seconds at each reading."""
    seconds = itertools.count(step=0.75)
    found = Meter(SETTING, io.StringIO("go\n" * 100), io.StringIO(), clock=lambda: next(seconds))
    yield found
    found.hook.remove()


def test_write_corpus_writes_the_training_pairs(corpus: Corpus, tmp_path: Path) -> None:
    codecs = corpus.vocabularies(subwords=300)
    write_corpus(tmp_path, corpus, *codecs)
    sides = [read_ids(tmp_path / f"train.{name}") for name in (SOURCE, TARGET)]
    assert [len(side) for side in sides] == [60, 60]
    for pair, source, target in zip(corpus.train, *sides, strict=True):
        assert (source, target) == (codecs[0].encode(pair.source), codecs[1].encode(pair.target))
        assert tuple(codecs[0].decode(source)) == pair.source and tuple(codecs[1].decode(target)) == pair.target
    for name, codec, ids in zip((SOURCE, TARGET), codecs, sides, strict=True):
        entries = [i for (i,) in read_ids(tmp_path / f"vocab.{name}")]
        assert entries == list(range(4, len(codec))) and {i for line in ids for i in line} <= set(entries)


def test_unseen_sentences_are_sorted_by_length(corpus: Corpus, tmp_path: Path) -> None:
    codecs = corpus.vocabularies(subwords=300)
    write_corpus(tmp_path, corpus, *codecs)
    written = [tuple(codecs[0].decode(ids)) for ids in read_ids(tmp_path / f"test.{SOURCE}")]
    assert written == [example.source for example in unseen(corpus)]
    assert sorted(written) == sorted(example.source for example in corpus.held_out["test"])
    assert [len(source) for source in written] == sorted(len(source) for source in written)


def test_read_ids_stops_at_end_mark_of_toolkit(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("5 6\n\n7 </s> 8\n<unk> 9\n", encoding="utf-8")
    assert read_ids(tmp_path / "lines") == [[5, 6], [], [7], []]


def test_meter_passes_on_batches_until_the_budget_is_spent(meter: Meter) -> None:
    handed = list(meter.watch(range(10**6), lambda batch: (3, 5, 8)))
    assert handed == list(range(len(handed)))
    ready, *lines = meter.reports.getvalue().splitlines()
    turns = [json.loads(line) for line in lines]
    assert ready == "ready" and len(turns) == SETTING.budget / SETTING.turn
    assert all(8 < turn["step"] + turn["loading"] < 12 for turn in turns)
    assert sum(turn["steps"] for turn in turns) == len(handed)
    for key, each in (("tokens", 3), ("real", 5), ("positions", 8)):
        assert sum(turn[key] for turn in turns) == each * len(handed)
    assert list(meter.watch(range(5), lambda batch: (1, 1, 1))) == []  # another epoch, as JoeyNMT begins one


def test_meter_separates_step_time_from_loading_time(meter: Meter) -> None:
    def slow() -> Iterator[int]:
        for number in range(10**6):
            for _ in range(3):
                meter.clock()
            yield number

    list(meter.watch(slow(), lambda batch: (1, 1, 1)))
    turn = json.loads(meter.reports.getvalue().splitlines()[1])
    assert turn["step"] == 0.75 * turn["steps"]
    assert turn["loading"] == 3.0 * (turn["steps"] - 1)  # the first batch is loaded before the turn


def test_contestant_ends_when_standard_input_ends(meter: Meter) -> None:
    meter.orders = io.StringIO("go\n")
    with pytest.raises(SystemExit):
        list(meter.watch(range(10**6), lambda batch: (1, 1, 1)))
    assert len(meter.reports.getvalue().splitlines()) == 2  # ready, and the first turn


def test_meter_rate_equals_rate_of_our_runs(meter: Meter, tmp_path: Path) -> None:
    weight = torch.nn.Parameter(torch.zeros(()))
    optimizer = torch.optim.SGD([weight], lr=123.0)
    ledger = Ledger(tmp_path / "ledger")
    schedule = ledger.decay(SETTING.lr, warmup=SETTING.warmup, budget=SETTING.budget)
    spent = 0.0
    for number in range(1, 8):
        weight.grad = torch.ones(())
        optimizer.step()
        assert optimizer.param_groups[0]["lr"] == pytest.approx(schedule(number))
        spent += 4.0
        ledger.add(4.0, 1)
        meter.steps, meter.seconds = number, spent
    assert meter.rate() < SETTING.lr


def test_attnbook_side_trains_and_translates(
    corpus: Corpus, meter: Meter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codecs = corpus.vocabularies(subwords=300)
    monkeypatch.setitem(attnbook_side.CORPORA, "tiny", lambda: (corpus, codecs))
    attnbook_side.run(SETTING, tmp_path, tmp_path, meter)
    assert len(read_ids(tmp_path / TRANSLATIONS)) == len(corpus.held_out["test"])
    batches = Batches(corpus.train, *codecs, max_tokens=SETTING.max_tokens)
    tokens = real = positions = 0
    for position in range(meter.steps):
        lengths = [
            (len(codecs[0].encode(p.source)), len(codecs[1].encode(p.target)) + 1)
            for p in batches.batch_at(position).pairs
        ]
        tokens += sum(target for _, target in lengths)
        real += sum(source + target for source, target in lengths)
        positions += len(lengths) * sum(map(max, zip(*lengths, strict=True)))
    turns = [json.loads(line) for line in meter.reports.getvalue().splitlines()[1:]]
    for key, count in (("tokens", tokens), ("real", real), ("positions", positions)):
        assert sum(turn[key] for turn in turns) == count > 0


def test_translations_are_scored_with_all_references(corpus: Corpus, tmp_path: Path) -> None:
    _, codec = corpus.vocabularies(subwords=300)
    examples = unseen(corpus)
    for place, side in enumerate(toolkits.SIDES.values()):
        (tmp_path / side).mkdir()
        outputs = [example.references[-1] if i >= place else ("non",) for i, example in enumerate(examples)]
        lines = "".join(" ".join(map(str, codec.encode(output))) + "\n" for output in outputs)
        (tmp_path / side / TRANSLATIONS).write_text(lines, encoding="utf-8")
    found = toolkits.translations(tmp_path, codec, examples)
    assert found[OURS] == scores([e.references[-1] for e in examples], [e.references for e in examples])
    assert found[OURS]["bleu"] == pytest.approx(100) and [found[name]["exact"] for name in toolkits.SIDES][1] < 1


def test_rows_have_rates_and_scores() -> None:
    def turn(step: float, tokens: int) -> dict[str, float]:
        return {"step": step, "loading": 1.0, "tokens": tokens, "positions": 200, "real": 150, "steps": 2}

    first = turn(100.0, 1)  # does not count
    turns = {OURS: [first, turn(9, 100), turn(9, 120)], "A rival": [first, turn(4, 25), turn(3, 20)]}
    whole, alone = toolkits.rows(SETTING, turns, {OURS: {"bleu": 30.0}, "A rival": {"bleu": 30.5}}, 0.05)
    rival = whole["contestants"]["A rival"]
    assert rival["rate"]["median"] == pytest.approx(5) and whole["reached"] == {"A rival": True}
    assert rival["ours_is_times_faster"]["median"] == pytest.approx((10 / 5 + 12 / 5) / 2)
    assert rival["real_positions"] == 0.75 and rival["steps"] == 6 and rival["bleu"] == 30.5
    assert whole["bleu_reached"] == {"A rival": False} and whole["bleu_reach"] == {"A rival": 30.5}
    assert alone["contestants"]["A rival"]["rate"]["median"] == pytest.approx((25 / 4 + 20 / 3) / 2)
    assert whole["bound"] == {}
    assert "bleu_reach" not in toolkits.rows(SETTING, turns, {}, 0.05)[0]


def test_rows_bound_the_ratio_that_falls_short() -> None:
    turn = {"step": 9.0, "loading": 1.0, "tokens": 100, "positions": 200, "real": 150, "steps": 2}
    (whole, _) = toolkits.rows(SETTING, {OURS: [turn] * 3, "A rival": [turn] * 3}, {}, 0.05)
    assert whole["reached"] == {"A rival": False} and whole["bound"] == {"A rival": pytest.approx(2.0)}


def test_rates_of_contestants_that_train_at_the_same_time_have_no_goal() -> None:
    turn = {"step": 9.0, "loading": 1.0, "tokens": 100, "positions": 200, "real": 150, "steps": 2}
    turns, found = {OURS: [turn] * 3, "A rival": [turn] * 3}, {OURS: {"bleu": 30.0}, "A rival": {"bleu": 30.0}}
    (whole, _) = toolkits.rows(SETTING, turns, found, 0.05, at_once=2)
    assert whole["reach"] == whole["reached"] == whole["bound"] == {} and whole["bleu_reached"] == {"A rival": True}


@pytest.mark.parametrize("at_once", [1, 2])
def test_race_lets_at_most_so_many_train_at_once(at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the processes write down when their turns begin and end."""
    seen: list[str] = []

    class StandIn(toolkits.Contestant):
        def __init__(self, name: str, folder: Path) -> None:
            self.name, self.in_turn = name, threading.Lock()
            self.process, self.log = Mock(), Mock()

        def go(self) -> None:
            seen.append("begin " + self.name)

        def hear(self) -> str:
            time.sleep(0.01)
            seen.append("end " + self.name)
            return '{"step": 1.0, "loading": 0.0, "tokens": 5}'

    monkeypatch.setattr(toolkits, "Contestant", StandIn)
    turns = toolkits.race(replace(SETTING, budget=1e9), tmp_path, 5, at_once)
    assert {name: len(own) for name, own in turns.items()} == dict.fromkeys(toolkits.SIDES, 5)
    running: set[str] = set()
    most = 0
    for event, name in (line.split(" ", 1) for line in seen):
        assert (name in running) == (event == "end")
        running ^= {name}
        most = max(most, len(running))
    assert most == at_once and not running


def test_race_ends_when_a_contestant_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkits, "python_of", lambda name, folder: sys.executable)
    monkeypatch.setattr(toolkits, "SIDES", {"A rival": "none"})  # there is no such module
    with pytest.raises(RuntimeError, match="A rival has ended"):
        toolkits.race(SETTING, tmp_path, 3, 2)


def test_needed_kernels_of_a_larger_model_take_longer(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    codecs = corpus.vocabularies(subwords=300)
    monkeypatch.setitem(least.CORPORA, "tiny", lambda: (corpus, codecs))
    monkeypatch.setattr(least, "BATCHES", 3)
    found = least.seconds_per_token(SETTING)
    larger = least.seconds_per_token(replace(SETTING, d_model=128, d_ff=512, num_layers=3))
    assert 0 < found < larger
