// The book's search page: matching sections, best first, each with an excerpt. Also works from disk (file://).
import MiniSearch from "minisearch";
import { excerpt } from "./excerpt.js";

/**
 * A section of the book, as written by bookkit/ext/search.py.
 *
 * @typedef {object} Section
 * @property {string} address URL of page and anchor
 * @property {string} page the page's title
 * @property {string} title title of the section; empty for the introduction of a page
 * @property {string} text
 * @property {boolean} chapter whether the page is a chapter; chapters rank higher than reference pages
 */

const MOST = 30; // results
const ASIDE = /^[\d.\s]*(exercises|check yourself|summary|further reading|common mistakes)$/i;
const singular = (/** @type {string} */ word) => word.toLowerCase().replace(/(?<=\w{3}[^s])s$/, "");

/** @param {Section[]} sections */
export function indexOf(sections) {
  const index = new MiniSearch({
    fields: ["title", "page", "text"],
    processTerm: singular,
    searchOptions: {
      boost: { title: 4, page: 3 },
      boostDocument: (id) => (sections[id].chapter ? 2 : 1) * (ASIDE.test(sections[id].title) ? 0.4 : 1),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (/** @type {string} */ query) => {
    const all = index.search(query, { combineWith: "AND" });
    return byTheirPages(all.length ? all : index.search(query), sections).slice(0, MOST);
  };
}

/**
 * Boosts sections of pages with many matches.
 *
 * @param {import("minisearch").SearchResult[]} found
 * @param {Section[]} sections
 */
function byTheirPages(found, sections) {
  /** @type {Map<string, number>} */
  const pages = new Map();
  for (const { id, score } of found) pages.set(sections[id].page, (pages.get(sections[id].page) ?? 0) + score);
  const best = Math.max(...pages.values());
  const ranked = found.map(({ id, score, terms }) => {
    const section = sections[id];
    return { ...section, terms, score: score * (0.5 + (pages.get(section.page) ?? 0) / best) };
  });
  return ranked.sort((one, other) => other.score - one.score);
}

/** @param {Section & {terms: string[]}} found */
function result({ address, page, title, text, terms }) {
  const link = Object.assign(document.createElement("a"), { href: address, textContent: title || page });
  const shown = document.createElement("p");
  for (const { words, marked } of excerpt(text, terms)) {
    shown.append(marked ? Object.assign(document.createElement("mark"), { textContent: words }) : words);
  }
  const item = document.createElement("li");
  item.append(link, ...(title ? [Object.assign(document.createElement("span"), { textContent: page })] : []), shown);
  return item;
}

addEventListener("DOMContentLoaded", () => {
  const place = /** @type {HTMLElement} */ (document.querySelector("#search-results"));
  const query = new URLSearchParams(location.search).get("q")?.trim();
  if (!query) return;
  for (const field of document.querySelectorAll("form.bd-search input")) {
    /** @type {HTMLInputElement} */ (field).value = query;
  }
  const found = indexOf(/** @type {any} */ (window).bookSections)(query);
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  const many =
    found.length === MOST ? `The ${MOST} best sections` : `${found.length} section${found.length === 1 ? "" : "s"}`;
  said.textContent = found.length ? `${many} for “${query}”` : `Nothing in the book matches “${query}”.`;
  const list = document.createElement("ol");
  list.append(...found.map(result));
  place.replaceChildren(said, list);
});
