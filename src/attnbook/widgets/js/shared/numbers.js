// Small numeric helpers.

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** @param {ArrayLike<number>} values */
export function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

/** The integers from 0 to count - 1. @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i);
