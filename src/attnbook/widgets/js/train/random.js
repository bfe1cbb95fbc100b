// Random numbers that a seed repeats: the same lists and the same first weights, whoever runs it again.

/** @typedef {() => number} Random from 0 up to, and without, 1 */

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

/** A whole number from 0 below `count`. @param {Random} random @param {number} count */
export const below = (random, count) => Math.floor(random() * count);

/** From a normal distribution, by Box and Muller. @param {Random} random */
export const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** `count` different whole numbers from 0 below `all`, in any order. @param {Random} random @param {number} all @param {number} count */
export function different(random, all, count) {
  const numbers = Array.from({ length: all }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const other = i + below(random, all - i);
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers.slice(0, count);
}
