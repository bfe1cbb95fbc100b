"""English: rendering of an abstract sentence, with do-support, inversion and contractions."""

from __future__ import annotations

from attnbook.data.grammar.entries import Pronoun, Verb
from attnbook.data.grammar.lexicon import NAMED, VERBS
from attnbook.data.grammar.line import Line, Word
from attnbook.data.grammar.syntax import Clause, NounPhrase, Tense, Tree

CONTRACTED = {"am": "'m", "is": "'s", "are": "'re"}
TO_PLACE = (VERBS["go"], VERBS["come"], VERBS["be.to"])
BE_VERBS = (VERBS["be"], VERBS["be.there"], VERBS["be.weather"])
AUXILIARIES = (VERBS["can"], VERBS["must"])


def say(tree: Tree) -> Line:
    """The sentence in English."""
    line = Line()
    _clause(line, tree.first, "")
    if tree.second is not None:
        line.add(tree.link, "link")
        _clause(line, tree.second, "second.")
    line.add("?" if tree.first.asks else ".", "end")
    return line


def _noun_phrase(line: Line, phrase: NounPhrase, role: str, *, subject: bool = False, any_: bool = False) -> None:
    head = phrase.head
    if isinstance(head, Pronoun):
        line.add(head.subject if subject else head.object, role + ".noun")
        return
    if phrase.owner is not None:
        line.add(phrase.owner.singular, role + ".owner")
        line.add("'s", role + ".of")
    noun = head.plural if phrase.plural else head.singular
    following = phrase.adjective.word if phrase.adjective else noun
    if phrase.determiner is not None:
        form = phrase.determiner.plural if phrase.plural else phrase.determiner.singular
        if form == "a" and following[0] in "aeiou" and following != "university":
            form = "an"
        line.add("any" if form == "some" and any_ else form, role + ".det")
    if phrase.adjective is not None:
        line.add(phrase.adjective.word, role + ".adj")
    line.add(noun, role + ".noun")


def _clause(line: Line, clause: Clause, prefix: str) -> None:
    finite, rest = _verbs(clause, prefix)
    inverted = clause.asks not in ("", "who")
    if clause.asks not in ("", "polar"):
        line.add("who" if clause.asks == "whom" else clause.asks, prefix + "wh")
    if inverted:
        line.extend(finite)
    start = len(line.words)
    if clause.verb is VERBS["be.there"]:
        line.add("there", prefix + "verb")
    elif clause.tense is Tense.IMPERATIVE:
        line.add("" if clause.negation else "please", prefix + "please")
    elif clause.asks != "who":
        _noun_phrase(line, clause.subject, prefix + "subject", subject=True)
    if not inverted:
        pronoun = isinstance(clause.subject.head, Pronoun) and len(line.words) == start + 1
        line.extend(_contract(finite) if pronoun and clause.verb is not VERBS["be.there"] else finite)
    if clause.tense is Tense.PERFECT and clause.asks == "polar":
        line.add("ever", prefix + "ever")
    line.extend(rest)
    _complements(line, clause, prefix)


def _contract(finite: list[Word]) -> list[Word]:
    """After a pronoun: "i 'm", "he 's", and "i 'm not" where "am n't" does not exist."""
    (form, keys), *others = finite
    if form == "am" or (form in CONTRACTED and not others):
        finite = [(CONTRACTED[form], keys), *(("not", other) for _, other in others)]
    return finite


