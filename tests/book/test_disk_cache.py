"""The disk cache recomputes a value only when its inputs change."""

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


def test_cached_computes_a_value_once_for_the_same_inputs(tmp_path: Path) -> None:
    made: list[int] = []
    values = [cached(tmp_path / "single" / "page.json", ["text", b"bytes"], counted(made)) for _ in range(3)]
    assert values == [[1], [1], [1]]
    assert made == [0]


def test_cached_recomputes_a_value_when_an_input_changes(tmp_path: Path) -> None:
    made: list[int] = []
    texts = ["one", "two", "two", "one"]
    assert [cached(tmp_path / "page.json", [text], counted(made)) for text in texts] == [[1], [2], [2], [3]]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"value": [9]}', '{"inputs": 3, "value": [9]}', "\x00"])
def test_cached_replaces_an_unreadable_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "page.json"
    path.write_text(damage)
    assert cached(path, ["text"], counted([])) == [1]
    assert cached(path, ["text"], counted([])) == [1]


def test_cached_stores_nothing_when_make_raises(tmp_path: Path) -> None:
    def make() -> list[int]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cached(tmp_path / "page.json", ["text"], make)
    assert cached(tmp_path / "page.json", ["text"], counted([])) == [1]


def test_digest_of_differs_for_other_input_boundaries() -> None:
    assert digest_of(["ab", "c"]) != digest_of(["a", "bc"])
    assert digest_of(["ab"]) == digest_of([b"ab"])
