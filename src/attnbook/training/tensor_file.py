"""Tensors and plain data in one file, safetensors with JSON beside the tensors, sealed by a digest. Never pickle."""

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
_KEY = "attnbook"  # one entry: safetensors gives several no fixed order, and equal content shall be equal bytes
_BLANK = b"0" * 64  # where the digest stands while it is computed


class UnreadableError(ValueError):
    """The bytes are not those that ``seal`` made."""


def seal(tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> bytes:
    """The content of a file; equal content is equal bytes.

    Args:
        tensors: by name, on any device. Of tied ones, the same memory under several names, one is kept.
        data: what JSON can hold.

    Raises:
        TypeError: ``data`` holds something else.
    """
    kept, aliases = _distinct(tensors)
    entry = json.dumps({"format": FORMAT, "digest": _BLANK.decode(), "aliases": aliases, **data})
    content = save(kept, {_KEY: entry})
    header, body = _split(content)
    return header.replace(_BLANK, _digest(header, body), 1) + body


def unseal(content: bytes) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and data of a file's content.

    Raises:
        UnreadableError: it is of another format, or a byte of it has changed.
    """
    header, body = _split(content)
    try:
        metadata = json.loads(header[8:])["__metadata__"]
        if str(metadata.get("format")).startswith("attnbook-checkpoint"):
            raise UnreadableError(
                f"was written by an earlier attnbook ({metadata['format']}), whose random numbers were others: wanted "
                f"{FORMAT}; remove the file and train anew, or use the version that wrote it"
            )
        data = json.loads(metadata[_KEY])
        if data.pop("format") != FORMAT:
            raise UnreadableError(f"was written by another attnbook: wanted {FORMAT}; use the version that wrote it")
        digest = data.pop("digest").encode()
        if _digest(header.replace(digest, _BLANK, 1), body) != digest:
            raise UnreadableError("is damaged, its digest is not that of its content: wanted it as it was written")
        tensors = load(content)
        return tensors | {name: tensors[kept] for name, kept in data.pop("aliases").items()}, data
    except UnreadableError:
        raise
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError, SafetensorError) as error:
        raise UnreadableError(f"is no checkpoint, or not a whole one ({type(error).__name__}: {error})") from error


def _distinct(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Each tensor once, contiguous and on the CPU, and the other names of those that have several."""
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
    """The header with the eight bytes of its length, and the bytes of the tensors."""
    end = 8 + int.from_bytes(content[:8], "little")
    return content[:end], memoryview(content)[end:]


def _digest(header: bytes, body: memoryview) -> bytes:
    digest = hashlib.sha256(header)
    digest.update(body)
    return digest.hexdigest().encode()
