// What readers see of a model's pieces: words without the markers of subwords, and how sure the model was of each.

export const UNSURE = 0.2; // words with a smaller probability are marked

/** A piece as shown: a subword that continues a word begins with "…". @type {(piece: string, subwords: boolean) => string} */
export function shownPiece(piece, subwords) {
  if (piece === "<eos>") return "(end)";
  if (!subwords || /^<.+>$/.test(piece)) return piece;
  return piece.startsWith("▁") ? piece.slice(1) || "…" : `…${piece}`;
}

/** Whether pieces are subwords: the first one of each word is marked. @type {(pieces: string[]) => boolean} */
export const areSubwords = (pieces) => pieces.some((piece) => piece.startsWith("▁"));

/** Index of the word that each piece belongs to. @type {(pieces: string[], subwords: boolean) => number[]} */
export function wordOfPiece(pieces, subwords) {
  let word = -1;
  return pieces.map((piece) => {
    if (word < 0 || !subwords || piece.startsWith("▁") || piece === "<eos>") word++;
    return word;
  });
}

/** The words as text, with the pieces of each. @type {(pieces: string[], subwords: boolean) => {text: string, pieces: number[]}[]} */
export function wordsOf(pieces, subwords) {
  /** @type {{text: string, pieces: number[]}[]} */
  const words = [];
  wordOfPiece(pieces, subwords).forEach((word, i) => {
    words[word] ??= { text: "", pieces: [] };
    words[word].text += subwords ? pieces[i].replaceAll("▁", "") : pieces[i];
    words[word].pieces.push(i);
  });
  return words;
}

/** Which written words the model was unsure of: the product of their pieces' probabilities is small. @type {(rows: {piece: string, p: number}[], subwords: boolean) => boolean[]} */
export const unsureWords = (rows, subwords) =>
  wordsOf(
    rows.map(({ piece }) => piece),
    subwords,
  ).map(({ pieces }) => pieces.reduce((p, i) => p * rows[i].p, 1) < UNSURE);

/** The letters of other scripts, and symbols such as emoji, each once. @type {(sentence: string) => string[]} */
export const unfamiliarLetters = (sentence) => [
  ...new Set(sentence.normalize("NFC").match(/[^\p{Script=Latin}\p{M}\p{N}\p{P}\p{Z}\p{C}\p{Sc}\p{Sm}`^]/gu) ?? []),
];

/** Names that the sentence writes with a capital letter, in lower case. @type {(sentence: string) => string[]} */
export const namesIn = (sentence) =>
  (sentence.match(/(?<=\S\s+)\p{Lu}\p{Ll}+/gu) ?? []).map((name) => name.toLowerCase());

/**
 * Names that the model reads in several pieces, because it rarely saw them, and that its translation lacks.
 *
 * @type {(sentence: string, sourcePieces: string[], written: string) => string[]}
 */
export function lostNames(sentence, sourcePieces, written) {
  const names = new Set(namesIn(sentence));
  return wordsOf(sourcePieces, areSubwords(sourcePieces))
    .filter(({ text, pieces }) => pieces.length > 1 && names.has(text) && !written.toLowerCase().includes(text))
    .map(({ text }) => text[0].toUpperCase() + text.slice(1));
}
