"""Arguments, options and checks that several commands share."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnbook._internal.validate import check_range

if TYPE_CHECKING:
    from attnbook.cli.run_folder import LoadedRun
    from attnbook.translation.translate import Translation

BEAM = 4
RunArgument = Annotated[
    Path, typer.Argument(help="Folder of a run, or a file written by `export`.", show_default=False)
]
DeviceOption = Annotated[str, typer.Option(help="Device: cpu, cuda, or auto (a GPU if there is one).")]
DataOption = Annotated[
    Path | None,
    typer.Option(
        help="File or folder of the Tatoeba corpus. Default: the folder in ATTNBOOK_DATA; if it is not set, the "
        "corpus is downloaded once."
    ),
]
BeamOption = Annotated[int, typer.Option(min=1, help="Beam size; 1 is greedy search.")]


def raise_interrupts() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, so that work can be saved: all imports are done."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if "TORCHELASTIC_RUN_ID" in os.environ:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # torchrun sends the terminal's signal a second time
    raise KeyboardInterrupt


def check_device(name: str) -> str:
    """Return the name of an available device; "auto" chooses one.

    Raises:
        ValueError: the device is not available.
    """
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name).item()  # torch may know the name of a device that is not available
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device must be cpu, cuda or auto, and available, got {name!r}") from error
    return name


def check_output(name: str, out: Path | None, run: Path, inputs: Sequence[Path] = ()) -> None:
    """Check that an output file can be written and replaces neither a run's own file nor an input.

    Args:
        name: name of the argument.
        out: the file; None if the option was not given.
        run: folder of the run, or exported file.
        inputs: other files that the command reads.

    Raises:
        ValueError: ``out`` would replace such a file.
        OSError: ``out`` cannot be written.
    """
    from attnbook._internal.files import check_writable
    from attnbook.cli.run_folder import belongs_to_run

    if out is None:
        return
    target = os.path.realpath(out)
    read = [os.path.realpath(path) for path in (run, *inputs)]
    check_range(name, str(out), target not in read, "a file other than the ones that the command reads")
    own = belongs_to_run(target, run)
    check_range(name, str(out), not own, "a file other than those of a run, which are needed to resume or use it")
    check_writable(out)


def translate_lines(loaded: LoadedRun, lines: Sequence[str], **options: Any) -> list[Translation]:
    """Translate, and warn about doubtful translations."""
    from attnbook.data import UNK
    from attnbook.data.text import is_punctuated
    from attnbook.translation import translate as translation

    model, source, target = loaded.model
    sentences = [loaded.options.tokenize(line) for line in lines]
    found = translation.translate(model, sentences, source, target, **options)
    for line, tokens, translated in zip(lines, sentences, found, strict=True):
        unknown = [token for token in dict.fromkeys(tokens) if UNK in source.encode([token])]
        if unknown:
            shown = ", ".join(token if token.isprintable() else repr(token) for token in unknown)
            warn(f"{line!r} contains words that the model does not know: {shown}")
        if loaded.punctuated and not is_punctuated(tokens):
            warn(f"{line!r} has no final punctuation, unlike almost all training sentences")
        if not translated.finished:
            warn(f"the translation of {line!r} reached the maximum length and was cut")
    return found


def warn(message: str) -> None:
    """Print a warning to standard error."""
    typer.echo(f"warning: {message}", err=True)
