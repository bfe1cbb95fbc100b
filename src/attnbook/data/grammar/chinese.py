"""Chinese: rendering of an abstract sentence, with measure words, aspect, and time and place before the verb.

A finished event takes 了, an experience 过, an ongoing action 在 (着 for wearing clothes). The negation is 没 for what
did not happen, otherwise 不. "you" is 你, one person.
"""

from __future__ import annotations

from attnbook.data.grammar.chinese_nouns import kind_of, location, noun_phrase
from attnbook.data.grammar.lexicon import VERBS
from attnbook.data.grammar.line import Line
from attnbook.data.grammar.syntax import Clause, Tense, Tree

WEATHER = (VERBS["be.weather"], VERBS["rain"], VERBS["snow"])
# The verbs after which the future is a prediction (会, 能); otherwise it is planned.
EXPECTED = {VERBS["hope"]: "能", VERBS["think"]: "会", VERBS["believe"]: "会"}
PLANNED = "要"
LINKS = {"that": "", "because": "因为", "but": "但是"}


def say(tree: Tree) -> Line:
    """The sentence in Chinese."""
    line = Line()
    _clause(line, tree.first, "")
    if tree.second is not None:
        line.add("，" if LINKS[tree.link] else "")
        line.add(LINKS[tree.link], "link")
        _clause(line, tree.second, "second.", future=EXPECTED.get(tree.first.verb, PLANNED))
    if tree.first.asks == "polar":
        line.add("吗", "question")
        line.notes.add("question 吗")
    line.add("？" if tree.first.asks else "。", "end")
    return line


def _clause(line: Line, clause: Clause, prefix: str, *, future: str = PLANNED) -> None:
    """Subject, time, adverb, negation, modal, place, verb, object: the order of a Chinese clause."""
    if clause.verb is VERBS["be.there"]:
        _existence(line, clause, prefix)
        return
    weather = clause.verb in WEATHER
    if weather:
        _times(line, clause, prefix)
    _subject(line, clause, prefix)
    if not weather:
        _times(line, clause, prefix)
    moved = bool(clause.verb.traits & {"at", "goal"}) and clause.asks == "where"
    # 是 ... 的: the event is known, and only its time or place is asked for.
    is_known = clause.tense is Tense.PAST and clause.asks in ("when", "where") and not moved
    if is_known:
        line.add("是", prefix + "tense")
        line.notes.add("是 的")
    if clause.asks in ("when", "why"):
        line.add({"when": "什么 时候", "why": "为什么"}[clause.asks], prefix + "wh")
    if clause.adverb is not None:
        line.add_pieces(clause.adverb.chinese, prefix + "adverb")
    if clause.verb in (VERBS["be"], VERBS["be.weather"]):
        _state(line, clause, prefix)
    else:
        _action(line, clause, prefix, is_known, future)
    if is_known:
        line.add("的", prefix + "tense")


def _subject(line: Line, clause: Clause, prefix: str) -> None:
    if clause.asks == "who":
        line.add("谁", prefix + "wh")
    elif clause.tense is not Tense.IMPERATIVE:
        located = clause.place is not None and clause.verb is VERBS["be"]
        bare = located or (clause.verb is VERBS["be"] and clause.asks == "where")
        definite = kind_of(clause.subject) == "the" and "person" not in clause.subject.tags
        lasting = clause.age is not None or (clause.adjective is not None and clause.adjective.attributes)
        noun_phrase(line, clause.subject, prefix + "subject", topic=not lasting, bare=bare and definite)


def _times(line: Line, clause: Clause, prefix: str) -> None:
    for k, time in enumerate(clause.times):
        line.add_pieces(time.chinese, f"{prefix}time{k}.")
        line.notes.add("time before verb")


def _existence(line: Line, clause: Clause, prefix: str) -> None:
    """桌子 上 有 一 本 书."""
    assert clause.place is not None and clause.object is not None
    location(line, clause.place, prefix)
    keys = [prefix + "verb", prefix + "tense"]
    if not clause.place.preposition.chinese:
        keys.append(prefix + "place.prep")
    if clause.negation:
        line.add("没有", prefix + "negation", *keys)
    else:
        line.add("有", *keys)
    noun_phrase(line, clause.object, prefix + "object", bare=bool(clause.negation or clause.asks))


