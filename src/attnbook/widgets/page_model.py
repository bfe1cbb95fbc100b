r"""The file of a model for a page: quantized weights, vocabularies and options.

A matrix is stored as int8 with a scale for each row, :math:`W_{ik} \approx s_i q_{ik}` with
:math:`s_i = \max_k |W_{ik}| / 127`, or in fp16; a vector is always in fp16. The file is a gzip stream, whose checksum
detects damage: the length of a JSON header (four bytes, little-endian), the header, and the tensors in the order of the
``state_dict``. The page's engine (``widgets/js/engine``) and ``read_page`` read it.
"""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnbook._internal.validate import check_range, check_two
from attnbook.data import Subwords, TokenizerLike, Vocabulary, tokenizer_from_json
from attnbook.models.base import EncoderDecoder, check_model, check_vocabularies, uncompiled
from attnbook.training.checkpoint import LoadedModel, known_models

FORMAT = "attnbook-page-1"
PRECISIONS = ("int8", "fp16")
# The exceptions that reading other or damaged bytes raises.
DAMAGE = (
    OSError, EOFError, zlib.error, struct.error, LookupError, ArithmeticError, MemoryError, ValueError, TypeError,
    RuntimeError, AttributeError,
)  # fmt: skip


class PageError(ValueError):
    """The bytes are damaged or are not a model for a page."""


def export_page(
    model: EncoderDecoder, vocabularies: tuple[TokenizerLike, TokenizerLike], *, precision: str = "int8"
) -> bytes:
    """Export a translation model for a page; the same model gives the same bytes.

    Args:
        model: a translation model of this package.
        vocabularies: of source and target.
        precision: of the matrices, "int8" or "fp16".

    Returns:
        the file: about one byte per parameter for int8, two for fp16.

    Raises:
        ValueError: the precision is unknown, a vocabulary is not the model's, or a weight is too large for fp16.
        TypeError: ``model`` is not a translation model, or ``vocabularies`` is not a pair.
    """
    check_model(model)
    inner: Any = uncompiled(model)
    check_two("vocabularies", vocabularies)
    check_vocabularies(inner, *vocabularies)
    return pack(type(inner).__name__, inner.config, vocabularies, inner.state_dict(), precision)


def pack(
    kind: str,
    config: dict[str, Any],
    vocabularies: Iterable[TokenizerLike],
    state: Mapping[str, Tensor],
    precision: str,
    *,
    halves: Collection[str] = (),
) -> bytes:
    """Write weights, options and vocabularies into one file; tied weights are written once.

    Args:
        kind: name of the model's class.
        config: its options, as JSON data.
        vocabularies: of the model, in order; a shared one is written once.
        state: tensors by name, with one or two axes.
        precision: of the matrices, "int8" or "fp16".
        halves: names of matrices that are always written in fp16.

    Raises:
        ValueError: the precision is unknown, or a weight is too large for fp16.
    """
    check_range("precision", precision, precision in PRECISIONS, f"one of {PRECISIONS}")
    names: dict[int, str] = {}  # by memory address, so that tied weights are written once
    tensors, aliases, content = [], {}, b""
    for name, tensor in state.items():
        original = names.setdefault(tensor.data_ptr(), name)
        if original != name:
            aliases[name] = original
            continue
        entry = "fp16" if tensor.dim() != 2 or name in halves else precision
        tensors.append({"name": name, "shape": list(tensor.shape), "kind": entry})
        content += _pack(name, tensor.detach().float().cpu(), entry)
    header = {
        "format": FORMAT,
        "model": kind,
        "config": config,
        "vocabularies": [_short(vocabulary.to_json()) for vocabulary in dict.fromkeys(vocabularies)],
        "tensors": tensors,
        "aliases": aliases,
    }
    described = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(struct.pack("<I", len(described)) + described + content, mtime=0)


def read_page(content: bytes) -> LoadedModel:
    """Read the model that ``export_page`` wrote, in eval mode, with the rounded weights that the page has.

    Raises:
        PageError: the bytes are damaged, or not such a file.
    """
    try:
        header, vocabularies, state = unpack(content)
        source, *own = vocabularies
        (target,) = own or (source,)
        model = known_models()[header["model"]](**header["config"])
        model.load_state_dict(state)
    except DAMAGE as error:
        raise PageError(f"content must be a model for a page, but is damaged or something else: {error}") from error
    return LoadedModel(model.eval(), source, target)


def unpack(content: bytes) -> tuple[dict[str, Any], list[Vocabulary | Subwords], dict[str, Tensor]]:
    """Read what `pack` wrote: the header, the vocabularies, and the tensors by name.

    Raises:
        one of ``DAMAGE``: the bytes are damaged, or not such a file.
    """
    plain = gzip.decompress(content)
    (length,) = struct.unpack_from("<I", plain)
    header = json.loads(plain[4 : 4 + length])
    if header["format"] != FORMAT:
        raise PageError(f"format must be {FORMAT!r}, got {header['format']!r}")
    vocabularies = [tokenizer_from_json(_whole(vocabulary)) for vocabulary in header["vocabularies"]]
    state = _unpack(header["tensors"], plain[4 + length :])
    return header, vocabularies, state | {name: state[original] for name, original in header["aliases"].items()}


def _short(vocabulary: dict[str, Any]) -> dict[str, Any]:
    """Remove the pieces at the end of a vocabulary that its merges create in the same order."""
    made = ["".join(merge) for merge in vocabulary.get("merges", ())]
    if not made or list(vocabulary["symbols"][-len(made) :]) != made:
        return vocabulary
    return vocabulary | {"symbols": vocabulary["symbols"][: -len(made)]}


def _whole(vocabulary: dict[str, Any]) -> dict[str, Any]:
    """Add every piece that the merges create to a vocabulary."""
    made = ["".join(merge) for merge in vocabulary.get("merges", ())]
    return vocabulary | {"symbols": list(dict.fromkeys([*vocabulary["symbols"], *made]))} if made else vocabulary


def _pack(name: str, tensor: Tensor, kind: str) -> bytes:
    if kind == "fp16":
        values = tensor.half()
        _check_finite(name, values)
        return values.numpy().astype("<f2").tobytes()
    scale = (tensor.abs().amax(1) / 127).half()
    _check_finite(name, scale)
    # If a row is so small that its scale rounds to zero, it becomes zero. The clamp is needed because a scale that
    # was rounded down can give numbers above 127.
    divisor = scale.float().masked_fill(scale == 0, torch.inf).unsqueeze(1)
    whole = (tensor / divisor).round().clamp(-127, 127).to(torch.int8)
    return scale.numpy().astype("<f2").tobytes() + whole.numpy().tobytes()


def _check_finite(name: str, values: Tensor) -> None:
    if not values.isfinite().all():
        raise ValueError(f"{name} must be finite in fp16, got NaN or infinity; export a trained model")


def _unpack(entries: list[dict[str, Any]], content: bytes) -> dict[str, Tensor]:
    state, at = {}, 0
    for entry in entries:
        shape = entry["shape"]
        halves = int(np.prod(shape)) if entry["kind"] == "fp16" else shape[0]
        values = torch.from_numpy(np.frombuffer(content, "<f2", halves, at).astype(np.float32))
        at += 2 * halves
        if entry["kind"] == "int8":
            whole = np.frombuffer(content, np.int8, shape[0] * shape[1], at).astype(np.float32)
            at += len(whole)
            values = torch.from_numpy(whole).view(shape) * values.unsqueeze(1)
        state[entry["name"]] = values.view(shape)
    if at != len(content):
        raise PageError(f"content must have {at} bytes of weights, got {len(content)}")
    return state
