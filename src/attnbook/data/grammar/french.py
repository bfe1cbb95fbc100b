"""French: rendering of an abstract sentence, with agreement, clitics, two-piece negation, elision and contraction.

Yes-no questions and wh-questions take "est-ce que", except "qui" as subject and "où est ..." with "être". The past is
the passé composé; "être" and the weather have the imparfait. "you" is "tu".
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Noun, Verb, vowel_sound
from attnbook.data.grammar.french_nouns import noun_phrase
from attnbook.data.grammar.lexicon import VERBS
from attnbook.data.grammar.line import Line, Word
from attnbook.data.grammar.syntax import Clause, NounPhrase, Tense, Tree

ELIDED = frozenset({"je", "me", "te", "le", "la", "ne", "de", "que", "se"})
CONTRACTED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}
WH = {"what": "que", "who": "qui", "whom": "qui", "where": "où", "when": "quand", "why": "pourquoi"}
LINKS = {"that": "que", "because": "parce que", "but": "mais"}
IMPERFECT = {
    VERBS["be"]: ("étais", "étais", "était", "étions", "étaient"),
    VERBS["be.weather"]: ("", "", "faisait", "", ""),
    VERBS["have"]: ("avais", "avais", "avait", "avions", "avaient"),
}
CLITIC_ORDER = {"le": 1, "la": 1, "les": 1, "lui": 2, "leur": 2}


def say(tree: Tree) -> Line:
    """The sentence in French."""
    line = Line()
    _clause(line, tree.first, "")
    if tree.second is not None:
        line.add(LINKS[tree.link], "link")
        _clause(line, tree.second, "second.")
    line.add("?" if tree.first.asks else ".", "end")
    line.words = _contract(line, _elide(line))
    return line


def _elide(line: Line) -> list[Word]:
    """Drop the vowel of "je", "le", "que" ... before a vowel sound."""
    words: list[Word] = []
    for (form, keys), (following, _) in zip(line.words, [*line.words[1:], ("", ())], strict=True):
        if form in ELIDED and following and vowel_sound(following):
            form = form[:-1] + "'"
            line.notes.add("elision")
        words.append((form, keys))
    return words


def _contract(line: Line, words: list[Word]) -> list[Word]:
    """Fuse "à" and "de" with an article that was not elided; a clitic "le" never fuses."""
    fused: list[Word] = []
    for form, keys in words:
        meets = bool(fused) and (fused[-1][0], form) in CONTRACTED
        if meets and any(key.endswith(".det") for key in keys):
            before, before_keys = fused.pop()
            form, keys = CONTRACTED[before, form], tuple(dict.fromkeys(before_keys + keys))
            line.notes.add("contraction")
        fused.append((form, keys))
    return fused


def _agree(form: str, phrase: NounPhrase) -> str:
    """A participle that agrees with ``phrase``."""
    form += "e" * phrase.feminine
    return form + "s" if phrase.many and form[-1] != "s" else form


def _clause(line: Line, clause: Clause, prefix: str) -> None:
    if clause.verb is VERBS["be"] and clause.asks == "where":
        line.add(WH["where"], prefix + "wh")
        _verb_group(line, clause, prefix)
        noun_phrase(line, clause.subject, prefix + "subject")
        return
    if clause.asks not in ("", "polar"):
        line.add(WH[clause.asks], prefix + "wh")
    if clause.asks not in ("", "who"):
        line.add("est-ce que", prefix + "question")
    if clause.tense is not Tense.IMPERATIVE and clause.asks != "who":
        if clause.verb is VERBS["be.there"]:
            line.add("il", prefix + "verb")
        else:
            noun_phrase(line, clause.subject, prefix + "subject", bare="le")
    _verb_group(line, clause, prefix)
    _complements(line, clause, prefix)


def _verb_group(line: Line, clause: Clause, prefix: str) -> None:
    """[ne] [clitics] finite verb [pas] [adverb] [clitics] infinitive or participle."""
    negation = prefix + "negation"
    clitics = _clitics(line, clause, prefix)
    finite, rest = _verbs(line, clause, prefix)
    infinitive = rest is not None and rest[0] == _lexical(clause).infinitive
    if clause.negation:
        line.add("ne", negation)
    if clause.verb is VERBS["be.there"]:
        line.add("y", prefix + "verb")
    line.extend([*clitics, finite] if not infinitive else [finite])
    line.add({"": "", "not": "pas", "never": "jamais"}[clause.negation], negation)
    if clause.adverb is not None:
        line.add_pieces(clause.adverb.french, prefix + "adverb")
    if clause.tense is Tense.PERFECT and clause.asks == "polar":
        line.add("déjà", prefix + "ever")
    line.extend(clitics if infinitive else [])
    line.extend([rest] if rest is not None else [])


def _verbs(line: Line, clause: Clause, prefix: str) -> tuple[Word, Word | None]:
    """The finite word, and the infinitive or participle if there is one."""
    person, lexical, tense = _person(clause), _lexical(clause), prefix + "tense"
    verb = [prefix + "verb"] if clause.verb.french_preposition else [prefix + "verb", prefix + "prep"]
    if clause.modal is not None:
        return (clause.modal.present[person], (prefix + "modal", tense)), (lexical.infinitive, tuple(verb))
    if clause.tense is Tense.FUTURE:
        return (VERBS["go"].present[person], (tense,)), (lexical.infinitive, tuple(verb))
    if clause.tense is Tense.PAST and lexical in IMPERFECT:
        return (IMPERFECT[lexical][person], (*verb, tense)), None
    if clause.tense in (Tense.PAST, Tense.PERFECT):
        auxiliary = VERBS["be" if clause.verb.etre else "have"]
        participle = _participle(clause)
        line.notes.update(["participle agreement"] if participle != clause.verb.done else ())
        return (auxiliary.present[person], (tense,)), (participle, tuple(verb))
    form = _imperative(clause.verb) if clause.tense is Tense.IMPERATIVE else lexical.present[person]
    return (form, (*verb, tense)), None


def _lexical(clause: Clause) -> Verb:
    """The main verb: "avoir" for "be" in "avoir faim" and in "avoir dix ans"."""
    having = clause.age is not None or (clause.adjective is not None and clause.adjective.having)
    return VERBS["have"] if having else clause.verb


def _imperative(verb: Verb) -> str:
    """The form for "tu": without its "s" where the present ends in "es" or is "vas"."""
    form = verb.present[1]
    return form[:-1] if form.endswith(("es", "vas")) else form


def _person(clause: Clause) -> int:
    """The column of the present tense."""
    if clause.asks == "who" or clause.verb is VERBS["be.there"]:
        return 2
    subject = clause.subject
    return {(1, False): 0, (2, False): 1, (3, False): 2, (1, True): 3, (3, True): 4}[subject.person, subject.many]


def _participle(clause: Clause) -> str:
    """The participle: it agrees with the subject after "être", and with a preceding direct object after "avoir"."""
    if clause.asks == "who":
        return clause.verb.done
    if clause.verb.etre:
        return _agree(clause.verb.done, clause.subject)
    direct = clause.object is not None and clause.object.pronoun and not clause.verb.french_preposition
    return _agree(clause.verb.done, clause.object) if direct and clause.object else clause.verb.done


def _clitics(line: Line, clause: Clause, prefix: str) -> list[Word]:
    """Object pronouns in their order: me te nous, then le la les, then lui leur."""
    clitics: list[Word] = []
    if clause.recipient is not None and clause.recipient.pronoun:
        keys = (prefix + "recipient.noun", prefix + "recipient.prep")
        clitics.append((clause.recipient.pronoun.indirect, keys))
    if clause.object is not None and clause.object.pronoun:
        pronoun = clause.object.pronoun
        if clause.verb.french_preposition:
            clitics.append((pronoun.indirect, (prefix + "object.noun", prefix + "prep")))
        else:
            clitics.append((pronoun.direct, (prefix + "object.noun",)))
    if clitics:
        line.notes.add("object clitic")
    return sorted(clitics, key=lambda clitic: CLITIC_ORDER.get(clitic[0], 0))


def _complements(line: Line, clause: Clause, prefix: str) -> None:
    """Everything after the verb."""
    verb = clause.verb
    negated = clause.negation != "" and not verb.french_preposition
    if clause.object is not None and not clause.object.pronoun:
        line.add(verb.french_preposition, prefix + "prep")
        noun = clause.object.head
        general = "generic" in verb.traits or (isinstance(noun, Noun) and "bare" in noun.tags)
        bare = "" if "bare" in verb.traits else "le" if general else "de"
        if verb is VERBS["be"]:
            _trade(line, clause, prefix)
        else:
            noun_phrase(line, clause.object, prefix + "object", bare=bare, negated=negated)
    elif clause.object is None:
        line.add(verb.french_preposition, prefix + "prep")
    if clause.recipient is not None and not clause.recipient.pronoun:
        line.add("à", prefix + "recipient.prep")
        noun_phrase(line, clause.recipient, prefix + "recipient")
    if clause.degree is not None:
        line.add_pieces(clause.degree.french, prefix + "degree")
    if clause.adjective is not None:
        _predicate(line, clause, prefix)
    if clause.age is not None:
        line.add_pieces(clause.age.french, prefix + "age")
    if clause.place is not None:
        line.add(clause.place.preposition.french, prefix + "place.prep")
        place_article = "" if clause.place.preposition.french == "en" else "le"
        noun_phrase(line, clause.place.phrase, prefix + "place", bare=place_article)
    if clause.tense is Tense.IMPERATIVE and not clause.negation:
        line.add(",")
        line.add("s' il te plaît", prefix + "please")
    for k, time in enumerate(clause.times):
        line.add_pieces(time.french, f"{prefix}time{k}.")


def _predicate(line: Line, clause: Clause, prefix: str) -> None:
    """The adjective after "être", agreeing with the subject; after "avoir" and "il fait" it does not change."""
    assert clause.adjective is not None
    column = 2 * clause.subject.many + clause.subject.feminine
    form = clause.adjective.french[column]
    if form != clause.adjective.french[0] and not clause.adjective.having:
        line.notes.add("adjective agreement")
    line.add(form, prefix + "adjective")


def _trade(line: Line, clause: Clause, prefix: str) -> None:
    """A trade after "être", without an article, with the sex and number of the subject."""
    assert clause.object is not None and isinstance(clause.object.head, Noun)
    noun = clause.object.head
    form = noun.french if noun.feminine == clause.subject.feminine else noun.french_other
    line.add(form + "s" * clause.subject.many, prefix + "object.noun")
