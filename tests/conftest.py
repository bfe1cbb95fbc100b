"""Fixtures that tests of several folders share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from attnbook.data import Batch
from tests.support.once import once
from tests.support.small_models import SOURCE_LENGTHS, TARGET_LENGTHS, random_batch

ROOT = Path(__file__).resolve().parent.parent

# Matplotlib's list of fonts in the home folder may be damaged; see ``bookkit.build_book.environment_for``.
os.environ["MPLCONFIGDIR"] = str(ROOT / "_build" / ".home" / "matplotlib")
torch.set_num_threads(1)  # faster than two threads for small tensors, especially next to other processes
# No test fails because the machine is busy.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The folder of the built book."""
    folder = ROOT / "_build" / "html"
    if not (ROOT / "_build" / ".complete").is_file():
        pytest.fail("the book is not built, or its last build failed: run `make book` (`make test` does)")
    return folder


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that the command line has trained; no test changes it."""
    from tests.support.command_line import train_small  # needs the extra [cli]

    return once(tmp_path_factory, "trained", lambda folder: train_small(folder / "small"))


@pytest.fixture
def batch() -> Batch:
    """Three sentences of random words, for any model of ``tests/support/small_models.py``."""
    return random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)


def pytest_runtest_setup() -> None:
    """Make random tensors independent of the tests that ran before."""
    torch.manual_seed(0)
