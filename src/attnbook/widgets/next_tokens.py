"""The likeliest next tokens, shown next to the rows of an attention view, in 20 bytes per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attnbook.observe.attribution import logits_of
from attnbook.widgets.encoding import quantize
from attnbook.widgets.layout import Sentence, encodable

BEST = 5
BYTES = 4  # per token: three for the id, little endian, and one for the probability, quantized like the weights
MOST_NAMES = 4096
LONGEST_NAME = 40


class NextTokens:
    """The five likeliest tokens after each token that the model has read.

    Args:
        names: names the ids: a Hugging Face tokenizer, a vocabulary, or a function of a list of ids.
        sentences: of the probe. The model reads the axis ``target_in``, or ``tokens`` if there is only one sequence.

    Raises:
        TypeError: ``names`` has another type.
    """

    def __init__(self, names: Any, sentences: Sequence[Sentence]) -> None:
        self._names = _name_function(names)
        read = "target_in" if "target_in" in sentences[0].axes else "tokens"
        self.axes = (read, "target_out") if read == "target_in" else (read,)  # of rows that next tokens are shown for
        self._lengths = [len(sentence.axes[read]) for sentence in sentences]

    @property
    def size(self) -> int:
        """Number of bytes in a frame, before compression: 20 per row."""
        return BEST * BYTES * sum(self._lengths)

    def __call__(self, output: Any) -> Tensor:
        """Encode the next tokens of one frame as bytes, ``(size,)`` uint8 on the device of the logits.

        Args:
            output: of the model: logits ``(batch, length, vocabulary)``, a tuple that begins with them, or an object
                with the attribute ``logits``.

        Raises:
            ValueError: the output has no logits of this shape.
        """
        logits = logits_of(output)
        got = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        rows, longest = len(self._lengths), max(self._lengths)
        if not isinstance(logits, Tensor) or logits.dim() != 3 or len(logits) != rows or logits.shape[1] < longest:
            raise ValueError(
                f"next_tokens must be None unless the model returns logits ({rows}, {longest}, vocabulary), got {got}"
            )
        best = logits.float().softmax(-1).topk(min(BEST, logits.shape[-1]))
        ids = pad(best.indices, (0, BEST - best.indices.shape[-1]))
        p = pad(best.values, (0, BEST - best.values.shape[-1]))  # padded with probability zero
        parts = [((ids >> shift) & 255).byte() for shift in (0, 8, 16)]
        coded = torch.stack([*parts, quantize(p)], -1)  # (batch, length, BEST, BYTES)
        return torch.cat([coded[i, :length].reshape(-1) for i, length in enumerate(self._lengths)])

    def names(self, codes: Sequence[np.ndarray]) -> dict[str, str]:
        """Return the names of the ids in some frames, at most ``MOST_NAMES`` of them.

        Args:
            codes: results of ``__call__``, each ``(size,)`` uint8.
        """
        whole = np.concatenate(codes).reshape(-1, BYTES).astype(np.int64)
        ids = whole[whole[:, 3] > 0, :3] @ np.array([1, 256, 65536])
        return {str(i): self._name(i) for i in np.unique(ids)[:MOST_NAMES].tolist()}

    def _name(self, token: int) -> str:
        try:
            (name,) = self._names([token])
        except (IndexError, KeyError, ValueError):  # logits wider than the vocabulary should not stop training
            name = None
        return f"#{token}" if name is None else encodable(str(name)[:LONGEST_NAME])


def _name_function(names: Any) -> Callable[[list[int]], Sequence[Any]]:
    for method in ("convert_ids_to_tokens", "pieces"):
        if hasattr(names, method):
            return getattr(names, method)  # type: ignore[no-any-return]
    if callable(names):
        return names  # type: ignore[no-any-return]
    got = type(names).__name__
    raise TypeError(f"next_tokens must be a tokenizer, a vocabulary, or a function of a list of ids, got {got}")
