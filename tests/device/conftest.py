"""The GPU of these tests, real if there is one and otherwise simulated, and a report of waits and mixed devices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.support.fake_cuda import FakeCuda
from tests.support.real_cuda import RealCuda

Gpu = FakeCuda | RealCuda
IS_REAL = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def gpu() -> Iterator[Gpu]:
    """The GPU. A test fails if an operator mixes devices, even if the error is caught."""
    if IS_REAL:
        yield RealCuda()
        return
    with FakeCuda() as simulated:
        yield simulated
    assert not simulated.problems


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The device report: scenarios, tensors of two devices in one operator, waits per training step."""
    done = [report for key in ("passed", "failed", "error") for report in terminalreporter.getreports(key)]
    scenarios = [report for report in done if "tests/device/" in report.nodeid and report.when == "call"]
    if not scenarios:
        return
    mixes = [report for report in done if "same device" in str(report.longrepr or "")]
    name = torch.cuda.get_device_name() if IS_REAL else "simulated GPU"
    terminalreporter.section(f"device report: {name}, torch {torch.__version__}")
    failed = sum(report.failed for report in scenarios)
    terminalreporter.line(f"{len(scenarios)} scenarios, {failed} failed; {len(mixes)} mixes of devices")
    for report in scenarios:
        for key, value in report.user_properties:
            if key == "waits":
                terminalreporter.line(str(value))
