// Means, ranks and paired differences of contestants at one budget.
import { clamp, sum } from "../shared/numbers.js";

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {(number[] | null)[]} values the figures of all seeds at each budget; null if a run diverged
 * @property {(number | null)[]} rates the learning rate chosen at each budget
 */
/** @typedef {{ curve: Curve, mean: number, low: number, high: number, values: number[] }} Ranked */
/** @typedef {{ steps: number[], budgets: Record<string, number>, curves: Curve[] }} Task */

/** @param {number[]} values */
export const mean = (values) => sum(values) / values.length;

/**
 * The contestants with figures at a budget, best first, and the others after them.
 *
 * @param {Task} task @param {number} point @param {boolean} higherIsBetter
 * @returns {{ ranked: Ranked[], missing: Curve[] }}
 */
export function rank({ curves }, point, higherIsBetter) {
  const ranked = curves
    .flatMap((curve) => {
      const values = curve.values[point];
      return values ? [{ curve, values, mean: mean(values), low: Math.min(...values), high: Math.max(...values) }] : [];
    })
    .sort((a, b) => (higherIsBetter ? b.mean - a.mean : a.mean - b.mean));
  return { ranked, missing: curves.filter((curve) => !curve.values[point]) };
}

/**
 * How far one contestant is ahead of another: the mean of the paired differences, and in how many seeds it is ahead.
 *
 * @param {number[]} one @param {number[]} other @param {boolean} higherIsBetter
 */
export function lead(one, other, higherIsBetter) {
  const apart = one.map((value, seed) => (higherIsBetter ? value - other[seed] : other[seed] - value));
  return { apart: mean(apart), ahead: apart.filter((difference) => difference > 0).length, seeds: apart.length };
}

/** The smallest and the largest figure of a task. @param {Task} task @returns {[number, number]} */
export function extent({ curves }) {
  const all = curves.flatMap(({ values }) => values.flatMap((seeds) => seeds ?? []));
  return [Math.min(...all), Math.max(...all)];
}

/** Decimals that tell figures of this range apart. @param {number} low @param {number} high */
export const decimals = (low, high) => clamp(2 - Math.floor(Math.log10(high - low || 1)), 0, 4);

/**
 * Moves labels apart: the places nearest to the wanted ones, in the same order, at least `gap` apart and inside the ends.
 *
 * @param {number[]} wanted @param {number} gap @param {number} low @param {number} high
 */
export function spreadOut(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const places = [...wanted];
  let least = low;
  for (const i of order) {
    places[i] = Math.max(wanted[i], least);
    least = places[i] + gap;
  }
  let most = high;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i], most);
    most = places[i] - gap;
  }
  return places;
}
