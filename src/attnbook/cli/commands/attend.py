"""The command ``attend``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attnbook._internal.validate import check_range
from attnbook.cli.commands.shared import (
    BEAM,
    BeamOption,
    RunArgument,
    check_output,
    raise_interrupts,
    translate_lines,
)

if TYPE_CHECKING:
    from attnbook.cli.run_folder import LoadedRun
    from attnbook.translation.translate import Translation


def attend(
    run: RunArgument,
    sentence: Annotated[str, typer.Argument(help="Sentence in the source language.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option(help="Write an interactive HTML page to this file; it works offline.")
    ] = None,
    beam: BeamOption = BEAM,
) -> None:
    """Translate a sentence and show which source word each target word attends to most, averaged over the heads."""
    from attnbook.cli.run_folder import load_run
    from attnbook.translation.alignment import links_from_weights

    raise_interrupts()
    loaded = load_run(run)
    check_output("html", html, run)
    check_range("sentence", sentence, bool(loaded.options.tokenize(sentence)), "non-empty")
    (found,) = translate_lines(loaded, [sentence], beam_size=beam, attention=True)
    typer.echo(loaded.options.join(found.target))
    if not found.attention:
        raise ValueError(f"run must have a model with attention, got {loaded.options.family}")
    page = None if html is None else _write_page(loaded, found, html)  # first: `| head` may end the lines below early
    for name, weights in found.attention.items():
        links = {j: i for i, j in links_from_weights(weights)}
        typer.echo(f"\n{name}")
        for j, piece in enumerate(found.target_pieces):
            if j in links:
                weight = float(weights.mean(0)[j, links[j]])
                typer.echo(f"  {piece:<16} {found.source_pieces[links[j]]:<16} {weight:.2f}")
    if page is not None:
        typer.echo(f"\n{page}")


def _write_page(loaded: LoadedRun, found: Translation, path: Path) -> Path:
    from attnbook.data import Pair, collate
    from attnbook.observe.recorder import record_attention
    from attnbook.widgets.attention_view import AttentionView

    if not found.target:
        raise ValueError("the translation must have at least one word for --html, got none")
    model, source, target = loaded.model
    probe = collate([Pair(found.source, found.target)], source, target)
    with record_attention(model) as record:
        title = loaded.options.join(found.target)
        view = AttentionView(record, probe, source_vocabulary=source, target_vocabulary=target, title=title)
    return view.save_html(path)
