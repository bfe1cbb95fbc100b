"""The grammar corpus: properties of every sentence of the grammar."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from attnbook.data.grammar import (
    MAX_LENGTH,
    PHENOMENA,
    Sentence,
    derivations,
    find,
    join,
    readings,
    sample,
    splits,
    tokenize,
)
from attnbook.data.grammar.choice import DeadEndError, RandomChooser
from attnbook.data.grammar.lexicon import NOUNS
from attnbook.data.grammar.sentences import sentence

TARGETS = ("french", "chinese")


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return list(islice(derivations(2026), 4000))


@pytest.mark.slow
def test_grammar_has_many_sentences_with_one_reference() -> None:
    """100,000 distinct sources with 300 word forms; a source drawn twice has the same references."""
    chooser, references = RandomChooser(5), {}
    words: Counter[str] = Counter()
    while len(references) < 100_000:
        try:
            drawn = Sentence(sentence(chooser))
        except DeadEndError:
            continue
        if len(drawn.english) > MAX_LENGTH:
            continue
        reference = hash((drawn.french, drawn.chinese))
        assert references.setdefault(drawn.english, reference) == reference, drawn.english
        words.update(drawn.english)
    assert len(words) >= 300
    lengths = Counter(len(source) for source in references)
    assert min(lengths) >= 2 and max(lengths) <= 16
    mean = sum(length * count for length, count in lengths.items()) / len(references)
    assert 7 < mean < 10
    assert sum(count for length, count in lengths.items() if length <= 5) > 1000


def test_readings_of_a_sentence_have_equal_translations() -> None:
    """The search finds all derivations of a sentence; a perfect model must not have to guess between two of them."""
    for given in islice(derivations(7), 20):
        expected = [given.pair(target) for target in TARGETS]
        assert all([reading.pair(target) for target in TARGETS] == expected for reading in readings(given.english))


def test_sentences_end_with_a_stop_and_are_short(sentences: list[Sentence]) -> None:
    for derived in sentences:
        for tokens, stops in ((derived.english, ".?"), (derived.french, ".?"), (derived.chinese, "。？")):
            assert tokens[-1] in stops
            assert not set(tokens[:-1]) & set(".?。？")
            assert all(token and token == token.lower().strip() for token in tokens)
        assert 2 <= len(derived.english) <= 16
        assert (derived.english[-1] == "?") == (derived.french[-1] == "?") == (derived.chinese[-1] == "？")


# Words that may be unaligned; all others are content words.
FUNCTION_WORDS = {
    "english": "the a an this that these those some any do does did has have to at on in of is are 's was were 'm 're "
    "be ever 's",
    "french": "le la les l' un une des du de d' au à en en que qu' , ce cette cet avoir",
    "chinese": "， 把 的 了 个 们 是 很 那 一 在 里 上 给 跟",
}


def test_alignment_links_every_content_word(sentences: list[Sentence]) -> None:
    for derived in sentences:
        for target in TARGETS:
            pair = derived.pair(target)
            assert pair.alignment is not None
            for i, j in pair.alignment:
                assert 0 <= i < len(pair.source) and 0 <= j < len(pair.target)
            sources, targets = {i for i, _ in pair.alignment}, {j for _, j in pair.alignment}
            alone = [t for i, t in enumerate(pair.source) if i not in sources]
            assert not set(alone) - set(FUNCTION_WORDS["english"].split()), (alone, pair)
            alone = [t for j, t in enumerate(pair.target) if j not in targets]
            measures = {noun.measure for noun in NOUNS}
            assert not set(alone) - set(FUNCTION_WORDS[target].split()) - measures, (alone, pair)


def test_alignment_links_the_final_stops(sentences: list[Sentence]) -> None:
    for derived in sentences[:1000]:
        for target in TARGETS:
            pair = derived.pair(target)
            assert (len(pair.source) - 1, len(pair.target) - 1) in (pair.alignment or ())


def test_lexicon_spells_english_verb_forms_correctly(sentences: list[Sentence]) -> None:
    for sentence_ in (
        "she watches films every sunday .",
        "he washes the cups every day .",
        "she studies every evening .",
        "he goes to the library every saturday .",
        "tom plays tennis every week .",
    ):
        assert find(sentence_) is not None, sentence_
    for word in {word for derived in sentences for word in derived.english}:
        assert not word.endswith(("shs", "chs", "sss", "eing")) or word == "seeing", word
        assert word not in {"goed", "eated", "studys", "crys", "studyed", "writed", "danceing", "runing", "swiming"}


def test_tokenize_inverts_join(sentences: list[Sentence]) -> None:
    for derived in sentences:
        for language in ("english", "french", "chinese"):
            tokens = getattr(derived, language)
            assert tokenize(join(tokens, language), language) == tokens


@pytest.mark.parametrize(
    ("language", "tokens", "text"),
    [
        ("english", "i 'm not tom 's friend .", "I'm not Tom's friend."),
        ("english", "ca n't you come at ten o'clock on monday ?", "Can't you come at ten o'clock on Monday?"),
        ("english", "do i speak french ?", "Do I speak French?"),
        ("french", "qu' est-ce qu' anna a fait aujourd'hui ?", "Qu'est-ce qu'Anna a fait aujourd'hui\u202f?"),
        ("french", "ouvre la porte , s' il te plaît .", "Ouvre la porte, s'il te plaît."),
        ("french", "marie apprend l' anglais en italie .", "Marie apprend l'anglais en Italie."),
        ("chinese", "我 昨天 买 了 一 本 书 。", "我昨天买了一本书。"),
        ("chinese", "她 在 唱 歌曲 ， 我们 在 唱歌 。", "她在唱歌曲，我们在唱歌。"),
    ],
)
def test_join_writes_text_by_hand(language: str, tokens: str, text: str) -> None:
    assert join(tokens.split(), language) == text
    assert " ".join(tokenize(text, language)) == tokens


def test_tokenize_accepts_unknown_words() -> None:
    assert tokenize("L’eau, où est-elle ?", "french") == ("l'", "eau", ",", "où", "est-elle", "?")
    assert tokenize("龘hello 猫", "chinese")[0] == "龘"
    assert tokenize("", "english") == ()
    with pytest.raises(ValueError, match="language"):
        tokenize("Guten Tag", "german")
    with pytest.raises(ValueError, match="language"):
        join(["guten", "tag"], "german")


def test_sample_is_distinct_and_depends_only_on_seed() -> None:
    pairs = sample(500, seed=3)
    assert len({pair.source for pair in pairs}) == len(pairs) == 500
    assert pairs == sample(500, seed=3)
    assert pairs[:100] == sample(100, seed=3)
    assert pairs != sample(500, seed=4)
    assert [pair.source for pair in sample(500, seed=3, target="chinese")] == [pair.source for pair in pairs]
    assert sample(0, seed=3) == []


@pytest.mark.slow
def test_sample_is_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from attnbook.data.grammar import sample;"
        "print(hashlib.sha256(repr([(p.source, p.target, sorted(p.alignment), sorted(p.phenomena))"
        " for p in sample(200, seed=1, target='chinese')]).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_sample_and_splits_refuse_values_out_of_range() -> None:
    with pytest.raises(ValueError, match="count"):
        sample(-1, seed=0)
    with pytest.raises(ValueError, match="target"):
        sample(1, seed=0, target="english")
    with pytest.raises(ValueError, match="valid"):
        splits(train=1, valid=-2)
    with pytest.raises(ValueError, match="target"):
        splits(target="german")
    with pytest.raises(ValueError, match="composition"):
        splits(train=3, valid=0, test=0, composition=50)


@pytest.mark.parametrize("size", [float("nan"), float("inf"), 100.0, True, None, "100"])
@pytest.mark.parametrize("name", ["train", "valid", "test", "composition"])
def test_splits_refuse_sizes_that_are_not_integers(name: str, size: object) -> None:
    with pytest.raises(ValueError, match=name):
        splits(**{name: size})  # type: ignore[arg-type]


@pytest.mark.parametrize("target", TARGETS)
def test_splits_are_disjoint_and_reproducible(target: str) -> None:
    parts = splits(train=3000, valid=200, test=300, composition=150, seed=9, target=target)
    sets = (parts.train, parts.valid, parts.test, parts.composition)
    assert [len(part) for part in sets] == [3000, 200, 300, 150]
    assert len({pair.source for part in sets for pair in part}) == 3650
    seen = {word for pair in parts.train for word in (*pair.source, *pair.target)}
    assert all(seen.issuperset((*pair.source, *pair.target)) for pair in parts.composition)
    assert parts == splits(train=3000, valid=200, test=300, composition=150, seed=9, target=target)
    other = splits(train=100, valid=10, test=10, composition=0, seed=10, target=target)
    assert other.train[:10] != parts.train[:10]


def test_composition_has_unseen_combinations() -> None:
    parts = splits(train=3000, valid=100, test=100, composition=100, seed=2)
    combinations = {drawn.english: drawn.combinations for drawn in islice(derivations(2), 12000)}
    known = {
        combination
        for part in (parts.train, parts.valid, parts.test)
        for pair in part
        for combination in combinations[pair.source]
    }
    assert len(known) > 300
    for pair in parts.composition:
        assert combinations[pair.source] - known, pair.source


def test_combinations_are_of_base_forms() -> None:
    derived = find("she bought three black cups because she lost her cups .")
    assert derived is None
    derived = find("i 'm happy because i bought a beautiful dress .")
    assert derived is not None
    assert derived.combinations == {("buy", "dress"), ("beautiful", "dress")}


def test_find_returns_derivation_or_none() -> None:
    assert find("The cat is tired.") is not None
    assert find(["the", "cat", "is", "tired", "."]) is not None
    for strange in ("the cat is a book .", "cat the is tired .", "the cat is tired ?", "", "colorless green ideas ."):
        assert find(strange) is None


def test_find_returns_sampled_sentences() -> None:
    for pair in sample(30, seed=8):
        found = find(pair.source)
        assert found is not None and found.pair() == pair


def test_phenomena_of_samples_cover_all_names(sentences: list[Sentence]) -> None:
    found = {name for derived in sentences for target in TARGETS for name in derived.pair(target).phenomena}
    assert found == set(PHENOMENA)


@pytest.mark.slow
def test_command_line_prints_sentences() -> None:
    command = [sys.executable, "-m", "attnbook.data.grammar", "--sample", "20", "--seed", "4"]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    text = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=True).stdout
    assert len(text.splitlines()) == 60
    assert text.splitlines()[0] == join(next(derivations(4)).english, "english")
    aligned = subprocess.run(
        [*command, "--target", "chinese", "--aligned"], env=env, capture_output=True, encoding="utf-8", check=True
    ).stdout
    assert len(aligned.splitlines()) == 60
    wrong = subprocess.run([*command, "--sample", "-1"], env=env, capture_output=True, encoding="utf-8")
    assert wrong.returncode == 2 and "--sample" in wrong.stderr


@pytest.mark.parametrize("seed", [None, "x", -1, 1.5, True])
def test_samples_refuse_seeds_that_are_not_integers(seed: object) -> None:
    """None would give other sentences at every call."""
    for call in (
        lambda: sample(1, seed=seed),  # type: ignore[arg-type]
        lambda: splits(train=1, valid=1, test=1, composition=0, seed=seed),  # type: ignore[arg-type]
        lambda: derivations(seed),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="seed"):
            call()


@pytest.mark.parametrize("text", [None, 5, [None], ["she", 1]])
def test_lookups_refuse_what_is_not_text(text: object) -> None:
    for call in (find, readings):
        with pytest.raises(TypeError, match="text"):
            call(text)  # type: ignore[operator]
    for language in ("english", "chinese"):
        if not isinstance(text, list):
            with pytest.raises(TypeError, match="text"):
                tokenize(text, language)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="tokens"):
            join(text, language)  # type: ignore[arg-type]


def test_sample_accepts_numpy_integers() -> None:
    assert sample(np.int64(2), seed=0) == sample(2, seed=0)  # type: ignore[arg-type]
