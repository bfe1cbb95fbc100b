"""A sortable plot of models and their scores, with the spread between seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable


@dataclass(frozen=True)
class Scored:
    """A model and its scores.

    Args:
        name: of the model.
        seeds: number of runs that the means are over.
        figures: (mean, spread) by name of the measure; the spread is None for a single run.
    """

    name: str
    seeds: int
    figures: Mapping[str, tuple[float, float | None]]


class RankingView(BaseWidget):
    """A row for each model, sorted by any measure: a dot at the mean, a line for the spread.

    Args:
        groups: the models by the data they were trained on, in the initial order.
        measures: whether higher is better, by name of the measure; a group may lack some measures.
        show: the measure that is shown and sorted by at first.

    Raises:
        ValueError: there is no model, a model has none of the measures, a number is not finite, a spread is negative,
            or ``show`` is not a measure.
    """

    _esm = bundle("ranking_view")
    groups = traitlets.Dict().tag(sync=True)
    measures = traitlets.Dict().tag(sync=True)
    group = traitlets.Unicode().tag(sync=True)
    show = traitlets.Unicode().tag(sync=True)
    sort = traitlets.Unicode().tag(sync=True)  # a measure, or "" to sort by the one that is shown

    def __init__(self, groups: Mapping[str, Sequence[Scored]], measures: Mapping[str, bool], *, show: str) -> None:
        check_range("groups", dict(groups), bool(groups) and all(groups.values()), "groups of at least one model each")
        check_range("show", show, show in measures, f"one of {list(measures)}")
        for model in (model for models in groups.values() for model in models):
            numbers = [number for figure in model.figures.values() for number in figure if number is not None]
            known = model.figures.keys() <= measures.keys() and model.figures
            check_range(
                f"figures of {model.name}", model.figures, bool(known), f"a mapping with some of {list(measures)}"
            )
            check_range(f"figures of {model.name}", model.figures, all(map(math.isfinite, numbers)), "finite")
            spreads = [spread for _, spread in model.figures.values() if spread is not None]
            check_range(
                f"figures of {model.name}", model.figures, all(s >= 0 for s in spreads), "figures with spreads >= 0"
            )
        first, models = next(iter(groups.items()))
        shown = [model for model in models if show in model.figures]
        best = sorted(shown, key=lambda model: model.figures[show][0], reverse=measures[show])
        summary = ", ".join(f"{model.name} {model.figures[show][0]:.1f}" for model in best)
        super().__init__(
            groups={encodable(name): [_as_json(model) for model in models] for name, models in groups.items()},
            measures={encodable(name): higher for name, higher in measures.items()},
            group=encodable(first),
            show=encodable(show),
            sort="",
            alt=encodable(f"{show} of models trained on {first}, best first: {summary}."),
        )

    def draw(self, axes: Any) -> None:
        models = [model for model in self.groups[self.group] if self.show in model["figures"]]
        figures = [model["figures"][self.show] for model in models]
        names = plain(model["name"] for model in models)
        axes.errorbar([mean for mean, _ in figures], names, xerr=[spread or 0 for _, spread in figures], fmt="o")
        axes.invert_yaxis()
        axes.set_xlabel(*plain([self.show]))


def _as_json(model: Scored) -> dict[str, Any]:
    return {
        "name": encodable(model.name),
        "seeds": model.seeds,
        "figures": {encodable(name): list(figure) for name, figure in model.figures.items()},
    }
