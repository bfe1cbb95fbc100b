"""Toolkits in separate environments under ``runs/``, all with the same torch."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import torch

REQUIREMENTS = {"JoeyNMT": "joeynmt==2.3.0", "Eole": "eole==0.6.4"}
SIDES = {"attnbook": "attnbook", "JoeyNMT": "joeynmt", "Eole": "eole"}  # contestants, and the modules that run them


def python_of(name: str, folder: Path) -> Path:
    """The Python of a toolkit's environment, which is created if it does not exist.

    It inherits the packages of this environment, so that torch is the same for all toolkits.
    """
    if name not in REQUIREMENTS:
        return Path(sys.executable)
    place = folder / f"{SIDES[name]}-env"
    python, done = place / "bin" / "python", place / "installed"
    if not done.exists():
        print(f"Installing {REQUIREMENTS[name]} into {place}", flush=True)
        venv.create(place, with_pip=True)
        (packages,) = place.glob("lib/python*/site-packages")
        (packages / "base.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
        wanted = [REQUIREMENTS[name], f"torch=={torch.__version__}"]
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *wanted], check=True)
        done.touch()
    return python
