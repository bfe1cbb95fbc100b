"""Errata: sources exist, computations reproduce each fault, and quotations are verbatim."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import torch

from attnbook.attention.multihead import MultiHeadAttention
from bookkit.errata import CHECKS, run
from bookkit.errata.table import Entry, entries_cards, load, worked_html, worked_summary
from bookkit.errata.worked import steps
from tests.support.external_data import DATA, SEEDS, notes_are_here

NOTES, ENTRIES = load()
STEPS = steps()


def names(entries: list[Entry]) -> list[str]:
    return [entry.id for entry in entries]


def test_errata_checks_are_many_with_unique_names() -> None:
    assert len(ENTRIES) > 100
    assert len(set(names(ENTRIES))) == len(ENTRIES)
    order = list(NOTES)
    assert [entry.note for entry in ENTRIES] == sorted((entry.note for entry in ENTRIES), key=order.index)


@pytest.mark.parametrize("name", CHECKS)
def test_errata_check_shows_its_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if DATA.is_dir():
        monkeypatch.setenv("ATTNBOOK_DATA", str(DATA))
    outcome = run(name)
    if outcome.shows is None and not DATA.is_dir():
        pytest.skip(f"no corpora on this machine: {outcome.seen}")
    assert outcome.shows, f"the fault does not appear: {outcome.seen}"
    assert outcome.seen.endswith(".")


@pytest.mark.parametrize("name", CHECKS)
def test_errata_checks_are_used_and_have_docstrings(name: str) -> None:
    assert name in {entry.check for entry in ENTRIES}
    assert CHECKS[name].__doc__


@pytest.mark.parametrize("entry", ENTRIES, ids=names(ENTRIES))
def test_errata_entries_name_existing_checks_and_pages(entry: Entry, root: Path) -> None:
    bibliography = (root / "book" / "references.bib").read_text(encoding="utf-8")
    assert entry.note in NOTES
    assert entry.check is None or entry.check in CHECKS
    assert entry.step is None or entry.step in STEPS
    assert [key for key in entry.cite if f"{{{key}," not in bibliography] == []
    assert (root / "book" / f"{entry.chapter}.md").is_file()
    assert all(0 < len(quote) <= 110 for quote in entry.quote), "quote a few words"


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.step], ids=names([e for e in ENTRIES if e.step]))
def test_numbers_marked_wrong_are_wrong(entry: Entry) -> None:
    assert entry.step is not None
    step = STEPS[entry.step]
    if step.from_inputs is None:
        assert entry.verdict == "imprecise", "nothing can be recomputed"
        return
    found = [right for right in (step.right_from_inputs, step.right_from_start) if right is not None]
    for i in range(len(step.printed)) if entry.rows is None else entry.rows:
        if entry.rows is not None or step.printed.dim() > 1:
            assert any(not bool(right[i].all()) for right in found), f"row {i} is right"
    assert any(not bool(right.all()) for right in found)


def test_wrong_number_has_an_errata_entry() -> None:
    entered = {entry.step for entry in ENTRIES}
    for step in STEPS.values():
        wrong = step.right_from_inputs is not None and not bool(step.right_from_inputs.all())
        assert not wrong or step.name in entered, step.name


def test_recomputed_steps_equal_values_by_hand() -> None:
    """Two numbers of the self-attention example, worked out on paper."""
    queries = STEPS["attention.q"].from_inputs
    assert queries is not None and float(queries[0, 0]) == pytest.approx(0.2 * 0.1 + 0.4 * 0.4 + 0.6 * 0.7)
    right = STEPS["attention.scores"].right_from_inputs
    assert right is not None and bool(right.all()), "the note divided rightly"
    total = worked_summary(STEPS.values())
    assert total["printed"] > total["recomputed_from_inputs"] >= total["recomputed_from_start"] > 0


def test_step_takes_printed_numbers_when_nothing_computes_them() -> None:
    given, joined, output = (STEPS[f"multi-head.{name}"] for name in ("head2", "joined", "output"))
    assert given.from_start is None and joined.from_start is not None and output.from_start is not None
    assert bool((joined.from_start[:, 2:] == given.printed).all())
    assert float(output.from_start[0, 0]) == pytest.approx(
        float(joined.from_start[0] @ output.inputs["W_O"][:, 0]), abs=1e-9
    )


@pytest.mark.parametrize("name", ["ffn-output", "norm-deviation", "one-w-o", "sample-output"])
def test_values_written_in_an_entry_are_computed(name: str) -> None:
    (entry,) = (entry for entry in ENTRIES if entry.id == name)
    if name == "ffn-output":
        first = STEPS["feed-forward.output"].from_start
        assert first is not None and ", ".join(f"{value:.2f}" for value in first[0].tolist()) in entry.fault
    elif name == "norm-deviation":
        x = torch.randn(4, 512, dtype=torch.float64)
        ratios = [float((y.std(-1, correction=0) / y.std(-1)).mean()) for y in (x[:, :4], x)]
        assert "{:.3f} for $D = 4$, {:.3f} for $D = 512$".format(*ratios) in entry.fault
    elif name == "one-w-o":
        module = MultiHeadAttention(512, 8)
        assert "{} × {}".format(*module.W_o.weight.shape) in entry.right
        assert f"a block has {512 // 8} rows" in entry.right
    else:
        assert entry.check is not None
        low, high = (float(x) for x in re.findall(r"between ([\d.]+) and ([\d.]+)", run(entry.check).seen)[0])
        assert f"between {low:.1f} and {math.ceil(10 * high) / 10} in a thousand runs" in entry.right


def test_numbers_are_quoted_as_the_notes_print_them() -> None:
    step = STEPS["positions.table"]
    assert [step.formatted(value) for value in step.printed[1].tolist()] == ["0.8415", "0.9984", "0.01", "1"]
    assert STEPS["multi-head.weights"].formatted(0.1) == "0.10"


def test_printed_number_is_right_when_computed_one_rounds_to_it() -> None:
    step = STEPS["embedding.lookup"]
    assert bool(step.right(step.printed + 0.049).all())  # type: ignore[union-attr]
    assert not bool(step.right(step.printed + 0.051).any())  # type: ignore[union-attr]


def test_errata_page_has_every_entry_and_step() -> None:
    outcomes = {name: run(name) for name in CHECKS}
    text = entries_cards(ENTRIES, outcomes, STEPS, 1)
    assert all(f":name: erratum-{entry.id}\n" in text for entry in ENTRIES)
    assert text.count("<details><summary>") == len(ENTRIES), "each entry is folded"
    assert worked_html(STEPS.values()).count("<details>") == len(STEPS)


@notes_are_here
@pytest.mark.parametrize("name", NOTES)
def test_quotes_are_in_the_notes(name: str) -> None:
    (file,) = SEEDS.glob(f"{NOTES[name].file}_*")
    text = file.read_text(encoding="utf-8")
    quotes = [quote for entry in ENTRIES if entry.note == name for quote in entry.quote]
    assert [quote for quote in quotes if quote not in text] == []


@notes_are_here
def test_printed_numbers_are_in_the_notes() -> None:
    """Checks every row of every printed matrix, with any separator between numbers."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*.txt")))
    numbers = " ".join(re.findall(r"-?\d+(?:\.\d+)?", text))
    missing = []
    for step in STEPS.values():
        for row in step.printed.reshape(-1, step.printed.shape[-1]).tolist():
            spelt = r"\s".join(re.escape(f"{value:g}") + r"(?:\.?0*)" for value in row)
            if not re.search(rf"(?<![\d.]){spelt}(?![\d.])", numbers):
                missing.append((step.name, row))
    assert [item for item in missing if "denominators" not in item[0]] == []