def _state(line: Line, clause: Clause, prefix: str) -> None:
    """Render what follows "be"."""
    if clause.negation == "never":
        line.add("从来", prefix + "negation")
    if clause.tense is Tense.FUTURE:
        line.add("不" if clause.negation else "", prefix + "negation")
        line.add("会", prefix + "tense")
    elif clause.negation:
        changed = clause.adjective is not None and clause.adjective.predicate[-1] in "了着"
        line.add("没" if changed else "不", prefix + "negation")
        line.notes.add("negation 没" if changed else "negation 不")
    if clause.place is not None or clause.asks == "where":
        line.add("在", *_verb_keys(line, prefix), prefix + "place.prep")
        if clause.place is not None:
            location(line, clause.place, prefix)
        else:
            line.add("哪里", prefix + "wh")
    elif clause.object is not None:
        line.add("是", *_verb_keys(line, prefix))
        noun_phrase(line, clause.object, prefix + "object", bare=True)
    elif clause.age is not None:
        line.add_pieces(clause.age.chinese, prefix + "age")
        years, keys = line.words.pop()
        line.add(years, *keys, *_verb_keys(line, prefix))
    elif clause.adjective is not None:
        _quality(line, clause, clause.adjective.predicate.split(), prefix)


def _quality(line: Line, clause: Clause, words: list[str], prefix: str) -> None:
    """An adjective: 很 大, 是 红色 的, 生病 了, 开 着. It carries the key of "be" if no other word does."""
    adjective, tense = prefix + "adjective", prefix + "tense"
    if words[0] == "是":
        line.add("是", *_verb_keys(line, prefix))
        line.add(" ".join(words[1:]), adjective)
    elif words[-1] in ("了", "着"):
        particle = "" if clause.negation or clause.tense is Tense.FUTURE else words[1]
        line.add(words[0], adjective, *([prefix + "verb"] if particle else _verb_keys(line, prefix)))
        line.add(particle, tense)
        line.notes.update(["aspect " + particle] if particle else ())
    elif clause.degree is not None:
        line.add_pieces(clause.degree.chinese, prefix + "degree")
        line.add(words[-1], adjective, *_verb_keys(line, prefix))
    elif clause.negation or clause.asks:
        line.add(words[-1], adjective, *_verb_keys(line, prefix))
    else:
        line.add("很", *_verb_keys(line, prefix))
        line.add(words[-1], adjective)


def _verb_keys(line: Line, prefix: str) -> list[str]:
    """The key of the verb, and that of the tense if no word carries it yet."""
    tense = prefix + "tense"
    has_tense = any(tense in keys for _, keys in line.words)
    return [prefix + "verb"] if has_tense else [prefix + "verb", tense]


def _action(line: Line, clause: Clause, prefix: str, is_known: bool, future: str) -> None:
    """Negation, modal, place, coverb, verb, aspect and objects."""
    verb, traits = clause.verb, clause.verb.traits
    aspect = _before(line, clause, prefix, future)
    adverbial = clause.place is not None and not traits & {"at", "goal", "ba"}
    where = clause.asks == "where" and not traits & {"at", "goal", "ba"}
    if adverbial or where:
        line.add("在", prefix + ("wh" if where else "place.prep"))
        line.notes.add("place before verb")
        if clause.place is not None:
            location(line, clause.place, prefix)
        else:
            line.add("哪里", prefix + "wh")
    given = clause.object is not None and clause.recipient is not None and clause.object.pronoun and not verb.coverb
    if "ba" in traits or given:
        _with_ba(line, clause, prefix, aspect)
        return
    if verb.coverb and (clause.recipient or "partner" in traits):
        partner, role = (clause.recipient, "recipient") if clause.recipient else (clause.object, "object")
        line.add(
            verb.coverb, prefix + ("verb" if clause.shifted else "recipient.prep" if role == "recipient" else "prep")
        )
        if partner is None:
            line.add("谁", prefix + "wh")
        else:
            noun_phrase(line, partner, prefix + role)
    _verb(line, clause, prefix, "" if is_known or "at" in traits else aspect)
    if clause.recipient is not None and not verb.coverb:
        noun_phrase(line, clause.recipient, prefix + "recipient")
    if clause.object is not None and "partner" not in traits:
        vague = clause.object.indefinite and (clause.negation != "" or clause.asks == "polar")
        vague = vague and (clause.recipient is None or verb.coverb != "")  # 给 他 一 本 书 吗
        noun_phrase(line, clause.object, prefix + "object", bare=vague or "plain" in traits)
    elif clause.asks in ("what", "whom") and "partner" not in traits:
        line.add({"what": "什么", "whom": "谁"}[clause.asks], prefix + "wh")
    if traits & {"at", "goal"}:
        _goal(line, clause, prefix)


