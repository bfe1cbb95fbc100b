"""Lexicon entries: words of the abstract sentence with their forms in three languages."""

from __future__ import annotations

from dataclasses import dataclass

VOWELS = frozenset("aeiouyàâéèêëîïôûœæ")
ASPIRATED = frozenset({"haricot", "haricots", "huit", "hamster", "hamsters"})


def vowel_sound(word: str) -> bool:
    """Whether a French word begins with a vowel sound, so that the word before it elides."""
    return word[0] in VOWELS or (word[0] == "h" and word not in ASPIRATED)


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A lexicon entry. Entries are compared by identity.

    Args:
        english: every English spelling the entry can take, each as its tokens. A lookup finds the entry by them.
    """

    english: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(next(iter(self.english), ()))})"


@dataclass(frozen=True, eq=False, repr=False)
class Noun(Entry):
    """A common noun, a personal name or the name of a place.

    Args:
        singular, plural: English forms; an empty one where the noun has none (mass nouns, "parents").
        french, french_plural: French forms.
        feminine: the noun's gender in French, and the sex of a person.
        french_other: the form that a trade takes for a subject of the other sex ("actrice"), or empty.
        chinese: Chinese form.
        measure: Chinese measure word.
        tags: semantic classes, for selectional restrictions, and these that rules look at: "person", "name" (no
            article in any language), "bare" (no article in English: "at school"), "known" (no demonstrative
            in Chinese for English "the"), "kin" (no 的 after a possessor).
        at: the prepositions for "at" this place: English, French, and the Chinese localizer; None for other nouns.
    """

    singular: str
    plural: str
    french: str
    french_plural: str
    feminine: bool
    french_other: str
    chinese: str
    measure: str
    tags: frozenset[str]
    at: Preposition | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Pronoun(Entry):
    """A personal pronoun: English subject and object, French subject, direct and indirect clitic, Chinese."""

    subject: str
    object: str
    french: str
    direct: str
    indirect: str
    chinese: str
    person: int
    plural: bool
    feminine: bool


@dataclass(frozen=True, eq=False, repr=False)
class Determiner(Entry):
    """An article, demonstrative, possessive or numeral.

    Args:
        kind: "the", "a", "some", "bare" (none in English), "this", "that", "possessive", "number" or "many".
        singular, plural: English forms, or an empty string.
        french: masculine, feminine and plural form.
        chinese: singular and plural form; words are separated by spaces, and "M" stands for the measure word.
        owner: the pronoun a possessive stands for.
    """

    kind: str
    singular: str
    plural: str
    french: tuple[str, str, str]
    chinese: tuple[str, str]
    owner: Pronoun | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Adjective(Entry):
    """An adjective or a predicate that English expresses with one.

    Args:
        word: English form.
        before: whether it stands before the noun in French.
        french: masculine, feminine, masculine plural, feminine plural, masculine before a vowel sound.
        having: whether French uses "avoir" and a noun: "avoir faim".
        attribute: Chinese before a noun, 的 included where it is needed; empty if it is not used there.
        predicate: Chinese after a subject: "很 大", "是 红色 的", "生病 了", "开 着".
        attributes, predicates: tags and names of the nouns it may go with before a noun and after "be".
        graded: whether "very" may go with it.
    """

    word: str
    before: bool
    french: tuple[str, str, str, str, str]
    having: bool
    attribute: str
    predicate: str
    attributes: frozenset[str]
    predicates: frozenset[str]
    graded: bool


@dataclass(frozen=True, eq=False, repr=False)
class Verb(Entry):
    """A verb with its conjugations.

    Args:
        base, third, past, participle, ing: English forms.
        infinitive: French infinitive.
        present: French present for je, tu, il, nous, ils.
        done: French past participle, masculine singular.
        etre: whether the passé composé is built with être.
        preposition, french_preposition: words before the object ("look for", "jouer à"), or empty.
        chinese: Chinese form.
        coverb: Chinese word that stands before the verb with its object or recipient (给 ... 打电话), or empty.
        traits: "zhe" (progressive with 着), "ba" (object before the verb with 把), "at" (the place follows the
            verb: 住 在 ...), "goal" (the place is the object: 去 ...), "generic" (French has "le" for things in
            general: aimer le thé), "bare" (no article in French: parler français), "plain" (no demonstrative in
            Chinese: 弹 钢琴), "partner" (the coverb takes the object: 给 他 打电话), "result" (a compound with a
            result, which 不 splits: 找到, 找不到).
    """

    base: str
    third: str
    past: str
    participle: str
    ing: str
    infinitive: str
    present: tuple[str, str, str, str, str]
    done: str
    etre: bool
    preposition: str
    french_preposition: str
    chinese: str
    coverb: str
    traits: frozenset[str]


Pieces = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Phrase(Entry):
    """A fixed expression, such as a time or an adverb: one meaning, one wording in each language.

    Args:
        words, french, chinese: the wording, as words and the digits of the parts of meaning each word expresses.
        tags: what it can be combined with, for the rules.
    """

    words: Pieces
    french: Pieces
    chinese: Pieces
    tags: frozenset[str]


@dataclass(frozen=True, eq=False, repr=False)
class Preposition(Entry):
    """A preposition of place; ``chinese`` is the localizer that follows the noun, and may be empty."""

    text: str
    french: str
    chinese: str
