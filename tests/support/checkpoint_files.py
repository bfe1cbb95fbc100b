"""Errors that name a checkpoint, and altered checkpoint files, for tests."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import save

from attnbook.training.checkpoint import CheckpointError
from attnbook.training.tensor_file import FORMAT, unseal
from tests.support.small_training import SOURCE, TARGET

VOCABULARIES = (SOURCE, TARGET)


def refused(path: Path, message: str) -> pytest.RaisesExc[CheckpointError]:
    """Expect an error that begins with the file's path and matches the message."""
    return pytest.raises(CheckpointError, match=f"^{re.escape(str(path))} .*{message}")


def rewrite(path: Path, **changes: Any) -> None:
    """Rewrite a file with other metadata and a matching digest."""
    tensors, data = unseal(path.read_bytes())
    data = {**data, "aliases": {}, **changes}
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    content = save(tensors, {"attnbook": json.dumps({"format": FORMAT, "digest": "0" * 64, **data})})
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content.replace(b"0" * 64, digest, 1))
