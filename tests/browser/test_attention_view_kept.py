"""Exports of the attention view show its current state: SVG, PNG, JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.attention_samples import CROSS, SOURCES, STEPS, TARGETS, control, go_to, open_more, settle, shown


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    yield from shown(open_page, path)


def saved(page: Any, name: str) -> bytes:
    open_more(page)
    with page.expect_download() as download:
        control(page, name).click()
    return Path(download.value.path()).read_bytes()


def test_svg_of_the_current_view(page, known):
    go_to(page, 4)
    text = saved(page, "svg").decode()
    matrix = known.matrix(4, CROSS, 0, 1, "mean")
    weights = [float(w) for w in re.findall(r'data-weight="([\d.]+)"', text)]
    assert np.allclose(weights, matrix.ravel(), atol=0.005)
    for token in (*SOURCES[0], *TARGETS[0][:-1], "&lt;eos&gt;"):
        assert f">{token}</text>" in text
    assert "step 60" in text and 'xmlns="http://www.w3.org/2000/svg"' in text
    control(page, "view-lines").click()
    settle(page)
    lines = saved(page, "svg").decode()
    assert lines.count('class="line"') == page.locator(".lines .line").count()
    control(page, "view-heads").click()
    settle(page)
    heads = saved(page, "svg").decode()
    assert heads.count("data-weight") == 6 * 42


def test_png_of_the_current_view(page, known):
    from PIL import Image

    image = Image.open(io.BytesIO(saved(page, "png"))).convert("RGB")
    svg = saved(page, "svg").decode()
    width, height = (int(n) for n in re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    assert image.size == (2 * width, 2 * height)
    offset = float(re.search(r"translate\(([\d.]+) 12\)", svg)[1])
    for x, y, fill in re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="[\d.]+" fill="rgb\(([\d ]+)\)', svg
    )[::5]:
        found = image.getpixel((round(2 * (float(x) + offset)) + 8, round(2 * (float(y) + 12)) + 8))
        assert np.abs(np.array(found) - np.array([int(n) for n in fill.split()])).max() <= 3


def test_data_as_json(page, known):
    data = json.loads(saved(page, "json"))
    assert data["tokens"]["source"] == list(SOURCES[0]) and data["sentence"] == " ".join(SOURCES[0])
    assert [a["kind"] for a in data["attention"]] == [
        "cross-attention",
        "encoder self-attention",
        "decoder self-attention",
    ]
    steps = data["attention"][CROSS]["steps"]
    assert [s["step"] for s in steps] == STEPS
    for at in (0, 5):
        for layer in range(2):
            for head in range(3):
                assert np.allclose(
                    steps[at]["weights"][layer][head], known.matrix(at, CROSS, 0, layer, head), atol=0.0045
                )
    assert np.allclose(data["series"]["loss"], known.loss, rtol=1e-3) and len(data["series"]["step"]) == 200
