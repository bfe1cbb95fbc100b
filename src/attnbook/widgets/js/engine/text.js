// Tokenizes and joins text like attnbook.cli.options.Options.

const TOKENS = {
  english: /o'clock|n't|'[\p{L}\p{N}_]+|[\p{L}\p{N}_]+(?=n't)|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
  french: /aujourd'hui|[\p{L}\p{N}_]+'|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
};

/** @typedef {"english" | "french" | "chinese"} Language */
/** Whose tokenization rules. @typedef {"grammar" | "tatoeba"} Corpus */

/** Splits English or French text into lowercase tokens. @param {string} text @param {"english" | "french"} language @param {Corpus} [corpus] @returns {string[]} */
export function tokenize(text, language, corpus = "grammar") {
  const lower = text.normalize("NFC").toLowerCase();
  if (corpus === "grammar") return lower.replaceAll("’", "'").match(TOKENS[language]) ?? [];
  return lower
    .replace(/[,.!?]/g, " $&")
    .split(/[ \t\r\n\u00a0\u202f]+/)
    .filter(Boolean);
}

/**
 * Joins tokens into properly spaced and capitalized text.
 * @param {string[]} tokens @param {Language} language @param {Iterable<string>} capitals words to capitalize
 * @param {Corpus} [corpus]
 */
export function join(tokens, language, capitals, corpus = "grammar") {
  if (language === "chinese") return tokens.join("");
  const named = new Set(capitals);
  const words = tokens.map((token) => (named.has(token) ? capital(token) : token)).join(" ");
  if (corpus === "tatoeba") return capital(words.replace(/ ([,.!?])/g, "$1"));
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
