"""The command line: train, translate, evaluate, attend, export.

Modules that take seconds to import are imported inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from attnbook import __version__
from attnbook.cli.commands.attend import attend
from attnbook.cli.commands.evaluate import evaluate
from attnbook.cli.commands.export import export
from attnbook.cli.commands.train import train
from attnbook.cli.commands.translate import translate

EXPECTED = (ValueError, TypeError, OSError, FloatingPointError, ModuleNotFoundError)
OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory", "overflowed")  # in torch's RuntimeError


class _Group(TyperGroup):
    """Reports errors in one line, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of the output has closed it
        except ConnectionError as error:
            from attnbook.training.distributed import reporting

            with reporting(wait=True) as first:  # the lost process may already have reported why it ended
                if first:
                    _fail(error)
            raise typer.Exit(1) from error
        except EXPECTED as error:
            _fail(error)
        except (MemoryError, RuntimeError) as error:
            if not isinstance(error, MemoryError) and not any(words in str(error) for words in OUT_OF_MEMORY):
                raise
            typer.echo("error: out of memory; try a smaller model or batch", err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            typer.echo("stopped", err=True)
            raise typer.Exit(130) from error


def _fail(error: Exception) -> None:
    message = str(error)
    if isinstance(error, OSError) and error.strerror:  # leave out the error number
        message = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(1) from error


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train translation models with attention, translate with them, score them, and see where they attend.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attnbook {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


for command in (train, translate, evaluate, attend, export):
    app.command()(command)
