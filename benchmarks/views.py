"""Page weight and network requests of several attention views: ``python -m benchmarks.views``.

The same weights, made up, of as many layers, heads and tokens for all. Of the others those are measured that are
installed; both need no more than torch and IPython for this: ``pip install --no-deps bertviz circuitsvis``.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnbook.widgets.from_weights import attention_view
from attnbook.widgets.static import saved_state, static_html
from benchmarks.harness import OURS, RESULTS, Settings, write

LAYERS, HEADS, TOKENS = 12, 12, 64
SCRIPT = re.compile(r"""["'](?:https?:)?//([\w.-]+)/[\w./@-]+(?:\.js|\.min)["']""")


def ours(weights: list[Tensor], tokens: list[str]) -> str:
    return static_html(saved_state(attention_view(weights, tokens)))


def bertviz(weights: list[Tensor], tokens: list[str]) -> str:
    from bertviz import head_view

    return str(head_view([layer.unsqueeze(0) for layer in weights], tokens, html_action="return").data)


def circuitsvis(weights: list[Tensor], tokens: list[str]) -> str:
    from circuitsvis.attention import attention_patterns

    return str(attention_patterns(tokens=tokens, attention=torch.cat(weights)))


VIEWS: dict[str, Callable[[list[Tensor], list[str]], str]] = {
    OURS: ours,
    "bertviz": bertviz,
    "circuitsvis": circuitsvis,
}


def run(settings: Settings) -> list[dict[str, Any]]:
    """One row for each view that is installed."""
    generator = torch.Generator().manual_seed(settings.seed)
    layers = 1 if settings.quick else LAYERS
    weights = [(2 * torch.randn(HEADS, TOKENS, TOKENS, generator=generator)).softmax(-1) for _ in range(layers)]
    tokens = [f"token{i}" for i in range(TOKENS)]
    rows = []
    for name, make in VIEWS.items():
        if importlib.util.find_spec(name) is not None:
            html = make(weights, tokens)
            hosts = sorted(set(SCRIPT.findall(html)))
            rows.append({"view": name, "version": version(name), "bytes": len(html.encode()), "scripts_from": hosts})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.views", description=__doc__)
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    settings = Settings()
    sizes = {"layers": LAYERS, "heads": HEADS, "tokens": TOKENS}
    path = write("views", settings, run(settings), folder=options.folder, command="python -m benchmarks.views", **sizes)
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
