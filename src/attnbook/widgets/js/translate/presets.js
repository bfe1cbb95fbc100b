// Three ready-made interventions for the translation that is shown.
import { isChanged } from "./experiment.js";
import { wordsOf } from "./words.js";

/** @typedef {import("./experiment.js").Experiment} Experiment */
/** @typedef {import("./experiment.js").Cell} Cell */

/** What a preset changes. @typedef {Partial<Pick<Experiment, "cells" | "swap">>} Change */
/** @typedef {{name: string, about: string, change: Change}} Preset */

const isWord = (/** @type {string} */ text) => /^[\p{L}\p{N}'’-]+$/u.test(text) && /\p{L}/u.test(text);

/**
 * Pairs of an output row and the source word that it attends to most, the most telling first: long words near the end are
 * those that carry the meaning, "station" and not "the".
 * @param {{text: string, pieces: number[]}[]} words @param {ArrayLike<number>[]} weights by row
 * @param {number[]} rows that begin a word
 * @returns {{word: number, row: number}[]}
 */
function pairsOf(words, weights, rows) {
  const found = words.flatMap(({ text, pieces }, word) => {
    if (!isWord(text)) return [];
    const seen = rows.map((row) => pieces.reduce((sum, j) => sum + (weights[row]?.[j] ?? 0), 0));
    const most = Math.max(0, ...seen);
    const rank = most * Math.min(text.length, 5) * (1 + (2 * word) / words.length);
    return most > 0 ? [{ word, row: rows[seen.indexOf(most)], rank }] : [];
  });
  return found.sort((a, b) => b.rank - a.rank);
}

/** The neighbors of which the shorter one is longest. @param {{text: string}[]} words */
function neighbors(words) {
  const lengths = words.map(({ text }) => (isWord(text) ? text.length : 0));
  const pairs = lengths.slice(1).map((length, i) => Math.min(lengths[i], length));
  const most = Math.max(0, ...pairs);
  return most ? pairs.lastIndexOf(most) : -1;
}

/**
 * @param {{source: string[], rows: {piece: string}[], weights: ArrayLike<number>[]}} shown the pieces, and the attention
 * @param {boolean} subwords @param {string[]} modules whose attention is changed
 * @returns {Preset[]}
 */
export function presets({ source, rows, weights }, subwords, modules) {
  const words = wordsOf(source, subwords);
  const written = wordsOf(
    rows.map(({ piece }) => piece),
    subwords,
  ).filter(({ text }) => isWord(text));
  const begins = written.map(({ pieces }) => pieces[0]);
  /** @type {Preset[]} */
  const found = [];
  const pairs = modules.length ? pairsOf(words, weights, begins) : [];
  const [seen] = pairs;
  const other = seen && pairs.find(({ row }) => row !== seen.row);
  const cells = (/** @type {number} */ word, /** @type {number | null} */ row, /** @type {number | null} */ weight) =>
    modules.flatMap((module) =>
      words[word].pieces.map((column) => ({
        ...{ module, head: null, row, column },
        weight: weight && weight / words[word].pieces.length,
      })),
    );
  if (seen) {
    const name = `“${words[seen.word].text}”`;
    const change = { cells: cells(seen.word, null, null) };
    found.push({ name: `Forbid ${name}`, about: `No word may attend to ${name}.`, change });
  }
  if (other) {
    const name = `“${written[begins.indexOf(seen.row)].text}”`;
    const target = `“${words[other.word].text}”`;
    const change = { cells: cells(other.word, seen.row, 1) };
    found.push({
      name: `${name}: look at ${target}`,
      about: `In place of ${name}, the model attends to ${target} alone.`,
      change,
    });
  }
  const pair = neighbors(words);
  if (pair >= 0) {
    const names = `“${words[pair].text}” and “${words[pair + 1].text}”`;
    const change = { swap: pair };
    found.push({
      name: `Swap “${words[pair].text} ${words[pair + 1].text}”`,
      about: `${names} change places.`,
      change,
    });
  }
  return found;
}

/** Whether an experiment is what this preset makes of the original one. @type {(experiment: Experiment, preset: Preset) => boolean} */
export const isPressed = (experiment, { change }) =>
  isChanged(experiment) &&
  !isChanged({ ...experiment, cells: [], swap: null }) &&
  JSON.stringify(experiment.cells) === JSON.stringify(change.cells ?? []) &&
  experiment.swap === (change.swap ?? null);
