"""The command line: train, translate, evaluate, attend, export.

Modules that take seconds to import are imported by the commands that need them, so that help comes at once.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from attnbook import __version__
from attnbook.cli.training import train
from attnbook.cli.using import attend, evaluate, export, translate

EXPECTED = (ValueError, TypeError, OSError, FloatingPointError, MemoryError, ModuleNotFoundError)
NO_ROOM = ("out of memory", "allocate memory", "not enough memory", "overflowed")  # how torch says MemoryError


class _Group(TyperGroup):
    """Says what is wrong in one line, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read our output has left
        except EXPECTED as error:
            typer.echo(f"error: {error or type(error).__name__}", err=True)
            raise typer.Exit(1) from error
        except RuntimeError as error:
            if not any(said in str(error) for said in NO_ROOM):
                raise
            said = str(error).splitlines()[0]
            typer.echo(f"error: no room for it: wanted smaller sizes, or smaller batches ({said})", err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            typer.echo("stopped", err=True)
            raise typer.Exit(130) from error


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train translation models with attention, translate with them, score them, and see where they look.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attnbook {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


for command in (train, translate, evaluate, attend, export):
    app.command()(command)
