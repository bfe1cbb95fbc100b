// BLEU of one sentence, as attnbook.translation.metrics.corpus_bleu has it from sacrebleu.
import { range, sum } from "../shared/numbers.js";

export const LONGEST = 4;

/** An n-gram of the output: start index, text and whether it matches. @typedef {{at: number, text: string, fate: "found" | "spent" | "absent"}} Gram */

/** @param {string} text */
export const tokens = (text) => text.split(/\s+/).filter(Boolean);

/** @param {string[]} words @param {number} n */
const grams = (words, n) =>
  range(Math.max(0, words.length - n + 1)).map((at) => ({ at, text: words.slice(at, at + n).join(" ") }));

/** Counts of each n-gram. @param {string[]} words @param {number} n */
function counts(words, n) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const { text } of grams(words, n)) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}

/**
 * Matches the n-grams of an output with clipping: each matches at most as often as in the reference that has it most.
 * @param {string[]} output @param {string[][]} references @param {number} n @returns {Gram[]}
 */
export function judged(output, references, n) {
  const allowed = references.map((reference) => counts(reference, n));
  /** @type {Map<string, number>} */
  const used = new Map();
  return grams(output, n).map(({ at, text }) => {
    const most = Math.max(0, ...allowed.map((count) => count.get(text) ?? 0));
    const before = used.get(text) ?? 0;
    used.set(text, before + 1);
    return { at, text, fate: most === 0 ? "absent" : before < most ? "found" : "spent" };
  });
}

/** The reference length closest to the output's, the shorter one of a tie. @param {number} c @param {number[]} lengths */
export const closest = (c, lengths) =>
  lengths.reduce((best, length) => {
    const nearer = Math.abs(length - c) - Math.abs(best - c);
    return nearer < 0 || (nearer === 0 && length < best) ? length : best;
  });

/**
 * Precisions by n, brevity penalty and score. A precision without any match is taken as 1/2, 1/4, ... of one match; an
 * output of fewer than four tokens is judged by the n-grams that it has.
 * @param {string[]} output @param {string[][]} references at least one
 */
export function bleu(output, references) {
  const c = output.length;
  const r = closest(
    c,
    references.map((reference) => reference.length),
  );
  let none = 1;
  const precisions = range(LONGEST).map((i) => {
    const all = judged(output, references, i + 1);
    const found = all.filter(({ fate }) => fate === "found").length;
    return { found, all: all.length, smoothed: 0 };
  });
  const present = precisions.filter(({ all }) => all > 0);
  for (const one of present) {
    if (!one.found) none *= 2;
    one.smoothed = (one.found || 1 / none) / one.all;
  }
  const brevity = c === 0 ? 0 : Math.min(1, Math.exp(1 - r / c));
  const matched = precisions.some(({ found }) => found > 0);
  const mean = matched ? Math.exp(sum(present.map(({ smoothed }) => Math.log(smoothed))) / present.length) : 0;
  return { precisions, brevity, c, r, score: 100 * brevity * mean };
}

/** Outputs to try: another reference, the first half of one, and a word repeated. @param {string[][]} references @returns {[string, string][]} names and outputs */
export function examples(references) {
  const [first, last] = [references[0], references[references.length - 1]];
  return [
    ["reference", last.join(" ")],
    ["first half", first.slice(0, Math.ceil(first.length / 2)).join(" ")],
    ["one word", first.map(() => first[0]).join(" ")],
  ];
}
