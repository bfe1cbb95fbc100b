"""D2L's code can be imported with any build of torch, and no stand-in for torchvision is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attnbook.pages.d2l_compat import import_d2l, torchvision_or_stand_in


def in_a_fresh_python(code: str, *, path: Path | None = None) -> str:
    """Run a program and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(path)} if path else None
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_d2l_returns_the_real_d2l() -> None:
    d2l = import_d2l()
    assert d2l.__name__ == "d2l.torch"
    assert d2l is import_d2l() is sys.modules["d2l.torch"]
    scores = torch.tensor([[[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]]])
    weights = d2l.masked_softmax(scores, torch.tensor([2, 3]))
    torch.testing.assert_close(weights[0, 0], torch.tensor([0.26894, 0.73106, 0.0]), atol=1e-5, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("raise ImportError('missing')", id="missing"),
        pytest.param(
            "import torchvision.half\nraise RuntimeError('operator torchvision::nms does not exist')", id="incompatible"
        ),
    ],
)
def test_import_d2l_without_torchvision_removes_the_stand_in(tmp_path: Path, content: str) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text(content)
    (package / "half.py").write_text("")
    code = """
from attnbook.pages.d2l_compat import import_d2l
d2l = import_d2l()
try:
    d2l.torchvision.datasets
except AttributeError as error:
    print(error)
print([name for name in sys.modules if name.startswith("torchvision")])
try:
    import torchvision
except (ImportError, RuntimeError) as error:
    print(type(error).__name__)
"""
    message, left, failed = in_a_fresh_python(code, path=tmp_path).splitlines()
    assert "torchvision cannot be imported" in message
    assert failed in ("ImportError", "RuntimeError")
    assert left == "[]"


@pytest.mark.slow
def test_import_d2l_uses_a_working_torchvision(tmp_path: Path) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "transforms.py").write_text("REAL = True")
    code = """
from attnbook.pages.d2l_compat import import_d2l
print(import_d2l().transforms.REAL, sys.modules["torchvision.transforms"].REAL)
"""
    assert in_a_fresh_python(code, path=tmp_path) == "True True"


def test_torchvision_stand_in_is_removed_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ZeroDivisionError), torchvision_or_stand_in():
        assert sys.modules["torchvision"].transforms is sys.modules["torchvision.transforms"]
        raise ZeroDivisionError
    assert not [name for name in sys.modules if name.split(".")[0] == "torchvision"]


def test_import_d2l_without_d2l_says_how_to_install_it(root: Path) -> None:
    code = """
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "d2l":
            raise ModuleNotFoundError(f"No module named {name!r}", name="d2l")
sys.meta_path.insert(0, Nothing())
from attnbook.pages.d2l_compat import import_d2l
try:
    import_d2l()
except ModuleNotFoundError as error:
    print(error)
"""
    message = in_a_fresh_python("import sys\n" + code)
    pin = [line for line in (root / "requirements-d2l.txt").read_text().splitlines() if line.startswith("d2l==")]
    assert message == f"d2l is not installed: pip install --no-deps {pin[0]}"
