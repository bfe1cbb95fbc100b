// Written text and tokens, by the rules of attnbook.data.grammar.text.

const TOKENS = {
  english: /o'clock|n't|'[\p{L}\p{N}_]+|[\p{L}\p{N}_]+(?=n't)|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
  french: /aujourd'hui|[\p{L}\p{N}_]+'|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
};

/** @typedef {"english" | "french" | "chinese"} Language */

/** Tokens in lower case; of English or French. @param {string} text @param {"english" | "french"} language @returns {string[]} */
export const tokenize = (text, language) => text.toLowerCase().replaceAll("’", "'").match(TOKENS[language]) ?? [];

/**
 * Tokens as properly written text.
 * @param {string[]} tokens @param {Language} language @param {Iterable<string>} capitals words written with a capital
 */
export function join(tokens, language, capitals) {
  if (language === "chinese") return tokens.join("");
  const named = new Set(capitals);
  const words = tokens.map((token) => (named.has(token) ? capital(token) : token)).join(" ");
  const text =
    language === "english"
      ? words.replace(/ (n't|'[\p{L}\p{N}_]+|[.,?])/gu, "$1")
      : words
          .replaceAll("' ", "'")
          .replace(/ ([.,])/g, "$1")
          .replaceAll(" ?", "\u202f?");
  return capital(text);
}

/** @type {(word: string) => string} */
const capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);
