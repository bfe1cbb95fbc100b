"""The tables of the benchmarks agree with the result files and list missing results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import tables
from benchmarks.harness import OURS, compare

CIRCUMSTANCES: dict[str, Any] = {
    "command": "python -m benchmarks",
    "commit": "0123456789abcdef",
    "date": "2026-11-21",
    "machine": {"cpu": "A processor", "cores": 4, "threads": 2, "device": "cpu", "load_average_5_minutes": 1.5},
    "settings": {"dtype": "torch.float32", "compile": False},
    "versions": {"torch": "2.0"},
}


def results() -> dict[str, dict[str, Any]]:
    row = compare("running", {OURS: [1.0, 1.0], "A rival": [2.0, 4.0]}, reach={"A rival": 2.5}, unit="laps/s")
    row["contestants"][OURS]["loss"] = 0.125
    memory = compare("eating", {OURS: [1.0], "D2L": [0.5]}, reach={"D2L": 1.0})
    for name, peak in ((OURS, 2**20), ("D2L", 2**24)):
        memory["contestants"][name]["peak_bytes"] = peak
    memory |= {"memory_share": 1 / 16, "memory_reach": 0.1, "memory_reached": True}
    cost = {"median": 0.0125, "low": 0.0, "high": 0.05}
    watched = {"model": "A model", "steps": 3000, "looks": 40, "cost": cost, "off_against_off": cost}
    watched |= {"reach": 0.02, "reached": True}
    drawn = {"heads": 8, "tokens": 64, "reach": 60, "reached": False, "work": "scrub", "frames_per_second": 31.4}
    drawn |= {"drawing_seconds": {"median": 0.002}}
    pointed = {"heads": 8, "tokens": 64, "reach": 0.05, "reached": True, "work": "hover"}
    pointed |= {"contestants": {OURS: {"work_seconds": {"median": 0.001}}}}
    opened = {"work": "a-page", "widgets": 2, "reach": 1.0, "reached": True}
    opened |= {"ready_seconds": {"median": 0.5, "low": 0.25, "high": 0.75}}
    raced = compare("looping", {OURS: [1.0], "Kit": [2.0]}, reach={"Kit": 1.5})
    for name, bleu in ((OURS, 30.0), ("Kit", 30.5)):
        raced["contestants"][name] |= {"real_positions": 0.99, "bleu": bleu}
    raced |= {"measured_minutes": 10.0, "bleu_reach": {"Kit": 30.5}, "bleu_reached": {"Kit": False}}
    return {
        "headline": {**CIRCUMSTANCES, "rows": [row]},
        "additive": {**CIRCUMSTANCES, "rows": [memory]},
        "toolkits": {
            **CIRCUMSTANCES,
            "toolkits": {"Kit": "kit==1"},
            "differs": {"Kit": "other norms"},
            "rows": [raced],
        },
        "overhead": {**CIRCUMSTANCES, "rows": [watched]},
        "drawing": {**CIRCUMSTANCES, "browser": "1", "screen": "small", "rows": [drawn, pointed]},
        "ready": {**CIRCUMSTANCES, "browser": "1", "screen": "small", "rows": [opened]},
    }


def test_goals_table_marks_reached_goals() -> None:
    assert tables.goals(results()) == [
        ("headline: running, against A rival", "2.5 ×", "3.00 ×", True),
        ("additive: eating, against D2L", "1 ×", "0.50 ×", False),
        ("additive: eating, peak memory", "< 10%", "6%", True),
        ("toolkits: looping, against Kit", "1.5 ×", "2.00 ×", True),
        ("toolkits: BLEU after 10 CPU minutes, against Kit", "≥ 30.5", "30.0", False),
        ("cost of watching, A model", "≤ 2%", "1.2%", True),
        ("scrub, 8 heads, 64 tokens", "60 per second", "31 per second", False),
        ("work for pointing, 8 heads, 64 tokens", "< 50 ms", "1 ms", True),
        ("widgets of a-page ready", "≤ 1 s", "0.50 s", True),
    ]
    assert tables.goals_table(results()).count("✗") == 3


def test_tables_name_every_contestant() -> None:
    found = results()
    speed = tables.speed_table(found, "headline")
    assert "| running | A rival | 3.00 (2.20 to 3.80) | 2.5, reached |" in speed
    assert "A processor, 2 of 4 cores, float32, 2026-11-21" in speed
    rates = tables.rate_table(found, "headline", {"loss": ".2f"})
    assert f"| running | {OURS} | 1 laps/s | 0.12 |" in rates and "| running | A rival | 0 laps/s |  |" in rates
    assert "| eating | 1 MiB | 16 MiB |" in tables.memory_table(found, "additive")
    toolkits = tables.toolkits_part(found)
    assert "| looping | Kit | 0 turns/s | 99% | 30.5 |" in toolkits[2] and "was 1.5 for 4 cores" in toolkits[3]
    assert toolkits[4:] == ["- Kit (`kit==1`): other norms."]
    found["toolkits"] |= {"at_once": 2}
    assert tables.toolkits_part(found)[4] == "2 contestants trained at the same time, so their rates have no goal."
    assert "| A model | 3,000 | 40 | 1.2% (0.0% to 5.0%) |" in tables.overhead_table(found)
    assert "| pointing, 8 heads, 64 tokens, attnbook | | 1.00 |" in tables.drawing_table(found)
    assert "| a-page | 2 | 0.50 (0.25 to 0.75) | 1, reached |" in tables.ready_table(found)
    assert "commit `0123456`; torch 2.0" in tables.sources(found)


@pytest.mark.parametrize("name", tables.COMMANDS)
def test_readme_lists_missing_results(name: str) -> None:
    assert name in tables.missing({})
    said = {
        "overhead": lambda: tables.overhead_table({}),
        "drawing": lambda: tables.drawing_table({}),
        "ready": lambda: tables.ready_table({}),
    }.get(name, lambda: tables.speed_table({}, name))()
    assert "Not measured yet" in said and tables.COMMANDS[name] in said
    assert tables.goals_table({}) == "*Nothing was measured yet.*"


def test_tables_sort_other_devices_last_and_skip_quick_runs() -> None:
    found = {name: {**CIRCUMSTANCES, "rows": []} for name in ("greedy", "greedy-cuda", "greedy-quick")}
    assert len(tables.of(found, "greedy")) == 2


def test_committed_results_fill_the_tables() -> None:
    found = tables.load_all()
    assert len(tables.goals(found)) > 3
    for name in found:
        kind = name.split("-")[0]
        if kind in ("headline", "training_step", "greedy", "additive", "lengths"):
            assert OURS not in tables.speed_table(found, kind).split("|")
            assert OURS in tables.rate_table(found, kind, {})


def test_readme_agrees_with_result_files(root: Path) -> None:
    readme = (root / "results" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert readme == tables.readme(tables.load_all())
