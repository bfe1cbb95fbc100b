"""Facts about each stored comparison, read from its result file.

A file that the harness wrote has all facts in its ``protocol`` block (``results/controls``). The file of a
measurement has only a question and the measured cases. Long runs (``results/experiments``) are grouped by corpus.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

PAGE = "book/evidence"
NO_PROTOCOL = (
    "The file of this comparison has no protocol. Only the cases listed here were varied, so the order of the "
    "contestants may change at other learning rates or with more steps."
)


@dataclass
class Table:
    head: list[str]
    rows: list[list[str]]


Fact = str | list[str] | Table


@dataclass
class Entry:
    """One comparison.

    Args:
        name: name in the role ``{evidence}``.
        question: the question that the comparison answers.
        command: the command that repeats the comparison.
        facts: facts from the result file, by label.
    """

    name: str
    question: str
    command: str
    facts: dict[str, Fact] = field(default_factory=dict)


def has_protocol(entry: Entry) -> bool:
    """Whether the comparison was run by the harness, which writes a protocol."""
    return "Limits" not in entry.facts


def identifier(name: str) -> str:
    """The HTML id of an entry on the page *Evidence*."""
    return "evidence-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def load_entries(root: Path) -> dict[str, Entry]:
    """All stored comparisons of a checkout, by name."""
    entries = {}
    for path in sorted((root / "results" / "controls").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        entries[path.stem] = (
            _from_harness(path.stem, content) if "protocol" in content else _from_cases(path.stem, content)
        )
    entries.update(_from_runs(root / "results" / "experiments"))
    return dict(sorted(entries.items()))


def _from_harness(name: str, content: Mapping[str, Any]) -> Entry:
    protocol = content["protocol"]
    tasks = {name: text for name, text in protocol["tasks"].items() if name}
    facts: dict[str, Fact] = {
        "Results on test data": _results(content),
        "Contestants": [f"{key}: {text}" for key, text in protocol["contestants"].items()],
        **({"Tasks": [f"{name}: {text}" for name, text in tasks.items()]} if tasks else {}),
        "What differs": protocol["differs"],
        "What is the same": protocol["same"],
        "What would refute it": protocol["refuted_by"],
        "Data": [f"{key}: {text}" for key, text in protocol["split"].items()],
        "Schedule": protocol["schedule"],
        "Budgets": [_labeled(task, _budgets(steps)) for task, steps in protocol["budgets"].items()],
        "Learning rates": f"Chosen by {protocol['chosen_by']}.",
        "Rates tried": [
            _labeled(_row_label(row), ", ".join(f"{rate:g}" for rate in row["tried"])) for row in protocol["rates"]
        ],
        "Seeds": _numbers(protocol["seeds"]),
        "Intervals": protocol["interval"],
        **_origin(protocol["commits"], protocol["processors"], protocol["torch"], protocol["dates"]),
        "CPU time": _minutes(protocol["minutes"]),
    }
    if protocol["missing"]:
        facts["Not finished"] = f"{protocol['missing']} runs are missing."
    return Entry(name, protocol["question"], protocol["command"], facts)


def _budgets(steps: Mapping[str, int]) -> str:
    return ", ".join(f"{name} times the base is {count:,} steps" for name, count in steps.items())


def _row_label(row: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, [row["task"], row["contestant"]]))


def _labeled(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text


def _results(content: Mapping[str, Any]) -> Table:
    """For every contestant and budget: mean and standard deviation over seeds, and the chosen learning rate."""
    metric, unit = content["protocol"]["metric"], content["protocol"]["unit"]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in content["summary"]:
        values = row["test"][metric]
        spread = f" ± {statistics.stdev(values):.2g}" if len(values) > 1 else ""
        edge = ", the edge of the sweep" if row["at_edge"] else ""
        cells.setdefault((row["task"], row["contestant"]), {})[row["budget"]] = (
            f"{statistics.fmean(values):.4g}{spread} (rate {row['rate']:g}{edge})"
        )
    tasks = any(task for task, _ in cells)
    budgets = list(dict.fromkeys(row["budget"] for row in content["summary"]))
    steps = {
        budget: {f"{own[budget]:,} steps" for own in content["protocol"]["budgets"].values()} for budget in budgets
    }
    columns = [min(own) if len(own) == 1 else f"{budget} times the base" for budget, own in steps.items()]
    head = [*(["task"] if tasks else []), f"{metric} ({unit})", *columns]
    rows = [
        [*([task] if tasks else []), contestant, *(found.get(budget, "") for budget in budgets)]
        for (task, contestant), found in cells.items()
    ]
    return Table(head, rows)


def _from_cases(name: str, content: Mapping[str, Any]) -> Entry:
    """The entry of a measurement. In a row, the keys before "seed" define the case; those after it are results."""
    names = list(content["rows"][0])
    case, measured = names[: names.index("seed")], names[names.index("seed") + 1 :]
    facts: dict[str, Fact] = {
        "Cases": [
            f"{name}: {', '.join(dict.fromkeys(str(row[name]) for row in content['rows'] if name in row))}"
            for name in case
        ],
        "Measured": ", ".join(measured),
        "Seeds": _numbers(sorted({row["seed"] for row in content["rows"]})),
        "Limits": NO_PROTOCOL,
        **_origin([content["commit"]], [content["machine"]["cpu"]], [content["versions"]["torch"]], [content["date"]]),
    }
    return Entry(name, content["question"], f"python -m experiments.controls {name}", facts)


def _from_runs(folder: Path) -> dict[str, Entry]:
    """The entries of the long runs: one comparison per corpus, of all its models."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.*.*.json")):
        run = json.loads(path.read_text(encoding="utf-8"))
        groups.setdefault(run["corpus"], []).append(run)
    return {corpus: _from_group(corpus, runs) for corpus, runs in groups.items()}


