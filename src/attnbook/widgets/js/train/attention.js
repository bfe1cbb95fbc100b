// Multi-head attention, forward and backward: each query row attends to the keys and values of its list.
import { softmaxInPlace } from "../shared/linear_algebra.js";

/**
 * @typedef {object} Shape
 * @property {Int32Array} lists list index of each query row
 * @property {number} places keys per list
 * @property {number} width row width, all heads concatenated
 * @property {number} heads
 * @property {boolean} asks false: uniform weights 1 / places
 * @property {number} batch number of lists
 */

/** @param {Shape} shape */
export function attention({ lists, places, width, heads, asks, batch }) {
  const size = width / heads;
  const scale = 1 / Math.sqrt(size);
  const rows = lists.length;
  const weights = new Float64Array(rows * heads * places).fill(1 / places);
  const [out, forQuery] = [0, 1].map(() => new Float64Array(rows * width));
  const [forKey, forValue] = [0, 1].map(() => new Float64Array(batch * places * width));
  const slopes = new Float64Array(places);
  /** @type {Float64Array[]} */
  let [query, key, value] = [out, forKey, forValue];

  /** softmax(q k^T / sqrt(size)) of one row and head. @param {number} q @param {number} k @param {number} w */
  function weigh(q, k, w) {
    for (let j = 0; j < places; j++) {
      let score = 0;
      for (let i = 0; i < size; i++) score += query[q + i] * key[k + j * width + i];
      weights[w + j] = score * scale;
    }
    softmaxInPlace(weights, w, places);
  }

  /** Softmax backward: w * (slope - weighted mean of the slopes under w). @param {number} q @param {number} k @param {number} w */
  function weighBack(q, k, w) {
    let mean = 0;
    for (let j = 0; j < places; j++) mean += weights[w + j] * slopes[j];
    for (let j = 0; j < places; j++) {
      const slope = weights[w + j] * (slopes[j] - mean) * scale;
      for (let i = 0, at = k + j * width; i < size; i++, at++) {
        forQuery[q + i] += slope * key[at];
        forKey[at] += slope * query[q + i];
      }
    }
  }

  return {
    weights,
    /** @param {Float64Array} q @param {Float64Array} k @param {Float64Array} v */
    forward(q, k, v) {
      [query, key, value] = [q, k, v];
      out.fill(0);
      for (let r = 0, w = 0; r < rows; r++)
        for (let h = 0; h < heads; h++, w += places) {
          const at = r * width + h * size;
          const from = lists[r] * places * width + h * size;
          if (asks) weigh(at, from, w);
          for (let j = 0; j < places; j++) {
            const weight = weights[w + j];
            for (let i = 0, v = from + j * width; i < size; i++, v++) out[at + i] += weight * value[v];
          }
        }
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      for (const array of [forQuery, forKey, forValue]) array.fill(0);
      for (let r = 0, w = 0; r < rows; r++)
        for (let h = 0; h < heads; h++, w += places) {
          const at = r * width + h * size;
          const from = lists[r] * places * width + h * size;
          for (let j = 0; j < places; j++) {
            const weight = weights[w + j];
            let slope = 0;
            for (let i = 0, v = from + j * width; i < size; i++, v++) {
              slope += g[at + i] * value[v];
              forValue[v] += weight * g[at + i];
            }
            slopes[j] = slope;
          }
          if (asks) weighBack(at, from, w);
        }
      return { forQuery, forKey, forValue };
    },
  };
}
