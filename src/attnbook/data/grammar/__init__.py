"""A synchronous grammar: it renders an abstract sentence in English, French and Chinese, aligned word by word.

Rules choose an abstract sentence (a ``Tree``), and ``english``, ``french`` and ``chinese`` render it. Every word
carries the names of the parts of meaning it expresses. Two words of different languages are aligned if they share a
part, so the gold alignment is exact.

Choices that English leaves open are fixed, so that a source sentence has one reference in each language:

- "i", "we" and "they" are masculine; "you" is one man, "tu" and 你. "it" and "them" take the gender of the noun they
  stand for where the sentence has one, and are masculine where it has none. "brother" is 哥哥, "sister" 姐姐.
- The past of an event is the passé composé, that of a state and of the weather the imparfait. "am going to" is
  "aller" with an infinitive, in Chinese 要, 不 打算 where it is negated, 会 or 能 after "think" or "hope". The present
  is one tense in French; in Chinese an ongoing action takes 在, wearing clothes 着.
- A question takes "est-ce que", except "qui" as subject and "où" with "être". An imperative addresses "tu".

Alignment rules:

- Nouns, names, adjectives, main verbs, pronouns, adverbs, numbers and the words of a time: with their translation.
- An auxiliary ("did", "has", "'m going to", "'s" of "'s reading") with the auxiliary or particle of the tense
  (ai, vais, 了, 过, 在, 要, 没); where a language has none, with the verb. "to" before an infinitive with its modal.
- "n't", "not" and "never" with both "ne" and "pas" or "jamais", and with 不, 没, 别 or 从来 不.
- The word that stands before its subject in a question also with "est-ce", "que" and 吗.
- An article or demonstrative with its counterpart, and with the Chinese demonstrative or number and its measure word;
  a possessive with 我 的. A fused word ("au", "du") with both of its parts.
- A preposition with its counterpart, with 在 and with the localizer; without one, with the verb ("looking for":
  cherche; "in": 到, 有; "told him": 给), with "home" ("be home": à la maison), with "where" (在 哪里).
- "be" with "être", "avoir" or "faire", with 是, 在 or 很; where Chinese has no word for it, with the adjective or 岁.
- "that" with "que", "because" with "parce que" and 因为, "please" with "s'il te plaît", final punctuation with final
  punctuation.
- A word without a counterpart stays unaligned: commas, 把, an article that the other language does not have.
"""

from attnbook.data.grammar.corpus import (
    MAX_LENGTH,
    Sentence,
    Splits,
    derivations,
    find,
    readings,
    sample,
    splits,
)
from attnbook.data.grammar.notes import PHENOMENA
from attnbook.data.grammar.text import capitals, join, tokenize

__all__ = [
    "MAX_LENGTH",
    "PHENOMENA",
    "Sentence",
    "Splits",
    "capitals",
    "derivations",
    "find",
    "join",
    "readings",
    "sample",
    "splits",
    "tokenize",
]