def _verbs(clause: Clause, prefix: str) -> tuple[list[Word], list[Word]]:
    """The finite word, with its "n't", and the words after it, adverb included."""
    verb, tense, modal = prefix + "verb", prefix + "tense", prefix + "modal"
    question = (prefix + "question",) if clause.asks not in ("", "who") else ()
    verb_keys = (verb,) if clause.verb.preposition else (verb, prefix + "prep")
    base = (clause.verb.base, verb_keys)
    governor = clause.modal
    chain: list[Word]
    if clause.tense is Tense.IMPERATIVE:
        chain = [("do", (tense,)), base] if clause.negation else [(clause.verb.base, (*verb_keys, tense))]
    elif governor in AUXILIARIES and governor is not None:
        chain = [(governor.base, (modal, tense)), base]
    elif governor is not None:
        chain = [*_finite(governor, clause, (modal, tense), (modal,), tense), ("to", (modal,)), base]
    elif clause.tense is Tense.FUTURE:
        chain = [(_be(clause), (tense,)), ("going", (tense,)), ("to", (tense,)), base]
    elif clause.tense is Tense.PROGRESSIVE:
        chain = [(_be(clause), (tense,)), (clause.verb.ing, verb_keys)]
    elif clause.tense is Tense.PERFECT:
        have = "has" if _third(clause) else "have"
        chain = [(have, (tense,)), (clause.verb.participle, verb_keys)]
    elif clause.verb in BE_VERBS:
        chain = [(_be(clause), (*verb_keys, tense))]
    else:
        chain = _finite(clause.verb, clause, (*verb_keys, tense), verb_keys, tense)
    (first, keys), *rest = chain
    finite: list[Word] = [(first, keys + question)]
    if clause.negation == "not":
        finite = [("ca" if first == "can" else first, keys + question), ("n't", (prefix + "negation",))]
    middle: list[Word] = []
    if clause.negation == "never":
        middle.append(("never", (prefix + "negation",)))
    if clause.adverb is not None:
        middle += [(form, (prefix + "adverb" + digit,)) for form, digit in clause.adverb.words]
    lexical = not rest and clause.verb not in BE_VERBS
    return (middle + finite, rest) if lexical and middle else (finite, middle + rest)


def _finite(verb: Verb, clause: Clause, alone: tuple[str, ...], main: tuple[str, ...], tense: str) -> list[Word]:
    """A simple present or past, with "do" where it is negated or comes before its subject."""
    past, third = clause.tense is Tense.PAST, _third(clause)
    if clause.negation == "not" or clause.asks not in ("", "who"):
        return [("did" if past else "does" if third else "do", (tense,)), (verb.base, main)]
    return [(verb.past if past else verb.third if third else verb.base, alone)]


def _third(clause: Clause) -> bool:
    return clause.asks == "who" or (clause.subject.person == 3 and not clause.subject.many)


def _be(clause: Clause) -> str:
    """The finite form of "be"."""
    subject = clause.object if clause.verb is VERBS["be.there"] and clause.object else clause.subject
    first = subject.person == 1 and not subject.many and clause.asks != "who"
    singular = clause.asks == "who" or (subject.person != 2 and not subject.many)
    if clause.tense is Tense.PAST:
        return "was" if singular else "were"
    return "am" if first else "is" if singular else "are"


def _complements(line: Line, clause: Clause, prefix: str) -> None:
    """Everything after the verb."""
    any_ = clause.negation != "" or clause.asks == "polar"
    line.add(clause.verb.preposition, prefix + "prep")
    recipient = clause.recipient
    if recipient is not None and clause.shifted:
        _noun_phrase(line, recipient, prefix + "recipient")
    if clause.object is not None:
        _noun_phrase(line, clause.object, prefix + "object", any_=any_)
    if recipient is not None and not clause.shifted:
        line.add("to", prefix + "recipient.prep")
        _noun_phrase(line, recipient, prefix + "recipient")
    if clause.degree is not None:
        line.add_pieces(clause.degree.words, prefix + "degree")
    if clause.adjective is not None:
        line.add(clause.adjective.word, prefix + "adjective")
    if clause.age is not None:
        line.add_pieces(clause.age.words, prefix + "age")
    if clause.place is not None:
        _place(line, clause, prefix)
    for k, time in enumerate(clause.times):
        line.add_pieces(time.words, f"{prefix}time{k}.")


def _place(line: Line, clause: Clause, prefix: str) -> None:
    """The place, with "to" where it is a goal, and "home" without a preposition after "be"."""
    assert clause.place is not None
    place = clause.place
    if clause.verb is VERBS["be"] and place.phrase.head is NAMED["home"]:
        line.add("home", prefix + "place.noun", prefix + "place.prep")
        return
    line.add("to" if clause.verb in TO_PLACE else place.preposition.text, prefix + "place.prep")
    _noun_phrase(line, place.phrase, prefix + "place")
