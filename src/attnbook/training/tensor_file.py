"""The format of checkpoints: safetensors with JSON metadata and a digest of the whole file; no pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

FORMAT = "attnbook-checkpoint-2"
_KEY = "attnbook"  # a single entry: safetensors writes several in no fixed order, and files must be reproducible
_BLANK = b"0" * 64  # in place of the digest while it is computed


class UnreadableError(ValueError):
    """The bytes were not made by ``seal``, or have changed."""


def seal(tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file; equal arguments give equal bytes.

    Args:
        tensors: by name, on any device. Tied tensors, which share memory under several names, are saved once.
        data: plain data for JSON.

    Raises:
        TypeError: ``data`` cannot be written as JSON.
    """
    kept, aliases = _distinct(tensors)
    entry = json.dumps({"format": FORMAT, "digest": _BLANK.decode(), "aliases": aliases, **data})
    content = save(kept, {_KEY: entry})
    header, body = _split(content)
    return header.replace(_BLANK, _digest(header, body), 1) + body


def unseal(content: bytes) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors and the data in the bytes of a file.

    Raises:
        UnreadableError: the format is different, or a byte has changed.
    """
    header, body = _split(content)
    try:
        metadata = json.loads(header[8:])["__metadata__"]
        if str(metadata.get("format")).startswith("attnbook-checkpoint"):
            raise UnreadableError(
                f"must have the format {FORMAT}, got {metadata['format']} of an earlier attnbook with other random "
                "numbers; remove the file and train again, or use the version that wrote it"
            )
        data = json.loads(metadata[_KEY])
        if data.pop("format") != FORMAT:
            raise UnreadableError(f"must have the format {FORMAT}; it was written by another version of attnbook")
        digest = data.pop("digest").encode()
        if _digest(header.replace(digest, _BLANK, 1), body) != digest:
            raise UnreadableError("is damaged: its digest does not match its content")
        tensors = load(content)
        return tensors | {name: tensors[kept] for name, kept in data.pop("aliases").items()}, data
    except UnreadableError:
        raise
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError, SafetensorError) as error:
        raise UnreadableError(f"is not a complete checkpoint ({type(error).__name__}: {error})") from error


def _distinct(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Each tensor once, contiguous and on the CPU, and the aliases of tied tensors."""
    first: dict[tuple[Any, ...], str] = {}
    kept: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    for name, tensor in tensors.items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        original = first.setdefault(place, name) if tensor.numel() else name
        if original == name:
            kept[name] = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
        else:
            aliases[name] = original
    return kept, aliases


def _split(content: bytes) -> tuple[bytes, memoryview]:
    """The header, including the eight bytes of its length, and the bytes of the tensors."""
    end = 8 + int.from_bytes(content[:8], "little")
    return content[:end], memoryview(content)[end:]


def _digest(header: bytes, body: memoryview) -> bytes:
    digest = hashlib.sha256(header)
    digest.update(body)
    return digest.hexdigest().encode()
