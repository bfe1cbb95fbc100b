"""Measures that a view shows in addition to raw weights, as further kinds of attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from attnbook.observe.attribution import attribute, rollout
from attnbook.widgets.any_model import Reducer, arguments
from attnbook.widgets.layout import Kind

MEASURES = ("value norms", "gradient", "rollout")


class DerivedWeights:
    """Compute measures for the same probe, under names that no module has.

    Args:
        model: the model that the view records.
        measures: names from ``MEASURES``.
        kinds: of the weights; rollout is computed for kinds whose rows and columns are the same tokens.
        reduce: from ``frame_reducer``.

    Raises:
        ValueError: there is no such measure.
    """

    def __init__(self, model: nn.Module, measures: Sequence[str], kinds: Sequence[Kind], reduce: Reducer) -> None:
        unknown = [measure for measure in measures if measure not in MEASURES]
        if unknown or isinstance(measures, str):
            raise ValueError(f"measures must be a list of {', '.join(MEASURES)}, got {measures!r}")
        self._model = model
        self._reduce = reduce
        self._traced = [measure for measure in measures if measure != "rollout"]
        self._rolled = [kind for kind in kinds if kind.query == kind.key] if "rollout" in measures else []
        self.kinds = (
            *kinds,
            *(_derived(kind, measure) for measure in self._traced for kind in kinds),
            *(replace(_derived(kind, "rollout"), heads=1) for kind in self._rolled),
        )

    def __call__(self, weights: Mapping[str, Tensor], probe: Any) -> dict[str, Tensor]:
        """Compute all measures for one frame, ``(batch, heads, queries, keys)`` by name.

        Args:
            weights: of the same frame, by module name.
            probe: the arguments that the model is called with.
        """
        found: dict[str, Tensor] = {}
        if self._traced:
            inputs, keywords = arguments(probe)
            measured = attribute(self._model, *inputs, **keywords)
            for measure in self._traced:
                found |= {_name(name, measure): each for name, each in self._reduce(measured[measure]).items()}
        for kind in self._rolled:
            layers = rollout([weights[name] for name in kind.layers])
            found |= {_name(name, "rollout"): layer for name, layer in zip(kind.layers, layers, strict=True)}
        return found


def _name(name: str, measure: str) -> str:
    return f"{name}, {measure}"


def _derived(kind: Kind, measure: str) -> Kind:
    label = f"{kind.label}: {measure}"
    return replace(kind, label=label, layers=tuple(_name(name, measure) for name in kind.layers), gold=False)
