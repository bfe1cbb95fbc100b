"""The files around the book: pins, licences, the commands."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement

import attnbook


def requirements(path: Path) -> list[Requirement]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def names(requirements: list[Requirement], python: str) -> dict[str, str]:
    """The pinned version of each package on one Python."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.1"}
    held = [r for r in requirements if not r.marker or r.marker.evaluate(environment)]  # type: ignore[arg-type]
    return {r.name.lower(): str(r.specifier) for r in held}


def pins(root: Path, python: str = "3.12") -> dict[str, str]:
    return names(requirements(root / "requirements.txt") + requirements(root / "requirements-d2l.txt"), python)


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_requirements_pin_every_package_on_each_python(root: Path, python: str) -> None:
    found = pins(root, python)
    assert all(re.fullmatch(r"==[^,*]+", pin) for pin in found.values())
    assert found["jupyter-book"] == "==1.0.4.post1" and found["torch"] == "==2.13.0" and found["d2l"] == "==1.0.3"
    assert set(names(requirements(root / "requirements.in"), python)) <= set(found)


def test_environment_has_pinned_versions(root: Path) -> None:
    from importlib.metadata import version

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in ("torch", "jupyter-book", "sphinx", "matplotlib", "anywidget", "d2l", "pytest"):
        assert version(name).split("+")[0] == pins(root, python)[name].removeprefix("=="), name


def test_package_requirements_are_lower_bounds(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    for line in project["dependencies"]:
        specifiers = [item.operator for item in Requirement(line).specifier]
        assert specifiers == [">="], f"{line}: installing it could replace what is there"
    names = {Requirement(line).name for line in project["dependencies"]}
    assert not names & {"d2l", "jupyter-book", "myst-nb", "torchvision"}


def test_pins_satisfy_package_requirements(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for python in ("3.11", "3.14"):
        found = pins(root, python)
        for requirement in map(Requirement, project["dependencies"]):
            pin = found[requirement.name.lower()].removeprefix("==")
            assert requirement.specifier.contains(pin), f"{requirement} on {python}"


def test_licenses_and_citation_are_complete(root: Path) -> None:
    assert "MIT License" in (root / "LICENSE").read_text(encoding="utf-8")
    assert "CC BY 4.0" in (root / "LICENSE-TEXT.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert str(citation["version"]) == attnbook.__version__


def test_ci_runs_make_test(root: Path) -> None:
    script = root / ".ci" / "run"
    commands = [line for line in script.read_text().splitlines() if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "make test"]
    assert script.stat().st_mode & stat.S_IXUSR
    workflow = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    commands = {step.get("run") for job in workflow["jobs"].values() for step in job["steps"]}
    assert {"make lint", "make test-book", "make test-browser", 'make unit UNIT=""'} <= commands  # together: make test


def fake_python(folder: Path, name: str, version: str) -> None:
    """A program that reports its Python version and runs nothing."""
    ours = shutil.which("python3") or sys.executable
    program = folder / name
    major_minor = ", ".join(version.split(".")[:2])
    program.write_text(
        "#!/bin/bash\n"
        f'if [ "$1" = --version ]; then echo Python {version}; exit; fi\n'
        f'exec {ours} -c "import sys; sys.version_info = ({major_minor}, 0); exec(sys.argv[1])" "$2"\n'
    )
    program.chmod(0o755)


@pytest.mark.parametrize("version", ["3.10.2", "3.15.0"])
def test_setup_refuses_unsupported_python(root: Path, tmp_path: Path, version: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14", "python"):
        fake_python(folder, name, version)
    done = subprocess.run(
        ["bash", str(root / "tools" / "setup.sh"), str(tmp_path / "venv")],
        cwd=root,
        env={**os.environ, "PATH": f"{folder}:/usr/bin:/bin", "PYTHON": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "3.11, 3.12, 3.13 or 3.14" in done.stderr and version in done.stderr
    assert not (tmp_path / "venv").exists()


def test_serve_reports_port_in_use(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "bookkit.serve_book",
            "--port",
            str(port),
            "--folder",
            str(tmp_path),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert f"Port {port} cannot be used" in done.stderr and "PORT=" in done.stderr


def test_serve_prints_address_and_serves_book(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("the book")
    command = [sys.executable, "-m", "bookkit.serve_book", "--port", "0", "--folder", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
            assert address
            with urllib.request.urlopen(address[0], timeout=10) as answer:
                assert answer.read() == b"the book"
        finally:
            server.terminate()


def test_serve_reports_missing_book(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bookkit.serve_book", "--port", "0", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "make book" in done.stderr


def test_chromium_reports_how_to_install_it_when_missing(tmp_path: Path) -> None:
    code = "import sys\nfrom bookkit import chromium\nchromium.can_install = lambda: False\nsys.exit(chromium.main())"
    environment = {**os.environ, "CHROMIUM": str(tmp_path / "none")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "apt-get install -y chromium" in done.stderr and "playwright install chromium" in done.stderr
