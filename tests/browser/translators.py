"""Small translators with random weights, pages that contain them, and helpers to use them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.data import EOS, Vocabulary
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.transformer import Transformer
from attnbook.observe.interventions import intervening
from attnbook.translation.search import greedy
from attnbook.widgets.page_model import export_page, read_page
from attnbook.widgets.static import saved_state, static_html, static_page
from attnbook.widgets.translate_view import TranslateView
from tests.browser.widgets import saved_text

ENGLISH = "the a big red old house car is she sees . ? n't does"
FRENCH = "la une grande rouge vieille maison voiture est elle voit . ? ne pas"
SOURCE, TARGET = (Vocabulary(tuple(words.split())) for words in (ENGLISH, FRENCH))
SENTENCE = "The red house is old."
TYPED = "she sees a big car ."
POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:"
CROSS = "decoder.cross_attention"


def model(seed: int, kind: type[EncoderDecoder] = Bahdanau, gain: float = 4.0, **options: Any) -> bytes:
    """A model with random weights that ends its sentences sooner or later."""
    torch.manual_seed(seed)
    sizes = options or {"embed_size": 8, "num_hiddens": 12, "bidirectional": True, "readout": "maxout"}
    made = kind(len(SOURCE), len(TARGET), **sizes)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(gain)
        made.head.bias[EOS] += 1.5
    return export_page(made, (SOURCE, TARGET))


MODELS = {10: model(1), 200: model(2)}
TRANSFORMER = model(3, Transformer, 1.5, d_model=16, num_heads=2, d_ff=16, num_layers=2)


def write_pages(folder: Path) -> Path:
    """Write the pages ``index`` and ``transformer`` as in the book: with a strict policy and separate model files."""
    for name, models in (("index", MODELS), ("transformer", {1: TRANSFORMER})):
        body = static_html(saved_state(TranslateView(models, SENTENCE)), sidecars=folder / "_widgets")
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        page = static_page(body, title="Translate").replace("<head>", f"<head>{meta}")
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


def field(page: Any) -> Any:
    return page.get_by_role("combobox", name="English sentence to translate")


def enter(page: Any, text: str) -> None:
    """Type a sentence and wait for its translation."""
    field(page).fill(text)
    settle(page)


def settle(page: Any) -> None:
    """Wait until the translation is complete and the live region has announced it."""
    page.wait_for_timeout(50)
    page.wait_for_function("() => document.querySelector('.attnbook-static div > div').shadowRoot")
    before = None
    while before != (before := page.locator(".compare").inner_text()):
        page.wait_for_timeout(250)


def written(page: Any) -> dict[str, Any]:
    """The JSON that a reader can save."""
    page.get_by_role("tab", name="More").click()
    found: dict[str, Any] = json.loads(saved_text(page.get_by_role("button", name="JSON"))[1])
    return found


def expected(tokens: str, step: int = 200, **changes: Any) -> tuple[list[int], float]:
    """Ids and probability of the package's own translation."""
    loaded = read_page(MODELS[step]).model
    source = torch.tensor([SOURCE.encode(tokens.split())])
    with intervening(loaded, **changes):
        (found,) = greedy(loaded, source, torch.ones_like(source, dtype=torch.bool), max_length=30)
    return [*found.ids, *([EOS] if found.finished else [])], float(torch.tensor(found.score).exp())


def ids(data: dict[str, Any]) -> list[int]:
    return [row["id"] for row in data["written"]]


def show_as(page: Any, kind: str) -> None:
    """Show the attention as lines or as cells."""
    page.get_by_role("tab", name="More").click()
    page.get_by_role("combobox", name="Attention as").select_option(kind)
    if page.get_by_role("tab", name="Lines").is_visible():
        page.get_by_role("tab", name="Lines").click()


def probabilities(page: Any) -> list[float]:
    text = " ".join(page.locator(".compare .p").all_inner_texts())
    return [float(number) for number in re.findall(r"[\d.]+(?:e-\d+)?", text)]


def close(value: float) -> Any:
    return pytest.approx(value, rel=0.6, abs=1e-9)  # the page shows few digits
