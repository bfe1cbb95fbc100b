"""The page of symptoms: every check is run on its planted fault, on the other faults of its entry, and on none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from attnbook.data import PAD
from bookkit.ext.search import sections
from bookkit.notebook.index import Index, make_index
from bookkit.notebook.markdown import Converter
from bookkit.references import pieces
from bookkit.symptoms.entries import Symptom, load, markdown
from bookkit.symptoms.faults import GROUPS, PLANTED, holds, plant
from bookkit.symptoms.faults.core import KNOWN, message_of, planted
from tests.book.test_notebook_markdown import Links

TITLES, SYMPTOMS = load()
FAULTS = [(symptom, cause.name) for symptom in SYMPTOMS for cause in symptom.causes]


@pytest.fixture(scope="module")
def index(root: Path) -> Index:
    return make_index(root)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Trigger PyTorch's lazy imports, so that they do not count for any program."""
    plant("loss-stays-at-ln-v")
    plant("shape-of-attn-mask")
    plant("full-of-unk")


def names_in(expression: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(("symptom", "name"), FAULTS, ids=[f"{symptom.id}: {name}" for symptom, name in FAULTS])
def test_check_fires_on_its_fault_and_on_no_other_of_the_symptom(symptom: Symptom, name: str) -> None:
    names = plant(symptom.id, name)
    assert holds(symptom.seen, names), "the fault does not have the symptom"
    assert [cause.name for cause in symptom.causes if holds(cause.check, names)] == [name]


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=[symptom.id for symptom in SYMPTOMS])
def test_checks_are_silent_on_the_healthy_program(symptom: Symptom) -> None:
    names = plant(symptom.id)
    assert not holds(symptom.seen, names)
    assert [cause.name for cause in symptom.causes if holds(cause.check, names)] == []


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=[symptom.id for symptom in SYMPTOMS])
def test_checks_are_one_line_and_use_variables_of_the_program(symptom: Symptom) -> None:
    own = plant(symptom.id).keys()
    for expression in (symptom.seen, *(cause.check for cause in symptom.causes)):
        assert "\n" not in expression and len(expression) <= 120
        assert names_in(expression) & own, f"{expression} does not use the program"
    assert len({cause.check for cause in symptom.causes}) == len(symptom.causes)


def test_symptoms_are_many_and_each_has_one_program() -> None:
    assert len(SYMPTOMS) >= 60
    ids = [symptom.id for symptom in SYMPTOMS]
    assert len(set(ids)) == len(ids)
    assert set(PLANTED) == set(ids)
    groups = [symptom.group for symptom in SYMPTOMS]
    assert groups == sorted(groups, key=list(TITLES).index)
    assert [module.__name__.split(".")[-1] for module in GROUPS] == list(TITLES)


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=[symptom.id for symptom in SYMPTOMS])
def test_entry_links_to_different_places_that_exist(symptom: Symptom, index: Index) -> None:
    assert symptom.explained
    labels = [name for name in symptom.explained if f"book/{name}" not in index.pages]
    numbers = [index.labels[label].section for label in labels]
    assert len(set(numbers)) == len(numbers), "two labels stand in one section"
    if labels:
        assert pieces(index, ", ".join(labels), capital=False)
    assert index.labels[symptom.label].page == "book/symptoms"


def test_entry_text_has_the_checks_verbatim() -> None:
    for symptom in SYMPTOMS:
        text = markdown(symptom)
        for expression in (symptom.seen, *(cause.check for cause in symptom.causes)):
            assert f"```python\n{expression}\n```" in text
        assert symptom.program.startswith(f"def {symptom.id.replace('-', '_')}(cause: str | None)")


def test_notebook_holds_folded_entries_with_anchors(tmp_path: Path) -> None:
    text = Converter(tmp_path, Links()).convert("```{symptoms} speed\n```\n")
    wanted = [symptom for symptom in SYMPTOMS if symptom.group == "speed"]
    assert text.count("<details>") == text.count("</details>") == len(wanted)
    assert all(f'id="{symptom.label}"' in text for symptom in wanted)
    assert "{chap}" not in text and wanted[0].causes[0].check in text


def test_page_shows_every_group(root: Path) -> None:
    text = (root / "book" / "symptoms.md").read_text(encoding="utf-8")
    places = [text.index(f"## {title}\n\n```{{symptoms}} {group}\n```") for group, title in TITLES.items()]
    assert places == sorted(places)


def test_search_finds_each_entry_under_its_own_address() -> None:
    html = (
        '<article class="bd-article"><h1>Symptoms</h1><section id="shapes"><h2>Shapes</h2><p>All.</p>'
        '<details class="symptom" id="symptom-a"><summary>It is NaN</summary><p>Why.</p>'
        '<details class="symptom-program"><summary>A program</summary></details></details></section></article>'
    )
    found = {part["address"]: (part["title"], part["text"]) for part in sections(html, "s", chapter=False)}
    assert found == {"s.html#shapes": ("Shapes", "All."), "s.html#symptom-a": ("It is NaN", "Why.")}


def test_holds_returns_the_truth_of_tensors_and_rejects_other_values() -> None:
    assert holds("x.max() > 1", {"x": torch.tensor([0, 2])}) is True
    assert holds("len(x) > 1", {"x": [1]}) is False
    for expression in ("x.sum()", "x > 0", "len(x)"):
        with pytest.raises(TypeError, match="check"):
            holds(expression, {"x": torch.ones(2)})
    assert KNOWN["PAD"] == PAD and "x" not in KNOWN


def test_plant_is_reproducible_and_hides_the_cause() -> None:
    before = torch.random.get_rng_state()
    first, second = (plant("padding-gets-weight", "inverted") for _ in range(2))
    assert torch.equal(first["weights"], second["weights"])
    assert "cause" not in first, "a check could read the answer"
    assert torch.equal(torch.random.get_rng_state(), before)
    with pytest.raises(KeyError, match="symptom"):
        plant("no-such-symptom")


def test_planted_rejects_a_second_function_of_the_same_name() -> None:
    def all_rows_are_uniform(cause: str | None) -> dict[str, object]:
        return locals()

    with pytest.raises(ValueError, match="all-rows-are-uniform"):
        planted(all_rows_are_uniform)


def test_load_names_an_unknown_group(tmp_path: Path) -> None:
    file = tmp_path / "symptoms.yml"
    entry = "{id: a, group: other, title: A, also: a, seen: x, causes: [], explained: []}"
    file.write_text(f"groups: {{data: Data}}\nsymptoms: [{entry}]\n")
    with pytest.raises(ValueError, match="group of a"):
        load(file)


def test_message_of_returns_the_error_or_nothing() -> None:
    assert message_of(lambda: int("x")).startswith("invalid literal")
    assert message_of(lambda: int("1")) == ""
