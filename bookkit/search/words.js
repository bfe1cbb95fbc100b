// Words as the index knows them, lower case, in one spelling, without endings, and what a query means by its words.
import { SYNONYMS } from "./synonyms.js";

const WORD = /[\p{L}\p{N}]+/gu;
const COMPOUND = /\p{L}+(?:-\p{L}+)+/gu;
const BRITISH = /(?<=\p{L}{3})is(?=(?:e|ed|er|ing|ation)$)/u;
const STOP = new Set(
  (
    "a an and are as at be been but by can could did do does doing for from get had has have how i if in instead into " +
    "is it its me my of on one or our should so than that the their them then there these they this those to used using " +
    "vs versus was we were what when where which while why will with work would you your difference between compared mean"
  ).split(" "),
);

/** @param {string} text */
export const wordsOf = (text) => text.toLowerCase().match(WORD) ?? [];

/** A title without its number and the words that say nothing, in stems. @param {string} title */
export const gist = (title) =>
  wordsOf(title)
    .filter((word) => !STOP.has(word) && !/^\d+$/.test(word))
    .map(stem)
    .join(" ");

/** Words to index; of "warm-up" also "warmup". @param {string} text */
export const indexed = (text) => [
  ...wordsOf(text),
  ...(text.toLowerCase().match(COMPOUND) ?? []).map((compound) => compound.replaceAll("-", "")),
];

/** A word without its ending: "masks", "masked" and "masking" are one word. @param {string} word */
export function stem(word) {
  let bare = word.toLowerCase().replace(BRITISH, "iz");
  if (bare.length > 3) bare = bare.replace(/(?<=[^su])s$/, "").replace(/(?<=ss|x|ch)e$/, "");
  if (bare.length > 5) {
    const cut = bare.replace(/(?<=\p{L}{3})(?:ation|ing|ed|er|ly|al)$/u, "");
    bare = cut === bare ? bare : cut.replace(/([^aeiouls])\1$/, "$1");
  }
  return bare.replace(/(?<=\p{L}{3})(?:ie|e|y|i)$/u, "");
}

/** @type {Map<string, string[][]>} what learners type, in stems, and what it means */
const SAME = new Map();
const stemsOf = (/** @type {string} */ text) => wordsOf(text).map(stem);
for (const line of SYNONYMS.trim().split("\n")) {
  const [, asked, too, means] = /** @type {RegExpMatchArray} */ (line.match(/^(.*?) (\+?)= (.*)$/));
  for (const phrase of asked.split(" | ")) {
    const own = too ? [stemsOf(phrase)] : [];
    SAME.set(stemsOf(phrase).join(" "), [...own, ...means.split(" | ").map(stemsOf)]);
  }
}

/** The longest phrase of the table of synonyms that begins at a word. */
function phraseAt(/** @type {string[]} */ stems, /** @type {number} */ at) {
  for (let length = Math.min(5, stems.length - at); length > 0; length--) {
    const means = SAME.get(stems.slice(at, at + length).join(" "));
    if (means) return { length, means };
  }
}

/** Whether one letter more, less, wrong or misplaced makes one word of the other. */
function near(/** @type {string} */ one, /** @type {string} */ other) {
  if (Math.abs(one.length - other.length) > 1 || one === other) return one === other;
  let from = 0;
  while (one[from] === other[from]) from++;
  const [a, b] = [one.slice(from), other.slice(from)];
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || `${a[1]}${a[0]}${a.slice(2)}` === b;
}

/** A word that neither the book nor the table has, as the word of the table that was meant. */
function mended(/** @type {string} */ term, /** @type {(term: string) => boolean} */ known) {
  if (term.length < 5 || known(term) || SAME.has(term)) return term;
  return [...SAME.keys()].find((key) => near(term, key)) ?? term;
}

/** "layernorm" as "layer norm": a word that the book does not have, as two that it has. */
function split(/** @type {string} */ word, /** @type {(term: string) => boolean} */ known) {
  for (let place = 3; place <= word.length - 3; place++) {
    const parts = [stem(word.slice(0, place)), stem(word.slice(place))];
    if (parts.every(known)) return [parts];
  }
  return [];
}

/**
 * What a query asks for: groups, of which a section should match all. A group has alternatives, and an alternative has
 * words that belong together.
 *
 * @param {string} query
 * @param {(term: string) => boolean} known whether the book has a word
 * @returns {string[][][]}
 */
export function meaning(query, known) {
  const words = wordsOf(query);
  const stems = words.map((word) => mended(stem(word), known));
  /** @type {string[][][]} */
  const groups = [];
  let at = 0;
  while (at < words.length) {
    const phrase = phraseAt(stems, at);
    const joined = stem(words[at] + (words[at + 1] ?? ""));
    if (phrase) groups.push(phrase.means);
    else if (STOP.has(words[at])) {
      // asks for nothing
    } else if (at + 1 < words.length && known(joined)) groups.push([[joined], stems.slice(at, at + 2)]);
    else groups.push(known(stems[at]) ? [[stems[at]]] : [[stems[at]], ...split(words[at], known)]);
    at += phrase?.length ?? (groups.at(-1)?.[0][0] === joined && at + 1 < words.length ? 2 : 1);
  }
  const once = [...new Map(groups.map((group) => [JSON.stringify(group), group])).values()];
  return once.length ? once : stems.map((term) => [[term]]); // nothing but "what is it"
}
