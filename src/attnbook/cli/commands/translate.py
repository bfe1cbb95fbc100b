"""The command ``translate``."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from attnbook.cli.commands.shared import (
    BEAM,
    BeamOption,
    DeviceOption,
    RunArgument,
    check_device,
    raise_interrupts,
    translate_lines,
    warn,
)

NAMED_LINES = 3  # how many line numbers a warning lists


def translate(
    run: RunArgument,
    sentences: Annotated[
        list[str] | None, typer.Argument(help="Sentences to translate. Default: the lines of standard input.")
    ] = None,
    beam: BeamOption = BEAM,
    max_length: Annotated[int, typer.Option(min=1, help="Maximum length of a translation, in tokens.")] = 100,
    device: DeviceOption = "auto",
) -> None:
    """Translate sentences, one per line."""
    from attnbook.cli.run_folder import load_run

    raise_interrupts()
    loaded = load_run(run, check_device(device))
    lines = sentences or _standard_input()
    for translation in translate_lines(loaded, lines, beam_size=beam, max_length=max_length):
        typer.echo(loaded.options.join(translation.target))


def _standard_input() -> list[str]:
    """The lines of standard input, without blank lines."""
    from attnbook.data.reader import visible

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="strict")  # in the C locale Python passes on invalid bytes
    try:
        lines = [line.strip().removeprefix("\ufeff") for line in sys.stdin]
    except UnicodeDecodeError as error:
        raise ValueError(f"standard input must be {error.encoding} text, got other bytes ({error})") from error
    blank = [number for number, line in enumerate(lines, start=1) if not visible(line).strip()]
    if blank:
        first = ", ".join(map(str, blank[:NAMED_LINES])) + (", ..." if len(blank) > NAMED_LINES else "")
        noun = "line" if len(blank) == 1 else "lines"
        warn(f"skipped {len(blank)} blank {noun} ({noun} {first})")
    return [line for line in lines if visible(line).strip()]
