"""Arguments and options that several commands share, and what checks them."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

BEAM = 4
RunArgument = Annotated[Path, typer.Argument(help="Folder of a run, or a file that `export` made.", show_default=False)]
DeviceOption = Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")]
DataOption = Annotated[
    Path | None, typer.Option(help="File or folder of the real corpus; else ATTNBOOK_DATA, else it is downloaded once.")
]
BeamOption = Annotated[int, typer.Option(min=1, help="Beam size; 1 is greedy search.")]


def ready() -> None:
    """What a command needs is imported: from now on Ctrl-C is an exception, so that work can be saved."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def check_device(name: str) -> str:
    """The name of a device that is here.

    Raises:
        ValueError: there is none of that name.
    """
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device is {name!r}: wanted 'cpu', torch finds no GPU here")
    try:
        torch.zeros(1, device=name).item()  # a device may have a name and not be there
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device is {name!r}: wanted 'cpu', 'cuda' or 'auto', one that is here") from error
    return name
