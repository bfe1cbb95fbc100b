// Kernel regression: weights, predictions and three error measures.
import { dot } from "../shared/linear_algebra.js";
import { sum } from "../shared/numbers.js";

/** @typedef {"gaussian" | "boxcar" | "epanechnikov"} Kernel */
/** @typedef {{ key: number[], value: number[], grid: number[], truth: number[] }} Data */

/** @type {Record<Kernel, (u: number) => number>} */
export const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (Math.abs(u) <= 1 ? 1 : 0),
  epanechnikov: (u) => Math.max(0, 1 - u * u),
};

/**
 * The weight of every key, or null if no key is within the kernel's width.
 *
 * @param {number[]} keys @param {number} query @param {number} width @param {Kernel} kernel
 * @param {number} [without] index of a key to leave out
 */
export function attentionWeights(keys, query, width, kernel, without = -1) {
  const distances = keys.map((key, i) => (i === without ? Infinity : (key - query) / width));
  // For the Gaussian the smallest distance is subtracted in the exponent, as in softmax, so that the sum cannot underflow.
  const nearest = kernel === "gaussian" ? Math.min(...distances.map((u) => u * u)) : 0;
  const similar = distances.map((u) => (kernel === "gaussian" ? Math.exp((nearest - u * u) / 2) : KERNELS[kernel](u)));
  const total = sum(similar);
  return total > 0 ? similar.map((value) => value / total) : null;
}

/**
 * The prediction at a query, or null if no key has weight.
 *
 * @param {Data} data @param {number} query @param {number} width @param {Kernel} kernel @param {number} [without]
 */
export function predict({ key, value }, query, width, kernel, without = -1) {
  const weights = attentionWeights(key, query, width, kernel, without);
  return weights && dot(weights, value);
}

/** Mean of the squared differences, or null if a prediction is missing. @param {(number | null)[]} found @param {number[]} wanted */
function meanSquare(found, wanted) {
  const squares = found.map((height, i) => (height === null ? NaN : (height - wanted[i]) ** 2));
  const mean = sum(squares) / squares.length;
  return Number.isNaN(mean) ? null : mean;
}

/**
 * Mean squared errors of a width: training error, leave-one-out error and error to the true curve.
 *
 * @param {Data} data @param {number} width @param {Kernel} kernel
 */
export function errors(data, width, kernel) {
  const { key, value, grid, truth } = data;
  return {
    itself: meanSquare(
      key.map((at) => predict(data, at, width, kernel)),
      value,
    ),
    out: meanSquare(
      key.map((at, i) => predict(data, at, width, kernel, i)),
      value,
    ),
    truth: meanSquare(
      grid.map((at) => predict(data, at, width, kernel)),
      truth,
    ),
  };
}
