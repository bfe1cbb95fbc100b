"""The word tables of the grammar, and the digest of a sample."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from itertools import islice
from pathlib import Path

import pytest

import attnbook
from attnbook.data.grammar import derivations
from attnbook.data.grammar.forms import Det, Form, weights
from attnbook.data.grammar.lexicon import NOUNS, VERBS, tagged
from attnbook.data.grammar.table import marked, rows, spellings

PACKAGE = Path(attnbook.__file__).parent
TABLES = sorted((PACKAGE / "data" / "grammar" / "tables").glob("*.tsv"))
# Digests of 5,000 sentences with links and phenomena. Any change of the corpus changes them and invalidates all long
# runs: change them only on purpose, and give the reason.
CORPUS = {
    "french": "81f86b100bb33e1780518038c804a8a5947adb84a13ea02523fecb8c36d999c7",
    "chinese": "1f8099d6c19159ba0c33b2e6a07724a5178956a22a185fdab416d0d4b82d8408",
}


def test_sample_has_the_known_digest() -> None:
    digests = {target: hashlib.sha256() for target in CORPUS}
    for sentence in islice(derivations(20), 5000):
        for target, digest in digests.items():
            pair = sentence.pair(target)
            content = (pair.source, pair.target, sorted(pair.alignment or ()), sorted(pair.phenomena))
            digest.update(repr(content).encode())
    assert {target: digest.hexdigest() for target, digest in digests.items()} == CORPUS


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_tables_have_complete_and_unique_rows(table: Path) -> None:
    header, *lines = table.read_text(encoding="utf-8").splitlines()
    assert len(set(header.split("\t"))) == len(header.split("\t"))
    for line in lines:
        cells = line.split("\t")
        assert len(cells) == len(header.split("\t")), line
        assert all(cell == " ".join(cell.split()) for cell in cells), line
    assert len(set(lines)) == len(lines)
    assert len(rows(table.stem)) == len(lines)


def test_rows_names_a_missing_table() -> None:
    with pytest.raises(FileNotFoundError, match=r"adverbs\.tsv"):
        rows("adverbs")


def test_package_contains_the_tables(root: Path) -> None:
    """A wheel contains other files than Python's only if they are listed."""
    listed = re.search(r"^attnbook = (\[.*\])$", (root / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert listed is not None and len(TABLES) == 11
    patterns = re.findall(r'"([^"]+)"', listed.group(1))
    for table in TABLES:
        assert any(fnmatch.fnmatch(table.relative_to(PACKAGE).as_posix(), pattern) for pattern in patterns), table


def test_marked_and_weights_parse_cells() -> None:
    assert marked("last week:1", "0") == (("last", "0"), ("week", "1"))
    assert weights("the:2 a number") == {Det.THE: 2, Det.A: 1, Det.NUMBER: 1}
    assert spellings("read", "reads", "read", "", "post office") == (("read",), ("reads",), ("post", "office"))
    with pytest.raises(ValueError, match="'then' is not a valid Det"):
        weights("then")
    with pytest.raises(ValueError, match="tags"):
        tagged("pet unicorn")


def test_lexicon_derives_regular_verb_forms() -> None:
    watch, swim = VERBS["watch"], VERBS["swim"]
    assert (watch.base, watch.third, watch.past, watch.participle, watch.ing) == (
        "watch", "watches", "watched", "watched", "watching",
    )  # fmt: skip
    assert swim.present == ("nage", "nages", "nage", "nageons", "nagent") and swim.done == "nagé"
    assert (swim.past, swim.participle) == ("swam", "swum")


def test_nouns_are_unique_and_complete() -> None:
    assert len({noun.singular for noun in NOUNS}) == len(NOUNS)
    assert all(noun.singular and noun.french and noun.chinese and noun.measure for noun in NOUNS)


def test_form_has_tense_or_modal() -> None:
    for form in Form:
        assert (form.modal is None) == (form.value not in ("want", "like", "can", "must"))
