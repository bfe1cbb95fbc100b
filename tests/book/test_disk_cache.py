"""Values that a build keeps, and makes again only when what they depend on has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookkit.disk_cache import cached, digest_of


def counted(made: list[int]) -> Callable[[], list[int]]:
    def make() -> list[int]:
        made.append(len(made))
        return [len(made)]

    return make


def test_kept_makes_a_value_once_for_the_same_inputs(tmp_path: Path) -> None:
    made: list[int] = []
    values = [cached(tmp_path / "single" / "page.json", ["text", b"bytes"], counted(made)) for _ in range(3)]
    assert values == [[1], [1], [1]]
    assert made == [0]


def test_kept_makes_a_value_again_when_an_input_changes(tmp_path: Path) -> None:
    made: list[int] = []
    texts = ["one", "two", "two", "one"]
    assert [cached(tmp_path / "page.json", [text], counted(made)) for text in texts] == [[1], [2], [2], [3]]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"value": [9]}', '{"inputs": 3, "value": [9]}', "\x00"])
def test_kept_replaces_a_file_that_it_cannot_read(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "page.json"
    path.write_text(damage)
    assert cached(path, ["text"], counted([])) == [1]
    assert cached(path, ["text"], counted([])) == [1]


def test_kept_keeps_nothing_when_the_maker_raises(tmp_path: Path) -> None:
    def make() -> list[int]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cached(tmp_path / "page.json", ["text"], make)
    assert cached(tmp_path / "page.json", ["text"], counted([])) == [1]


def test_digest_of_tells_apart_inputs_that_are_cut_in_other_places() -> None:
    assert digest_of(["ab", "c"]) != digest_of(["a", "bc"])
    assert digest_of(["ab"]) == digest_of([b"ab"])
