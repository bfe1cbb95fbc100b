"""Models of today: every cell has a source, and computed values agree with published ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from attnbook.pages.model_table import COLUMNS, COMPACT, load_model_data, load_models, models_table, sources_list

ROOT = Path(__file__).parents[2]
DATA = load_model_data(start=ROOT)
MODELS = load_models(start=ROOT)
assert DATA is not None and MODELS is not None
BY_NAME = {model.name: model for model in MODELS}
CELLS = {
    "layers", "d_model", "query_heads", "kv_heads", "head_dim", "d_ff", "vocabulary", "positions", "norm", "qk_norm",
    "activation", "attention", "context", "tied",
}  # fmt: skip


def test_load_models_returns_six_models_in_order_of_date() -> None:
    dates = [model.date for model in MODELS]
    assert len(MODELS) >= 6 and dates == sorted(dates)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_cell_has_a_source(model) -> None:
    assert model.config.keys() >= CELLS
    for cell, source in model.sources.items():
        marked = "not verified" in str(model.config[cell])
        assert source in DATA["sources"] or (source == "not verified" and marked), cell
    assert model.published["source"] in DATA["sources"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_computed_parameters_agree_with_the_published_number(model) -> None:
    for kind in ("total", "active"):
        if kind in model.published:
            computed = model.parameters(active=kind == "active") / 1e9
            assert computed == pytest.approx(model.published[kind], rel=DATA["tolerance"]), kind
    assert ("active" in model.published) == ("experts" in model.config)


def test_models_share_the_choices_that_the_page_lists() -> None:
    sizes = [model.config["head_dim"] for model in MODELS]
    assert (min(sizes), max(sizes)) == (64, 256)
    for model in MODELS:
        assert model.config["norm"].startswith("RMS, pre"), model.name
        assert "latent" in model.config or model.config["kv_heads"] < model.config["query_heads"], model.name
        assert model.config["positions"].startswith("rotary"), model.name
        assert model.config["activation"].startswith(("SwiGLU", "GeGLU")), model.name


def test_mixtral_with_its_embedding_table_has_the_published_active_parameters() -> None:
    mixtral = BY_NAME["Mixtral 8x7B"]
    active, table = mixtral.parameters(active=True), mixtral.config["vocabulary"] * mixtral.config["d_model"]
    published = mixtral.published["active"]
    assert round(active / 1e9, 1) != published == round((active + table) / 1e9, 1)


def test_llama_parameters_equal_the_sum_of_its_tensors() -> None:
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
    assert BY_NAME["Llama 3.1 8B"].parameters() == 32 * layer + 2 * 128256 * 4096 + 4096


def test_cache_counts_latent_vectors_and_stops_at_windows() -> None:
    assert BY_NAME["Llama 3.1 8B"].cache_bytes(1) == 2 * 32 * 8 * 128 * 2
    assert BY_NAME["DeepSeek-V3"].cache_bytes(10) == 10 * 61 * (512 + 64) * 2
    gpt_oss, per_layer = BY_NAME["gpt-oss-20b"], 2 * 8 * 64 * 2
    assert gpt_oss.cache_bytes(100) == 100 * 24 * per_layer
    assert gpt_oss.cache_bytes(1000) == (12 * 1000 + 12 * 128) * per_layer


@pytest.mark.parametrize("columns", [tuple(COLUMNS), COMPACT])
def test_table_has_a_cell_for_each_model_and_column(columns: tuple[str, ...]) -> None:
    html = models_table(MODELS, columns)
    assert html.count("<td>") == len(columns) * len(MODELS) + 1
    assert all(model.name in html for model in MODELS)


def test_sources_list_names_every_source_that_is_used() -> None:
    html = sources_list(DATA)
    assert html.count("<li>") > 2 * len(MODELS)
    assert "Model_Config.md" in html


def test_load_models_returns_none_without_the_book(tmp_path: Path) -> None:
    assert load_models(start=tmp_path) is None
