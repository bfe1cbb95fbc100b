"""The weights in a frame, their order, and the labels of their rows and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

Links = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Picture:
    """A picture whose patches are the tokens of an axis, row by row.

    Args:
        png: the picture as a ``data:`` URL.
        grid: (patches down, patches across).
        before: number of tokens before the first patch, such as the class token.
    """

    png: str
    grid: tuple[int, int]
    before: int


@dataclass(frozen=True)
class Sentence:
    """One probe sentence.

    Args:
        label: name in a picker.
        axes: the tokens along each axis, such as ``{"source": (...), "target_out": (...)}``.
        gold: gold links ``(key index, query index)`` for the kinds with gold links, or None.
        picture: the picture whose patches are the tokens, or None.
    """

    label: str
    axes: Mapping[str, tuple[str, ...]]
    gold: Links | None = None
    picture: Picture | None = None


@dataclass(frozen=True)
class Kind:
    """One kind of attention: which tokens look at which.

    Args:
        label: name in a picker.
        query: the axis of the rows.
        key: the axis of the columns.
        layers: names of the modules, in the order of the model.
        heads: number of heads in each layer.
        gold: whether the gold alignment applies to these rows.
    """

    label: str
    query: str
    key: str
    layers: tuple[str, ...]
    heads: int
    gold: bool = False


@dataclass(frozen=True)
class Layout:
    """The order of the weights in a frame: kind, sentence, layer, head, row, column.

    Padding is cut away: a sentence has as many rows and columns as tokens.
    """

    kinds: tuple[Kind, ...]
    sentences: tuple[Sentence, ...]

    @property
    def size(self) -> int:
        """Number of weights in a frame."""
        return sum(
            len(kind.layers) * kind.heads * len(sentence.axes[kind.query]) * len(sentence.axes[kind.key])
            for kind in self.kinds
            for sentence in self.sentences
        )

    def pack(self, weights: Mapping[str, Tensor]) -> Tensor:
        """Flatten the weights of one frame into a tensor.

        Args:
            weights: ``(batch, heads, queries, keys)`` by layer name, with a batch row for every sentence.

        Returns:
            ``(size,)`` float32, on the device of the weights.
        """
        parts = []
        for kind in self.kinds:
            stacked = torch.stack([weights[name] for name in kind.layers])  # (layers, batch, heads, queries, keys)
            for i, sentence in enumerate(self.sentences):
                rows, columns = len(sentence.axes[kind.query]), len(sentence.axes[kind.key])
                parts.append(stacked[:, i, :, :rows, :columns].reshape(-1))
        return torch.cat(parts).float()

    def header(self) -> dict[str, Any]:
        """The description of the frames that the page needs, as plain data."""
        return {
            "kinds": [
                {
                    "label": encodable(kind.label),
                    "query": kind.query,
                    "key": kind.key,
                    "layers": list(map(encodable, kind.layers)),
                    "heads": kind.heads,
                    "gold": kind.gold,
                }
                for kind in self.kinds
            ],
            "sentences": [
                {
                    "label": encodable(sentence.label),
                    "axes": {axis: list(map(encodable, tokens)) for axis, tokens in sentence.axes.items()},
                    "gold": None if sentence.gold is None else sorted(map(list, sentence.gold)),
                    "picture": None if sentence.picture is None else asdict(sentence.picture),
                }
                for sentence in self.sentences
            ],
        }


def encodable(text: str) -> str:
    """Replace unpaired surrogates, which cannot be encoded in a message to a page, with ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def token_lists(name: str, tokens: Any) -> tuple[list[list[str]], bool]:
    """Return the tokens of each sentence, and whether there is a batch of them.

    Args:
        name: name of the argument, for error messages.
        tokens: a list of strings for one sentence, or a list of such lists for a batch.

    Raises:
        TypeError: ``tokens`` is neither, or a sentence is empty.
    """
    if isinstance(tokens, str) or not isinstance(tokens, Sequence) or len(tokens) == 0:
        raise TypeError(f"{name} must be a list of tokens or a list of such lists, got {tokens!r}")
    batched = not isinstance(tokens[0], str)
    sentences = tokens if batched else [tokens]
    for sentence in sentences:
        listed = isinstance(sentence, Sequence) and not isinstance(sentence, str) and len(sentence) > 0
        if not listed or not all(isinstance(token, str) for token in sentence):
            raise TypeError(f"{name} must hold lists of str, got the sentence {sentence!r}")
    return [list(sentence) for sentence in sentences], batched


def kinds_of_model(weights: Mapping[str, Tensor]) -> tuple[Kind, ...]:
    """Sort the attention modules of a translation model into kinds.

    Args:
        weights: ``(batch, heads, queries, keys)`` by module name, as in a ``Record``.

    Raises:
        ValueError: a name is neither self- nor cross-attention, or the layers of a kind differ in number of heads.
    """
    found: dict[str, list[str]] = {"cross": [], "encoder": [], "decoder": []}
    for name in weights:
        last = name.rpartition(".")[2]
        if last == "cross_attention":
            found["cross"].append(name)
        elif last == "self_attention" and name.split(".")[0] in found:
            found[name.split(".")[0]].append(name)
        else:
            raise ValueError(f"names of attention must end in cross_attention or self_attention, got {name!r}")
    described = {
        "cross": ("cross-attention", "target_out", "source", True),
        "encoder": ("encoder self-attention", "source", "source", False),
        "decoder": ("decoder self-attention", "target_in", "target_in", False),
    }
    return tuple(
        Kind(label, query, key, tuple(found[which]), heads_of(found[which], weights), gold)
        for which, (label, query, key, gold) in described.items()
        if found[which]
    )


def heads_of(names: Sequence[str], weights: Mapping[str, Tensor]) -> int:
    """Return the number of heads in each of these layers; raise a ValueError if the layers differ."""
    heads = {name: weights[name].shape[1] for name in names}
    if len(set(heads.values())) > 1:
        raise ValueError(f"num_heads must be the same in all layers of a kind, got {heads}")
    return heads[names[0]]
