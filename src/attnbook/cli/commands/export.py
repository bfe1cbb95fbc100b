"""The command ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attnbook.cli.commands.shared import RunArgument, check_output, raise_interrupts


def export(
    run: RunArgument,
    out: Annotated[Path, typer.Argument(help="File to write.", show_default=False)],
) -> None:
    """Write weights, vocabularies and options to one safetensors file, without the state of training.

    The commands translate, evaluate and attend accept the file in place of a run's folder; after training on your own
    files, evaluate then needs --file. Programs that read safetensors find the weights under model.<name> and
    everything else as JSON in the metadata.
    """
    from attnbook.cli.run_folder import export_run

    raise_interrupts()
    check_output("out", out, run)
    size, tensors = export_run(run, out)
    typer.echo(f"{out}: {size / 1e6:.1f} MB, {tensors} tensors")
