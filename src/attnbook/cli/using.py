"""The commands that use a trained model: ``translate``, ``evaluate``, ``attend``, ``export``."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnbook._internal.validate import check_range
from attnbook.cli.arguments import BEAM, BeamOption, DataOption, DeviceOption, RunArgument, check_device, ready

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from attnbook.cli.options import Options
    from attnbook.cli.run_folder import LoadedRun
    from attnbook.data import Example
    from attnbook.translation.translate import Translation

FIRST_LINES = 3  # of several that are named


def translate(
    run: RunArgument,
    sentences: Annotated[list[str] | None, typer.Argument(help="Without any, lines of standard input.")] = None,
    beam: BeamOption = BEAM,
    max_length: Annotated[int, typer.Option(min=1, help="Longest translation, in ids.")] = 100,
    device: DeviceOption = "auto",
) -> None:
    """Translate sentences, one line each."""
    from attnbook.cli.run_folder import load_run

    ready()
    loaded = load_run(run, check_device(device))
    lines = sentences or _piped()
    for translation in _translate(loaded, lines, beam_size=beam, max_length=max_length):
        typer.echo(loaded.options.join(translation.target))


def evaluate(
    run: RunArgument,
    split: Annotated[str, typer.Option(help="valid, test, or composition of the embedded corpus.")] = "test",
    file: Annotated[
        list[Path] | None, typer.Option(help="Score a file of pairs instead; given twice: of source and target.")
    ] = None,
    beam: BeamOption = BEAM,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first sentences of the split.")] = None,
    data: DataOption = None,
    device: DeviceOption = "auto",
    out: Annotated[Path | None, typer.Option("--json", help="Write the figures into this file too.")] = None,
) -> None:
    """Score the translations of sentences that were not trained on."""
    from attnbook._internal.files import atomic_write, check_writable
    from attnbook.cli.run_folder import load_held_out, load_run
    from attnbook.translation import evaluate as evaluation

    ready()
    files = list(map(str, file or []))
    check_range("file", files, len(files) <= 2, "a file of pairs, or those of source and target")
    loaded = load_run(run, check_device(device))
    own = f"none, as {'the file' if file else loaded.options.corpus} is no corpus that --data could replace"
    check_range("data", data and str(data), data is None or (loaded.options.corpus == "tatoeba" and not file), own)
    if file:
        split = " and ".join(path.name for path in file)
        held_out: Mapping[str, Sequence[Example]] = {split: _examples(file, loaded.options)}
    else:
        held_out = load_held_out(run, loaded.options, data=data, progress=True)
    if not held_out.get(split):
        there = ", ".join(name for name, examples in held_out.items() if examples) or "none; give a file by --file"
        raise ValueError(f"split is {split!r}: wanted one that this corpus has, {there}")
    if out is not None:
        check_writable(out)
    found = evaluation.evaluate(loaded.model.model, held_out[split][:limit], *loaded.model[1:], beam_size=beam)
    figures = {"split": split, "beam": beam, **found.figures}
    _print_figures(figures)
    if out is not None:
        known = {name: None if value == math.inf else value for name, value in figures.items()}
        atomic_write(out, json.dumps(known, indent=2, allow_nan=False) + "\n")  # JSON has no infinity


def attend(
    run: RunArgument,
    sentence: Annotated[str, typer.Argument(help="In the language that the model reads.", show_default=False)],
    html: Annotated[Path | None, typer.Option(help="Write a page to explore; it needs no network.")] = None,
    beam: BeamOption = BEAM,
) -> None:
    """Translate a sentence and show where each word looked."""
    from attnbook._internal.files import check_writable
    from attnbook.cli.run_folder import load_run
    from attnbook.translation.alignment import links_from_weights

    ready()
    loaded = load_run(run)
    if html is not None:
        check_writable(html)
    (found,) = _translate(loaded, [sentence], beam_size=beam, attention=True)
    typer.echo(loaded.options.join(found.target))
    if not found.attention:
        raise ValueError(f"{run} is a model without attention: wanted another family")
    for name, weights in found.attention.items():
        looked = {j: i for i, j in links_from_weights(weights)}
        typer.echo(f"\n{name}")
        for j, piece in enumerate(found.target_pieces):
            if j in looked:
                weight = float(weights.mean(0)[j, looked[j]])
                typer.echo(f"  {piece:<16} {found.source_pieces[looked[j]]:<16} {weight:.2f}")
    if html is not None:
        typer.echo(f"\n{_write_page(loaded, found, html)}")


def export(
    run: RunArgument,
    out: Annotated[Path, typer.Argument(help="File to write.", show_default=False)],
) -> None:
    """Write weights, vocabularies and options into one safetensors file, without what only training needs.

    The other commands read it in place of a run's folder. Any program that reads safetensors finds the weights as
    model.<name> and the rest as JSON in the file's metadata.
    """
    from attnbook.cli.run_folder import export_run
    from attnbook.training.checkpoint import read_checkpoint

    ready()
    export_run(run, out)
    typer.echo(f"{out}: {out.stat().st_size / 1e6:.1f} MB, {len(read_checkpoint(out).tensors)} tensors")


def _piped() -> list[str]:
    """The lines of standard input; blank ones are left out, and said."""
    from attnbook.data.reader import visible

    try:
        lines = [line.strip().removeprefix("\ufeff") for line in sys.stdin]
    except UnicodeDecodeError as error:
        raise ValueError(f"standard input cannot be read ({error}): wanted text in {error.encoding}") from error
    blank = [number for number, line in enumerate(lines, start=1) if not visible(line).strip()]
    if blank:
        first = ", ".join(map(str, blank[:FIRST_LINES])) + (", ..." if len(blank) > FIRST_LINES else "")
        _warn(f"blank lines are left out of the translations: {len(blank)} (line {first})")
    return [line for line in lines if visible(line).strip()]


def _translate(loaded: LoadedRun, lines: Sequence[str], **options: Any) -> list[Translation]:
    """Translate, and warn of what makes a translation doubtful."""
    from attnbook.data import UNK
    from attnbook.data.text import ends
    from attnbook.translation import translate as decoding

    model, source, target = loaded.model
    sentences = [loaded.options.tokenize(line) for line in lines]
    found = decoding.translate(model, sentences, source, target, **options)
    for line, tokens, translation in zip(lines, sentences, found, strict=True):
        unknown = [token for token in dict.fromkeys(tokens) if UNK in source.encode([token])]
        if unknown:
            shown = ", ".join(token if token.isprintable() else repr(token) for token in unknown)
            _warn(f"{line!r} has what the model does not know: {shown}")
        if loaded.punctuated and not ends(tokens):
            _warn(f"{line!r} ends without a full stop, unlike nearly all sentences that the model was trained on")
        if not translation.finished:
            _warn(f"the translation of {line!r} did not end and was cut")
    return found


def _warn(message: str) -> None:
    typer.echo(f"warning: {message}", err=True)


def _examples(files: Sequence[Path], options: Options) -> list[Example]:
    """The pairs of files, one example for each source."""
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


def _print_figures(figures: dict[str, Any]) -> None:
    typer.echo(f"{figures['sentences']} sentences of {figures['split']}, beam {figures['beam']}")
    typer.echo(f"BLEU {figures['bleu']:.2f}   chrF {figures['chrf']:.2f}   exact {100 * figures['exact']:.1f} %")
    typer.echo(f"perplexity {figures['perplexity']:.2f}")
    rates = figures.get("alignment_error_rate", {})
    for name, rate in rates.items():
        typer.echo(f"alignment error rate {rate:.3f}   {name}")
    if rates:
        typer.echo(
            "  0: each word looks most at the words that its gold alignment links it to. A model may translate well "
            "and look\n  elsewhere, since what it reads at one word also tells of the words beside it."
        )
    if figures["cut_at_the_longest"]:
        typer.echo(f"{figures['cut_at_the_longest']} translations did not end")


def _write_page(loaded: LoadedRun, found: Translation, path: Path) -> Path:
    from attnbook.data import Pair, collate
    from attnbook.observe.recorder import record_attention
    from attnbook.widgets.attention_view import AttentionView

    if not found.target:
        raise ValueError("the translation is empty: there is nothing to draw")
    model, source, target = loaded.model
    probe = collate([Pair(found.source, found.target)], source, target)
    with record_attention(model) as record:
        title = loaded.options.join(found.target)
        view = AttentionView(record, probe, source_vocabulary=source, target_vocabulary=target, title=title)
    return view.save_html(path)