def _before(line: Line, clause: Clause, prefix: str, future: str) -> str:
    """Render negation, modal and future, and return the aspect particle that follows the verb, or an empty string."""
    negation, tense = prefix + "negation", prefix + "tense"
    aspect = {Tense.PAST: "了", Tense.PERFECT: "了" if clause.adverb else "过"}.get(clause.tense, "")
    if clause.negation == "never":
        line.add("从来", negation)
    if clause.negation and clause.tense is Tense.IMPERATIVE:
        line.add("别", negation)
    elif clause.tense is Tense.IMPERATIVE:
        line.add("请", prefix + "please")
    elif clause.negation and clause.tense in (Tense.PAST, Tense.PERFECT, Tense.PROGRESSIVE):
        line.add("没", negation, tense)
        line.notes.add("negation 没")
        aspect = aspect if aspect == "过" else ""
    elif clause.negation and clause.verb is not VERBS["have"] and not _impossible(clause):
        line.add("不", negation)
        line.notes.add("negation 不")
    if clause.modal is not None and not _impossible(clause):
        forbidden = clause.negation != "" and clause.modal is VERBS["must"]
        line.add(VERBS["can"].chinese if forbidden else clause.modal.chinese, prefix + "modal", tense)
    if clause.tense is Tense.FUTURE:
        denied = "会" if clause.verb in WEATHER else "打算"
        line.add(denied if clause.negation else future, tense)
    if clause.tense is Tense.PROGRESSIVE:
        if "zhe" in clause.verb.traits:
            return "" if clause.negation else "着"
        if clause.place is None:
            line.add("在", tense)
            line.notes.add("aspect 在")
    return aspect


def _verb(line: Line, clause: Clause, prefix: str, aspect: str) -> None:
    """The verb and its aspect particle. Without a particle, the verb carries the key of the tense."""
    keys = [prefix + "verb"] if aspect else _verb_keys(line, prefix)
    form = clause.verb.chinese
    if clause.verb is VERBS["have"] and clause.negation:
        form = "没有"
        keys.append(prefix + "negation")
    elif _impossible(clause):
        form = "不".join(form)
        keys += [prefix + "negation", prefix + "modal"]
    if not clause.verb.coverb:
        keys += [prefix + "prep", prefix + "recipient.prep"]
    if "goal" in clause.verb.traits:
        keys.append(prefix + "place.prep")
    if clause.subject.pronoun and not clause.subject.pronoun.chinese:  # 下雨 also stands for the "it" of "it rained"
        keys.append(prefix + "subject.noun")
    first, *rest = form.split()
    line.add(first, *keys)
    if aspect:
        line.add(aspect, prefix + "tense", *([prefix + "ever"] if aspect == "过" else ()))
        line.notes.add("aspect " + aspect)
    line.add(" ".join(rest), *keys)  # 忘 了 带


def _impossible(clause: Clause) -> bool:
    """Whether the verb itself expresses "can not": 找不到."""
    return clause.modal is VERBS["can"] and clause.negation != "" and "result" in clause.verb.traits


def _with_ba(line: Line, clause: Clause, prefix: str, aspect: str) -> None:
    """把 and the object before the verb: 他 把 书 放 在 桌子 上 了; 他 把 它 给 了 我."""
    assert clause.object is not None
    line.notes.add("把")
    line.add("把", prefix + "ba")
    noun_phrase(line, clause.object, prefix + "object", bare=kind_of(clause.object) == "the")
    if clause.recipient is not None:
        _verb(line, clause, prefix, aspect)
        noun_phrase(line, clause.recipient, prefix + "recipient")
    else:
        _verb(line, clause, prefix, "")
        _goal(line, clause, prefix)
        line.add(aspect, prefix + "tense")


def _goal(line: Line, clause: Clause, prefix: str) -> None:
    """The place after the verb: 住 在 巴黎, 去 了 学校."""
    if "goal" not in clause.verb.traits and (clause.place is not None or clause.asks == "where"):
        line.add("在", prefix + ("wh" if clause.asks == "where" else "place.prep"))
    if clause.asks == "where":
        line.add("哪里", prefix + "wh")
    elif clause.place is not None:
        if "goal" in clause.verb.traits:
            noun_phrase(line, clause.place.phrase, prefix + "place", bare=True)
        else:
            location(line, clause.place, prefix)
