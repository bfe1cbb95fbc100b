"""Published configurations of language models, with computed numbers of parameters and cache sizes, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from attnbook.pages.results import results_folder

COLUMNS = {
    "date": "date",
    "layers": "layers",
    "d_model": "d_model",
    "query_heads": "query heads",
    "kv_heads": "key-value heads",
    "head_dim": "head size",
    "feed_forward": "feed-forward",
    "vocabulary": "vocabulary",
    "positions": "positions",
    "norm": "norm",
    "qk_norm": "QK norm",
    "activation": "activation",
    "attention": "attention",
    "context": "context",
    "cache": "cache per token, KiB",
    "parameters": "parameters, billions",
    "published": "as published",
}
COMPACT = ("date", "layers", "heads", "feed_forward", "norm", "qk_norm", "attention", "cache", "parameters")


@dataclass(frozen=True)
class PublishedModel:
    """One row of ``models_of_today.yml``.

    Args:
        name: name of the model.
        date: year and month of its publication.
        config: value by cell.
        sources: name of the source by cell.
        published: published number of parameters in billions, "total" and perhaps "active", and their "source".
    """

    name: str
    date: str
    config: Mapping[str, Any]
    sources: Mapping[str, str]
    published: Mapping[str, Any]

    def cache_bytes(self, length: int, *, bytes_per_number: int = 2) -> int:
        """Return the bytes of the cache for ``length`` tokens of one text; windowed layers store only their window."""
        c = self.config
        latent = c.get("latent")
        numbers = latent["key_value"] + latent["rotary"] if latent else 2 * c["kv_heads"] * c["head_dim"]
        windowed = c.get("windowed_layers", 0)
        tokens = (c["layers"] - windowed) * length + windowed * min(length, c.get("window", length))
        return int(tokens * numbers * bytes_per_number)

    def parameters(self, *, active: bool = False) -> int:
        """Count the parameters; ``active`` counts those used for a token: only its experts, no embedding table."""
        c = self.config
        table = c["vocabulary"] * c["d_model"]
        tables = table if c["tied"] or active else 2 * table
        norms = c.get("norms_per_layer", 2) * c["d_model"] + (2 * c["head_dim"] if c["qk_norm"] is True else 0)
        experts = c.get("experts", 0)
        dense = c.get("dense_layers", 0) if experts else c["layers"]
        layers = c["layers"] * (self._attention() + norms) + dense * 3 * c["d_model"] * c["d_ff"]
        if experts:
            used = (c["active_experts"] if active else experts) + c.get("shared_experts", 0)
            layers += (c["layers"] - dense) * (used * self._expert() + experts * (c["d_model"] + c.get("biases", 0)))
        return int(tables + layers + c["d_model"])

    def _attention(self) -> int:
        c = self.config
        d, queries = c["d_model"], c["query_heads"] * c["head_dim"]
        if latent := c.get("latent"):
            q, kv, rotary = latent["query"], latent["key_value"], latent["rotary"]
            into = d * (q + kv + rotary) + q + kv  # and the norms of both latent vectors
            return int(into + q * (queries + c["query_heads"] * rotary) + kv * 2 * queries + queries * d)
        keys = c["kv_heads"] * c["head_dim"]
        biases = queries + 2 * keys + d if c.get("biases") else 0
        return int(2 * d * queries + 2 * d * keys + biases + (c["query_heads"] if c.get("sinks") else 0))

    def _expert(self) -> int:
        c = self.config
        d_ff = c.get("expert_d_ff", c["d_ff"])
        return int(3 * c["d_model"] * d_ff + (2 * d_ff + c["d_model"] if c.get("biases") else 0))

    def cell(self, column: str) -> str:
        """The text of a column of the table."""
        c = self.config
        made = {
            "date": lambda: self.date,
            "heads": lambda: f"{c['query_heads']} / {c['kv_heads']} of {c['head_dim']}",
            "feed_forward": self._feed_forward,
            "qk_norm": lambda: {True: "RMS", False: "no", "latent": "latent vectors"}[c["qk_norm"]],
            "cache": lambda: f"{self.cache_bytes(1) / 1024:,.1f}",
            "parameters": lambda: self._billions(self.parameters(), self.parameters(active=True)),
            "published": lambda: " / ".join(
                f"{self.published[k]:g}" for k in ("total", "active") if k in self.published
            ),
        }
        if column in made:
            return made[column]()
        value = c[column]
        return f"{value:,}" if isinstance(value, int) else str(value)

    def _billions(self, total: int, active: int) -> str:
        return f"{total / 1e9:.1f}" + (f" / {active / 1e9:.1f}" if self.config.get("experts") else "")

    def _feed_forward(self) -> str:
        c = self.config
        if not c.get("experts"):
            return f"{c['d_ff']:,}"
        shared = f" and {c['shared_experts']} shared" if c.get("shared_experts") else ""
        return f"{c['active_experts']} of {c['experts']} experts{shared}, {c.get('expert_d_ff', c['d_ff']):,} each"


def load_models(*, start: Path | str | None = None) -> list[PublishedModel] | None:
    """Load the models of ``book/models_of_today.yml``, oldest first; None if there is no copy of the book."""
    data = load_model_data(start=start)
    return None if data is None else [_model(entry) for entry in data["models"]]


def load_model_data(*, start: Path | str | None = None) -> dict[str, Any] | None:
    """Load all of ``book/models_of_today.yml``; None if there is no copy of the book."""
    folder = results_folder(start)
    if folder is None:
        return None
    import yaml  # only a copy of the book needs it

    path = folder.parent / "book" / "models_of_today.yml"
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data


def models_table(models: Sequence[PublishedModel], columns: Sequence[str] = tuple(COLUMNS)) -> str:
    """Make an HTML table with a row for each of the ``columns`` and a column for each model."""
    heads = "".join(f'<th scope="col">{escape(model.name)}</th>' for model in models)
    names = COLUMNS | {"heads": "heads: queries / keys and values"}
    rows = "".join(
        f'<tr><th scope="row">{names[column]}</th>'
        + "".join(f"<td>{escape(model.cell(column))}</td>" for model in models)
        + "</tr>"
        for column in columns
    )
    return f'<table class="table"><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def sources_list(data: Mapping[str, Any]) -> str:
    """Make an HTML list of the sources of all cells."""
    names = COLUMNS | {
        "d_ff": "feed-forward size",
        "expert_d_ff": "feed-forward size of an expert",
        "tied": "tied embeddings",
    }
    items = []
    for model in map(_model, data["models"]):
        cells: dict[str, list[str]] = {}
        for cell, source in [*model.sources.items(), ("parameters as published", model.published["source"])]:
            cells.setdefault(source, []).append(names.get(cell, cell.replace("_", " ")))
        lines = "".join(f"<li>{escape(', '.join(read))}: {_source(data, key)}</li>" for key, read in cells.items())
        items.append(f"<li>{escape(model.name)}<ul>{lines}</ul></li>")
    return f"<p>Read on {data['checked']}.</p><ul>{''.join(items)}</ul>"


def _source(data: Mapping[str, Any], key: str) -> str:
    if key not in data["sources"]:
        return escape(key)
    source = data["sources"][key]
    return escape(source["published"] + (f". Read in {source['read']}" if "read" in source else ""))


def _model(entry: Mapping[str, Any]) -> PublishedModel:
    groups = entry["cells"]
    config = {cell: value for group in groups for cell, value in group["values"].items()}
    sources = {cell: group["source"] for group in groups for cell in group["values"]}
    return PublishedModel(entry["name"], str(entry["date"]), config, sources, entry["parameters"])
