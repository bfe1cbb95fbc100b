"""The likeliest next tokens next to the rows of an attention view, in 20 bytes per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attnbook.observe.attribution import logits_of
from attnbook.widgets.encoding import quantise
from attnbook.widgets.layout import Sentence, encodable

BEST = 5
BYTES = 4  # of each: an id in three, little endian, and its probability as weights are kept
MOST_NAMES = 4096
LONGEST_NAME = 40


class NextTokens:
    """The five likeliest tokens after each token that the model has read.

    Args:
        names: what ids are called: a Hugging Face tokenizer, a vocabulary, or a function of a list of ids.
        sentences: the probe's; what was read is their axis ``target_in``, or ``tokens`` where there is one sequence.

    Raises:
        TypeError: ``names`` is something else.
    """

    def __init__(self, names: Any, sentences: Sequence[Sentence]) -> None:
        self._names = _naming(names)
        read = "target_in" if "target_in" in sentences[0].axes else "tokens"
        self.axes = (read, "target_out") if read == "target_in" else (read,)  # of the rows beside which they stand
        self._lengths = [len(sentence.axes[read]) for sentence in sentences]

    @property
    def size(self) -> int:
        """Bytes in a frame: 20 a row, before they are compressed."""
        return BEST * BYTES * sum(self._lengths)

    def __call__(self, output: Any) -> Tensor:
        """The bytes of one frame, ``(size,)`` uint8 on the device of the logits.

        Args:
            output: of the model: logits ``(batch, length, vocabulary)``, a tuple that begins with them, or something
                that has them as ``logits``.

        Raises:
            ValueError: they are no such logits.
        """
        logits = logits_of(output)
        got = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        rows, longest = len(self._lengths), max(self._lengths)
        if not isinstance(logits, Tensor) or logits.dim() != 3 or len(logits) != rows or logits.shape[1] < longest:
            raise ValueError(
                f"next_tokens needs a model whose output is, or has, logits ({rows}, {longest}, vocabulary), got {got}"
            )
        best = logits.float().softmax(-1).topk(min(BEST, logits.shape[-1]))
        ids = pad(best.indices, (0, BEST - best.indices.shape[-1]))
        p = pad(best.values, (0, BEST - best.values.shape[-1]))  # padded with probability zero
        parts = [((ids >> shift) & 255).byte() for shift in (0, 8, 16)]
        coded = torch.stack([*parts, quantise(p)], -1)  # (batch, length, BEST, BYTES)
        return torch.cat([coded[i, :length].reshape(-1) for i, length in enumerate(self._lengths)])

    def names(self, codes: Sequence[np.ndarray]) -> dict[str, str]:
        """What the ids in some frames are called, at most ``MOST_NAMES`` of them.

        Args:
            codes: what ``__call__`` gave, each ``(size,)`` uint8.
        """
        whole = np.concatenate(codes).reshape(-1, BYTES).astype(np.int64)
        ids = whole[whole[:, 3] > 0, :3] @ np.array([1, 256, 65536])
        return {str(i): self._name(i) for i in np.unique(ids)[:MOST_NAMES].tolist()}

    def _name(self, token: int) -> str:
        try:
            (name,) = self._names([token])
        except (IndexError, KeyError, ValueError):  # logits wider than the vocabulary: no reason to end a training
            name = None
        return f"#{token}" if name is None else encodable(str(name)[:LONGEST_NAME])


def _naming(names: Any) -> Callable[[list[int]], Sequence[Any]]:
    for method in ("convert_ids_to_tokens", "pieces"):
        if hasattr(names, method):
            return getattr(names, method)  # type: ignore[no-any-return]
    if callable(names):
        return names  # type: ignore[no-any-return]
    got = type(names).__name__
    raise TypeError(f"next_tokens must be a tokenizer, a vocabulary, or a function of a list of ids, got {got}")
