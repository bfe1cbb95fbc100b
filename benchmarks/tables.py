"""Tables of the results in ``results/benchmarks``: ``python -m benchmarks.tables`` writes them to its README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attnbook._internal.files import atomic_write
from benchmarks.harness import OURS, RESULTS

COMMANDS = {  # all expected results, and the commands that measure them
    "headline": "make bench BENCH='--only headline'",
    "training_step": "make bench BENCH='--only training_step'",
    "greedy": "make bench BENCH='--only greedy'",
    "additive": "make bench BENCH='--only additive'",
    "lengths": "make bench BENCH='--only lengths'",
    "files": "make bench BENCH='--only files'",
    "toolkits": "python -m benchmarks.toolkits",
    "overhead": "python -m benchmarks.overhead",
    "drawing": "python -m benchmarks.drawing",
    "ready": "python -m benchmarks.ready",
    "typing_in": "python -m benchmarks.typing_in",
}

HOW = """# Benchmark results

`make bench` installs the rivals and repeats the main measurements; the command of every result is at the end of this
page, which `python -m benchmarks.tables` writes from the files next to it.

All contestants run in one process and take turns, in a new random order in every round. A figure is the median over the
rounds, with the 10 % and 90 % quantiles in brackets. *Times as fast* is the median of the ratios within a round. Only
real tokens are counted, not padding. All contestants have the same sizes, the same data and the same number of
threads."""

TOOLKITS = """Each contestant is a process of its own with one thread and runs the toolkit's own training loop.
Subwords, sizes, learning rate and tokens per batch are the same. The contestants take turns."""

Results = Mapping[str, Mapping[str, Any]]


def load_all(folder: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """All stored results, by file name."""
    paths = sorted(folder.glob("*.json"), key=lambda path: path.stem)
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def of(results: Results, name: str) -> list[Mapping[str, Any]]:
    """The results of one benchmark: CPU in fp32 first, then other devices, precisions and modes."""
    return [result for stem, result in results.items() if stem.split("-")[0] == name and "quick" not in stem]


def missing(results: Results) -> list[str]:
    """Benchmarks without a result."""
    return [name for name in COMMANDS if not of(results, name)]


def goals(results: Results) -> list[tuple[str, str, str, bool]]:
    """The goals: work, goal, result, and whether the goal is reached."""
    return [goal for name in COMMANDS for result in of(results, name) for goal in _goals(name, result)]


def _goals(name: str, result: Mapping[str, Any]) -> Iterator[tuple[str, str, str, bool]]:
    where = _unusual(result)
    for row in result["rows"]:
        if name == "overhead":
            cost = f"{row['cost']['median']:.1%}"
            yield f"cost of watching, {row['model']}{where}", f"≤ {row['reach']:.0%}", cost, row["reached"]
        elif name == "drawing":
            yield _drawing_goal(row)
        elif name == "ready":
            came = f"{row['ready_seconds']['median']:.2f} s"
            yield f"widgets of {row['work']} ready", f"≤ {row['reach']:g} s", came, row["reached"]
        elif name == "typing_in":
            until = row["seconds_until"]
            came = f"{1e3 * until['first']['median']:.0f} ms, {1e3 * until['frame']['high']:.0f} ms"
            yield (
                f"first token after the last key, longest frame, {row['work']}",
                "≤ 150 ms, 50 ms",
                came,
                row["reached"],
            )
        else:
            for rival, goal in row["reach"].items():
                ratio = row["contestants"][rival]["ours_is_times_faster"]["median"]
                work = f"{row['work']}, against {rival}{where}"
                came = f"{ratio:.2f} ×"
                if rival in row.get("bound", {}):
                    came += f" (bound: {row['bound'][rival]:.2f} ×)"
                yield f"{name.replace('_', ' ')}: {work}", f"{goal:g} ×", came, row["reached"][rival]
        for rival, goal in row.get("bleu_reach", {}).items():
            work = f"BLEU after {row['measured_minutes']:g} CPU minutes, against {rival}{where}"
            came = f"{row['contestants'][OURS]['bleu']:.1f}"
            yield f"{name}: {work}", f"≥ {goal:.1f}", came, row["bleu_reached"][rival]
        if "memory_reach" in row:
            goal, share = f"< {row['memory_reach']:.0%}", f"{row['memory_share']:.0%}"
            yield f"{name}: {row['work']}, peak memory{where}", goal, share, row["memory_reached"]


def _drawing_goal(row: Mapping[str, Any]) -> tuple[str, str, str, bool]:
    sizes = f"{row['heads']} heads, {row['tokens']} tokens"
    if "frames_per_second" in row:
        shown = f"{row['frames_per_second']:.0f} per second"
        return f"{row['work']}, {sizes}", f"{row['reach']} per second", shown, row["reached"]
    taken = row["contestants"][OURS]["work_seconds"]["median"]
    return f"work for pointing, {sizes}", f"< {1e3 * row['reach']:g} ms", f"{1e3 * taken:.2g} ms", row["reached"]


def goals_table(results: Results) -> str:
    """A table of all goals that marks those that were reached."""
    lines = [
        f"| {work} | {goal} | {came} | {'✓' if reached else '✗'} |" for work, goal, came, reached in goals(results)
    ]
    return _table("work | goal | result | ", lines) if lines else "*Nothing was measured yet.*"


def speed_table(results: Results, name: str) -> str:
    """A table of our speedup over each rival, with the spread over rounds."""
    parts = []
    for result in of(results, name):
        lines = []
        for row in result["rows"]:
            for rival, taken in row["contestants"].items():
                if rival != OURS:
                    goal = _reached(row["reach"], row["reached"], rival)
                    lines.append(
                        f"| {row['work']} | {rival} | {_spread(taken['ours_is_times_faster'], '.2f')} | {goal} |"
                    )
        parts += [f"Measured on {about(result)}.", _table("work | rival | times as fast | goal", lines)]
    return _joined(parts, name)


def rate_table(results: Results, name: str, fields: Mapping[str, str]) -> str:
    """A table of the rate of each contestant, with further fields.

    Args:
        results: from ``load_all``.
        name: name of the benchmark.
        fields: formats by field, such as ``{"loss": ".2f"}``; missing values stay empty.
    """
    parts = []
    for result in of(results, name):
        lines = []
        for row in result["rows"]:
            for contestant, taken in row["contestants"].items():
                more = [format(taken[field], spec) if field in taken else "" for field, spec in fields.items()]
                cells = [row["work"], contestant, f"{taken['rate']['median']:,.0f} {row['unit']}", *more]
                lines.append(f"| {' | '.join(cells)} |")
        names = [field.replace("_", " ") for field in fields]
        parts += [f"On {about(result)}:", _table(" | ".join(["work", "", "rate", *names]), lines)]
    return _joined(parts, name)


def bounds(results: Results, name: str) -> list[str]:
    """The bounds of a benchmark, in one sentence per result that has them."""
    return [f"*Bound*, {about(result)}: {result['bound']}." for result in of(results, name) if "bound" in result]


def memory_table(results: Results, name: str) -> str:
    """Peak memory of each contestant."""
    parts = []
    for result in of(results, name):
        names = list(result["rows"][0]["contestants"])
        lines = []
        for row in result["rows"]:
            peaks = [f"{row['contestants'][each]['peak_bytes'] / 2**20:,.0f} MiB" for each in names]
            lines.append(f"| {row['work']} | {' | '.join(peaks)} |")
        parts += [f"On {about(result)}:", _table(" | ".join(["peak memory", *names]), lines)]
    return _joined(parts, name)


def overhead_table(results: Results) -> str:
    """The cost of a view, next to the difference between equal runs."""
    parts = []
    for result in of(results, "overhead"):
        lines = []
        for row in result["rows"]:
            cost, noise = (_spread(row[kind], ".1%") for kind in ("cost", "off_against_off"))
            reached = "reached" if row["reached"] else "not reached"
            counts = f"{row['steps']:,} | {row['looks']:,}"
            lines.append(f"| {row['model']} | {counts} | {cost} | {noise} | {row['reach']:.0%}, {reached} |")
        parts += [
            f"Measured on {about(result)}. Here, brackets hold intervals of 95 %.",
            _table("model | steps | looks | cost | equal copies differ by | goal", lines),
        ]
    return _joined(parts, "overhead")


def drawing_table(results: Results) -> str:
    """Frames per second, and milliseconds of work."""
    parts = []
    for result in of(results, "drawing"):
        lines = []
        for row in result["rows"]:
            sizes = f"{row['heads']} heads, {row['tokens']} tokens"
            if "frames_per_second" in row:
                cost = 1e3 * row["drawing_seconds"]["median"]
                lines.append(f"| {row['work']}, {sizes} | {row['frames_per_second']:.0f} | {cost:.2f} |")
            else:
                for name, taken in row["contestants"].items():
                    lines.append(f"| pointing, {sizes}, {name} | | {1e3 * taken['work_seconds']['median']:.2f} |")
        parts.append(f"Measured in Chromium {result['browser']}, {result['screen']}, {result['date']}.")
        parts.append(_table("work | frames per second | work, ms", lines))
    return _joined(parts, "drawing")


def ready_table(results: Results) -> str:
    """Seconds until the widgets of a page can be used."""
    parts = []
    for result in of(results, "ready"):
        lines = [
            f"| {row['work']} | {row['widgets']} | {_spread(row['ready_seconds'], '.2f')} | {row['reach']:g}, "
            f"{'reached' if row['reached'] else 'not reached'} |"
            for row in result["rows"]
        ]
        parts.append(f"Measured in Chromium {result['browser']}, {result['screen']}, {result['date']}.")
        parts.append(_table("page | widgets | seconds | goal", lines))
    return _joined(parts, "ready")


def typing_table(results: Results) -> str:
    """Milliseconds from the last key to the first and the last change of a translation, and between frames."""
    parts = []
    for result in of(results, "typing_in"):
        lines = []
        for row in result["rows"]:
            until = row["seconds_until"]
            in_ms = [{part: 1e3 * found for part, found in until[name].items()} for name in ("first", "last", "frame")]
            lines.append(f"| {row['work']} | " + " | ".join(_spread(found, ".0f") for found in in_ms) + " |")
        parts.append(f"Measured in Chromium {result['browser']}, {result['screen']}, {result['date']}.")
        parts.append(_table("page | first change, ms | last change, ms | longest frame, ms", lines))
    return _joined(parts, "typing_in")


def toolkits_part(results: Results) -> list[str]:
    """Rates compared with toolkits, how each differs from us, and the BLEU that was reached."""
    fields = {"real_positions": ".0%", "bleu": ".1f"}
    parts = [TOOLKITS, speed_table(results, "toolkits")]
    for result in of(results, "toolkits"):
        parts.append(rate_table({"toolkits": result}, "toolkits", fields))
        parts += bounds({"toolkits": result}, "toolkits")
        machine, kits = result["machine"], result["toolkits"].items()
        load = f"{machine['load_average_5_minutes']:g} for {machine['cores']} cores"
        parts.append(f"The load of the machine was {load}; CPU seconds count the contestant alone.")
        if result.get("at_once", 1) > 1:
            parts.append(f"{result['at_once']} contestants trained at the same time, so their rates have no goal.")
        parts += ["\n".join(f"- {name} (`{package}`): {result['differs'][name]}." for name, package in kits)]
        if not any("bleu_reach" in row for row in result["rows"]):
            parts.append(f"*BLEU after equal CPU minutes is not measured yet.* `{COMMANDS['toolkits']}` measures it.")
    return parts


def sources(results: Results) -> str:
    """The command behind each file."""
    lines = []
    for name, result in results.items():
        packages = ", ".join(f"{package} {version}" for package, version in result["versions"].items())
        made = f"`{result['command']}`, on {about(result)}, commit `{result['commit'][:7]}`; {packages}"
        lines.append(f"- **{name}**: {made}.")
    return "\n".join(lines) or "There are no files yet."


def about(result: Mapping[str, Any]) -> str:
    """Machine, precision and date."""
    machine, settings = result["machine"], result["settings"]
    place = machine.get("gpu") or f"{machine['cpu']}, {machine['threads']} of {machine['cores']} cores"
    kind = settings["dtype"].removeprefix("torch.") + (", compiled" if settings["compile"] else "")
    return f"{place}, {kind}, {result['date']}"


def readme(results: Results) -> str:
    """All goals, and all results behind them."""
    fields = {
        "headline": {"loss": ".2f", "seconds_in_all": ".0f"},
        "training_step": {"share_of_peak": ".0%"},
        "files": {"same_as_fp32": ".0%"},
    }
    parts = [HOW, "## Goals", "The goals were set before anything was measured.", goals_table(results)]
    for name in ("headline", "training_step", "greedy", "files", "additive", "lengths"):
        parts += [f"## {name.replace('_', ' ').capitalize()}", speed_table(results, name)]
        parts += [rate_table(results, name, fields.get(name, {}))]
        parts += bounds(results, name)
        parts += [memory_table(results, name)] if name in ("additive", "lengths") else []
    parts += ["## Toolkits", *toolkits_part(results)]
    parts += ["## Watching while training", overhead_table(results), "## Drawing", drawing_table(results)]
    parts += ["## Opening a page", ready_table(results)]
    parts += ["## Typing into a translator", typing_table(results), "## How each file was measured", sources(results)]
    return "\n\n".join(parts) + "\n"


def _unusual(result: Mapping[str, Any]) -> str:
    """Device, precision and mode in brackets, unless they are CPU and fp32."""
    device, settings = result["machine"]["device"], result["settings"]
    kind = settings["dtype"].removeprefix("torch.")
    parts = [device] * (device != "cpu") + [kind] * (kind != "float32") + ["compiled"] * settings["compile"]
    return f" ({', '.join(parts)})" if parts else ""


def _reached(reach: Mapping[str, float], reached: Mapping[str, bool], rival: str) -> str:
    return "" if rival not in reach else f"{reach[rival]:g}, {'reached' if reached[rival] else 'not reached'}"


def _spread(value: Mapping[str, float], spec: str) -> str:
    return f"{value['median']:{spec}} ({value['low']:{spec}} to {value['high']:{spec}})"


def _table(header: str, lines: list[str]) -> str:
    return "\n".join([f"| {header} |", "|" + "---|" * (header.count("|") + 1), *lines])


def _joined(parts: list[str], name: str) -> str:
    return "\n\n".join(parts) or f"*Not measured yet.* `{COMMANDS[name]}` measures it."


if __name__ == "__main__":
    atomic_write(RESULTS / "README.md", readme(load_all()))
