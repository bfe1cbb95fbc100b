// Single-head attention with additive, dot or general scores, optionally scaled.

import { dot, matrix, row, weightedSum } from "../shared/linear_algebra.js";
import { linearLayer, weightOf } from "./layers.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./intervention.js").Intervention} Intervention */
/** Weights of one head, one row per query. @typedef {Matrix} HeadWeights */

/**
 * The window of one query: the allowed keys, and a factor for each weight after the softmax.
 * @typedef {{allowed?: (key: number) => boolean, scale?: (key: number) => number}} Window
 */

/**
 * @typedef {object} Scored
 * @property {string} name
 * @property {(memory: Matrix) => Matrix} projectKey the part of the score that depends only on the keys
 * @property {(query: Matrix, key: Matrix, memory: Matrix, position: number, intervention: Intervention, window?: Window)
 *   => {context: Matrix, weights: HeadWeights}} attend with one query, the target token at `position`
 */

/**
 * @param {Weights} weights @param {string} name
 * @param {"dot" | "general" | "concat"} score "concat" is additive @param {boolean} scaled
 * @returns {Scored}
 */
export function scoredAttention(weights, name, score, scaled) {
  const { projectKey, scoresOf } = score === "concat" ? additive(weights, name) : product(weights, name, score, scaled);
  return {
    name,
    projectKey,
    attend(query, key, memory, position, intervention, { allowed, scale } = {}) {
      const found = intervention.softmax(name, 0, position, scoresOf(query, key), allowed);
      if (scale) for (let i = 0; i < found.length; i++) found[i] *= scale(i);
      const rows = Array.from({ length: memory.rows }, (_, i) => row(memory, i));
      return {
        context: matrix(1, memory.cols, weightedSum(found, rows, 0, memory.cols)),
        weights: matrix(1, memory.rows, found),
      };
    },
  };
}

/** w_v . tanh(W_q q + W_k k) @type {(weights: Weights, name: string) => Score} */
function additive(weights, name) {
  const [query, key] = ["W_q", "W_k"].map((part) => linearLayer(weights, `${name}.${part}`));
  const value = weightOf(weights, `${name}.w_v.weight`).data;
  return {
    projectKey: key,
    scoresOf(q, projected) {
      const asked = query(q).data;
      return Float32Array.from({ length: projected.rows }, (_, i) => {
        const offered = row(projected, i);
        let sum = 0;
        for (let k = 0; k < asked.length; k++) sum += value[k] * Math.tanh(asked[k] + offered[k]);
        return sum;
      });
    },
  };
}

/** q . k or q . W k, optionally divided by the square root of the query size @type {(weights: Weights, name: string, score: string, scaled: boolean) => Score} */
function product(weights, name, score, scaled) {
  return {
    projectKey: score === "general" ? linearLayer(weights, `${name}.W`) : (memory) => memory,
    scoresOf: (q, projected) =>
      Float32Array.from(
        { length: projected.rows },
        (_, i) => dot(q.data, row(projected, i)) / (scaled ? Math.sqrt(q.cols) : 1),
      ),
  };
}

/** @typedef {{projectKey: (memory: Matrix) => Matrix, scoresOf: (query: Matrix, key: Matrix) => Float32Array}} Score */