def _from_group(corpus: str, runs: Sequence[dict[str, Any]]) -> Entry:
    families: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        families.setdefault(run["family"], []).append(run)
    rows = []
    for family, own in families.items():
        training = own[0]["training"]
        kind = own[0]["model"].get("class", "d2l")
        minutes = statistics.fmean(run["training"]["cpu_seconds"] for run in own) / 60
        steps = statistics.fmean(run["training"]["steps"] for run in own)
        settings = ", ".join(f"{key} {value}" for key, value in own[0]["model"]["options"].items())
        seeds = _numbers(sorted(run["seed"] for run in own))
        rows.append([family, f"{kind}: {settings}", f"{training['lr']:g}", f"{steps:,.0f}", f"{minutes:.1f}", seeds])
    sizes = {
        ", ".join(f"{key} {value:,}" for key, value in run["data"].items() if isinstance(value, int)) for run in runs
    }
    facts: dict[str, Fact] = {
        "Models": Table(["model", "settings", "rate", "steps", "CPU minutes", "seeds"], rows),
        "Data": sorted(sizes),
        "Judged on": ", ".join(dict.fromkeys(name for run in runs for name in run["results"])),
        "Limits": NO_PROTOCOL.replace("cases listed here", "models and settings listed here"),
        **_origin(
            (run["commit"] for run in runs),
            (run["machine"]["cpu"] for run in runs),
            (run["versions"]["torch"] for run in runs),
            (run["date"] for run in runs),
        ),
        "CPU time": _minutes(sum(run["training"]["cpu_seconds"] for run in runs) / 60),
    }
    question = f"How well do these models translate, trained on {corpus}?"
    return Entry(corpus, question, f"python -m experiments.run '{corpus}.*'", facts)


def _origin(
    commits: Iterable[str], processors: Iterable[str], torch: Iterable[str], dates: Iterable[str]
) -> dict[str, Fact]:
    days = sorted(set(dates))
    return {
        "Commit": ", ".join(dict.fromkeys(commit[:12] + commit[40:] for commit in commits)),
        "Processor": ", ".join(dict.fromkeys(processors)),
        "PyTorch": ", ".join(dict.fromkeys(torch)),
        "Date": days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
    }


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def _minutes(minutes: float) -> str:
    return f"{minutes:,.0f} minutes" if minutes >= 10 else f"{minutes:.1f} minutes"


def facts_html(entry: Entry) -> str:
    """The facts of a comparison as an HTML description list that ends with a command for an empty folder of results."""
    parts = [f"<dt>{escape(label)}</dt>\n<dd>{_fact_html(fact)}</dd>" for label, fact in entry.facts.items()]
    parts.append(f"<dt>Repeat it</dt>\n<dd><pre>{escape(entry.command)} --results FOLDER</pre></dd>")
    return '<dl class="evidence-facts">\n' + "\n".join(parts) + "\n</dl>"


def _fact_html(fact: Fact) -> str:
    if isinstance(fact, str):
        return escape(fact)
    if isinstance(fact, list):
        return escape(fact[0]) if len(fact) == 1 else f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in fact)}</ul>"
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in fact.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in fact.rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="evidence-table" tabindex="0">{table}</div>'
