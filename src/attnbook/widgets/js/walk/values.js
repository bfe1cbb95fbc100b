// The numbers of an array as they are shown: of one head, of the target so far, of the most probable words.
import { dotRange, topIndices } from "../shared/linear_algebra.js";

/** @typedef {import("./boxes.js").ArraySpec} ArraySpec */

/**
 * What is computed and looked at.
 * @typedef {object} Scene
 * @property {import("./trace.js").Arrays} arrays
 * @property {import("../engine/layers.js").Weights} weights of the model
 * @property {import("./boxes.js").Config} config
 * @property {string[]} off parts that are switched off
 * @property {number} head from 0
 * @property {number} position of the word that is written, from 0
 * @property {{source: string[], target: string[]}} tokens one label per row
 * @property {{source: number[], target: number[]}} ids
 * @property {(id: number) => string} word of the target vocabulary
 */

/**
 * @typedef {object} Shown
 * @property {number[][]} rows
 * @property {string[]} rowNames
 * @property {string[] | null} columnNames null for features
 * @property {(i: number, j: number) => boolean} masked
 */

const WORDS = 10; // of the vocabulary that are shown

/** Rows of an array for the target so far, or for the source. @param {Scene} scene @param {string} name @param {"source" | "target" | "words"} tokens */
export function rowsOf(scene, name, tokens) {
  const rows = scene.arrays.get(name) ?? [];
  return tokens === "target" ? rows.slice(0, scene.position + 1) : rows;
}

/** The columns of a head in an array of all heads. @param {Scene} scene */
export function headColumns({ config, head }) {
  const size = config.d_model / config.num_heads;
  return { size, left: head * size };
}

/** Ids of the most probable next words. @param {Scene} scene */
export const bestWords = (scene) =>
  topIndices(scene.arrays.get("head.logits")?.[scene.position] ?? new Float32Array(), WORDS);

/** Softmax of one logit over the whole vocabulary. @param {Float32Array} logits @param {number} id */
export function probability(logits, id) {
  let total = 0;
  for (const logit of logits) total += Math.exp(logit - logits[id]);
  return 1 / total;
}

/** The dot product of query i and key j of a head, over √head_dim. @param {Scene} scene @param {ArraySpec} spec @param {number} i @param {number} j */
export function scoreAt(scene, spec, i, j) {
  const { size, left } = headColumns(scene);
  const q = rowsOf(scene, spec.input ?? "", spec.rows)[i];
  const k = rowsOf(scene, spec.other ?? "", spec.columns ?? "source")[j];
  return dotRange(q, left, k, left, size) / Math.sqrt(size);
}

/** @param {Scene} scene @param {ArraySpec} spec @returns {Shown} */
export function shownOf(scene, spec) {
  if (spec.rows === "words") return wordsShown(scene, spec);
  const rowNames = scene.tokens[spec.rows].slice(0, spec.rows === "target" ? scene.position + 1 : undefined);
  const own = spec.how === "score" || spec.how === "weight" ? `${spec.name}.${scene.head}` : spec.name;
  const { size, left } = headColumns(scene);
  let rows = rowsOf(scene, own, spec.rows).map((row) => [...(spec.headed ? row.subarray(left, left + size) : row)]);
  if (!spec.columns) return { rows, rowNames, columnNames: null, masked: () => false };
  const columnNames = scene.tokens[spec.columns].slice(0, spec.columns === "target" ? scene.position + 1 : undefined);
  const count = columnNames.length;
  // the decoder computes each row when it reads its token, so the scores of later keys are computed here
  const later = (/** @type {number} */ i, /** @type {number} */ j) =>
    spec.how === "score" ? scoreAt(scene, spec, i, j) : 0;
  rows = rows.map((row, i) => [...row, ...columnNames.slice(row.length).map((_, n) => later(i, row.length + n))]);
  const causal = spec.columns === "target";
  return { rows: rows.map((row) => row.slice(0, count)), rowNames, columnNames, masked: (i, j) => causal && j > i };
}

/** @param {Scene} scene @param {ArraySpec} spec @returns {Shown} */
function wordsShown(scene, spec) {
  const logits = scene.arrays.get("head.logits")?.[scene.position] ?? new Float32Array();
  const ids = bestWords(scene);
  const value = (/** @type {number} */ id) => (spec.how === "logit" ? logits[id] : probability(logits, id));
  return {
    rows: ids.map((id) => [value(id)]),
    rowNames: ids.map(scene.word),
    columnNames: [spec.tab],
    masked: () => false,
  };
}
