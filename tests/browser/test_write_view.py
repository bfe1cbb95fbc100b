"""The text-generation widgets in a browser without network: their numbers equal the package's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Page

from attnbook.data import Vocabulary
from attnbook.observe.recorder import record_attention
from attnbook.widgets.language_page import export_language_model, next_distribution, read_language_model
from attnbook.widgets.write_view import SpeculateView, WriteView
from tests.browser.conftest import Watched
from tests.browser.widgets import reset, said, slide, stand, write
from tests.support.small_language_models import build_language_model, random_draft

WORDS = Vocabulary(("the", "red", "house", "is", "old", *"abcdefghij"))
CONTENT = export_language_model(
    build_language_model("today", vocab_size=len(WORDS)), WORDS, draft=random_draft(len(WORDS))
)
MODEL = read_language_model(CONTENT).model  # with the weights that the page has
PROMPTS = ["the red", "", "house"]
MARK = "▸ "


@pytest.fixture(scope="module")
def widget() -> WriteView:
    return WriteView(CONTENT, PROMPTS)


def ids_of(*tokens: str) -> list[int]:
    return [1, *WORDS.encode(tokens)]


def share(text: str) -> float:
    return float(text.strip("<% ")) / 100


def chart(page: Page) -> dict[str, tuple[float, float | None]]:
    """Probabilities before and after the sliders by token; None for a token that is cut off."""
    found = {}
    for line in page.locator(".bars li:not([aria-hidden])").all():
        text, _, numbers = (part.text_content() or "" for part in line.locator("> span").all())
        before, after = numbers.split(" → ")
        found[text.removeprefix(MARK)] = share(before), None if after == "cut" else share(after)
    return found


def written(page: Page) -> list[str]:
    return page.locator(".tokens button > :first-child").all_text_contents()


def filtered(p: torch.Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> torch.Tensor:
    """The distribution that a token is drawn from, by the definitions."""
    tempered = (p.log() / temperature).softmax(-1)
    order = tempered.argsort(descending=True)
    kept = order[: top_k or None]
    if top_p < 1:
        before = tempered[order].cumsum(0) - tempered[order]
        kept = torch.tensor([i for i in kept.tolist() if i in set(order[before < top_p].tolist())])
    out = torch.zeros_like(p)
    out[kept] = tempered[kept]
    return out / out.sum()


def assert_chart_shows(page: Page, ids: list[int], **filters: Any) -> None:
    before = next_distribution(MODEL, ids).detach()
    after = filtered(before, **filters)
    rows = chart(page)
    del rows[next(name for name in rows if name.endswith(" others"))]
    assert len(rows) == 8
    for token, (was, now) in rows.items():
        index = 2 if token == "<eos>" else WORDS.encode([token])[0]
        assert was == pytest.approx(float(before[index]), abs=0.002), token
        assert (now is None) == (float(after[index]) == 0), token
        assert now is None or now == pytest.approx(float(after[index]), abs=0.002), token


def test_write_view_chart_equals_the_package_for_each_prompt(page: Page) -> None:
    assert_chart_shows(page, ids_of("the", "red"))
    page.locator("select").first.select_option("house")
    assert_chart_shows(page, ids_of("house"))
    field = page.get_by_label("or type your own")
    field.fill("old old")
    field.press("Enter")
    assert written(page)[1:] == ["old", "old"]
    assert_chart_shows(page, ids_of("old", "old"))


@pytest.mark.parametrize(
    ("label", "place", "filters"),
    [
        ("Temperature", 0.5, {"temperature": 0.5}),
        ("Temperature", 2, {"temperature": 2.0}),
        ("Top-k", 2, {"top_k": 3}),
        ("Top-p", 0.5, {"top_p": 0.5}),
    ],
)
def test_write_view_sliders_change_the_distribution_as_defined(
    page: Page, label: str, place: float, filters: dict[str, Any]
) -> None:
    slide(page, label, place)
    assert_chart_shows(page, ids_of("the", "red"), **filters)
    kept = int((filtered(next_distribution(MODEL, ids_of("the", "red")).detach(), **filters) > 0).sum())
    assert f"keep {kept} of" in said(page)


def test_write_view_next_token_is_one_that_is_kept_and_the_seed_repeats_it(page: Page) -> None:
    slide(page, "Top-k", 1)  # the two most likely
    best = next_distribution(MODEL, ids_of("the", "red")).topk(2).indices.tolist()
    drawn = set()
    for seed in range(1, 9):
        slide(page, "Seed", seed)
        page.get_by_role("button", name="Next token").click()
        drawn.add(written(page)[-1])
        first = written(page)
        page.get_by_role("button", name="Restart").click()
        assert written(page)[1:] == ["the", "red"]
        page.get_by_role("button", name="Next token").click()
        assert written(page) == first, "the same seed draws the same token"
        page.get_by_role("button", name="Back").click()
        assert written(page)[1:] == ["the", "red"]
    assert drawn <= {"<eos>" if i == 2 else WORDS.decode([i])[0] for i in best}


def test_write_view_shows_the_attention_of_the_chosen_token(page: Page) -> None:
    slide(page, "Top-k", 0)
    for _ in range(3):
        page.get_by_role("button", name="Next token").click()
    tokens = written(page)
    ids = [1, *(2 if token == "<eos>" else WORDS.encode([token])[0] for token in tokens[1:])]
    with record_attention(MODEL) as record, torch.no_grad():
        MODEL(torch.tensor([ids]))
    last = list(record)[-1]
    options = page.get_by_label("Attention")
    for at in (len(ids) - 1, 2):
        page.locator(".tokens button").nth(at).click()
        for choice, expected in (("layer 2, mean", record[last][0].mean(0)), ("layer 2, head 3", record[last][0][2])):
            options.select_option(label=choice)
            notes = page.locator(".tokens button > :last-child").all_text_contents()
            found = [float(note) / 100 for note in notes[: at + 1]]
            assert found == pytest.approx(expected[at, : at + 1].tolist(), abs=0.006)
            assert set(notes[at + 1 :]) <= {""}, "a token attends to none after it"


def test_write_view_reports_words_that_the_model_does_not_know(page: Page) -> None:
    field = page.get_by_label("or type your own")
    field.fill("the zebra quark")
    field.press("Enter")
    assert "Unknown and left out: zebra, quark." in said(page) and written(page)[1:] == ["the"]
    field.fill(" ".join(["the"] * 17))
    field.press("Enter")
    assert "Only the first 16 tokens are read." in said(page) and len(written(page)) == 17


def test_write_view_works_by_touch_on_a_phone(open_page: Any, tmp_path: Any) -> None:
    path = write(WriteView(CONTENT, PROMPTS), tmp_path)
    watched = stand(open_page, path, width=360, height=780, has_touch=True, is_mobile=True)
    page = watched.page
    page.get_by_role("button", name="Next token").tap()
    assert len(written(page)) == 4
    page.locator(".tokens button").nth(1).tap()
    assert "Drawn: “red”" in said(page)
    assert page.locator("section.card").bounding_box()["height"] <= 700
    watched.assert_quiet()


@pytest.fixture(scope="module")
def speculating(keep_page: Any, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    watched: Watched = stand(keep_page, write(SpeculateView(CONTENT, "the"), tmp_path_factory.mktemp("speculate")))
    return watched


@pytest.fixture
def checked(speculating: Watched) -> Iterator[Page]:
    """A page with speculative decoding, as it was at first."""
    yield reset(speculating.page)
    speculating.assert_quiet()


def lines(page: Page) -> list[list[str]]:
    rows = page.locator("tbody tr:not(.unused)").all()
    found = [row.locator("td:not(.chance)").all_text_contents() for row in rows]
    return [[cell.strip() for cell in line] for line in found]


def test_speculate_view_table_has_the_probabilities_of_both_models(checked: Page) -> None:
    page, draft = checked, random_draft(len(WORDS)).clone()
    draft[:, [0, 1, 3]] = 0  # never written
    draft = draft / draft.sum(-1, keepdim=True)
    ids = ids_of("the")
    for token, q, p, ratio, coin, result in lines(page):
        if result not in ("kept", "rejected"):
            break
        index = 2 if token == "<eos>" else WORDS.encode([token])[0]
        large = float(next_distribution(MODEL, ids)[index])
        assert share(p) == pytest.approx(large, abs=0.002)
        assert share(q) == pytest.approx(float(draft[ids[-1], index]), abs=0.005)
        assert float(ratio) == pytest.approx(min(1.0, share(p) / share(q)), abs=0.05)
        assert (result == "kept") == (float(coin) < float(ratio))
        ids.append(index)
    assert len(ids) > 2 or "redrawn" in str(lines(page))


def test_speculate_view_keeps_every_guess_of_the_large_model_itself(checked: Page) -> None:
    checked.locator("select").first.select_option("itself")
    checked.get_by_role("button", name="Whole sentence").click()
    assert "100 % were kept" in said(checked)
    results = {line[-1] for line in lines(checked)}
    assert results <= {"kept", "added"}


def test_speculate_view_passes_add_up(checked: Page) -> None:
    checked.get_by_role("button", name="Next pass").click()
    found = re.search(r"(\d+) passes of the large model wrote (\d+) tokens", said(checked))
    assert found and found[1] == "2"
    notes = checked.locator(".tokens > * > :last-child").all_text_contents()
    assert len([note for note in notes if note]) == int(found[2])
