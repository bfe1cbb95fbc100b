"""Execute one notebook and save it after every cell, in a forked kernel where forking is safe.

Importing torch and Matplotlib takes longer than the cells of many pages. On Linux ``execute_notebooks`` therefore forks
its processes from one that has imported ``preloaded``, and each of them forks its kernel.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

FORKS = sys.platform == "linux"  # on other systems some libraries break after a fork


class ForkedKernel:
    """A kernel in a fork of this process, with the part of ``Popen``'s interface that Jupyter's provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, connection_file: str, folder: str, environment: dict[str, str]) -> None:
        fork = multiprocessing.get_context("fork")
        self.process = fork.Process(target=run_kernel, args=(connection_file, folder, environment))
        self.process.start()
        assert self.process.pid is not None
        self.pid = self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def run_kernel(connection_file: str, folder: str, environment: dict[str, str]) -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())  # replaces the client's loop, which the fork inherited
    os.chdir(folder)
    os.environ.update(environment)
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # the kernel exits with its parent
    IPKernelApp.launch_instance(["-f", connection_file, parent])


class ForkProvisioner(LocalProvisioner):
    """Starts kernels by forking."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        self.process = ForkedKernel(cmd[cmd.index("-f") + 1], kwargs["cwd"], kwargs["env"])
        return self.connection_info


def fork_kernels() -> None:
    """Make this process start its kernels with ``ForkProvisioner``."""
    factory = KernelProvisionerFactory.instance()
    factory.provisioners["fork"] = EntryPoint("fork", f"{__name__}:ForkProvisioner", factory.GROUP_NAME)
    factory.default_provisioner_name = "fork"


def save(notebook: nbformat.NotebookNode, path: Path) -> None:
    part = path.with_suffix(".part")
    part.write_text(nbformat.writes(notebook), encoding="utf-8")
    part.replace(path)


def execute(source: Path, target: Path, folder: Path, kernel: str) -> int:
    """Run every cell in order, in a new kernel; print ``cell NUMBER of COUNT`` as each starts.

    Returns:
        0 if every cell ran, 1 if one failed.
    """
    if FORKS and kernel == NATIVE_KERNEL_NAME:
        fork_kernels()
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
    )
    save(notebook, target)
    try:
        client.execute()
    except CellExecutionError:
        return 1  # the traceback is in the notebook
    except DeadKernelError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        save(notebook, target)
    return 0


def execute_in_process(environment: dict[str, str], log: Path, *arguments: Any) -> None:
    """Run ``execute`` as the main function of a process: log its output and exit with its result."""
    os.environ.update(environment)  # the caller's, which may have changed since the fork server started
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    sys.exit(execute(*arguments))
