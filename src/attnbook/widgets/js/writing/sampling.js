// Drawing the next token: temperature, top-k and top-p, and seeded coins.

import { softmax } from "../shared/linear_algebra.js";
import { sum } from "../shared/numbers.js";
import { randomFrom } from "../train/random.js";

/** Which tokens may be drawn, and how often. A `topK` of 0 keeps all tokens. @typedef {{temperature: number, topK: number, topP: number}} Filter */

/**
 * @typedef {object} Distribution
 * @property {number[]} before probabilities by id, at temperature 1
 * @property {number[]} after probabilities by id that are drawn from; 0 for tokens that are cut off
 * @property {number[]} order ids from the most to the least likely
 * @property {number} kept how many of them are kept
 */

/**
 * The distribution of the next token. Top-p keeps the most likely tokens until they have the probability `topP` at this
 * temperature; a token is cut off if those before it have it already.
 * @param {ArrayLike<number>} logits @param {Filter} filter @returns {Distribution}
 */
export function filtered(logits, { temperature, topK, topP }) {
  const before = softmax(Array.from(logits));
  const tempered = softmax(Array.from(logits), temperature);
  const order = before.map((_, id) => id).sort((a, b) => tempered[b] - tempered[a] || a - b);
  const enough = topP < 1 ? topP : Infinity; // at 1 nothing is cut off, however the sum is rounded
  let [kept, total] = [0, 0];
  while (kept < order.length && (topK === 0 || kept < topK) && total < enough && tempered[order[kept]] > 0)
    total += tempered[order[kept++]];
  const after = before.map(() => 0);
  for (const id of order.slice(0, kept)) after[id] = tempered[id] / total;
  return { before, after, order, kept };
}

/** The logits with some ids forbidden. @param {ArrayLike<number>} logits @param {readonly number[]} forbidden */
export const without = (logits, forbidden) =>
  Array.from(logits, (value, id) => (forbidden.includes(id) ? -Infinity : value));

/**
 * The token whose interval of probability contains the coin. The intervals follow `order`, so that a coin near 0 draws a
 * likely token.
 * @param {ArrayLike<number>} weights need not sum to 1 @param {number} coin in [0, 1) @param {number[]} [order] of the ids
 */
export function draw(weights, coin, order = Array.from(weights, (_, id) => id)) {
  const place = coin * sum(weights);
  let [total, last] = [0, -1];
  for (const id of order) {
    if (!(weights[id] > 0)) continue;
    total += weights[id];
    last = id;
    if (place < total) return id;
  }
  if (last < 0) throw new Error("weights must have a positive entry");
  return last; // the sums were rounded
}

/** A seeded generator for one place in a text, independent of how the places before were drawn. @param {number} seed @param {number} place */
export function coinsAt(seed, place) {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b));
  random(); // similar seeds have similar first numbers
  return random;
}
