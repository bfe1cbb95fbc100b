// The forward pass of one encoder layer, keeping every intermediate value.
import {
  add,
  concatColumns,
  fromRows,
  layerNorm,
  linear,
  map,
  matmul,
  sliceColumns,
  softmax,
  toRows,
} from "../shared/linear_algebra.js";
import { range } from "../shared/numbers.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix<Float64Array>} Matrix */
/** State dict of the layer as nested lists. @typedef {Record<string, any>} Weights */

/**
 * All values of the layer as nested lists, in the order in which they are computed.
 *
 * @param {number[][]} embedding before scaling
 * @param {number[][]} positions
 * @param {Weights} weights
 * @param {number} numHeads
 */
export function forwardSteps(embedding, positions, weights, numHeads) {
  const apply = (/** @type {Matrix} */ x, /** @type {string} */ name) =>
    linear(x, fromRows(weights[`${name}.weight`]), fromRows([weights[`${name}.bias`]]));
  const norm = (/** @type {Matrix} */ x, /** @type {string} */ name) =>
    layerNorm(x, weights[`${name}.norm.weight`], weights[`${name}.norm.bias`]);
  const size = embedding[0].length;
  const scaled = map(fromRows(embedding), (value) => value * Math.sqrt(size));
  const x = add(scaled, fromRows(positions));
  const { q, k, v, scores, attention, joined } = attend(x, apply, size / numHeads);
  const attended = apply(joined, "self_attention.W_o");
  const added = add(x, attended);
  const y = norm(added, "add_norm_1");
  const hidden = map(apply(y, "feed_forward.W_1"), (value) => Math.max(0, value));
  const narrow = apply(hidden, "feed_forward.W_2");
  const again = add(y, narrow);
  const out = norm(again, "add_norm_2");
  const [rows, perHead] = [toRows, (/** @type {Matrix[]} */ heads) => heads.map(toRows)];
  return {
    ...{ embedding, scaled: rows(scaled), positions, x: rows(x), q: rows(q), k: rows(k), v: rows(v) },
    ...{ scores: perHead(scores), attention: perHead(attention), joined: rows(joined), attended: rows(attended) },
    ...{
      added: rows(added),
      y: rows(y),
      hidden: rows(hidden),
      narrow: rows(narrow),
      again: rows(again),
      out: rows(out),
    },
  };
}

/** @typedef {ReturnType<typeof forwardSteps>} Values */

/** @param {Matrix} x @param {(x: Matrix, name: string) => Matrix} apply @param {number} headDim */
function attend(x, apply, headDim) {
  const [q, k, v] = ["q", "k", "v"].map((name) => apply(x, `self_attention.W_${name}`));
  const heads = range(x.cols / headDim).map((h) =>
    [q, k, v].map((projected) => sliceColumns(projected, h * headDim, (h + 1) * headDim)),
  );
  const scores = heads.map(([queries, keys]) => map(linear(queries, keys), (score) => score / Math.sqrt(headDim)));
  const attention = scores.map((head) => fromRows(toRows(head).map((row) => softmax(row))));
  const joined = concatColumns(...heads.map(([, , values], h) => matmul(attention[h], values)));
  return { q, k, v, scores, attention, joined };
}
