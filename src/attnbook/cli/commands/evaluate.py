"""The command ``evaluate``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnbook._internal.validate import check_range
from attnbook.cli.commands.shared import (
    BEAM,
    BeamOption,
    DataOption,
    DeviceOption,
    RunArgument,
    check_device,
    check_output,
    raise_interrupts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from attnbook.cli.options import Options
    from attnbook.data import Example


def evaluate(
    run: RunArgument,
    split: Annotated[
        str,
        typer.Option(
            help="Held-out set: valid or test; the grammar corpus with 2000 pairs or more also has composition."
        ),
    ] = "test",
    file: Annotated[
        list[Path] | None,
        typer.Option(
            help="Score the sentence pairs of this file instead of a held-out set: source and target on each line, "
            "separated by a tab. Give the option twice for a source file and a target file."
        ),
    ] = None,
    beam: BeamOption = BEAM,
    limit: Annotated[int | None, typer.Option(min=1, help="Score only this many sentences.")] = None,
    data: DataOption = None,
    device: DeviceOption = "auto",
    out: Annotated[Path | None, typer.Option("--json", help="Write the scores to this file as JSON.")] = None,
) -> None:
    """Translate held-out sentences and score the translations."""
    from attnbook._internal.files import atomic_write
    from attnbook.cli.run_folder import load_held_out, load_run
    from attnbook.translation import evaluate as evaluation

    raise_interrupts()
    files = file or []
    check_range("file", list(map(str, files)), len(files) <= 2, "one file of pairs, or a source and a target file")
    loaded = load_run(run, check_device(device))
    fits = data is None or (loaded.options.corpus == "tatoeba" and not files)
    check_range("data", data and str(data), fits, "omitted unless a run on the tatoeba corpus is scored without --file")
    check_output("json", out, run, [*files, *([] if data is None else [data])])
    if files:
        split = " and ".join(path.name for path in files)
        held_out: Mapping[str, Sequence[Example]] = {split: _examples(files, loaded.options)}
    else:
        held_out = load_held_out(run, loaded.options, data=data, progress=True)
    sets = [name for name, examples in held_out.items() if examples]
    allowed = f"one of {', '.join(sets)}" if sets else "replaced by --file, since this corpus has no held-out sentences"
    check_range("split", split, split in sets, allowed)
    result = evaluation.evaluate(loaded.model.model, held_out[split][:limit], *loaded.model[1:], beam_size=beam)
    scores = {"split": split, "beam": beam, **result.figures}
    _print_scores(scores)
    if out is not None:
        finite = {name: None if value == math.inf else value for name, value in scores.items()}  # JSON has no infinity
        atomic_write(out, json.dumps(finite, indent=2, allow_nan=False) + "\n")


def _examples(files: Sequence[Path], options: Options) -> list[Example]:
    """Read the pairs of files, and make one example of each source."""
    from attnbook.data import Example, Pair
    from attnbook.data.reader import Report, read_pairs

    report = Report(" and ".join(path.name for path in files))
    groups: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for row in read_pairs(files, report):
        source = options.tokenize(row.source)
        groups.setdefault(source, {})[options.tokenize(row.target, side="target")] = None
    if report.counts:
        typer.echo(str(report), err=True)
    return [Example(tuple(Pair(source, target) for target in targets)) for source, targets in groups.items()]


def _print_scores(scores: dict[str, Any]) -> None:
    typer.echo(f"{scores['sentences']} sentences of {scores['split']}, beam {scores['beam']}")
    typer.echo(f"BLEU {scores['bleu']:.2f}   chrF {scores['chrf']:.2f}   exact {100 * scores['exact']:.1f} %")
    typer.echo(f"perplexity {scores['perplexity']:.2f}")
    rates = scores.get("alignment_error_rate", {})
    for name, rate in rates.items():
        typer.echo(f"alignment error rate {rate:.3f}   {name}")
    if rates:
        typer.echo(
            "  Low: most target words attend most to a word that the gold alignment links them to. Words with several\n"
            "  gold links or none keep the lowest possible rate above 0. A model may translate well with a high rate,\n"
            "  since the state of one word also describes its neighbors."
        )
    if scores["cut_at_the_longest"]:
        typer.echo(f"{scores['cut_at_the_longest']} translations reached the maximum length")
