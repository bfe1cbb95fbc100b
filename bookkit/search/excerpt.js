// Excerpts of search results: the text around the first match.

const BEFORE = 60;
const LENGTH = 220;

/**
 * @param {string} text
 * @param {string[]} terms index terms: lower case, singular
 * @returns {{words: string, marked: boolean}[]} the excerpt in pieces; matches are marked
 */
export function excerpt(text, terms) {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const wanted = new RegExp(`(?<!\\p{L})(?:${escaped.join("|")})s?(?!\\p{L})`, "giu");
  const first = terms.length ? Math.max(text.search(wanted), 0) : 0;
  const from = first > BEFORE ? text.indexOf(" ", first - BEFORE) + 1 : 0;
  const to = from + LENGTH < text.length ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const shown = text.slice(from, to);
  const pieces = [];
  let done = 0;
  for (const { 0: words, index } of terms.length ? shown.matchAll(wanted) : []) {
    pieces.push({ words: shown.slice(done, index), marked: false }, { words, marked: true });
    done = index + words.length;
  }
  pieces.push({ words: shown.slice(done), marked: false });
  if (from) pieces.unshift({ words: "… ", marked: false });
  if (to < text.length) pieces.push({ words: " …", marked: false });
  return pieces.filter(({ words }) => words);
}
