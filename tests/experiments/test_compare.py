"""The harness for comparisons of trained models, tested on a comparison that takes a fraction of a second."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from torch import nn

from experiments.compare import choice
from experiments.compare.run import open_store, plan, train_missing
from experiments.compare.store import Store
from experiments.compare.training import steps_of_run, train_run
from experiments.controls.recall import Reader, lists
from experiments.controls.recalling import DeltaReader
from experiments.controls.run import COMPARISONS, MEASUREMENTS, main
from tests.support.external_data import DATA
from tests.support.once import once
from tests.support.tiny_comparison import COMMAND, COMPARISON, build, finish

NAME = "tests.support.tiny_comparison"


def store_in(folder: Path, **changes: Any) -> Store:
    return open_store(NAME, folder, changes, COMMAND, "abc")


def run_with(rate: float, *values: float | None, seed: int = 0) -> dict[str, Any]:
    """A run with the same validation error at every point of the curve."""
    return {"rate": rate, "seed": seed, "valid": {"error": [values[0]] * 11}}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(once(tmp_path_factory, "finished-comparison", finish))
    return content


def train_alone(budget: int, rate: float, seed: int) -> float:
    """Train one run with one budget directly: warm-up, constant rate, decay over the last fifth."""
    torch.manual_seed(seed)
    trial = build("", "with intercept", seed)
    optimizer = torch.optim.Adam(trial.model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    decay = round(0.2 * budget)
    for step in range(budget):
        falling = (budget - step) / (decay + 1)
        optimizer.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / 2, falling)
        torch.manual_seed(1_000_003 * (seed + 1) + step)
        trial.model.train()
        optimizer.zero_grad()
        trial.loss(step).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(trial.model.parameters(), 1.0)
        optimizer.step()
    trial.model.eval()
    with torch.no_grad():
        return trial.measure("test")["error"]


def test_each_budget_equals_a_run_of_its_own() -> None:
    run = train_run(COMPARISON, "", "with intercept", 1e-2, 1)
    assert run["test"]["error"] == pytest.approx([train_alone(steps, 1e-2, 1) for steps in (10, 40, 160)], rel=1e-4)


def test_steps_of_run_counts_every_step_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    original = torch.optim.Adam.step
    monkeypatch.setattr(torch.optim.Adam, "step", lambda self: (taken.append(1), original(self)))
    train_run(COMPARISON, "", "without", 1e-2, 0)
    assert len(taken) == steps_of_run(COMPARISON.points(""))


def test_train_run_with_diverging_loss_records_none() -> None:
    def diverging(task: str, contestant: str, seed: int) -> Any:
        trial = build(task, contestant, seed)
        return replace(trial, loss=lambda step: trial.loss(step) * (math.nan if step >= 20 else 1.0))

    run = train_run(replace(COMPARISON, build=diverging), "", "without", 1e-2, 0)
    assert run["valid"]["error"][0] is not None
    assert run["valid"]["error"][-1] is None
    assert run["test"]["error"] == [pytest.approx(run["test"]["error"][0]), None, None]


def test_best_rate_ignores_rates_without_every_seed_or_with_none() -> None:
    seeds = replace(COMPARISON, seeds=2)
    runs = [run_with(1e-3, 5.0, seed=0), run_with(1e-3, 6.0, seed=1), run_with(3e-3, 1.0, seed=0)]
    runs += [run_with(1e-2, 0.1, seed=0), run_with(1e-2, None, seed=1)]
    assert choice.best_rate(seeds, runs, 0) == 1e-3


def test_best_rate_of_equal_rates_is_the_middle_one() -> None:
    one = replace(COMPARISON, seeds=1)
    assert choice.best_rate(one, [run_with(rate, 2.0) for rate in COMPARISON.rates], 0) == COMPARISON.rates[2]


@pytest.mark.parametrize(
    ("errors", "added"), [((4, 3, 2, 1), [0.0932]), ((1, 2, 3, 4), [0.000322]), ((2, 1, 2, 3), []), ((1, 1, 1, 1), [])]
)
def test_new_rates_extend_the_sweep_beyond_a_best_edge(errors: tuple[float, ...], added: list[float]) -> None:
    one = replace(COMPARISON, seeds=1)
    runs = [run_with(rate, float(error)) for rate, error in zip(COMPARISON.rates, errors, strict=True)]
    assert choice.new_rates(one, runs) == pytest.approx(added)


def test_new_rates_stop_after_three_extensions() -> None:
    one, factor = replace(COMPARISON, seeds=1), COMPARISON.factor()
    rates = [COMPARISON.rates[0] * factor**power for power in range(7)]
    runs = [run_with(rate, -float(index)) for index, rate in enumerate(rates)]
    assert choice.new_rates(one, runs[:6]) != []
    assert choice.new_rates(one, runs) == []
    assert choice.edge_rate(one, runs, 0) == rates[-1]


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (100, 1.9840)])
def test_t_quantile_equals_the_published_table(degrees: int, quantile: float) -> None:
    assert choice.t_quantile(degrees) == pytest.approx(quantile, abs=1e-4)


def test_interval_of_paired_differences() -> None:
    found = choice.interval([1.0, 2.0, 3.0])
    assert found["mean"] == 2.0
    assert found["interval"] == pytest.approx([2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5], abs=1e-4)


@pytest.mark.slow
def test_finished_comparison_chooses_each_rate_on_validation_data(finished: dict[str, Any]) -> None:
    for row in finished["summary"]:
        own = [run for run in finished["runs"] if run["contestant"] == row["contestant"]]
        point = COMPARISON.budget_points()[row["budget"]]
        means = {
            rate: sum(run["valid"]["error"][point] for run in own if run["rate"] == rate)
            for rate in {run["rate"] for run in own}
        }
        assert row["rate"] == min(means, key=lambda rate: means[rate])
        assert len(row["test"]["error"]) == 3


@pytest.mark.slow
def test_finished_comparison_extends_sweeps_and_pairs_seeds(finished: dict[str, Any]) -> None:
    assert max(run["rate"] for run in finished["runs"]) > max(COMPARISON.rates)
    rows = {(row["contestant"], row["budget"]): row["test"]["error"] for row in finished["summary"]}
    for row in finished["differences"]:
        one, other = rows[row["one"], row["budget"]], rows[row["other"], row["budget"]]
        assert row["apart"] == pytest.approx([a - b for a, b in zip(one, other, strict=True)], abs=1e-5)
    assert finished["differences"][-1]["mean"] < 0  # the line with an intercept is better at the largest budget


@pytest.mark.slow
def test_summary_leaves_out_seeds_of_an_earlier_call_with_more(finished: dict[str, Any]) -> None:
    fewer, contestant = replace(COMPARISON, seeds=2), finished["runs"][0]["contestant"]
    runs = [run for run in finished["runs"] if run["seed"] < 2 or run["contestant"] == contestant]
    rows = choice.summary(fewer, runs)
    assert {len(row["test"]["error"]) for row in rows} == {2}
    assert all(len(row["apart"]) == 2 for row in choice.differences(fewer, rows))


@pytest.mark.slow
def test_protocol_records_what_was_run(finished: dict[str, Any]) -> None:
    protocol = finished["protocol"]
    assert protocol["budgets"] == {"": {"1/4": 10, "1": 40, "4": 160}}
    assert protocol["commits"] == ["abc"]
    assert protocol["missing"] == 0
    assert protocol["runs"] == len(finished["runs"])
    tried = protocol["rates"][0]["tried"]
    assert set(COMPARISON.rates) <= set(tried)
    assert set(protocol["rates"][0]["chosen"].values()) <= set(tried)
    assert {"question", "contestants", "differs", "same", "refuted_by", "split", "command", "torch"} <= set(protocol)


@pytest.mark.slow
def test_interrupted_comparison_resumes_where_it_stopped(tmp_path: Path, finished: dict[str, Any]) -> None:
    store = store_in(tmp_path)
    case = {key: finished["runs"][0][key] for key in ("task", "contestant", "rate", "seed")}
    before = len(store.missing())
    store.add(case, {key: finished["runs"][0][key] for key in ("valid", "test", "parameters", "seconds")})
    again = store_in(tmp_path)
    assert again.has(case)
    assert len(again.missing()) == before - 1
    assert "1 runs done" in plan([again])


def test_pool_starts_no_run_that_cannot_end_in_time(tmp_path: Path) -> None:
    assert not train_missing([store_in(tmp_path)], workers=1, changes={}, minutes=0.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_failing_run_is_reported_and_others_finish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One contestant raises; another kills its worker process, which is replaced."""
    changes = {"entries": {"": ("killed", "without", "broken")}, "seeds": 1}
    assert not train_missing([store_in(tmp_path, **changes)], workers=2, changes=changes, minutes=None)
    said = capsys.readouterr().err
    assert "this contestant cannot be built" in said
    assert "ended without a result" in said
    assert {case["contestant"] for case in store_in(tmp_path, **changes).missing()} == {"killed", "broken"}


