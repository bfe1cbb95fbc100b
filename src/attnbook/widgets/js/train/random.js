// Seeded random numbers, so that lists and initial weights are reproducible.
import { range } from "../shared/numbers.js";

/** @typedef {() => number} Random uniform in [0, 1) */

/** Mulberry32. @param {number} seed @returns {Random} */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random integer in [0, count). @param {Random} random @param {number} count */
export const below = (random, count) => Math.floor(random() * count);

/** A standard normal number (Box-Muller). @param {Random} random */
export const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** `count` distinct random integers in [0, all). @param {Random} random @param {number} all @param {number} count */
export function different(random, all, count) {
  const numbers = range(all);
  for (let i = 0; i < count; i++) {
    const other = i + below(random, all - i);
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers.slice(0, count);
}
