// Excerpts of search results: the text around the first match.
import { stem } from "./words.js";

const BEFORE = 60;
const LENGTH = 220;

/**
 * @param {string} text
 * @param {string[]} terms words as the index has them: lower case, without endings
 * @returns {{words: string, marked: boolean}[]} the excerpt in pieces; matches are marked
 */
export function excerpt(text, terms) {
  const wanted = new Set(terms);
  const matches = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) => wanted.has(stem(word)));
  const first = matches[0]?.index ?? 0;
  const from = first > BEFORE ? text.indexOf(" ", first - BEFORE) + 1 : 0;
  const to = from + LENGTH < text.length ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const pieces = [];
  let done = from;
  for (const { 0: words, index } of matches) {
    if (index < from || index + words.length > to) continue;
    pieces.push({ words: text.slice(done, index), marked: false }, { words, marked: true });
    done = index + words.length;
  }
  pieces.push({ words: text.slice(done, to), marked: false });
  if (from) pieces.unshift({ words: "… ", marked: false });
  if (to < text.length) pieces.push({ words: " …", marked: false });
  return pieces.filter(({ words }) => words);
}