@pytest.mark.slow
def test_workers_end_in_the_middle_of_a_run_when_their_parent_is_killed(tmp_path: Path) -> None:
    endless = {"entries": {"": ("without",)}, "steps": 10**8}
    code = f"""
from pathlib import Path
from experiments.compare.run import open_store, train_missing
if __name__ == "__main__":
    store = open_store({NAME!r}, Path({str(tmp_path)!r}), {endless!r}, "", "abc")
    train_missing([store], workers=2, changes={endless!r}, minutes=None)
"""
    script = tmp_path / "endless.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, str(script)], env=environment) as parent:
        workers = busy_children(parent.pid, 2)
        parent.kill()
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive


def busy_children(pid: int, number: int) -> list[psutil.Process]:
    """Wait until a process has this number of children that have computed for two seconds each."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        children: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
        busy = [child for child in children if child.cpu_times().user > 2]
        if len(busy) >= number:
            return children
        time.sleep(0.2)
    raise AssertionError(f"process {pid} must start {number} busy workers")


@pytest.mark.slow
def test_file_of_another_budget_is_refused(tmp_path: Path, finished: dict[str, Any]) -> None:
    (tmp_path / f"{NAME}.json").write_text(json.dumps(finished))
    with pytest.raises(ValueError, match="points"):
        store_in(tmp_path, steps=80)


@pytest.mark.slow
def test_merge_takes_runs_that_are_missing(tmp_path: Path, finished: dict[str, Any]) -> None:
    half = {**finished, "runs": finished["runs"][::2]}
    (tmp_path / f"{NAME}.json").write_text(json.dumps(half))
    other = tmp_path / "other.json"
    other.write_text(json.dumps(finished))
    store = store_in(tmp_path)
    assert store.merge(other) == len(finished["runs"]) - len(half["runs"])
    assert not store.missing()


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARISONS)
def test_declared_comparison_builds_every_contestant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in ("real_sentences", "sizes"):
        if not (DATA / "fra-eng.zip").is_file():
            pytest.skip(f"no file fra-eng.zip in {DATA}")
        monkeypatch.setenv("ATTNBOOK_DATA", str(DATA))
    comparison = open_store(name, Path("nowhere"), {}, "", "abc").comparison
    for task in comparison.tasks:
        for contestant in comparison.entrants(task):
            torch.manual_seed(0)
            trial = comparison.build(task, contestant, 0)
            assert torch.isfinite(trial.loss(0))


def test_command_line_plans_every_comparison(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["scores", "--plan", "--results", str(tmp_path)])
    assert capsys.readouterr().out.startswith("scores: 0 runs done, 240 left")
    main(["--plan", "--results", str(tmp_path)])
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == list(COMPARISONS)
    assert not set(COMPARISONS) & set(MEASUREMENTS)


def test_command_line_refuses_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score"])
    assert "got score" in capsys.readouterr().err


def test_delta_reader_equals_the_rule_item_by_item() -> None:
    torch.manual_seed(0)
    slow = Reader("delta", 64)
    fast = DeltaReader(64)
    fast.load_state_dict(slow.state_dict())
    x, query, _ = lists("once", 4, 20, torch.Generator().manual_seed(0))
    assert torch.allclose(slow(x, query), fast(x, query), atol=1e-6)


def test_warmup_of_a_trial_replaces_that_of_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []
    original = torch.optim.Adam.step
    monkeypatch.setattr(
        torch.optim.Adam, "step", lambda self: (rates.append(self.param_groups[0]["lr"]), original(self))
    )

    def slow(task: str, contestant: str, seed: int) -> Any:
        return replace(build(task, contestant, seed), warmup=100)

    train_run(replace(COMPARISON, build=slow), "", "without", 1e-2, 0)
    assert rates[:3] == pytest.approx([1e-4, 2e-4, 3e-4])
    assert max(rates) == pytest.approx(1e-2)


def test_factors_scale_the_rate_of_some_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[list[float]] = []
    original = torch.optim.Adam.step

    def step(self: torch.optim.Adam) -> None:
        rates.append([group["lr"] for group in self.param_groups])
        original(self)

    monkeypatch.setattr(torch.optim.Adam, "step", step)
    slower = replace(
        COMPARISON,
        build=lambda *case: replace(build(*case), factors={"1.bias": 0.1}),
        entries={"": ("with intercept",)},
    )
    train_run(slower, "", "with intercept", 1e-2, 0)
    assert all(one == pytest.approx([both, both / 10]) for one, both in zip(rates, (r[0] for r in rates), strict=True))
