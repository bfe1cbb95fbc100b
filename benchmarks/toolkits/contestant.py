"""One contestant's process: ``python -m benchmarks.toolkits.contestant NAME FOLDER``; the parent starts its turns."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import torch

from benchmarks.toolkits.meter import Meter
from benchmarks.toolkits.setting import Setting


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    with os.fdopen(os.dup(1), "w") as reports:
        os.dup2(2, 1)  # what a toolkit prints goes into the log
        torch.set_num_threads(1)
        setting = Setting.read(folder)
        torch.manual_seed(setting.seed)
        side = importlib.import_module(f"benchmarks.toolkits.{name}_side")
        side.run(setting, folder, folder / name, Meter(setting, sys.stdin, reports))
        print("translated", file=reports, flush=True)


if __name__ == "__main__":
    main()
