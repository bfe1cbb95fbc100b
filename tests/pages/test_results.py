"""Committed results are found from anywhere in a copy of the book, and unknown names raise errors."""

from __future__ import annotations

import pytest

from attnbook.pages.results import Comparison, Sweep, load_comparison, load_result
from tests.support.stored_comparison import stored


@pytest.fixture
def book(tmp_path):
    (tmp_path / "_toc.yml").touch()
    (tmp_path / "results" / "experiments").mkdir(parents=True)
    (tmp_path / "results" / "experiments" / "run.json").write_text('{"bleu": 41.5}', encoding="utf-8")
    (tmp_path / "book").mkdir()
    return tmp_path


@pytest.mark.parametrize("start", [".", "book"])
def test_load_result_searches_next_to_the_page_and_above_it(book, start):
    assert load_result("experiments/run", start=book / start) == {"bleu": 41.5}
    assert load_result("experiments/run", start=str(book / start)) == {"bleu": 41.5}


def test_load_result_raises_for_unknown_name(book):
    with pytest.raises(FileNotFoundError, match=r"^name must"):
        load_result("experiments/other", start=book)


def test_load_result_returns_none_without_the_book(tmp_path):
    assert load_result("experiments/run", start=tmp_path) is None


def test_comparison_returns_means_and_spreads_of_its_cases():
    rows = [
        {"asks": asks, "seed": seed, "bleu": 10.0 * late + seed}
        for late, asks in enumerate(("early", "late"))
        for seed in (1, 2, 3)
    ]
    comparison = Comparison(tuple(rows))
    assert comparison.mean("bleu", asks="late") == 12.0 and comparison.spread("bleu", asks="late") == 1.0
    assert comparison.formatted("bleu", ".1f", asks="early") == "2.0 ± 1.0"
    assert comparison.differences("bleu", {"asks": "late"}, {"asks": "early"}) == [10.0, 10.0, 10.0]
    with pytest.raises(KeyError, match=r"^.figure must"):
        comparison.mean("bleu", asks="never")


def test_load_comparison_reads_the_file(book, monkeypatch):
    (book / "results" / "controls").mkdir()
    (book / "results" / "controls" / "lengths.json").write_text('{"rows": [{"seed": 0, "bleu": 1}]}', encoding="utf-8")
    monkeypatch.chdir(book)
    comparison = load_comparison("lengths")
    assert comparison is not None and comparison.values("bleu", seed=0) == [1.0]


SWEEP = {
    "protocol": {"budgets": {"": {"1/4": 10, "1": 40, "4": 160}}},
    "summary": [
        {"task": "", "contestant": name, "budget": "1", "test": {"bleu": values}}
        for name, values in (("late", [30.0, 32.0]), ("early", [29.0, 28.0]))
    ],
}


def test_sweep_returns_figures_of_a_budget_seed_by_seed() -> None:
    sweep = Sweep(SWEEP)
    assert sweep.values("bleu", "late") == [30.0, 32.0] and sweep.mean("bleu", "early") == 28.5
    assert sweep.formatted("bleu", ".1f", "late") == "31.0 ± 1.4" and sweep.differences("bleu", "late", "early") == [
        1.0,
        4.0,
    ]
    assert sweep.steps("4") == 160


def test_sweep_raises_key_error_for_missing_measurements() -> None:
    sweep = Sweep(SWEEP)
    assert sweep.has("late") and not sweep.has("late", task="other") and not sweep.has("never")
    with pytest.raises(KeyError, match="late"):
        sweep.values("bleu", "late", budget="4")


def test_sweep_ranking_contains_only_measured_contestants() -> None:
    sweep = Sweep(stored())
    assert sweep.ranking(budget="1/4", task="reading") == ["fast", "wild", "slow"]
    assert sweep.ranking(budget="4", task="reading") == ["slow", "fast"]


def test_sweep_interval_changes_sign_with_direction() -> None:
    sweep = Sweep(stored())
    assert sweep.interval("fast", "slow", budget="4", task="reading") == (-19, -17)
    assert sweep.interval("slow", "fast", budget="4", task="reading") == (17, 19)
    with pytest.raises(KeyError, match=r"^.one and other must"):
        sweep.interval("fast", "wild", task="reading")


def test_sweep_curves_of_another_figure_follow_the_chosen_rates() -> None:
    runs = [
        {
            "task": "reading",
            "contestant": "fast",
            "rate": rate,
            "seed": seed,
            "valid": {"loss": [rate + seed + point for point in range(5)]},
        }
        for rate in (1.0, 2.0)
        for seed in (2, 0, 1)
    ]
    content = stored()
    for row in content["curves"]:
        row["rates"] = [1.0, 1.0, 2.0, 2.0, 2.0]
    shown = Sweep({**content, "runs": runs}).curves_of("loss", unit="nats", task="reading")
    assert (shown["protocol"]["metric"], shown["protocol"]["unit"]) == ("loss", "nats")
    assert list(shown["protocol"]["tasks"]) == ["reading"]
    fast = next(row for row in shown["curves"] if row["contestant"] == "fast")
    assert fast["valid"] == [[1, 2, 3], [2, 3, 4], [4, 5, 6], [5, 6, 7], [6, 7, 8]]
    with pytest.raises(KeyError, match=r"^.figure must"):
        Sweep({**content, "runs": runs}).curves_of("never", unit="nats", task="reading")
