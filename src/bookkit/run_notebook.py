"""Execute one notebook and keep it after every cell; started by ``bookkit.execute_notebooks``.

Prints ``cell NUMBER of COUNT`` as it goes. Exit status: 0 if every cell ran, 1 if one failed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError


def save(notebook: nbformat.NotebookNode, path: Path) -> None:
    part = path.with_suffix(".part")
    part.write_text(nbformat.writes(notebook), encoding="utf-8")
    part.replace(path)


def execute(source: Path, target: Path, folder: Path, kernel: str) -> int:
    """Run every cell in order, in a new kernel."""
    notebook = nbformat.read(source, as_version=4)
    numbers = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]

    def started(cell: Any, cell_index: int) -> None:
        if cell_index in numbers:
            print(f"cell {numbers.index(cell_index) + 1} of {len(numbers)}", flush=True)

    def ended(**_: Any) -> None:
        save(notebook, target)

    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_name=kernel,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=started,
        on_cell_executed=ended,
        record_timing=True,
    )
    save(notebook, target)
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError):
        return 1  # the traceback is in the notebook
    except DeadKernelError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        save(notebook, target)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--folder", type=Path, required=True, help="where the cells run")
    parser.add_argument("--kernel", default="python3", help="its name (default: python3, this Python)")
    options = parser.parse_args()
    sys.exit(execute(options.source, options.target, options.folder, options.kernel))
