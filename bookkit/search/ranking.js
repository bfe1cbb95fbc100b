// Which sections answer a query, best first.
import MiniSearch from "minisearch";
import { gist, indexed, meaning, stem, wordsOf } from "./words.js";

/**
 * A section of the book, as written by bookkit/ext/search.py.
 *
 * @typedef {object} Section
 * @property {string} address URL of page and anchor
 * @property {string} page the page's title
 * @property {string} title title of the section; empty for the introduction of a page
 * @property {string} text
 * @property {string} marked what stands out in the text: emphasis, and terms of the glossary
 * @property {boolean} chapter whether the page is a chapter; chapters rank higher than reference pages
 */

const MOST = 30; // results
const ASIDE = /^[\d.\s]*(exercises|check yourself|summary|further reading|common mistakes|contents)$/i;
const BACK = /book\/(evidence|references|status|errata|teaching|glossary|notation)\.html/;

/** @param {Section} section */
function standing({ address, title, chapter }) {
  return (chapter ? 1.5 : 1) * (title ? 1 : 0.75) * (ASIDE.test(title) ? 0.5 : 1) * (BACK.test(address) ? 0.4 : 1);
}

/** Title and text of a section in stems, made when it is asked for. @param {Section[]} sections */
function stemsOf(sections) {
  const of = (/** @type {string} */ text) => ` ${wordsOf(text).map(stem).join(" ")} `;
  /** @type {{title: string, gist: string, page: string, text: string}[]} */
  const made = [];
  return (/** @type {number} */ id) => {
    const { title, page, text } = sections[id];
    made[id] ??= { title: of(title || page), gist: gist(title), page: of(page), text: of(text) };
    return made[id];
  };
}

/** Words that belong together count less where they are apart, and more in a title or as a whole title. */
function closeness(/** @type {string[]} */ words, /** @type {ReturnType<ReturnType<typeof stemsOf>>} */ section) {
  const phrase = ` ${words.join(" ")} `;
  if (section.gist === phrase.trim()) return 2;
  if (words.length === 1) return 1;
  return section.title.includes(phrase)
    ? 2
    : section.page.includes(phrase)
      ? 1.5
      : section.text.includes(phrase)
        ? 1
        : 0.4;
}

/**
 * @param {Section[]} sections
 * @returns {(query: string) => (Section & {terms: string[], score: number})[]}
 */
export function indexOf(sections) {
  /** @type {Set<string>} */
  const vocabulary = new Set();
  const index = new MiniSearch({
    fields: ["title", "page", "text", "marked"],
    tokenize: indexed,
    processTerm: (word) => {
      const term = stem(word);
      vocabulary.add(term);
      return term;
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  const stemmed = stemsOf(sections);

  /** The sections that have all words of an alternative. */
  const having = (/** @type {string[]} */ words) =>
    index.search(
      {
        combineWith: "AND",
        queries: words.map((word) => ({
          queries: [word],
          prefix: word.length > 3,
          fuzzy: vocabulary.has(word) ? false : 0.25,
        })),
      },
      { processTerm: (term) => term, tokenize: (text) => [text], boost: { title: 3, page: 1.5, marked: 2 } },
    );

  return (query) => {
    const groups = meaning(query, (term) => vocabulary.has(term));
    /** @type {Map<number, {score: number, matched: number, terms: Set<string>}>} */
    const found = new Map();
    let asked = 0;
    for (const alternatives of groups) {
      /** @type {Map<number, number>} */
      const best = new Map();
      for (const words of alternatives) {
        for (const { id, score, terms } of having(words)) {
          best.set(id, Math.max(best.get(id) ?? 0, score * closeness(words, stemmed(id))));
          const entry = found.get(id) ?? { score: 0, matched: 0, terms: new Set() };
          for (const term of terms) entry.terms.add(term);
          found.set(id, entry);
        }
      }
      asked += best.size ? 1 : 0;
      for (const [id, score] of best) {
        const entry = /** @type {{score: number, matched: number}} */ (found.get(id));
        entry.score += Math.sqrt(score);
        entry.matched += 1;
      }
    }
    return [...found]
      .map(([id, { score, matched, terms }]) => ({
        ...sections[id],
        terms: [...terms],
        score: score * standing(sections[id]) * (matched / asked),
      }))
      .sort((one, other) => other.score - one.score)
      .slice(0, MOST);
  };
}
