// Multi-head scaled dot-product attention; groups of heads may share keys and values.

import { dotRange, matrix, row, weightedSum } from "../shared/linear_algebra.js";
import { linearLayer, rmsLayer } from "./layers.js";
import { rotate } from "./positional.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./intervention.js").Intervention} Intervention */
/** Projected keys and values, one row per token with the groups concatenated. @typedef {{keys: Float32Array[], values: Float32Array[]}} KeyValue */

/**
 * @typedef {object} MultiHead
 * @property {string} name
 * @property {(x: Matrix, offset: number, intervention: Intervention) => KeyValue} project the cached keys and values of
 *   the tokens `x`, which start at position `offset`
 * @property {(query: Matrix, seen: KeyValue, offset: number, intervention: Intervention, causal?: boolean)
 *   => {pooled: Matrix, weights: Matrix[]}} attend queries that start at position `offset`; weights by head
 */

/**
 * @param {Weights} weights @param {string} name @param {number} heads
 * @param {boolean} rotary rotary position embeddings
 * @param {number} groups number of heads of keys and values
 * @returns {MultiHead}
 */
export function multiHead(weights, name, heads, rotary = false, groups = heads) {
  const [query, key, value, output] = ["W_q", "W_k", "W_v", "W_o"].map((part) =>
    linearLayer(weights, `${name}.${part}`),
  );
  const [normQuery, normKey] = ["norm_q", "norm_k"].map((part) =>
    weights.has(`${name}.${part}.weight`) ? rmsLayer(weights, `${name}.${part}`) : (/** @type {Matrix} */ x) => x,
  );
  /** @type {(x: Matrix, count: number, offset: number, intervention: Intervention) => Matrix} */
  const placed = (x, count, offset, { positions }) => (rotary && positions ? rotate(x, count, offset) : x);

  /** @type {(intervention: Intervention, arrays: Record<string, Matrix>) => void} */
  const keep = (intervention, arrays) => {
    for (const [part, values] of Object.entries(arrays)) intervention.record(`${name}.${part}`, values);
  };

  return {
    name,
    project(x, offset, intervention) {
      const [k, v] = [normKey(key(x)), value(x)];
      const turned = placed(k, groups, offset, intervention);
      keep(intervention, { memory: x, k_unrotated: k, k: turned, v });
      return { keys: rowsOf(turned), values: rowsOf(v) };
    },
    attend(x, { keys, values }, offset, intervention, causal = false) {
      const unrotated = normQuery(query(x));
      const q = placed(unrotated, heads, offset, intervention);
      const size = q.cols / heads;
      const merged = matrix(q.rows, q.cols);
      const seen = Array.from({ length: heads }, () => matrix(q.rows, keys.length));
      for (let i = 0; i < q.rows; i++) {
        const allowed = causal ? (/** @type {number} */ j) => j <= offset + i : undefined;
        for (let h = 0; h < heads; h++) {
          const left = h * size;
          const shared = Math.floor((h * groups) / heads) * size;
          const scores = Float32Array.from(
            keys,
            (k) => dotRange(q.data, i * q.cols + left, k, shared, size) / Math.sqrt(size),
          );
          const found = intervention.softmax(name, h, offset + i, scores, allowed);
          intervention.record(`${name}.scores.${h}`, matrix(1, scores.length, scores));
          intervention.record(`${name}.weights.${h}`, matrix(1, found.length, found));
          row(seen[h], i).set(found);
          row(merged, i).set(weightedSum(found, values, shared, shared + size), left);
        }
      }
      const pooled = output(merged);
      keep(intervention, { input: x, q_unrotated: unrotated, q, mixed: merged, output: pooled });
      return { pooled, weights: seen };
    },
  };
}

/** @type {(x: Matrix) => Float32Array[]} */
const rowsOf = (x) => Array.from({ length: x.rows }, (_, i) => row(x, i));
